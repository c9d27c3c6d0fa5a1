//! The states of one layer with halves of two given weights: made, counted, named, moved.
//!
//! ```text
//! afterstates of s-2, s-4        Slab: rows by top half
//!    | spawn in the bottom half: rows of the flipped pair, transposed
//!    | spawn in the top half: OR of the rows without one tile
//!    v
//! a row of states                one top half, all bottom halves
//!    | counted, named
//!    | OR into the row of the top half moved to the left
//!    v
//! strip of 64 moved top halves, transposed
//!    | OR into the row of the bottom half moved to the left
//!    v
//! afterstates moved to the left  rows of both pairs, (a, b) and (b, a)
//! ```
//!
//! No matrix of states is ever kept: of each pair there is the transposed part of its rows, and one
//! row in the making.

use std::ops::AddAssign;

use super::afterstates::Afterstates;
use super::begins::{Begins, Standing};
use super::census::{Counts, PairCensus};
use super::class::NONE;
use super::half::Half;
use super::halves::Halves;
use super::kernels::set;
use super::listing::Listing;
use super::named::NamedBoards;
use super::scratch::PairScratch;
use super::slide::MovedPair;
use super::tables::Tables;
use crate::error::Result;
use crate::game::Game;

/// A pair of weights in a layer.
pub(crate) struct Pair<'a> {
    game: &'a Game,
    halves: &'a Halves,
    /// The afterstates that a 2 and a 4 are spawned into.
    before: [&'a Afterstates; 2],
    /// The starts, in all orientations.
    starts: &'a [(Half, Half)],
    top: usize,
    bottom: usize,
}

/// What is counted in pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairCounts {
    pub(crate) states: Counts,
    /// The afterstates of the sum before.
    pub(crate) afterstates: Counts,
    pub(crate) named: NamedBoards,
}

impl AddAssign for PairCounts {
    fn add_assign(&mut self, other: Self) {
        self.states += other.states;
        self.afterstates += other.afterstates;
        self.named += other.named;
    }
}

impl<'a> Pair<'a> {
    /// The pair of a top and a bottom weight, after the afterstates of the last sum and of the one
    /// before.
    pub(crate) fn new(
        game: &'a Game,
        halves: &'a Halves,
        before: &'a [Afterstates; 2],
        starts: &'a [(Half, Half)],
        (top, bottom): (usize, usize),
    ) -> Self {
        Self {
            game,
            halves,
            before: before.each_ref(),
            starts,
            top,
            bottom,
        }
    }

    fn rows(&self) -> &Tables {
        &self.halves.tables[self.top]
    }

    fn columns(&self) -> &Tables {
        &self.halves.tables[self.bottom]
    }

    /// Make, count, name and move the states; list them if there is a `listing`.
    pub(crate) fn sweep(
        &self,
        scratch: &mut PairScratch,
        mut out: MovedPair,
        listing: Option<&Listing>,
    ) -> Result<PairCounts> {
        let mut found = PairCounts::default();
        let (rows, columns) = (self.rows(), self.columns());
        self.make_slabs(self.bottom, scratch, Some(&mut found.afterstates))?;
        if !self.prepare(scratch, Some(&mut found.afterstates))? {
            return Ok(found);
        }
        scratch.slide.begin(columns, &mut out)?;
        for &position in &rows.by_target {
            if !self.make_row(position, scratch) {
                continue;
            }
            if !self.count(position, scratch, &mut found.states) {
                continue;
            }
            self.name(position, scratch, listing, &mut found.named)?;
            let target = rows.targets[position as usize];
            if target != NONE {
                let PairScratch { slide, row, .. } = scratch;
                slide.advance(target, rows, columns, &mut out);
                slide.add(position, target, row, columns);
            }
        }
        scratch.slide.finish(rows, columns, &mut out);
        if listing.is_some() && self.top != self.bottom {
            self.flipped().list(scratch, listing, &mut found.named)?;
        }
        Ok(found)
    }

    /// The pair of the same states, flipped.
    fn flipped(&self) -> Self {
        Self {
            top: self.bottom,
            bottom: self.top,
            ..*self
        }
    }

    /// Name and list the states, after those of the flipped pair were swept: the slabs that were
    /// made last are those of its bottom halves.
    fn list(
        &self,
        scratch: &mut PairScratch,
        listing: Option<&Listing>,
        named: &mut NamedBoards,
    ) -> Result<()> {
        self.prepare(scratch, None)?;
        let rows = self.rows();
        for (position, half) in rows.class.halves() {
            let standing = Begins::of(half, rows.up_to.len() as u8).standing;
            if standing != Standing::Never && self.make_row(position, scratch) {
                self.census()
                    .mark_dead(position, &scratch.row, &mut scratch.dead);
                self.name(position, scratch, listing, named)?;
            }
        }
        Ok(())
    }

    /// Make what rows of states are made of, when the slabs of bottom halves are made. Counts the
    /// afterstates of the sum before, if asked to. Returns whether there can be any states.
    fn prepare(&self, scratch: &mut PairScratch, counts: Option<&mut Counts>) -> Result<bool> {
        let PairScratch { spawns, slabs, .. } = scratch;
        spawns.make(slabs, self.rows(), self.columns())?;
        if self.top != self.bottom {
            self.make_slabs(self.top, scratch, counts)?;
        }
        let above = scratch.slabs.iter().any(|slab| !slab.empty);
        scratch.starts.clear();
        scratch.starts.extend(self.starts());
        Ok(above || !scratch.spawns.is_empty() || !scratch.starts.is_empty())
    }

    /// The starts of this pair, as positions.
    fn starts(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let here = |&&(top, _): &&(Half, Half)| top.weight() == self.top;
        let starts = self.starts.iter().filter(here);
        starts.map(|&(top, bottom)| (self.halves.position(top), self.halves.position(bottom)))
    }

    /// Make the slabs that lead to rows of weight `top`; counts the afterstates of the sum before, if
    /// asked to.
    fn make_slabs(
        &self,
        top: usize,
        scratch: &mut PairScratch,
        mut counts: Option<&mut Counts>,
    ) -> Result<()> {
        for (tile, slab) in scratch.slabs.iter_mut().enumerate() {
            let before = self.before[tile];
            slab.empty = true;
            if let Some(top) = top.checked_sub(tile + 1) {
                slab.make(before, top, self.halves, &mut scratch.mirror)?;
                // Those of the sum before that were counted a layer ago.
                if let (0, Some(counts)) = (tile, counts.as_deref_mut()) {
                    *counts += slab.count(before.weight, top, self.halves, &mut scratch.row);
                }
            }
        }
        Ok(())
    }

    /// Make the row of states with the top half at `position`; returns whether it can have any.
    fn make_row(&self, position: u32, scratch: &mut PairScratch) -> bool {
        let PairScratch {
            slabs,
            spawns,
            starts,
            row,
            ..
        } = scratch;
        let mut any = spawns.make_row(slabs, position, self.rows(), self.columns(), row);
        for &(_, bottom) in starts.iter().filter(|(top, _)| *top == position) {
            any = true;
            set(row, bottom);
        }
        any
    }

    /// Count the states of the row that was made, and mark dead ones. Returns whether there are any.
    fn count(&self, position: u32, scratch: &mut PairScratch, counts: &mut Counts) -> bool {
        let PairScratch {
            row,
            dead,
            symmetric,
            ..
        } = scratch;
        let census = self.census();
        census.mark_dead(position, row, dead);
        census.add_states(position, row, dead, symmetric, counts)
    }

    /// Name the canonical live states of the row that was made. Those that are canonical when
    /// flipped are named with them, but if they are listed with their own top half.
    fn name(
        &self,
        position: u32,
        scratch: &mut PairScratch,
        listing: Option<&Listing>,
        named: &mut NamedBoards,
    ) -> Result<()> {
        let (rows, columns) = (self.rows(), self.columns());
        let PairScratch {
            row,
            dead,
            canonical,
            lister,
            ..
        } = scratch;
        let half = rows.class.half(position).expect("a position of a half");
        let of_half = (half, rows.max[position as usize]);
        let dead = (!dead.is_empty()).then_some(dead.as_slice());
        let flipped = self.top != self.bottom && listing.is_none();
        canonical.find(of_half, row, dead, columns, flipped, |max, boards| {
            named.add(max, boards);
            if listing.is_some() {
                lister.add(max, boards);
            }
        });
        listing.map_or(Ok(()), |listing| listing.add(half, lister))
    }

    fn census(&self) -> PairCensus<'_> {
        PairCensus {
            game: self.game,
            rows: self.rows(),
            columns: self.columns(),
            square: self.top == self.bottom,
        }
    }
}
