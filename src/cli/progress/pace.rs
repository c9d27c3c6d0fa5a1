//! How fast a count is, and how much of it is left.

use std::time::{Duration, Instant};

use super::form::Left;
use crate::cli::forecast::{Costs, Forecast};
use crate::cli::units;
use crate::counts::Row;
use crate::engine::Choice;
use crate::store::{Layer, Run};

/// Before layers took so much time, a count is too young to say how long it will take.
const YOUNG: Duration = Duration::from_secs(3);

/// The pace of this process's count.
pub(super) struct Pace {
    begin: Instant,
    layer_begin: Instant,
    /// Time that layers took; before the first, there are tables to make and files to check.
    age: Duration,
    /// States that were counted before this process began.
    before: u64,
    /// States that are counted.
    counted: u64,
    forecast: Forecast,
    costs: Costs,
    ahead: Option<Ahead>,
}

/// What was ahead when the last layer ended.
struct Ahead {
    states: f64,
    seconds: f64,
    /// Those of the next layer.
    layer_seconds: f64,
}

impl Pace {
    /// A count that begins now and goes on with `run` as `choice` says.
    pub(super) fn new(run: &Run, choice: &Choice) -> Self {
        let mut forecast = Forecast::new(run.game(), choice.last());
        forecast.take(&run.table(), run.complete());
        let (now, counted) = (Instant::now(), forecast.counted());
        Self {
            begin: now,
            layer_begin: now,
            age: Duration::ZERO,
            before: counted,
            counted,
            forecast,
            costs: Costs::new(choice, run.keep()),
            ahead: None,
        }
    }

    /// A layer begins.
    pub(super) fn begin_layer(&mut self) {
        self.layer_begin = Instant::now();
    }

    /// A layer is counted; returns its states.
    pub(super) fn end_layer(&mut self, layer: &Layer) -> u64 {
        let states = layer.rows.iter().map(Row::states).sum();
        self.counted += states;
        let took = self.layer_elapsed();
        self.age += took;
        if let Some(bound) = self.forecast.count(&layer.rows) {
            let engine = self.costs.engine(layer.sum);
            self.costs.learn(engine, bound, states, took.as_secs_f64());
        }
        self.ahead = (self.age >= YOUNG).then(|| self.ahead()).flatten();
        states
    }

    fn ahead(&self) -> Option<Ahead> {
        let share = self.forecast.share().middle();
        let left = || self.forecast.left();
        Some(Ahead {
            states: left().map(|layer| layer.states(share)).sum(),
            seconds: self.costs.seconds(left(), share)?,
            layer_seconds: self.costs.seconds(left().take(1), share)?,
        })
    }

    /// Time since the beginning.
    pub(super) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Time since the layer began.
    pub(super) fn layer_elapsed(&self) -> Duration {
        self.layer_begin.elapsed()
    }

    /// States that are found, with those of the layer that is being counted.
    pub(super) fn found(&self, of_layer: u64) -> u64 {
        self.counted + of_layer
    }

    /// States per second since the beginning, once that can be told.
    pub(super) fn rate(&self, of_layer: u64) -> Option<f64> {
        units::rate(self.found(of_layer) - self.before, self.elapsed())
    }

    /// What is left, once that can be told.
    pub(super) fn left(&self) -> Option<Left> {
        let ahead = self.ahead.as_ref()?;
        let layer = self.layer_elapsed().as_secs_f64();
        Some(Left {
            done: self.counted as f64 / (self.counted as f64 + ahead.states),
            // A layer that takes longer than expected does not shorten the others.
            seconds: ahead.seconds - layer.min(ahead.layer_seconds),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Plan;
    use crate::store::Store;

    fn layer(sum: u32, live: u64) -> Layer {
        let row = Row {
            sum,
            live,
            ..Row::default()
        };
        Layer {
            sum,
            rows: vec![row],
            ..Layer::default()
        }
    }

    #[test]
    fn a_young_count_does_not_say_how_long_it_takes() {
        let place = tempfile::tempdir().unwrap();
        let game = "4x4-64".parse().unwrap();
        let store = Store::open(place.path(), &game, None).unwrap();
        let plan = Plan::new(64 << 20, 1).unwrap();
        let choice = Choice::new(store.run(), &plan, None).unwrap();
        let mut pace = Pace::new(store.run(), &choice);
        assert_eq!(pace.end_layer(&layer(4, 21)), 21);
        assert!(pace.left().is_none() && pace.rate(0).is_none());

        let Some(begin) = Instant::now().checked_sub(Duration::from_secs(10)) else {
            return; // the machine was started just now
        };
        (pace.begin, pace.layer_begin) = (begin, begin);
        pace.end_layer(&layer(6, 68));
        let left = pace.left().unwrap();
        assert!(left.done > 0.0 && left.done < 1e-6, "{}", left.done);
        assert!(left.seconds > 1e6, "{}", left.seconds);
        assert_eq!(units::rounded(pace.rate(0).unwrap()), 8.9);
    }
}
