//! A move to the left: rows of states become rows of afterstates.
//!
//! Key idea: both halves move on their own. Rows of top halves that are moved to the same one are
//! joined by OR; so are, after a transposition, the rows of bottom halves. Rows must come in the
//! order of where their top half is moved to: 64 of these are a strip, which is transposed at once,
//! and 512 are written down together.

use std::mem;

use super::class::NONE;
use super::kernels::{BitLine, LINE, or, or_masked, transpose};
use super::lines::LineMemory;
use super::matrix::{Made, Matrix};
use super::tables::Tables;
use crate::error::Result;

/// The afterstates moved to the left that a pair leads to.
pub(crate) struct MovedPair<'a, 'b> {
    /// Rows by top half; none if both weights are the same.
    pub(crate) upright: Option<&'a mut Made<'b>>,
    /// Rows by bottom half.
    pub(crate) flipped: &'a mut Made<'b>,
}

/// Memory for the move of a pair.
#[derive(Default)]
pub(crate) struct Slide {
    /// Rows of 64 moved top halves.
    strip: Matrix<LineMemory>,
    /// For each bottom half that a move leads to, 512 moved top halves.
    moved: Vec<BitLine>,
    /// The number of the strip, and whether there is anything in it.
    number: u32,
    any: bool,
}

impl Slide {
    pub(crate) fn begin(&mut self, columns: &Tables, out: &mut MovedPair) -> Result<()> {
        out.flipped.matrix.clear();
        if let Some(upright) = &mut out.upright {
            upright.matrix.clear();
        }
        self.strip.reshape(64, columns.class.lines())?;
        self.strip.clear();
        self.moved.clear();
        self.moved
            .resize(columns.class.moved().end * LINE, BitLine::ZERO);
        (self.number, self.any) = (0, false);
        Ok(())
    }

    /// Go on to the strip of a moved top half.
    pub(crate) fn advance(
        &mut self,
        target: u32,
        rows: &Tables,
        columns: &Tables,
        out: &mut MovedPair,
    ) {
        let number = target / 64;
        if number == self.number {
            return;
        }
        if self.any {
            self.move_bottoms(columns, out);
        }
        if number / 8 != self.number / 8 {
            self.store(rows, columns, out);
        }
        (self.number, self.any) = (number, false);
    }

    /// Add the row of the half at `position`, which is moved to `target`.
    pub(crate) fn add(&mut self, position: u32, target: u32, row: &[BitLine], columns: &Tables) {
        let to = self.strip.row_mut(target as usize % 64);
        if target == position {
            or_masked(to, row, &columns.changes);
        } else {
            or(to, row);
        }
        self.any = true;
    }

    /// Write down what is left.
    pub(crate) fn finish(&mut self, rows: &Tables, columns: &Tables, out: &mut MovedPair) {
        if self.any {
            self.move_bottoms(columns, out);
        }
        self.store(rows, columns, out);
    }

    /// Move the bottom halves of the strip.
    fn move_bottoms(&mut self, columns: &Tables, out: &mut MovedPair) {
        let lane_of_strip = self.number as usize % 8;
        let mut tile = [BitLine::ZERO; 64];
        let mut any = false;
        for line in 0..columns.class.lines() {
            for (at, to) in tile.iter_mut().enumerate() {
                *to = mem::take(&mut self.strip.row_mut(at)[line]);
            }
            transpose(&mut tile);
            for lane in 0..8 {
                let targets = &columns.targets[line * LINE + 64 * lane..][..64];
                for (from, &target) in tile.iter().zip(targets) {
                    if from.0[lane] != 0 && target != NONE {
                        any = true;
                        self.moved[target as usize].0[lane_of_strip] |= from.0[lane];
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
    fn store(&mut self, rows: &Tables, columns: &Tables, out: &mut MovedPair) {
        let line = self.number / 8;
        for row in 0..columns.class.rows() {
            let position = columns.class.position_of_row(row) as usize;
            out.flipped.matrix.row_mut(row)[line as usize] = self.moved[position];
        }
        if let Some(upright) = &mut out.upright {
            let first = line * LINE as u32;
            let mut tile = [BitLine::ZERO; 64];
            for group in 0..self.moved.len() / 64 {
                tile.copy_from_slice(&self.moved[64 * group..][..64]);
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
        self.moved.fill(BitLine::ZERO);
    }
}
