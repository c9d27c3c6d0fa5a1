//! Moves down, derived from moves to the left by a quarter turn.
//!
//! Key idea: moves down take far more memory than moves to the left, because they pack badly. So a
//! batch of pairs makes only the moves down that it needs, packs them, and drops them after its sweep.
//! A turn reads all moves to the left, group by group, and `turn` copies their bits.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::afterstates::Afterstates;
use super::class::ColumnRange;
use super::kernels::BitLine;
use super::matrix::{Matrices, lock};
use super::packed_matrix::PackedMatrix;
use super::tables::Halves;
use super::turn::QuarterTurn;
use crate::engine::batch::ranges;
use crate::engine::workers::{Done, Workers};
use crate::error::Result;

/// The afterstates of moves down of one sum, packed, by weight of the top half.
#[derive(Default)]
pub(crate) struct MovesDown {
    /// Half the sum.
    weight: usize,
    /// The weights of the top halves whose matrices are there.
    tops: BTreeSet<usize>,
    /// Boards with a full bottom half. Rows are `AfterstateRows::down`, columns are `both`.
    pub(crate) on_full: Vec<PackedMatrix>,
    /// Boards with a short bottom half. Rows are hollow halves, columns are compact rows of short
    /// halves.
    pub(crate) on_short: Vec<PackedMatrix>,
}

impl MovesDown {
    /// The most bytes for a top half of some weight.
    pub(crate) fn most_bytes(weight: usize, top: usize, halves: &Halves) -> u64 {
        let shapes = shapes(weight, top, halves);
        let [full, short] = shapes.map(|(rows, lines)| rows * lines * size_of::<BitLine>());
        most_packed(full as u64, short as u64)
    }

    /// Bytes of all matrices.
    pub(crate) fn bytes(&self) -> u64 {
        let all = self.on_full.iter().chain(&self.on_short);
        all.map(|packed| packed.bytes().len() as u64).sum()
    }

    /// Derive the boards with top halves of the weights `tops` from moves to the left, unless they
    /// are there. Other boards are dropped.
    pub(crate) fn make(
        &mut self,
        afterstates: &Afterstates,
        tops: &BTreeSet<usize>,
        scratch: &mut MovesDownScratch,
        halves: &Halves,
        workers: &Workers,
    ) -> Result<()> {
        let weight = afterstates.weight;
        if self.weight != weight {
            *self = Self {
                weight,
                ..Self::default()
            };
        }
        self.tops.retain(|top| tops.contains(top));
        for packed in [&mut self.on_full, &mut self.on_short] {
            packed.resize_with(weight + 1, PackedMatrix::default);
            for (top, packed) in packed.iter_mut().enumerate() {
                if !tops.contains(&top) {
                    *packed = PackedMatrix::default();
                }
            }
        }
        let mut missing = halves.largest_first(weight);
        missing.retain(|top| tops.contains(top) && !self.tops.contains(top));
        let most = scratch.most / size_of::<BitLine>();
        let in_batches = |tops: Vec<usize>, lines: &dyn Fn(usize) -> usize| {
            let sizes: Vec<usize> = tops.iter().map(|&top| lines(top)).collect();
            let batches = ranges(&sizes, most).into_iter();
            batches
                .map(|range| tops[range].to_vec())
                .collect::<Vec<_>>()
        };
        // Neighbouring sources have neighbouring fields.
        let sources = halves.tops(weight);
        let sources = sources.filter(|&top| afterstates.moved[top].has_bits());
        let sources = in_batches(sources.collect(), &|top| {
            let (rows, width) = afterstates.shape(top, halves);
            rows * width
        });
        let missing = in_batches(missing, &|top| {
            let [full, short] = shapes(weight, top, halves);
            full.0 * full.1 + short.0 * short.1
        });
        let MovesDownScratch {
            moved, full, short, ..
        } = scratch;
        for tops in &missing {
            for (matrices, kind) in [(&mut *full, 0), (&mut *short, 1)] {
                let shape = |top| match tops.contains(&top) {
                    true => shapes(weight, top, halves)[kind],
                    false => (0, 0),
                };
                matrices.lay_out((0..=weight).map(shape))?;
            }
            for sources in &sources {
                unpack(afterstates, sources, moved, halves, workers)?;
                let turn = QuarterTurn {
                    weight,
                    moved,
                    halves,
                };
                let moves_down = full.fill(|full| {
                    short.fill(|short| {
                        workers.each(tops, |_, &top| {
                            turn.on_full(top, &mut lock(&full[top]));
                            turn.on_short(top, &mut lock(&short[top]));
                            Ok(Done)
                        })
                    })
                });
                let Done = moves_down?;
            }
            let packed = tops
                .par_iter()
                .map(|&top| Ok((top, full.pack(top)?, short.pack(top)?)));
            for (top, full, short) in packed.collect::<Result<Vec<_>>>()? {
                (self.on_full[top], self.on_short[top]) = (full, short);
                self.tops.insert(top);
            }
        }
        Ok(())
    }
}

/// The most bytes of the packed matrices of moves down, given their bytes before. Measured: 0.68 of
/// the bytes onto full halves, and a ninth of the bytes onto short halves.
pub(crate) fn most_packed(full: u64, short: u64) -> u64 {
    full / 10 * 7 + short / 8
}

/// The shapes of the matrices of moves down, onto a full and onto a short bottom half, for boards of
/// weight `weight` and their top halves of weight `top`.
pub(crate) fn shapes(weight: usize, top: usize, halves: &Halves) -> [(usize, usize); 2] {
    let (rows, columns) = (&halves.tables[top], &halves.tables[weight - top]);
    let both = columns.class.lines_of(ColumnRange::BOTH);
    [
        (rows.afterstates.down.len(), both.len()),
        (rows.class.hollow.positions.len(), columns.class.short.lines),
    ]
}

/// Memory for a turn, which goes batch by batch.
pub(crate) struct MovesDownScratch {
    /// Afterstates of moves to the left, unpacked.
    moved: Matrices,
    /// Moves down, not yet packed.
    full: Matrices,
    short: Matrices,
    /// Most bytes of a batch of moves to the left, and of a batch of moves down, if it has more than
    /// one matrix.
    most: usize,
}

impl MovesDownScratch {
    /// Memory of `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            moved: Matrices::default(),
            full: Matrices::default(),
            short: Matrices::default(),
            most: bytes as usize / 2,
        }
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
            to.has_bits = true;
            to.matrix.clear();
            let shape = afterstates.shape(top, halves);
            afterstates.moved[top].for_each_row(shape, &mut Vec::new(), |number, row| {
                to.matrix.row_mut(number).copy_from_slice(row);
            });
            Ok(Done)
        })
    });
    unpacked.map(|Done| ())
}
