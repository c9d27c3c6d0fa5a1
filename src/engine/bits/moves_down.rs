//! Moves down, derived from moves to the left by a quarter turn.
//!
//! Key idea: moves down take far more memory than moves to the left, because they pack badly. So a
//! batch of pairs makes only the moves down that it needs, packs them, and drops them after its sweep.
//! A turn reads all moves to the left, group by group, and `turn` copies their bits.

use std::collections::BTreeSet;
use std::ops::Range;

use rayon::prelude::*;

use super::afterstates::{Afterstates, shapes_of_moves_down};
use super::kernels::BitLine;
use super::matrix::{Matrices, lock};
use super::tables::Halves;
use super::turn::QuarterTurn;
use crate::engine::batch::ranges;
use crate::engine::workers::{Done, Workers};
use crate::error::Result;

/// The most bytes of the moves down of boards of weight `weight`, with a top half of weight `top`.
pub(crate) fn most_bytes(weight: usize, top: usize, halves: &Halves) -> u64 {
    let shapes = shapes_of_moves_down(halves.sides(top, weight - top));
    let [full, short] = shapes.map(|(rows, lines)| rows * lines * size_of::<BitLine>());
    most_packed(full as u64, short as u64)
}

/// The most bytes of the packed matrices of moves down, given their bytes before. Measured: 0.68 of
/// the bytes onto full halves, and a ninth of the bytes onto short halves.
pub(crate) fn most_packed(full: u64, short: u64) -> u64 {
    full / 10 * 7 + short / 8
}

/// Derives moves down. Holds memory for a turn, which goes batch by batch.
pub(crate) struct Turner {
    /// Afterstates of moves to the left, unpacked.
    moved: Matrices,
    /// Moves down, not yet packed: onto full bottom halves, and onto short ones.
    down: [Matrices; 2],
    /// Most bytes of a batch of moves to the left, and of a batch of moves down, if it has more than
    /// one matrix.
    most: usize,
}

impl Turner {
    /// Memory of `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            moved: Matrices::default(),
            down: Default::default(),
            most: bytes as usize / 2,
        }
    }

    /// Derive the moves down with top halves of the weights `tops`, unless they are there. Others are
    /// dropped.
    pub(crate) fn make(
        &mut self,
        afterstates: &mut Afterstates,
        tops: &BTreeSet<usize>,
        halves: &Halves,
        workers: &Workers,
    ) -> Result<()> {
        let weight = afterstates.weight;
        afterstates.moves_down.retain(|top, _| tops.contains(top));
        let mut missing = halves.largest_first(weight);
        missing.retain(|top| tops.contains(top) && !afterstates.moves_down.contains_key(top));
        let shapes = |top: usize| shapes_of_moves_down(halves.sides(top, weight - top));
        // Neighbouring sources have neighbouring fields.
        let mut sources: Vec<usize> = halves.tops(weight).collect();
        sources.retain(|&top| afterstates.moved[top].has_bits());
        let mut sources = self.batches(&sources, |top| vec![afterstates.shape(top, halves)]);
        // The first batch clears the moves down, even if there is nothing to turn.
        if sources.is_empty() {
            sources.push(Vec::new());
        }
        for tops in self.batches(&missing, |top| shapes(top).to_vec()) {
            let [full, short] = &mut self.down;
            for (matrices, kind) in [(&mut *full, 0), (&mut *short, 1)] {
                let shape = |top| match tops.contains(&top) {
                    true => shapes(top)[kind],
                    false => (0, 0),
                };
                matrices.lay_out((0..=weight).map(shape))?;
            }
            for (batch, sources) in sources.iter().enumerate() {
                unpack(afterstates, sources, &mut self.moved, halves, workers)?;
                let turn = QuarterTurn {
                    weight,
                    moved: &self.moved,
                    halves,
                };
                let turned = full.fill(|full| {
                    short.fill(|short| {
                        workers.each(&tops, |_, &top| {
                            let (full, short) = (&mut *lock(&full[top]), &mut *lock(&short[top]));
                            if batch == 0 {
                                full.clear();
                                short.clear();
                            }
                            turn.on_full(top, full);
                            turn.on_short(top, short);
                            Ok(Done)
                        })
                    })
                });
                let Done = turned?;
            }
            let packed = tops
                .par_iter()
                .map(|&top| Ok((top, [full.pack(top)?, short.pack(top)?])));
            let packed: Vec<_> = packed.collect::<Result<_>>()?;
            afterstates.moves_down.extend(packed);
        }
        Ok(())
    }

    /// Cut weights of top halves into batches, given the shapes of their matrices.
    fn batches(
        &self,
        tops: &[usize],
        shapes: impl Fn(usize) -> Vec<(usize, usize)>,
    ) -> Vec<Vec<usize>> {
        let lines = |&top: &usize| shapes(top).iter().map(|(rows, width)| rows * width).sum();
        let sizes: Vec<usize> = tops.iter().map(lines).collect();
        let batches = ranges(&sizes, self.most / size_of::<BitLine>()).into_iter();
        batches
            .map(|batch: Range<usize>| tops[batch].to_vec())
            .collect()
    }
}

/// Unpack the matrices of the top halves of some weights, and no others.
fn unpack(
    afterstates: &Afterstates,
    tops: &[usize],
    moved: &mut Matrices,
    halves: &Halves,
    workers: &Workers,
) -> Result<()> {
    let shapes = (0..=afterstates.weight).map(|top| match tops.contains(&top) {
        true => afterstates.shape(top, halves),
        false => (0, 0),
    });
    moved.lay_out(shapes)?;
    let unpacked = moved.fill(|moved| {
        workers.each(tops, |_, &top| {
            let mut to = lock(&moved[top]);
            to.clear();
            let shape = afterstates.shape(top, halves);
            afterstates.moved[top].for_each_row(shape, |number, row| {
                to.row_mut(number).copy_from_slice(row);
            });
            Ok(Done)
        })
    });
    unpacked.map(|Done| ())
}
