//! Spawns: rows of states, made of rows of afterstates.
//!
//! Key idea: a half that a 2 was spawned into is one of the halves without that 2, with it. So the
//! row of a half is the OR of the rows of all halves that lack one of its 2s or 4s. Where the tile
//! was spawned in the bottom half, the same is done with rows by bottom half, which are then
//! transposed.

use super::kernels::{BitLine, LINE, transpose};
use super::lines::LineMemory;
use super::matrix::Matrix;
use super::slab::Slab;
use super::tables::Tables;
use crate::error::Result;

/// The spawns in the bottom halves of a pair.
#[derive(Default)]
pub(crate) struct Spawns {
    /// 512 rows by bottom half.
    block: Matrix<LineMemory>,
    /// A row for each settled top half.
    below: Matrix<LineMemory>,
    /// Whether there are any.
    any: bool,
}

impl Spawns {
    /// Spawn in the bottom halves of a pair; the slabs are those of their weight without a 2 and
    /// without a 4.
    pub(crate) fn make(
        &mut self,
        slabs: &[Slab; 2],
        rows: &Tables,
        columns: &Tables,
    ) -> Result<()> {
        self.any = slabs.iter().any(|slab| !slab.empty);
        if !self.any {
            return Ok(());
        }
        let settled = rows.class.settled().end;
        let Self { block, below, .. } = self;
        below.reshape(settled * LINE, columns.class.lines())?;
        block.reshape(LINE, settled)?;
        let mut square = vec![BitLine::ZERO; LINE];
        let mut tile = [BitLine::ZERO; 64];
        for line in 0..columns.class.lines() {
            block.clear();
            let mut any = false;
            for at in 0..LINE {
                let position = (line * LINE + at) as u32;
                any |= spawn(slabs, columns, position, rows, block.row_mut(at));
            }
            if !any {
                for row in 0..settled * LINE {
                    below.row_mut(row)[line] = BitLine::ZERO;
                }
                continue;
            }
            for across in 0..settled {
                for group in 0..8 {
                    for (at, to) in tile.iter_mut().enumerate() {
                        *to = block.row(64 * group + at)[across];
                    }
                    transpose(&mut tile);
                    for (column, from) in tile.iter().enumerate() {
                        for (lane, &bits) in from.0.iter().enumerate() {
                            square[64 * lane + column].0[group] = bits;
                        }
                    }
                }
                for (at, &bits) in square.iter().enumerate() {
                    below.row_mut(across * LINE + at)[line] = bits;
                }
            }
        }
        Ok(())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        !self.any
    }

    /// Make the row of states with the top half at `position`: these spawns, and those in the top
    /// half, of which the slabs are given. Returns whether there can be any.
    pub(crate) fn make_row(
        &self,
        slabs: &[Slab; 2],
        position: u32,
        rows: &Tables,
        columns: &Tables,
        row: &mut Vec<BitLine>,
    ) -> bool {
        let settled = rows.class.settled().end * LINE;
        let below = self.any && (position as usize) < settled;
        row.clear();
        if below {
            row.extend_from_slice(self.below.row(position as usize));
        } else {
            row.resize(columns.class.lines(), BitLine::ZERO);
        }
        spawn(slabs, rows, position, columns, row) || below
    }
}

/// Add to a row what spawns lead to in the half at `position` of `rows`; returns whether it can be
/// anything.
fn spawn(
    slabs: &[Slab; 2],
    rows: &Tables,
    position: u32,
    columns: &Tables,
    row: &mut [BitLine],
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
