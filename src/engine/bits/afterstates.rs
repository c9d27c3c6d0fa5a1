//! The afterstates of a layer: what is kept of them.
//!
//! Key idea: by symmetry the afterstates of a move to the left tell those of the other three. And
//! every afterstate has an empty cell, so a vertical flip leads from any of them to one with an
//! empty cell in its top half: only those rows are kept, 5 % of the bits of a layer. What a move
//! down leads to is made of them by a quarter turn, once for both layers that follow; all else when
//! a `Slab` is made.

use std::mem;

use super::class::Class;
use super::half::{Half, at_left};
use super::halves::Halves;
use super::kernels::set;
use super::matrix::Matrices;
use super::tables::Tables;
use crate::engine::frontier::FrontierPart;
use crate::engine::workers::{Done, Workers};
use crate::error::Result;
use crate::game::images;

/// The afterstates of one sum. Matrices are by weight of the top half, rows by top half.
#[derive(Default)]
pub(crate) struct Afterstates {
    /// Half the sum.
    pub(crate) weight: usize,
    /// Those moved to the left, with an empty cell in the top half: the columns that a move to the
    /// left leads to.
    pub(crate) moved: Matrices,
    /// Those moved down that have a full bottom half: rows as in `Tables::fallen`, columns `both`.
    pub(crate) full: Matrices,
    /// Those moved down that have a short bottom half: rows as in `Tables::hollows`, columns of the
    /// windows of short halves.
    pub(crate) short: Matrices,
}

impl Afterstates {
    /// Begin anew with half a sum, in the same memory.
    pub(crate) fn reset(&mut self, weight: usize, halves: &Halves) -> Result<()> {
        self.weight = weight;
        let shape = |rows: &Class, columns: &Class| (rows.rows(), columns.moved().len());
        self.moved.lay_out(shapes(weight, halves, |rows, columns| {
            shape(&rows.class, &columns.class)
        }))
    }

    /// Use the memory of others that are needed no longer.
    pub(crate) fn inherit(&mut self, others: &mut Self) {
        mem::swap(&mut self.full, &mut others.full);
        mem::swap(&mut self.short, &mut others.short);
    }

    /// Whether there are none at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.moved.is_empty()
    }

    /// Take up canonical afterstates from their files, those of sum `2 * weight`. About 100 ns each.
    ///
    /// All images of an afterstate are afterstates, so those that could have been moved to the left
    /// are set, whether they were or not: what is made of them is the same.
    pub(crate) fn load(
        &mut self,
        weight: usize,
        parts: &[&FrontierPart],
        halves: &Halves,
        workers: &Workers,
    ) -> Result<()> {
        self.reset(weight, halves)?;
        let pieces = parts
            .iter()
            .flat_map(|&part| (0..part.pieces()).map(move |piece| (part, piece)));
        let pieces: Vec<_> = pieces.collect();
        let loaded = self.moved.make(|moved| {
            for made in moved {
                made.lock().expect("no thread panics").matrix.clear();
            }
            workers.each(&pieces, |worker, &(part, piece)| {
                worker.boards.clear();
                part.read(piece, &mut worker.decoder, &mut worker.boards)?;
                let mut bits: Vec<Vec<(u32, u32)>> = vec![Vec::new(); weight + 1];
                let images = worker
                    .boards
                    .iter()
                    .flat_map(|&board| images::<4, 4>(board));
                for (top, bottom) in images.filter(|&image| at_left(image)).map(Half::of_board) {
                    if !top.full() {
                        let weight = halves.weight(top);
                        let row = halves.tables[weight].class.row(halves.position(top));
                        let row = row.expect("it is not full, and at the left");
                        bits[weight].push((row as u32, halves.position(bottom)));
                    }
                }
                for (made, bits) in moved.iter().zip(bits).filter(|(_, bits)| !bits.is_empty()) {
                    let mut made = made.lock().expect("no thread panics");
                    made.any = true;
                    for (row, at) in bits {
                        set(made.matrix.row_mut(row as usize), at);
                    }
                }
                Ok(Done)
            })
        });
        loaded.map(|Done| ())
    }
}

/// The shapes of matrices for boards of half a sum, by weight of the top half; none where there are
/// no such halves.
pub(super) fn shapes(
    weight: usize,
    halves: &Halves,
    shape: impl Fn(&Tables, &Tables) -> (usize, usize),
) -> impl Iterator<Item = (usize, usize)> {
    (0..=weight).map(move |top| {
        let tables = &halves.tables;
        tables
            .get(top)
            .zip(tables.get(weight - top))
            .map_or((0, 0), |(rows, columns)| shape(rows, columns))
    })
}
