//! Spawns: rows of afterstates become rows of states.
//!
//! Key idea: before a spawn, the half lacked one of its 2s or 4s. So the row of a half is the OR of
//! the rows of all halves that lack one of these tiles. Spawns in the bottom half work on rows by
//! bottom half, which are then transposed.

use super::afterstate_matrix::AfterstateMatrix;
use super::class::ColumnRange;
use super::kernels::{BitLine, LINE};
use super::matrix::Matrix;
use super::tables::{Sides, unmark};
use super::transpose::transpose_square;
use crate::error::Result;

/// The spawns in the bottom halves of a pair.
#[derive(Default)]
pub(crate) struct Spawns {
    /// 512 rows by bottom half.
    by_bottom: Matrix,
    /// A row for each top half that a move leads to.
    by_top: Matrix,
    pub(crate) has_bits: bool,
}

impl Spawns {
    /// Spawn in the bottom halves of a pair. The afterstates have their rows by bottom half, for a
    /// spawned 2 and for a spawned 4.
    pub(crate) fn make(&mut self, afterstates: &[AfterstateMatrix; 2], sides: Sides) -> Result<()> {
        let Sides { rows, columns } = sides;
        self.has_bits = afterstates.iter().any(|matrix| matrix.has_bits);
        if !self.has_bits {
            return Ok(());
        }
        let moved = rows.class.lines_of(ColumnRange::MOVED).end;
        self.by_top.reshape(moved * LINE, columns.class.lines())?;
        self.by_bottom.reshape(LINE, moved)?;
        let mut square = [BitLine::ZERO; LINE];
        for line in 0..columns.class.lines() {
            self.by_bottom.clear();
            for at in 0..LINE {
                let position = (line * LINE + at) as u32;
                let row = self.by_bottom.row_mut(at);
                spawn(afterstates, sides.flipped(), position, row);
            }
            for across in 0..moved {
                for (to, row) in square.iter_mut().zip(self.by_bottom.rows()) {
                    *to = row[across];
                }
                transpose_square(&mut square);
                for (at, &bits) in square.iter().enumerate() {
                    self.by_top.row_mut(across * LINE + at)[line] = bits;
                }
            }
        }
        Ok(())
    }

    /// Make the row of states with the top half at `position`, from these spawns and from spawns in
    /// the top half. The afterstates have their rows by top half. Returns whether the row can have
    /// bits.
    pub(crate) fn make_row(
        &self,
        afterstates: &[AfterstateMatrix; 2],
        position: u32,
        sides: Sides,
        row: &mut Vec<BitLine>,
    ) -> bool {
        let moved = sides.rows.class.lines_of(ColumnRange::MOVED).end * LINE;
        let in_bottom = self.has_bits && (position as usize) < moved;
        row.clear();
        if in_bottom {
            row.extend_from_slice(self.by_top.row(position as usize));
        } else {
            row.resize(sides.columns.class.lines(), BitLine::ZERO);
        }
        spawn(afterstates, sides, position, row) || in_bottom
    }
}

/// Add to a row the spawns in the top half at `position`. Returns whether the row can have
/// bits.
fn spawn(
    afterstates: &[AfterstateMatrix; 2],
    sides: Sides,
    position: u32,
    row: &mut [BitLine],
) -> bool {
    let mut any = false;
    for &removal in sides.rows.removals.slots.of(position) {
        let (tile, slot) = unmark(removal);
        if afterstates[tile].has_bits {
            any = true;
            afterstates[tile].add_slot(slot, row);
        }
    }
    for &removal in sides.rows.removals.shorts.of(position) {
        let (tile, number) = unmark(removal);
        if afterstates[tile].has_bits {
            any = true;
            afterstates[tile].add_short(number, sides, row);
        }
    }
    any
}
