//! The states of one layer whose halves have two given weights.
//!
//! ```text
//! afterstates of s-2, s-4        AfterstateMatrix: rows by top half
//!    | spawn in the bottom half: rows of the flipped pair, transposed
//!    | spawn in the top half: OR of the rows without one tile
//!    v
//! a row of states                one top half, all bottom halves
//!    | counted, named
//!    | OR into the row of the top half moved to the left
//!    v
//! batch of 64 moved top halves, transposed
//!    | OR into the row of the bottom half moved to the left
//!    v
//! afterstates moved to the left  rows of both pairs, (a, b) and (b, a)
//! ```
//!
//! A matrix of states is never stored. A pair has the transposed part of its rows, and one row at a
//! time.

use super::afterstate_matrix::AfterstateMatrix;
use super::afterstates::Afterstates;
use super::canonical::{Canonical, tally};
use super::count::{count_states, remove_dead};
use super::counts::{BoardCounts, NamedBoards, PairCounts};
use super::half::Half;
use super::kernels::{BitLine, set};
use super::listing::Lister;
use super::matrix::Matrix;
use super::packed_matrix::PackedMatrix;
use super::prefixes::Standing;
use super::slide::Slide;
use super::spawn::Spawns;
use super::tables::{Halves, Sides};
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::game::Game;

/// The boards of a layer, given the weights of both halves.
pub(crate) struct Pair<'a> {
    pub(super) game: &'a Game,
    pub(super) halves: &'a Halves,
    /// The afterstates that get a 2, and the afterstates that get a 4, with the moves down.
    pub(super) before: &'a [Afterstates; 2],
    /// The starts in all orientations, in order.
    pub(super) starts: &'a [(Half, Half)],
    pub(super) top: usize,
    pub(super) bottom: usize,
}

/// A thread's memory for a pair.
#[derive(Default)]
pub(crate) struct PairScratch {
    pub(super) matrices: [AfterstateMatrix; 2],
    spawns: Spawns,
    pub(super) row: Vec<BitLine>,
    pub(super) canonical: Canonical,
    /// Rows by bottom half.
    pub(super) flipped: Matrix,
    slide: Slide,
}

impl Pair<'_> {
    /// The halves of the boards.
    fn sides(&self) -> Sides<'_> {
        self.halves.sides(self.top, self.bottom)
    }

    /// Make, count, name and move the states. With a `lister`, also list them. Returns the counts, and
    /// the afterstates of moves to the left by top half and by bottom half. `workers` may be asked to
    /// stop.
    pub(crate) fn sweep(
        &self,
        scratch: &mut PairScratch,
        mut lister: Option<&mut Lister>,
        workers: &Workers,
    ) -> Result<(PairCounts, [PackedMatrix; 2])> {
        let (sides, mut found) = (self.sides(), PairCounts::default());
        self.make_matrices(self.bottom, scratch, Some(&mut found.afterstates))?;
        if !self.prepare(scratch, Some(&mut found.afterstates))? {
            return Ok((found, Default::default()));
        }
        scratch.slide.begin(sides)?;
        for &position in &sides.rows.by_target {
            workers.check()?;
            if !self.make_row(position, scratch) {
                continue;
            }
            let row = &mut scratch.row;
            if !count_states(self.game, sides, position, row, &mut found.states) {
                continue;
            }
            self.name(position, scratch, lister.as_deref_mut(), &mut found.named)?;
            scratch.slide.add(position, &scratch.row, sides);
        }
        let moved = scratch.slide.finish(sides)?;
        if let Some(lister) = lister
            && !sides.is_square()
        {
            let flipped = Self {
                top: self.bottom,
                bottom: self.top,
                ..*self
            };
            flipped.list(scratch, lister, &mut found.named)?;
        }
        Ok((found, moved))
    }

    /// Name and list the states after the flipped pair was swept. That sweep made the matrices of
    /// this pair's bottom halves last.
    fn list(
        &self,
        scratch: &mut PairScratch,
        lister: &mut Lister,
        named: &mut NamedBoards,
    ) -> Result<()> {
        self.prepare(scratch, None)?;
        let sides = self.sides();
        for (position, half) in sides.rows.class.halves() {
            let standing = sides.rows.prefixes.prefixes(half).standing;
            if standing != Standing::Never && self.make_row(position, scratch) {
                remove_dead(sides, position, &mut scratch.row);
                self.name(position, scratch, Some(&mut *lister), named)?;
            }
        }
        Ok(())
    }

    /// Make the sources of rows of states, given the matrices of the bottom halves. Adds the counts
    /// of the last sum's afterstates to `counts`. Returns whether there can be any states.
    fn prepare(&self, scratch: &mut PairScratch, counts: Option<&mut BoardCounts>) -> Result<bool> {
        let sides = self.sides();
        scratch.spawns.make(&scratch.matrices, sides)?;
        if !sides.is_square() {
            self.make_matrices(self.top, scratch, counts)?;
        }
        let above = scratch.matrices.iter().any(|matrix| matrix.has_bits);
        Ok(above || scratch.spawns.has_bits || !self.starts.is_empty())
    }

    /// Make the matrices of the afterstates whose top half has weight `top` after the spawn. Adds
    /// the counts of the last sum's afterstates to `counts`.
    fn make_matrices(
        &self,
        top: usize,
        scratch: &mut PairScratch,
        mut counts: Option<&mut BoardCounts>,
    ) -> Result<()> {
        for (tile, matrix) in scratch.matrices.iter_mut().enumerate() {
            let before = &self.before[tile];
            matrix.has_bits = false;
            if let Some(top) = top.checked_sub(tile + 1) {
                matrix.make(before, top, self.halves)?;
                // The afterstates of the sum before it were counted one layer ago.
                if let (0, Some(counts)) = (tile, counts.as_deref_mut())
                    && matrix.has_bits
                {
                    let sides = self.halves.sides(top, before.weight - top);
                    *counts += matrix.count(sides, &mut scratch.row)?;
                }
            }
        }
        Ok(())
    }

    /// Make the row of states with the top half at `position`. Returns whether the row can have
    /// bits.
    fn make_row(&self, position: u32, scratch: &mut PairScratch) -> bool {
        let (sides, row) = (self.sides(), &mut scratch.row);
        let matrices = &scratch.matrices;
        let mut any = scratch.spawns.make_row(matrices, position, sides, row);
        let half = sides.rows.class.half(position);
        let first = self.starts.partition_point(|&(top, _)| top < half);
        let starts = self.starts[first..].iter();
        for &(_, bottom) in starts.take_while(|&&(top, _)| top == half) {
            any = true;
            set(row, self.halves.positions.of(bottom));
        }
        any
    }

    /// Name the canonical states of the row. A sweep without a lister also names the flipped states
    /// that are canonical. A lister needs each state with its own top half.
    fn name(
        &self,
        position: u32,
        scratch: &mut PairScratch,
        mut lister: Option<&mut Lister>,
        named: &mut NamedBoards,
    ) -> Result<()> {
        let sides = self.sides();
        let half = sides.rows.class.half(position);
        let exponents = sides.rows.census.exponents(half);
        let flipped = !sides.is_square() && lister.is_none();
        let PairScratch { canonical, row, .. } = scratch;
        canonical.find(half, row, sides.columns, flipped, |shared, digits| {
            tally(shared, digits, exponents.clone(), named);
            if let Some(lister) = &mut lister {
                lister.add(exponents.clone(), digits);
            }
        });
        lister.map_or(Ok(()), |lister| lister.end_row(half))
    }
}
