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
use super::census::{Census, Counts};
use super::class::NONE;
use super::half::Half;
use super::halves::Halves;
use super::kernels::set;
use super::names::{Named, Ways};
use super::scratch::Scratch;
use super::slide::MovedPair;
use super::tables::Tables;
use crate::engine::lists::Listing;
use crate::error::Result;
use crate::game::Game;

/// A pair of weights in a layer.
pub(crate) struct Pair<'a> {
    pub(crate) game: &'a Game,
    pub(crate) halves: &'a Halves,
    /// The afterstates that a 2 and a 4 are spawned into.
    pub(crate) before: [&'a Afterstates; 2],
    /// The starts, in all orientations.
    pub(crate) starts: &'a [(Half, Half)],
    pub(crate) top: usize,
    pub(crate) bottom: usize,
    /// Where the live ones are listed, if they are.
    pub(crate) listing: Option<&'a Listing>,
}

/// What is counted in pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) states: Counts,
    /// The afterstates of the sum before.
    pub(crate) afterstates: Counts,
    pub(crate) named: Named,
}

impl AddAssign for Found {
    fn add_assign(&mut self, other: Self) {
        self.states += other.states;
        self.afterstates += other.afterstates;
        self.named += other.named;
    }
}

impl Pair<'_> {
    fn rows(&self) -> &Tables {
        &self.halves.tables[self.top]
    }

    fn columns(&self) -> &Tables {
        &self.halves.tables[self.bottom]
    }

    /// Make, count, name and move the states.
    pub(crate) fn sweep(&self, scratch: &mut Scratch, mut out: MovedPair) -> Result<Found> {
        let mut found = Found::default();
        let (rows, columns) = (self.rows(), self.columns());
        self.make_slabs(self.bottom, scratch, &mut found)?;
        scratch.spawns.make(&scratch.slabs, rows, columns)?;
        if self.top != self.bottom {
            self.make_slabs(self.top, scratch, &mut found)?;
        }
        let above = scratch.slabs.iter().any(|slab| !slab.empty);
        scratch.starts.clear();
        scratch.starts.extend(self.starts());
        if !above && scratch.spawns.is_empty() && scratch.starts.is_empty() {
            return Ok(found);
        }
        scratch.slide.begin(columns, &mut out)?;
        for &position in &rows.by_target {
            if !self.make_row(position, scratch) {
                continue;
            }
            if !self.count(position, scratch, &mut found.states)? {
                continue;
            }
            let target = rows.targets[position as usize];
            if target != NONE {
                let Scratch { slide, row, .. } = scratch;
                slide.advance(target, rows, columns, &mut out);
                slide.add(position, target, row, columns);
            }
        }
        scratch.slide.finish(rows, columns, &mut out);
        found.named = scratch.names.take();
        Ok(found)
    }

    /// The starts of this pair, as positions.
    fn starts(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let here = |&&(top, _): &&(Half, Half)| top.weight() == self.top;
        let starts = self.starts.iter().filter(here);
        starts.map(|&(top, bottom)| (self.halves.position(top), self.halves.position(bottom)))
    }

    /// Make the slabs that lead to rows of weight `top`.
    fn make_slabs(&self, top: usize, scratch: &mut Scratch, found: &mut Found) -> Result<()> {
        for (tile, slab) in scratch.slabs.iter_mut().enumerate() {
            let before = self.before[tile];
            slab.empty = true;
            if let Some(top) = top.checked_sub(tile + 1) {
                slab.make(before, top, self.halves, &mut scratch.mirror)?;
                if tile == 0 {
                    found.afterstates +=
                        slab.count(before.weight, top, self.halves, &mut scratch.row);
                }
            }
        }
        Ok(())
    }

    /// Make the row of states with the top half at `position`; returns whether it can have any.
    fn make_row(&self, position: u32, scratch: &mut Scratch) -> bool {
        let Scratch {
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

    /// Count and name the states of the row that was made. Returns whether there are any.
    fn count(&self, position: u32, scratch: &mut Scratch, counts: &mut Counts) -> Result<bool> {
        let (rows, columns) = (self.rows(), self.columns());
        let Scratch {
            row,
            masked: dead,
            symmetric,
            names,
            ..
        } = scratch;
        let census = Census {
            game: self.game,
            rows,
            columns,
            square: self.top == self.bottom,
        };
        dead.clear();
        if !census.add_states(position, row, dead, symmetric, counts) {
            return Ok(false);
        }
        let ways = if self.top == self.bottom {
            Ways::Upright
        } else {
            Ways::Both
        };
        let half = rows.class.half(position).expect("a position of a half");
        let of_half = (half, rows.max[position as usize]);
        let dead = (!dead.is_empty()).then_some(dead.as_slice());
        names.row(of_half, row, dead, columns, ways, self.listing)?;
        Ok(true)
    }
}
