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

use super::half::Half;
use super::halves::Halves;
use super::kernels::{Line, or_masked, set};
use super::matrix::Matrix;
use super::names::{Named, Ways};
use super::pair::Scratch;
use super::turn::{turn_full, turn_short};
use crate::engine::lists::Listing;
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::game::images;
use crate::part::Part;

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
        self.moved.resize_with(weight + 1, Matrix::default);
        self.moved.iter_mut().for_each(|matrix| matrix.reset(0, 0));
    }

    /// Use the memory of others that are needed no longer.
    pub(crate) fn inherit(&mut self, others: &mut Self) {
        mem::swap(&mut self.full, &mut others.full);
        mem::swap(&mut self.short, &mut others.short);
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

    /// Those moved to the left are there: look which matrices have none.
    pub(crate) fn look(&mut self) {
        self.none = self.moved.iter().map(Matrix::is_zero).collect();
    }

    /// Complete the afterstates from those moved to the left.
    pub(crate) fn complete(&mut self, halves: &Halves, workers: &Workers) -> Result<()> {
        let weight = self.weight;
        let locked = |matrices: &mut Vec<Matrix>| -> Vec<Mutex<Matrix>> {
            matrices.resize_with(weight + 1, Matrix::default);
            matrices.iter_mut().for_each(|matrix| matrix.reset(0, 0));
            mem::take(matrices).into_iter().map(Mutex::new).collect()
        };
        let (full, short) = (locked(&mut self.full), locked(&mut self.short));
        let tops: Vec<usize> = (0..=self.weight)
            .filter(|&top| self.has(top, halves))
            .collect();
        let this = &*self;
        let Done = workers.each(&tops, |_, &top| {
            turn_full(
                this,
                top,
                halves,
                &mut full[top].lock().expect("no thread panics"),
            );
            turn_short(
                this,
                top,
                halves,
                &mut short[top].lock().expect("no thread panics"),
            );
            Ok(Done)
        })?;
        let free = |matrix: Mutex<Matrix>| matrix.into_inner().expect("no thread panics");
        self.full = full.into_iter().map(free).collect();
        self.short = short.into_iter().map(free).collect();
        Ok(())
    }

    /// Take up canonical afterstates from their files, those of sum `2 * weight`. About 100 ns each.
    ///
    /// All images of an afterstate are afterstates, so those that could have been moved to the left
    /// are set, whether they were or not: what is made of them is the same.
    pub(crate) fn load(
        &mut self,
        weight: usize,
        parts: &[&Part],
        halves: &Halves,
        workers: &Workers,
    ) -> Result<()> {
        self.reset(weight);
        for top in (0..=weight).filter(|&top| top <= halves.most() && weight - top <= halves.most())
        {
            let (rows, columns) = (
                &halves.tables[top].class,
                &halves.tables[weight - top].class,
            );
            self.moved[top].reset(rows.rows(), columns.moved().len());
        }
        let moved = mem::take(&mut self.moved).into_iter().map(Mutex::new);
        let moved: Vec<Mutex<Matrix>> = moved.collect();
        let blocks = parts
            .iter()
            .flat_map(|&part| (0..part.blocks()).map(move |block| (part, block)));
        let blocks: Vec<_> = blocks.collect();
        let Done = workers.each(&blocks, |worker, &(part, block)| {
            worker.boards.clear();
            part.read_block(block, &mut worker.decoder, &mut worker.boards)?;
            let mut bits: Vec<Vec<(u32, u32)>> = vec![Vec::new(); weight + 1];
            for &board in &worker.boards {
                for image in images::<4, 4>(board) {
                    let (top, bottom) = Half::of_board(image);
                    if top.left() && bottom.left() && !top.full() {
                        let weight = halves.weight(top);
                        let row = halves.tables[weight].class.row(halves.position(top));
                        let row = row.expect("it is not full, and at the left");
                        bits[weight].push((row as u32, halves.position(bottom)));
                    }
                }
            }
            for (moved, bits) in moved.iter().zip(bits) {
                let mut moved = moved.lock().expect("no thread panics");
                bits.into_iter()
                    .for_each(|(row, at)| set(moved.row_mut(row as usize), at));
            }
            Ok(Done)
        })?;
        let free = |matrix: Mutex<Matrix>| matrix.into_inner().expect("no thread panics");
        self.moved = moved.into_iter().map(free).collect();
        self.look();
        Ok(())
    }

    /// List the canonical afterstates of which the top half has weight `top` and an empty cell, and
    /// those of which the bottom half has, and the top half is full.
    pub(crate) fn list(
        &self,
        top: usize,
        halves: &Halves,
        listing: &Listing,
        scratch: &mut Scratch,
    ) -> Result<Named> {
        let Scratch {
            slabs: [slab, _],
            mirror,
            names,
            row,
            masked,
            ..
        } = scratch;
        slab.make(self, top, halves, mirror);
        if !slab.empty {
            let (rows, columns) = (&halves.tables[top], &halves.tables[self.weight - top]);
            slab.rows(rows, columns, row, |position, half, row| {
                let of_half = (half, rows.max[position as usize]);
                names.row(of_half, row, None, columns, Ways::Upright, Some(listing))?;
                masked.clear();
                masked.resize(row.len(), Line::ZERO);
                or_masked(masked, row, &columns.full);
                names.row(of_half, masked, None, columns, Ways::Flipped, Some(listing))
            })?;
        }
        Ok(names.take())
    }
}

/// Nothing to add up.
#[derive(Default)]
pub(crate) struct Done;

impl AddAssign for Done {
    fn add_assign(&mut self, Self: Self) {}
}
