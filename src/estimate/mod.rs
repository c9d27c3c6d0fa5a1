//! How long a count or a solver will take: for `--dry-run`, and for the remaining time of a job.
//!
//! Key idea: a job goes through layers. The work of a layer is known or forecast before the layer
//! begins, and the finished layers tell how long a unit of work takes. [`Forecast`] says how many
//! states the next layers of a count will have. [`Pace`] follows a job.

mod forecast;
mod pace;

use crate::counts::{Row, Table};
use crate::solve::Pass;

#[cfg(feature = "cli")]
pub(crate) use self::pace::{Remaining, rate};
pub(crate) use self::{forecast::Forecast, pace::Pace};

/// Each goal after the first adds this share to the work of a solver.
const ANOTHER_GOAL: f64 = 0.15;

/// Ways to work on a layer. Each has its own cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkKind {
    Lists,
    Bits,
    Values,
}

/// The work of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerWork {
    kind: WorkKind,
    /// States or values to expect.
    pub(crate) boards: f64,
    /// In a count, a unit is the work for one board of the bound in a large layer of bits.
    units: f64,
}

impl LayerWork {
    /// The layers that a pass of the solver solves, from the last to the first. An afterstate has
    /// two candidates for each empty cell, and the solver moves each candidate four ways.
    pub(crate) fn of_pass(table: &Table, pass: &Pass) -> Vec<Self> {
        let goals = 1.0 + ANOTHER_GOAL * (pass.goals.len() - 1) as f64;
        let work = |half: u32| {
            let rows: &[Row] = table.layer(2 * half);
            let cells: u64 = rows.iter().map(|row| row.empty_cells).sum();
            Self {
                kind: WorkKind::Values,
                boards: rows.iter().map(|row| row.afterstates as f64).sum(),
                units: goals * cells as f64,
            }
        };
        (2..pass.solved_sum / 2).rev().map(work).collect()
    }
}

/// Seconds and units of the finished layers, for each kind of work.
#[derive(Default)]
pub(crate) struct Costs([(f64, f64); 3]);

impl Costs {
    /// Record the time of a finished layer.
    pub(crate) fn learn(&mut self, layer: &LayerWork, seconds: f64) {
        let cost = &mut self.0[layer.kind as usize];
        *cost = (cost.0 + seconds, cost.1 + layer.units);
    }

    /// Seconds to expect for some layers; `None` before any layer is finished. Until a kind of work
    /// has a finished layer, its units take as long as the units of another kind.
    pub(crate) fn seconds<'a>(
        &self,
        layers: impl IntoIterator<Item = &'a LayerWork>,
    ) -> Option<f64> {
        let unit = |(seconds, units): (f64, f64)| (units > 0.0).then(|| seconds / units);
        let any = self.0.into_iter().find_map(unit)?;
        let seconds =
            |layer: &LayerWork| layer.units * unit(self.0[layer.kind as usize]).unwrap_or(any);
        Some(layers.into_iter().map(seconds).sum())
    }
}

/// The least and the greatest number to expect.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Range {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Range {
    pub(crate) const fn new(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// A number that is known.
    pub(crate) fn exactly(n: f64) -> Self {
        Self::new(n, n)
    }

    /// Map both numbers.
    pub(crate) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self::new(f(self.low), f(self.high))
    }

    /// Combine the two least and the two greatest numbers.
    pub(crate) fn with(self, other: Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        Self::new(combine(self.low, other.low), combine(self.high, other.high))
    }

    /// The geometric mean.
    pub(crate) fn middle(self) -> f64 {
        (self.low * self.high).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(kind: WorkKind, units: f64) -> LayerWork {
        LayerWork {
            kind,
            boards: 0.0,
            units,
        }
    }

    #[test]
    fn each_kind_of_work_has_its_own_cost_once_a_layer_of_it_is_finished() {
        let mut costs = Costs::default();
        let both = [layer(WorkKind::Lists, 10.0), layer(WorkKind::Bits, 100.0)];
        assert_eq!(costs.seconds(&both), None);
        costs.learn(&layer(WorkKind::Bits, 300.0), 3.0);
        costs.learn(&layer(WorkKind::Bits, 100.0), 5.0);
        assert_eq!(costs.seconds(&both), Some(0.2 + 2.0));
        costs.learn(&layer(WorkKind::Lists, 2.0), 1.0);
        assert_eq!(costs.seconds(&both), Some(5.0 + 2.0));
    }
}
