//! How long a count or a solver will take: for `--dry-run`, and for the remaining time of a job.
//!
//! Key idea: a job goes through layers. The work of a layer is known or forecast before the layer
//! begins, and the finished layers tell how long a unit of work takes. [`Forecast`] says how many
//! states the next layers of a count will have. [`Pace`] follows a job.

mod forecast;

use std::time::{Duration, Instant};

pub(crate) use self::forecast::Forecast;
use crate::counts::{Row, Table};
use crate::solve::Pass;

/// The remaining time is unknown until the layers of a job have taken this time.
const YOUNG: Duration = Duration::from_secs(3);

/// A shorter time says nothing about a rate.
const MEASURABLE: Duration = Duration::from_millis(100);

/// Each goal after the first adds this share to the work of a solver.
const ANOTHER_GOAL: f64 = 0.15;

/// The work of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerWork {
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
                boards: rows.iter().map(|row| row.afterstates as f64).sum(),
                units: goals * cells as f64,
            }
        };
        (2..pass.solved_sum / 2).rev().map(work).collect()
    }
}

/// Seconds and units of the finished layers.
#[derive(Default)]
pub(crate) struct Costs {
    seconds: f64,
    units: f64,
}

impl Costs {
    /// Record the time of a finished layer.
    pub(crate) fn learn(&mut self, layer: &LayerWork, seconds: f64) {
        self.seconds += seconds;
        self.units += layer.units;
    }

    /// Seconds to expect for some layers; `None` before any layer is finished.
    pub(crate) fn seconds<'a>(
        &self,
        layers: impl IntoIterator<Item = &'a LayerWork>,
    ) -> Option<f64> {
        let units: f64 = layers.into_iter().map(|layer| layer.units).sum();
        (self.units > 0.0).then(|| units * self.seconds / self.units)
    }
}

/// The least and the greatest number to expect.
pub(crate) type Range = [f64; 2];

/// Combine the two least and the two greatest numbers.
pub(crate) fn combine(one: Range, other: Range, both: impl Fn(f64, f64) -> f64) -> Range {
    [0, 1].map(|end| both(one[end], other[end]))
}

/// The geometric mean.
pub(crate) fn middle([low, high]: Range) -> f64 {
    (low * high).sqrt()
}

/// The pace of a job.
pub(crate) struct Pace {
    begin: Instant,
    layer_begin: Instant,
    /// The time of the finished layers, without the checks and tables before the first layer.
    age: Duration,
    /// Boards that were done before this process began.
    before: u64,
    /// Boards of the finished layers.
    done: u64,
    /// Boards of the current layer that are done.
    pub(crate) of_layer: u64,
    costs: Costs,
    /// The work that was left when the last layer ended, once the job is not young.
    left: Option<Vec<LayerWork>>,
}

/// The rest of a job.
pub(crate) struct Remaining {
    /// The share of the job that is done, from 0 to 1.
    pub(crate) done: f64,
    pub(crate) seconds: f64,
}

impl Pace {
    /// A job that begins now, after `before` boards that are done.
    pub(crate) fn new(before: u64) -> Self {
        let now = Instant::now();
        Self {
            begin: now,
            layer_begin: now,
            age: Duration::ZERO,
            before,
            done: before,
            of_layer: 0,
            costs: Costs::default(),
            left: None,
        }
    }

    /// Begin a layer.
    pub(crate) fn begin_layer(&mut self) {
        self.layer_begin = Instant::now();
        self.of_layer = 0;
    }

    /// Record boards of the layer that are done.
    pub(crate) fn advance(&mut self, boards: u64) {
        self.of_layer += boards;
    }

    /// Finish a layer with its boards and its work, if the work is known. `left` is the work of the
    /// remaining layers.
    pub(crate) fn end_layer(
        &mut self,
        work: Option<LayerWork>,
        boards: u64,
        left: impl FnOnce() -> Vec<LayerWork>,
    ) {
        let took = self.layer_begin.elapsed();
        self.age += took;
        self.done += boards;
        self.of_layer = 0;
        if let Some(work) = work {
            self.costs.learn(&work, took.as_secs_f64());
        }
        self.left = (self.age >= YOUNG).then(left);
    }

    /// Boards that are done.
    pub(crate) fn done(&self) -> u64 {
        self.done + self.of_layer
    }

    /// Time since the job began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Time since the layer began.
    pub(crate) fn layer_elapsed(&self) -> Duration {
        self.layer_begin.elapsed()
    }

    /// Boards per second since the job began, once that time is measurable.
    pub(crate) fn rate(&self) -> Option<f64> {
        rate(self.done() - self.before, self.elapsed())
    }

    /// The rest of a job with layers, once it is known.
    pub(crate) fn remaining(&self) -> Option<Remaining> {
        let left = self.left.as_ref()?;
        let boards: f64 = left.iter().map(|layer| layer.boards).sum();
        let layer = self.costs.seconds(left.first())?;
        Some(Remaining {
            done: self.done as f64 / (self.done as f64 + boards).max(1.0),
            // A layer that takes longer than expected does not shorten the other layers.
            seconds: self.costs.seconds(left)? - layer.min(self.layer_elapsed().as_secs_f64()),
        })
    }

    /// The rest of a job without layers that has `of` boards in all, once it is known.
    pub(crate) fn remaining_of(&self, of: u64) -> Option<Remaining> {
        let rate = self.rate().filter(|&rate| rate > 0.0)?;
        Some(Remaining {
            done: self.done() as f64 / of.max(1) as f64,
            seconds: of.saturating_sub(self.done()) as f64 / rate,
        })
    }
}

/// Boards per second, if the time is long enough to be measured.
pub(crate) fn rate(boards: u64, time: Duration) -> Option<f64> {
    (time >= MEASURABLE).then(|| boards as f64 / time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_young_job_does_not_say_how_long_it_takes() {
        let work = |units| LayerWork {
            boards: units,
            units,
        };
        let mut pace = Pace::new(10);
        let left = || vec![work(4e6), work(1e6)];
        // Until then no time has passed, however slow this thread is.
        let later = Instant::now() + Duration::from_secs(86_400);
        (pace.begin, pace.layer_begin) = (later, later);
        pace.end_layer(Some(work(10.0)), 10, left);
        assert_eq!(pace.done(), 20);
        assert!(pace.remaining().is_none() && pace.rate().is_none());

        let Some(begin) = Instant::now().checked_sub(Duration::from_secs(10)) else {
            return; // the machine was started just now
        };
        (pace.begin, pace.layer_begin) = (begin, begin);
        pace.end_layer(Some(work(90.0)), 80, left);
        let (remaining, rate) = (pace.remaining().unwrap(), pace.rate().unwrap());
        let most = begin.elapsed().as_secs_f64();
        // 100 of 5,000,100 boards; 10 s or more for 100 units of work.
        assert!((1.9e-5..2.1e-5).contains(&remaining.done));
        assert!((1e5..=5e4 * most).contains(&remaining.seconds));
        assert!((90.0 / most..=9.0).contains(&rate));
    }

    #[test]
    fn a_rate_needs_a_time_that_can_be_measured() {
        assert_eq!(rate(57, Duration::from_millis(17)), None);
        assert_eq!(rate(48, Duration::from_secs(4)), Some(12.0));
    }
}
