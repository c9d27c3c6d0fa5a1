//! The bits of a goal's values: how many fit the greatest value that a game can have.

use super::Goal;
use crate::counts::Row;
use crate::error::{Result, SolvingError};
use crate::game::Objective;
use crate::store::Run;

/// Check that no value of a goal can overflow. The goal may come from a forged file.
pub(crate) fn fits(run: &Run, goal: Goal) -> Result<()> {
    let (objective, fraction) = (goal.objective, goal.fraction);
    let most = most_bits(objective, greatest(run, objective)?);
    if fraction <= most {
        return Ok(());
    }
    Err(SolvingError::Goal(format!(
        "for {objective}:{fraction}: the values of this game leave room for {most} bits after the binary point: \
         give {most} or less, or no number for the most that fit"
    ))
    .into())
}

/// The most bits after the binary point for values up to `greatest`.
pub(crate) fn most_bits(objective: Objective, greatest: u32) -> u32 {
    match objective {
        Objective::Sure(_) => 0,
        _ => (u32::MAX / greatest).ilog2(),
    }
}

/// The greatest value that a game can have.
pub(crate) fn greatest(run: &Run, objective: Objective) -> Result<u32> {
    let table = run.table();
    let rows = table.rows();
    let exp = |row: &Row| row.key().map_or(1, |key| u32::from(key.max.get()));
    let win = run.game().win();
    match objective {
        // A tile 2^k scores k - 1 for each unit of its sum.
        Objective::Score => {
            let score = |row: &Row| match row {
                _ if row.wins > 0 => row.sum.saturating_mul(u32::from(win.get()) - 1),
                _ if row.dead > 0 => row.sum.saturating_mul(exp(row) - 1),
                _ => 0,
            };
            Ok(rows.iter().map(score).max().unwrap_or(0).max(1))
        }
        // The sum grows by at least 2 between two moves.
        Objective::Moves => Ok(rows.last().map_or(0, |row| row.sum / 2).max(1)),
        Objective::Tile(tile) | Objective::Sure(tile) => {
            let wins = rows.iter().any(|row| row.wins > 0);
            let largest = rows.iter().map(|row| row.max_tile).max().unwrap_or(0);
            let largest = if wins { win.tile() } else { largest };
            if tile.tile() > largest {
                return Err(SolvingError::Goal(format!(
                    "for {objective}: no game of this run reaches it: the largest tile is {largest}"
                ))
                .into());
            }
            Ok(1)
        }
    }
}
