//! How fast a job is, and how much of it is left.

use std::time::{Duration, Instant};

use super::cost::{Costs, LayerWork};
use crate::cli::units;

/// Before layers took so much time, a job is too young to say how long it will take.
const YOUNG: Duration = Duration::from_secs(3);

/// The pace of a job.
pub(in crate::cli) struct Pace {
    begin: Instant,
    layer_begin: Instant,
    /// Time that layers took. Before the first layer there are files to check and tables to make.
    age: Duration,
    /// Boards that were done before this process began.
    before: u64,
    /// Boards of the layers that are done.
    done: u64,
    /// Boards of the layer that is under way.
    of_layer: u64,
    costs: Costs,
    ahead: Option<Ahead>,
}

/// What was ahead when the last layer ended.
struct Ahead {
    boards: f64,
    seconds: f64,
    /// Seconds of the next layer.
    layer_seconds: f64,
}

/// How far a job is.
pub(in crate::cli) struct Left {
    /// The share that is done, from 0 to 1.
    pub(in crate::cli) done: f64,
    pub(in crate::cli) seconds: f64,
}

impl Pace {
    /// A job that begins now, after `before` boards that are done.
    pub(in crate::cli) fn new(before: u64) -> Self {
        let now = Instant::now();
        Self {
            begin: now,
            layer_begin: now,
            age: Duration::ZERO,
            before,
            done: before,
            of_layer: 0,
            costs: Costs::default(),
            ahead: None,
        }
    }

    /// A layer begins.
    pub(in crate::cli) fn begin_layer(&mut self) {
        self.layer_begin = Instant::now();
        self.of_layer = 0;
    }

    /// Boards of the layer are done.
    pub(in crate::cli) fn advance(&mut self, boards: u64) {
        self.of_layer += boards;
    }

    /// A layer is done: how it was planned, if it was, its boards, and the layers that are left.
    pub(in crate::cli) fn end_layer(
        &mut self,
        planned: Option<LayerWork>,
        boards: u64,
        left: impl FnOnce() -> Vec<LayerWork>,
    ) {
        let took = self.layer_begin.elapsed();
        self.age += took;
        self.done += boards;
        self.of_layer = 0;
        if let Some(layer) = planned {
            self.costs.learn(&layer, took.as_secs_f64());
        }
        self.ahead = (self.age >= YOUNG)
            .then(left)
            .and_then(|left| self.ahead(&left));
    }

    fn ahead(&self, left: &[LayerWork]) -> Option<Ahead> {
        Some(Ahead {
            boards: left.iter().map(|layer| layer.boards).sum(),
            seconds: self.costs.seconds(left.iter().copied())?,
            layer_seconds: self.costs.seconds(left.iter().copied().take(1))?,
        })
    }

    /// Boards of the layer that are done.
    pub(in crate::cli) fn of_layer(&self) -> u64 {
        self.of_layer
    }

    /// Boards that are done.
    pub(in crate::cli) fn done(&self) -> u64 {
        self.done + self.of_layer
    }

    /// Time since the beginning.
    pub(in crate::cli) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Time since the layer began.
    pub(in crate::cli) fn layer_elapsed(&self) -> Duration {
        self.layer_begin.elapsed()
    }

    /// Boards per second since the beginning, once that can be told.
    pub(in crate::cli) fn rate(&self) -> Option<f64> {
        units::rate(self.done() - self.before, self.elapsed())
    }

    /// What is left, once that can be told.
    pub(in crate::cli) fn left(&self) -> Option<Left> {
        let ahead = self.ahead.as_ref()?;
        let layer = self.layer_elapsed().as_secs_f64();
        Some(Left {
            done: self.done as f64 / (self.done as f64 + ahead.boards).max(1.0),
            // A layer that takes longer than expected does not shorten the others.
            seconds: ahead.seconds - layer.min(ahead.layer_seconds),
        })
    }

    /// What is left of a job without layers that has `of` boards in all, once that can be told.
    pub(in crate::cli) fn left_of(&self, of: u64) -> Option<Left> {
        let rate = self.rate().filter(|&rate| rate > 0.0)?;
        Some(Left {
            done: self.done() as f64 / of.max(1) as f64,
            seconds: of.saturating_sub(self.done()) as f64 / rate,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::estimate::Forecast;
    use crate::engine::{Choice, Plan};
    use crate::store::Store;

    #[test]
    fn a_young_count_does_not_say_how_long_it_takes() {
        let place = tempfile::tempdir().unwrap();
        let game = "4x4-64".parse().unwrap();
        let store = Store::open(place.path(), &game, None).unwrap();
        let plan = Plan::new(64 << 20, 1).unwrap();
        let choice = Choice::new(store.run(), &plan, None).unwrap();
        let mut forecast = Forecast::new(store.run(), &choice, store.run().keep());
        let mut pace = Pace::new(0);
        let mut end_layer = |pace: &mut Pace, sum, live| {
            let planned = forecast.count(sum, live);
            pace.end_layer(planned, live, || forecast.left());
        };
        end_layer(&mut pace, 4, 21);
        assert_eq!(pace.done(), 21);
        assert!(pace.left().is_none() && pace.rate().is_none());

        let Some(begin) = Instant::now().checked_sub(Duration::from_secs(10)) else {
            return; // the machine was started just now
        };
        (pace.begin, pace.layer_begin) = (begin, begin);
        end_layer(&mut pace, 6, 68);
        let left = pace.left().unwrap();
        assert!(left.done > 0.0 && left.done < 1e-6, "{}", left.done);
        assert!(left.seconds > 1e6, "{}", left.seconds);
        assert_eq!(units::rounded(pace.rate().unwrap()), 8.9);
    }
}
