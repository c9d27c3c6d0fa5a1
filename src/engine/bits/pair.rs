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
use super::census::{self, Counts, EXPONENTS};
use super::class::NONE;
use super::half::Half;
use super::halves::Halves;
use super::kernels::{LINE, Line, bit, count, count_masked, or, or_masked, set, transpose};
use super::matrix::Made;
use super::names::{Named, Ways};
use super::scratch::Scratch;
use super::slab::Slab;
use super::tables::Tables;
use crate::engine::lists::Listing;
use crate::error::Result;
use crate::game::{Game, Moved, orbit};

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

/// The afterstates moved to the left that a pair leads to.
pub(crate) struct MovedPair<'a, 'b> {
    /// Rows by top half; none if both weights are the same.
    pub(crate) upright: Option<&'a mut Made<'b>>,
    /// Rows by bottom half.
    pub(crate) flipped: &'a mut Made<'b>,
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
        let below = scratch.slabs.iter().any(|slab| !slab.empty);
        if below {
            self.spawn_below(scratch)?;
        }
        if self.top != self.bottom {
            self.make_slabs(self.top, scratch, &mut found)?;
        }
        let above = scratch.slabs.iter().any(|slab| !slab.empty);
        scratch.starts.clear();
        scratch.starts.extend(self.starts());
        if !below && !above && scratch.starts.is_empty() {
            return Ok(found);
        }
        out.flipped.matrix.clear();
        if let Some(upright) = &mut out.upright {
            upright.matrix.clear();
        }
        let width = columns.class.lines();
        scratch.strip.reshape(64, width)?;
        scratch.strip.clear();
        scratch.masked.clear();
        scratch.masked.resize(width, Line::ZERO);
        scratch.moved.clear();
        scratch
            .moved
            .resize(columns.class.moved().end * LINE, Line::ZERO);
        let mut word = 0;
        let mut any = false;
        for &position in &rows.by_target {
            let target = rows.targets[position as usize];
            let of_target = if target == NONE {
                u32::MAX
            } else {
                target / 64
            };
            if of_target != word {
                if any {
                    self.move_bottoms(word, scratch, &mut out);
                }
                if of_target / 8 != word / 8 {
                    self.store(word / 8, scratch, &mut out);
                }
                (word, any) = (of_target, false);
            }
            if !self.make_row(position, below, scratch) {
                continue;
            }
            if !self.count(position, scratch, &mut found.states)? {
                continue;
            }
            if target != NONE {
                let to = scratch.strip.row_mut(target as usize % 64);
                if target == position {
                    or_masked(to, &scratch.row, &columns.changes);
                } else {
                    or(to, &scratch.row);
                }
                any = true;
            }
        }
        if any {
            self.move_bottoms(word, scratch, &mut out);
        }
        if word != u32::MAX {
            self.store(word / 8, scratch, &mut out);
        }
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

    /// Spawn in the bottom half: rows by bottom half are made, and transposed.
    fn spawn_below(&self, scratch: &mut Scratch) -> Result<()> {
        let (rows, columns) = (self.rows(), self.columns());
        let settled = rows.class.settled().end;
        scratch
            .below
            .reshape(settled * LINE, columns.class.lines())?;
        let mut square = vec![Line::ZERO; LINE];
        let mut tile = [Line::ZERO; 64];
        for line in 0..columns.class.lines() {
            scratch.block.reshape(LINE, settled)?;
            scratch.block.clear();
            let mut any = false;
            for at in 0..LINE {
                let position = (line * LINE + at) as u32;
                let row = scratch.block.row_mut(at);
                any |= spawn(&scratch.slabs, columns, position, rows, row);
            }
            if !any {
                for row in 0..settled * LINE {
                    scratch.below.row_mut(row)[line] = Line::ZERO;
                }
                continue;
            }
            for across in 0..settled {
                for group in 0..8 {
                    for (at, to) in tile.iter_mut().enumerate() {
                        *to = scratch.block.row(64 * group + at)[across];
                    }
                    transpose(&mut tile);
                    for (column, from) in tile.iter().enumerate() {
                        for (lane, &bits) in from.0.iter().enumerate() {
                            square[64 * lane + column].0[group] = bits;
                        }
                    }
                }
                for (at, &bits) in square.iter().enumerate() {
                    scratch.below.row_mut(across * LINE + at)[line] = bits;
                }
            }
        }
        Ok(())
    }

    /// Make the row of states with the top half at `position`; returns whether it can have any.
    fn make_row(&self, position: u32, below: bool, scratch: &mut Scratch) -> bool {
        let (rows, columns) = (self.rows(), self.columns());
        let settled = rows.class.settled().end * LINE;
        let row = &mut scratch.row;
        row.clear();
        let mut any = below && (position as usize) < settled;
        if any {
            row.extend_from_slice(scratch.below.row(position as usize));
        } else {
            row.resize(columns.class.lines(), Line::ZERO);
        }
        any |= spawn(&scratch.slabs, rows, position, columns, row);
        for &(_, bottom) in scratch.starts.iter().filter(|(top, _)| *top == position) {
            any = true;
            set(row, bottom);
        }
        any
    }

    /// Move the bottom halves of a strip to the left.
    fn move_bottoms(&self, word: u32, scratch: &mut Scratch, out: &mut MovedPair) {
        if word == NONE {
            return;
        }
        let columns = self.columns();
        let lane_of_word = word as usize % 8;
        let mut tile = [Line::ZERO; 64];
        let mut any = false;
        for line in 0..columns.class.lines() {
            for (at, to) in tile.iter_mut().enumerate() {
                *to = std::mem::take(&mut scratch.strip.row_mut(at)[line]);
            }
            transpose(&mut tile);
            for lane in 0..8 {
                let targets = &columns.targets[line * LINE + 64 * lane..][..64];
                for (from, &target) in tile.iter().zip(targets) {
                    if from.0[lane] != 0 && target != NONE {
                        any = true;
                        scratch.moved[target as usize].0[lane_of_word] |= from.0[lane];
                    }
                }
            }
        }
        out.flipped.any |= any;
        if let Some(upright) = &mut out.upright {
            upright.any |= any;
        }
    }

    /// Write down where 512 top halves lead.
    fn store(&self, line: u32, scratch: &mut Scratch, out: &mut MovedPair) {
        if line >= NONE / 8 {
            return;
        }
        let (rows, columns) = (self.rows(), self.columns());
        for row in 0..columns.class.rows() {
            let position = columns.class.position_of_row(row) as usize;
            out.flipped.matrix.row_mut(row)[line as usize] = scratch.moved[position];
        }
        if let Some(upright) = &mut out.upright {
            let first = line * LINE as u32;
            let mut tile = [Line::ZERO; 64];
            for group in 0..scratch.moved.len() / 64 {
                tile.copy_from_slice(&scratch.moved[64 * group..][..64]);
                transpose(&mut tile);
                for lane in 0..8 {
                    for (column, from) in tile.iter().enumerate() {
                        let position = first + (64 * lane + column) as u32;
                        if let Some(row) = rows.class.row(position) {
                            upright.matrix.row_mut(row)[group / 8].0[group % 8] = from.0[lane];
                        }
                    }
                }
            }
        }
        scratch.moved.fill(Line::ZERO);
    }

    /// Count and name the states of the row that was made. Returns whether there are any.
    fn count(&self, position: u32, scratch: &mut Scratch, counts: &mut Counts) -> Result<bool> {
        let (rows, columns) = (self.rows(), self.columns());
        let half = rows.class.half(position).expect("a position of a half");
        let max = rows.max[position as usize];
        let row = &scratch.row;
        // A pair of different weights stands for the flipped one, too.
        let times = if self.top == self.bottom { 1 } else { 2 };
        let last = columns.up_to.len() - 1;
        let labeled = census::by_max(row, None, max, columns);
        if labeled == [0; EXPONENTS] {
            return Ok(false);
        }
        let target = rows.targets[position as usize];
        let movable = if target == position {
            census::by_max(row, Some(&columns.changes), max, columns)
        } else {
            labeled
        };
        census::add(&mut counts.labeled, times, &labeled);
        census::add(&mut counts.moves, 4 * times, &movable);
        let wins = if target == NONE {
            count(row)
        } else {
            count_masked(row, &columns.wins)
        };
        counts.wins[last] += 4 * times * wins;
        let stuck = bit(&rows.stuck, position);
        if stuck {
            // Both halves are, and where they meet no tiles are equal.
            let cells = half.cells();
            let [a, b, c, d] = [0, 1, 2, 3].map(|column| {
                columns.inner_differs[column][usize::from(cells[4 + column])].as_slice()
            });
            for (line, dead) in scratch.masked.iter_mut().enumerate() {
                for (i, dead) in dead.0.iter_mut().enumerate() {
                    let meets = a[line].0[i] & b[line].0[i] & c[line].0[i] & d[line].0[i];
                    *dead = row[line].0[i] & columns.stuck[line].0[i] & meets;
                }
            }
            let dead = census::by_max(&scratch.masked, None, max, columns);
            census::add(&mut counts.dead, times, &dead);
        }
        census::symmetric(
            position,
            rows,
            columns,
            self.top == self.bottom,
            row,
            &mut scratch.symmetric,
        );
        for &bottom in &scratch.symmetric {
            let board = Half::board(half, columns.class.half(bottom).expect("a half"));
            let more = times * (8 / orbit::<4, 4>(board) - 1);
            let exp = usize::from(max.max(columns.max[bottom as usize]));
            let moves = self.game.moves(board);
            let legal = moves
                .iter()
                .filter(|&&moved| moved != Moved::Illegal)
                .count() as u64;
            let wins = moves.iter().filter(|&&moved| moved == Moved::Wins).count() as u64;
            counts.states[exp] += more;
            counts.moves[exp] += more * legal;
            counts.wins[exp] += more * wins;
            counts.dead[exp] += more * u64::from(legal == 0);
        }
        let Scratch {
            row, masked, names, ..
        } = scratch;
        let ways = if self.top == self.bottom {
            Ways::Upright
        } else {
            Ways::Both
        };
        let dead = stuck.then_some(masked.as_slice());
        names.row((half, max), row, dead, columns, ways, self.listing)?;
        Ok(true)
    }
}

/// Add to a row what spawns lead to in the half at `position` of `rows`, given the slabs of the
/// halves without a 2 and without a 4; returns whether it can be anything.
fn spawn(
    slabs: &[Slab; 2],
    rows: &Tables,
    position: u32,
    columns: &Tables,
    row: &mut [Line],
) -> bool {
    let mut any = false;
    for (tile, slot) in rows.removals(position) {
        if !slabs[tile].empty {
            any = true;
            slabs[tile].add_slot(slot, row);
        }
    }
    for (tile, number) in rows.short_removals(position) {
        if !slabs[tile].empty {
            any = true;
            slabs[tile].add_short(number, columns, row);
        }
    }
    any
}
