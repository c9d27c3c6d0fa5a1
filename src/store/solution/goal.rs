//! Goals, and the bits of their values: how many fit the greatest value that a game can have.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::counts::Row;
use crate::error::{Result, SolvingError};
use crate::game::{FourRate, Objective};
use crate::store::Run;

/// The rounding of a value, which is a mean over the candidates of an afterstate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rounding {
    /// To the nearest integer; a half is rounded up.
    #[default]
    Nearest,
    /// Down: no value is too great.
    Down,
    /// Up: no value is too small.
    Up,
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Nearest => "to the nearest",
            Self::Down => "down",
            Self::Up => "up",
        })
    }
}

/// An objective, the rate of spawned 4s, and the precision of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// The objective.
    pub objective: Objective,
    /// Bits after the binary point of a value.
    pub fraction: u32,
    /// Further bits with which values are computed. They are rounded off once, so that they add no error
    /// from layer to layer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub guard: u32,
    /// The rounding of values.
    pub rounding: Rounding,
    /// The rate of spawned 4s; the usual rate for an objective that does not depend on it.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub four: FourRate,
}

/// A goal at the usual rate does not name the rate.
fn is_usual(four: &FourRate) -> bool {
    *four == FourRate::default()
}

// The signature that serde asks for.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(bits: &u32) -> bool {
    *bits == 0
}

impl Goal {
    /// The goal with all bits with which its values are computed.
    #[must_use]
    pub(crate) fn exact(mut self) -> Self {
        self.fraction += self.guard;
        self.guard = 0;
        self
    }

    /// The goals whose values the solver writes: with all bits if they differ, and then with those that
    /// are kept.
    pub(crate) fn written(self) -> impl Iterator<Item = Self> {
        let exact = (self.guard > 0).then(|| self.exact());
        exact.into_iter().chain([self])
    }

    /// A value with the guard bits rounded off.
    pub(crate) fn rounded(&self, exact: u32) -> u32 {
        let unit = 1u64 << self.guard;
        let up = match self.rounding {
            Rounding::Nearest => unit / 2,
            Rounding::Down => 0,
            Rounding::Up => unit - 1,
        };
        ((u64::from(exact) + up) >> self.guard) as u32
    }

    /// The number that a value stands for.
    pub fn number(&self, value: u32) -> f64 {
        f64::from(value) / (1u64 << self.fraction) as f64
    }

    /// The goal at another rate of 4s. Whether a tile can be forced does not depend on the rate.
    #[must_use]
    pub fn with_four(mut self, four: FourRate) -> Self {
        if self.rate().is_some() {
            self.four = four;
        }
        self
    }

    /// The rate of 4s, if the values depend on it.
    pub fn rate(&self) -> Option<FourRate> {
        (!matches!(self.objective, Objective::Sure(_))).then_some(self.four)
    }

    /// Maximum error of the value of an afterstate of `sum`, if the last afterstates have sum
    /// `last`. Each afterstate on the way to the end adds half a unit, or a whole unit if values
    /// are rounded up or down. A maximum or a mean of values does not increase the error. Guard bits make
    /// this unit smaller, and are rounded off once.
    pub fn error(&self, sum: u32, last: u32) -> f64 {
        if matches!(self.objective, Objective::Sure(_)) {
            return 0.0;
        }
        let left = (last + 2).saturating_sub(sum) / 2;
        let unit = |bits: u32| 1.0 / (1u64 << bits) as f64;
        let units = f64::from(left) * unit(self.fraction + self.guard);
        let once = if self.guard > 0 {
            unit(self.fraction)
        } else {
            0.0
        };
        match self.rounding {
            Rounding::Nearest => (units + once) / 2.0,
            Rounding::Down | Rounding::Up => units + once,
        }
    }
}

/// Check that no value of a goal can overflow. The goal may come from a forged file.
pub(crate) fn fits(run: &Run, goal: Goal) -> Result<()> {
    let (objective, fraction) = (goal.objective, goal.fraction);
    let most = most_bits(objective, greatest(run, objective)?);
    if fraction.saturating_add(goal.guard) <= most {
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
        // A tile 2^k scores k - 1 for each unit of its value.
        Objective::Score => {
            let ends = run.game().horizon().is_some();
            let score = |row: &Row| match row {
                // Other tiles than the winning tile can be the largest, and afterstates can end the game.
                _ if ends => row.sum.saturating_mul(u32::from(run.game().top().get())),
                _ if row.wins > 0 => row.sum.saturating_mul(u32::from(win.get()) - 1),
                _ if row.dead > 0 => row.sum.saturating_mul(exp(row) - 1),
                _ => 0,
            };
            Ok(rows.iter().map(score).max().unwrap_or(0).max(1))
        }
        // The sum grows by at least 2 between two moves.
        Objective::Moves => Ok(rows.last().map_or(0, |row| row.sum / 2).max(1)),
        Objective::Tile(tile) | Objective::Sure(tile) => {
            let has_targets = run.game().size().locks().targets().is_some();
            if has_targets && tile > win {
                return Err(SolvingError::Goal(format!(
                    "for {objective}: {} is won by the tile {}: give it or a smaller tile",
                    run.game(),
                    win.tile()
                ))
                .into());
            }
            let wins = rows.iter().any(|row| row.wins > 0);
            let largest = rows.iter().map(|row| row.max_tile).max().unwrap_or(0);
            let largest = match wins {
                true => win.tile().max(largest),
                false => largest,
            };
            if tile.tile() > largest {
                return Err(SolvingError::Goal(format!(
                    "for {objective}: no game of {} reaches it: the largest tile is {largest}",
                    run.game()
                ))
                .into());
            }
            Ok(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guard_bits_are_rounded_off_once() {
        let goal = |rounding| Goal {
            objective: Objective::Score,
            fraction: 3,
            guard: 2,
            rounding,
            four: FourRate::default(),
        };
        for (rounding, rounded, error) in [
            // Half of 2^-5 for each of four layers, and half of 2^-3.
            (Rounding::Nearest, [1, 1, 2, 2, 2], 0.125),
            (Rounding::Down, [1, 1, 1, 1, 2], 0.25),
            (Rounding::Up, [1, 2, 2, 2, 2], 0.25),
        ] {
            let goal = goal(rounding);
            assert_eq!([4, 5, 6, 7, 8].map(|value| goal.rounded(value)), rounded);
            assert!(goal.error(4, 10).eq(&error), "{rounding}");
            let written: Vec<u32> = goal.written().map(|goal| goal.fraction).collect();
            assert_eq!(written, [5, 3]);
            assert_eq!(goal.exact().written().count(), 1);
        }
        assert_eq!(goal(Rounding::Nearest).rounded(u32::MAX), 1 << 30);
    }
}
