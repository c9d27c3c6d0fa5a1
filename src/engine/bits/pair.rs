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
use super::canonical::{Canonical, name};
use super::class::NONE;
use super::count::StateCounter;
use super::counts::{BoardCounts, NamedBoards, PairCounts};
use super::dead::mark_dead;
use super::half::Half;
use super::kernels::{BitLine, set, words_mut};
use super::listing::{Lister, Listing};
use super::matrix::{LineMemory, Matrix, Permuter};
use super::moves_down::MovesDown;
use super::packed_matrix::PackedMatrix;
use super::prefixes::{Prefixes, Standing};
use super::slide::Slide;
use super::spawn::Spawns;
use super::tables::{Halves, Tables};
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::game::Game;

/// The boards of a layer, given the weights of both halves.
pub(crate) struct Pair<'a> {
    pub(super) game: &'a Game,
    pub(super) halves: &'a Halves,
    /// The afterstates that get a 2, and the afterstates that get a 4.
    pub(super) before: &'a [Afterstates; 2],
    /// Their moves down.
    pub(super) moves_down: &'a [MovesDown; 2],
    /// The starts in all orientations.
    pub(super) starts: &'a [(Half, Half)],
    pub(super) top: usize,
    pub(super) bottom: usize,
    /// The top halves.
    pub(super) rows: &'a Tables,
    /// The bottom halves.
    pub(super) columns: &'a Tables,
}

/// A thread's memory for a pair.
#[derive(Default)]
pub(crate) struct PairScratch {
    pub(super) matrices: [AfterstateMatrix; 2],
    pub(super) permuter: Permuter,
    spawns: Spawns,
    starts: Vec<(u32, u32)>,
    pub(super) row: Vec<BitLine>,
    /// Mask of the dead states of the row; empty if none can be dead.
    dead: Vec<BitLine>,
    counter: StateCounter,
    pub(super) canonical: Canonical,
    pub(super) lister: Lister,
    /// Rows by bottom half.
    pub(super) flipped: Matrix<LineMemory>,
    pub(super) slide: Slide,
}

impl PairScratch {
    /// The scratch space of a thread.
    pub(super) fn new(thread: usize) -> Self {
        let mut new = Self::default();
        new.lister.thread = thread;
        new
    }
}

impl Pair<'_> {
    /// Whether the halves have equal weights.
    pub(super) fn is_square(&self) -> bool {
        self.top == self.bottom
    }

    /// Make, count, name and move the states. With a `listing`, also list them. Returns the counts, and
    /// the afterstates of moves to the left by top half and by bottom half. `workers` may be asked to
    /// stop.
    pub(crate) fn sweep(
        &self,
        scratch: &mut PairScratch,
        listing: Option<&Listing>,
        workers: &Workers,
    ) -> Result<(PairCounts, [PackedMatrix; 2])> {
        let mut found = PairCounts::default();
        self.make_matrices(self.bottom, scratch, Some(&mut found.afterstates))?;
        if !self.prepare(scratch, Some(&mut found.afterstates))? {
            return Ok((found, Default::default()));
        }
        scratch.slide.begin(self.rows, self.columns)?;
        for &position in &self.rows.moves.by_target {
            workers.check()?;
            if !self.make_row(position, scratch) {
                continue;
            }
            let PairScratch {
                row, dead, counter, ..
            } = scratch;
            mark_dead(row, position, self.rows, self.columns, dead);
            let pair = (self.rows, self.columns, self.is_square());
            if !counter.count(self.game, pair, position, [row, dead], &mut found.states) {
                continue;
            }
            self.name(position, scratch, listing, &mut found.named)?;
            let target = self.rows.moves.targets[position as usize];
            if target != NONE {
                scratch.slide.advance(target, self.rows, self.columns);
                let row = &scratch.row;
                scratch.slide.add(position, target, row, self.columns);
            }
        }
        let moved = scratch.slide.finish(self.rows, self.columns)?;
        if listing.is_some() && !self.is_square() {
            let flipped = Self {
                top: self.bottom,
                bottom: self.top,
                rows: self.columns,
                columns: self.rows,
                ..*self
            };
            flipped.list(scratch, listing, &mut found.named)?;
        }
        Ok((found, moved))
    }

    /// Name and list the states after the flipped pair was swept. That sweep made the matrices of
    /// this pair's bottom halves last.
    fn list(
        &self,
        scratch: &mut PairScratch,
        listing: Option<&Listing>,
        named: &mut NamedBoards,
    ) -> Result<()> {
        self.prepare(scratch, None)?;
        let exponents = self.rows.census.up_to.len() as u8;
        for (position, half) in self.rows.class.halves() {
            let standing = Prefixes::of(half, exponents).standing;
            if standing != Standing::Never && self.make_row(position, scratch) {
                let (row, dead) = (&scratch.row, &mut scratch.dead);
                mark_dead(row, position, self.rows, self.columns, dead);
                self.name(position, scratch, listing, named)?;
            }
        }
        Ok(())
    }

    /// Make the sources of rows of states, given the matrices of the bottom halves. Adds the counts
    /// of the last sum's afterstates to `counts`. Returns whether there can be any states.
    fn prepare(&self, scratch: &mut PairScratch, counts: Option<&mut BoardCounts>) -> Result<bool> {
        scratch
            .spawns
            .make(&scratch.matrices, self.rows, self.columns)?;
        if !self.is_square() {
            self.make_matrices(self.top, scratch, counts)?;
        }
        scratch.starts.clear();
        for &(top, bottom) in self.starts {
            if top.weight() == self.top {
                let positions = (
                    self.halves.positions.of(top),
                    self.halves.positions.of(bottom),
                );
                scratch.starts.push(positions);
            }
        }
        let above = scratch.matrices.iter().any(|matrix| matrix.has_bits);
        Ok(above || scratch.spawns.has_bits || !scratch.starts.is_empty())
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
                let moves_down = &self.moves_down[tile];
                matrix.make(before, moves_down, top, self.halves, &mut scratch.permuter)?;
                // The afterstates of the sum before it were counted one layer ago.
                if let (0, Some(counts)) = (tile, counts.as_deref_mut()) {
                    *counts += matrix.count(before.weight, top, self.halves, &mut scratch.row)?;
                }
            }
        }
        Ok(())
    }

    /// Make the row of states with the top half at `position`. Returns whether the row can have
    /// bits.
    fn make_row(&self, position: u32, scratch: &mut PairScratch) -> bool {
        let (matrices, row) = (&scratch.matrices, &mut scratch.row);
        let mut any = scratch
            .spawns
            .make_row(matrices, position, self.rows, self.columns, row);
        for &(_, bottom) in scratch.starts.iter().filter(|(top, _)| *top == position) {
            any = true;
            set(row, bottom);
        }
        any
    }

    /// Remove the dead states from the row that was made, and name the canonical states. A sweep
    /// without a listing also names the flipped states that are canonical. A listing needs each state
    /// with its own top half.
    fn name(
        &self,
        position: u32,
        scratch: &mut PairScratch,
        listing: Option<&Listing>,
        named: &mut NamedBoards,
    ) -> Result<()> {
        let (row, lister) = (&mut scratch.row, &mut scratch.lister);
        for (row, dead) in words_mut(row).iter_mut().zip(words_mut(&mut scratch.dead)) {
            *row &= !*dead;
        }
        let half = self.rows.class.half(position);
        let exponents = self.rows.census.exponents(position);
        let flipped = !self.is_square() && listing.is_none();
        let canonical = &mut scratch.canonical;
        canonical.find(half, row, self.columns, flipped, |shared, digits| {
            name(shared, digits, exponents.clone(), named);
            if listing.is_some() {
                lister.add(exponents.clone(), digits);
            }
        });
        listing.map_or(Ok(()), |listing| listing.add(half, lister))
    }
}
