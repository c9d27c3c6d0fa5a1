//! A move to the left: rows of states become rows of afterstates.
//!
//! Key idea: the two halves of a board move independently. Rows of top halves that move to one
//! target are joined by OR. After a transposition, so are the rows of bottom halves. The rows come
//! in the order of their targets: 64 targets are a batch, which is transposed at once, and eight
//! batches are stored together.

use std::mem;

use super::class::{ColumnRange, NONE};
use super::kernels::{BitLine, LINE, or, or_masked};
use super::matrix::Matrix;
use super::packed_matrix::PackedMatrix;
use super::tables::{Sides, Tables};
use super::transpose::{transpose, transpose_square};
use crate::error::Result;

/// A thread's memory for the move of a pair.
#[derive(Default)]
pub(crate) struct Slide {
    /// A row for each target of the batch.
    batch: Matrix,
    /// For each bottom half that a move leads to, the bits of 512 targets.
    moved: Vec<BitLine>,
    /// The number of the batch, and whether it has bits.
    number: u32,
    has_bits: bool,
    /// The afterstates, with rows by top half.
    upright: Matrix,
    /// The afterstates, with rows by bottom half.
    flipped: Matrix,
}

impl Slide {
    /// Begin a pair.
    pub(crate) fn begin(&mut self, Sides { rows, columns }: Sides) -> Result<()> {
        let moved = |tables: &Tables| tables.class.lines_of(ColumnRange::MOVED_LEFT).end;
        let class = &columns.class;
        self.upright
            .reshape(rows.class.moved_rows(), moved(columns))?;
        self.upright.clear();
        self.flipped.reshape(class.moved_rows(), moved(rows))?;
        self.flipped.clear();
        self.batch.reshape(64, class.lines())?;
        self.batch.clear();
        self.moved.clear();
        self.moved.resize(moved(columns) * LINE, BitLine::ZERO);
        (self.number, self.has_bits) = (0, false);
        Ok(())
    }

    /// Add the row of the half at `position`. The targets of rows must increase.
    pub(crate) fn add(&mut self, position: u32, row: &[BitLine], sides: Sides) {
        let target = sides.rows.targets[position as usize];
        if target == NONE {
            return;
        }
        let number = target / 64;
        if number != self.number {
            self.end_batch(sides, number);
        }
        let to = self.batch.row_mut(target as usize % 64);
        if target == position {
            // A move must change something: here the bottom half.
            or_masked(to, row, &sides.columns.census.changes);
        } else {
            or(to, row);
        }
        self.has_bits = true;
    }

    /// Store the last batches. Returns the packed rows by top half, and the packed rows by bottom
    /// half.
    pub(crate) fn finish(&mut self, sides: Sides) -> Result<[PackedMatrix; 2]> {
        self.end_batch(sides, u32::MAX);
        let pack = |matrix: &Matrix| PackedMatrix::new(matrix.rows());
        Ok([pack(&self.upright)?, pack(&self.flipped)?])
    }

    /// Advance to another batch.
    fn end_batch(&mut self, sides: Sides, next: u32) {
        if self.has_bits {
            self.move_bottoms(sides.columns);
        }
        if next / 8 != self.number / 8 {
            self.store(sides);
        }
        (self.number, self.has_bits) = (next, false);
    }

    /// Move the bottom halves of the batch.
    fn move_bottoms(&mut self, columns: &Tables) {
        let lane_of_batch = self.number as usize % 8;
        let mut tile = [BitLine::ZERO; 64];
        for line in 0..columns.class.lines() {
            for (at, to) in tile.iter_mut().enumerate() {
                *to = mem::take(&mut self.batch.row_mut(at)[line]);
            }
            transpose(&mut tile);
            for lane in 0..8 {
                let targets = &columns.targets[line * LINE + 64 * lane..][..64];
                for (from, &target) in tile.iter().zip(targets) {
                    if from.0[lane] != 0 && target != NONE {
                        self.moved[target as usize].0[lane_of_batch] |= from.0[lane];
                    }
                }
            }
        }
    }

    /// Store the rows of 512 targets.
    fn store(&mut self, Sides { rows, columns }: Sides) {
        let line = self.number / 8;
        for row in 0..columns.class.moved_rows() {
            let position = columns.class.position_of_moved_row(row) as usize;
            self.flipped.row_mut(row)[line as usize] = self.moved[position];
        }
        let first = line * LINE as u32;
        for (line, square) in self.moved.as_chunks_mut().0.iter_mut().enumerate() {
            transpose_square(square);
            for (position, &bits) in (first..).zip(square.iter()) {
                if let Some(row) = rows.class.moved_row(position) {
                    self.upright.row_mut(row)[line] = bits;
                }
            }
        }
        self.moved.fill(BitLine::ZERO);
    }
}
