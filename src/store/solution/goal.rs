//! A goal: an objective, and the precision of its values.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::Objective;

/// How the mean over an afterstate's candidates is rounded to an integer.
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

/// An objective, and the form of its values as integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The objective.
    pub objective: Objective,
    /// Bits after the binary point of a value.
    pub fraction: u32,
    /// How values are rounded.
    pub rounding: Rounding,
}

impl Goal {
    /// The number that a value stands for.
    #[must_use]
    pub fn number(&self, value: u32) -> f64 {
        f64::from(value) / (1u64 << self.fraction) as f64
    }

    /// Maximum error of the value of an afterstate of `sum`, if the last afterstates have sum
    /// `last`. Each afterstate on the way to the end adds half a unit, or a whole unit if all
    /// values are rounded up or down. Neither a maximum nor a mean enlarges an error.
    #[must_use]
    pub fn error(&self, sum: u32, last: u32) -> f64 {
        let left = (last + 2).saturating_sub(sum) / 2;
        let unit = 1.0 / (1u64 << self.fraction) as f64;
        match self.rounding {
            Rounding::Nearest => f64::from(left) * unit / 2.0,
            Rounding::Down | Rounding::Up => f64::from(left) * unit,
        }
    }
}
