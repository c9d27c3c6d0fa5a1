//! What a count or a solver will take: for `--dry-run`, and for the time that is left while it runs.
//!
//! Key idea: both go through layers. Of each layer the work is known or expected before it begins,
//! and each layer that is done tells what its work cost. `cost` carries these costs on to the layers
//! that are left. `pace` does so while a job runs; `count` and `solve` do so for `--dry-run`, which
//! tries the job for a moment in a temporary directory. `forecast` says how many states a count will
//! find.

mod cost;
mod count;
mod forecast;
mod pace;
mod solve;
mod space;

use std::io::{self, Write};

use anyhow::Result;
use serde::Serialize;

use super::units;

pub(super) use self::cost::LayerWork;
pub(super) use self::count::CountEstimate;
pub(super) use self::forecast::Forecast;
pub(super) use self::pace::{Left, Pace};
pub(super) use self::solve::{SolveEstimate, afterstates, planned_layers};

/// The least and the most to expect of a number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    low: f64,
    high: f64,
}

impl Range {
    fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// A number that is known.
    fn exactly(n: f64) -> Self {
        Self::new(n, n)
    }

    /// What follows from the least, and from the most.
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self::new(f(self.low), f(self.high))
    }

    /// The least of two numbers with the least of the others, and the most with the most.
    fn with(self, other: Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        Self::new(combine(self.low, other.low), combine(self.high, other.high))
    }

    /// The geometric mean.
    fn middle(self) -> f64 {
        (self.low * self.high).sqrt()
    }
}

/// Print an estimate as text or as one JSON object.
fn print(text: &str, keys: &impl Serialize, json: bool) -> Result<()> {
    let mut out = io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(keys)?)?;
    } else {
        write!(out, "{text}")?;
    }
    Ok(())
}

/// "1.2 to 3.4 GiB", or "1.2 GiB".
fn bytes(low: u64, high: u64) -> String {
    units::range(&units::bytes(low as f64), &units::bytes(high as f64))
}

/// "9 to 20 min".
fn time(low: f64, high: f64) -> String {
    units::range(&units::time(low), &units::time(high))
}

/// A number as it is if it is known exactly, else with two digits.
fn known(n: f64, exact: bool) -> u64 {
    if exact {
        n as u64
    } else {
        units::rounded(n) as u64
    }
}
