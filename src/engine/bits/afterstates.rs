//! The afterstates of a layer: what is kept of them.
//!
//! Key idea: by symmetry the afterstates of a move to the left tell those of the other three. And
//! every afterstate has an empty cell, so a vertical flip leads from any of them to one with an
//! empty cell in its top half: only those rows are kept, 5 % of the bits of a layer. What a move
//! down leads to is made of them by a quarter turn, once for both layers that follow; all else when
//! a `Slab` is made.

use std::mem;
use std::ops::AddAssign;
use std::sync::Mutex;

use super::halves::Halves;
use super::matrix::Matrix;
use super::turn::{turn_full, turn_short};
use crate::engine::workers::Workers;
use crate::error::Result;

/// The afterstates of one sum. Matrices are by weight of the top half, rows by top half.
#[derive(Default)]
pub(crate) struct Afterstates {
    /// Half the sum.
    pub(crate) weight: usize,
    /// Those moved to the left, with an empty cell in the top half: the columns that a move to the
    /// left leads to.
    pub(crate) moved: Vec<Matrix>,
    /// Those moved down that have a full bottom half: rows as in `Tables::fallen`, columns `both`.
    pub(crate) full: Vec<Matrix>,
    /// Those moved down that have a short bottom half: rows as in `Tables::hollows`, columns of the
    /// windows of short halves.
    pub(crate) short: Vec<Matrix>,
    /// Whether none was moved to the left.
    none: Vec<bool>,
}

impl Afterstates {
    /// Begin anew with half a sum, in the same memory.
    pub(crate) fn reset(&mut self, weight: usize) {
        self.weight = weight;
        self.none.clear();
        for matrices in [&mut self.moved, &mut self.full, &mut self.short] {
            matrices.resize_with(weight + 1, Matrix::default);
            matrices.iter_mut().for_each(|matrix| matrix.reset(0, 0));
        }
    }

    /// Whether none was moved to the left with this weight of the top half.
    pub(crate) fn none(&self, top: usize) -> bool {
        self.none.get(top).is_none_or(|&none| none)
    }

    /// Whether there are none at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.none.iter().all(|&none| none)
    }

    /// Whether the halves of a pair of weights exist.
    pub(crate) fn has(&self, top: usize, halves: &Halves) -> bool {
        top < self.moved.len() && top <= halves.most() && self.weight - top <= halves.most()
    }

    /// Complete the afterstates from those moved to the left.
    pub(crate) fn complete(&mut self, halves: &Halves, workers: &Workers) -> Result<()> {
        self.none = self.moved.iter().map(Matrix::is_zero).collect();
        let locked = |matrices: &mut Vec<Matrix>| -> Vec<Mutex<Matrix>> {
            mem::take(matrices).into_iter().map(Mutex::new).collect()
        };
        let (full, short) = (locked(&mut self.full), locked(&mut self.short));
        let tops: Vec<usize> = (0..=self.weight).filter(|&top| self.has(top, halves)).collect();
        let this = &*self;
        let Done = workers.each(&tops, |_, &top| {
            turn_full(this, top, halves, &mut full[top].lock().expect("no thread panics"));
            turn_short(this, top, halves, &mut short[top].lock().expect("no thread panics"));
            Ok(Done)
        })?;
        let free = |matrix: Mutex<Matrix>| matrix.into_inner().expect("no thread panics");
        self.full = full.into_iter().map(free).collect();
        self.short = short.into_iter().map(free).collect();
        Ok(())
    }
}

/// Nothing to add up.
#[derive(Default)]
pub(crate) struct Done;

impl AddAssign for Done {
    fn add_assign(&mut self, Self: Self) {}
}
