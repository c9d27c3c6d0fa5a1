//! Progress of a count, as lines of `key=value` on stderr.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::engine::{Choice, Plan};
use crate::error::Result;
use crate::estimate::{Forecast, Pace};
use crate::machine;
use crate::progress::{FinishedLayer, Progress};
use crate::store::Store;

/// Time between two lines.
const EVERY: Duration = Duration::from_secs(10);

/// Writes a line now and then. The program's log has these keys, and more.
pub(super) struct ProgressLines {
    forecast: Forecast,
    pace: Pace,
    last_line: Option<Instant>,
    /// Sum of the current layer.
    sum: u32,
}

impl ProgressLines {
    /// Write first where the count of `store` continues.
    pub(super) fn new(plan: &Plan, store: &Store, until: Option<u32>) -> Result<Self> {
        for note in store.notes() {
            say(note);
        }
        let run = store.run();
        let (game, dir, sum) = (run.game(), run.dir().display(), run.sealed_sum());
        let (threads, memory) = (plan.threads(), plan.memory());
        let begun = match sum {
            2 => "not begun".to_owned(),
            sum => format!("counted up to sum {sum}"),
        };
        say(format_args!(
            "{game} in {dir}: {begun}, threads={threads} memory={memory}"
        ));
        let choice = Choice::new(run, plan, until)?;
        Ok(Self {
            forecast: Forecast::new(run, &choice, run.keep()),
            pace: Pace::new(run.table().totals().states()),
            last_line: None,
            sum,
        })
    }

    fn due(&self) -> bool {
        let waited = self
            .last_line
            .map_or(self.pace.elapsed(), |line| line.elapsed());
        waited >= EVERY
    }

    /// Write a line. `what` says whether `states` are a whole `layer`, or `found` in it so far.
    fn line(&mut self, what: &str, states: u64, took: Duration) {
        let remaining = self.pace.remaining().map_or(String::new(), |remaining| {
            let (done, seconds) = (remaining.done, remaining.seconds);
            format!(" done={done:.4} left_sec={seconds:.0}")
        });
        say(format_args!(
            "sum={} {what}={states} states={} memory={} layer_sec={:.3} sec={:.3}{remaining}",
            self.sum,
            self.pace.done(),
            machine::anonymous_memory().unwrap_or(0),
            took.as_secs_f64(),
            self.pace.elapsed().as_secs_f64()
        ));
        self.last_line = Some(Instant::now());
    }
}

impl Progress for ProgressLines {
    fn begin(&mut self, sum: u32) {
        self.sum = sum;
        self.pace.begin_layer();
    }

    fn advance(&mut self, boards: u64) {
        self.pace.advance(boards);
        if self.due() {
            self.line("found", self.pace.of_layer, self.pace.layer_elapsed());
        }
    }

    fn end(&mut self, layer: &FinishedLayer) {
        let took = self.pace.layer_elapsed();
        let work = self.forecast.count(self.forecast.engine(layer.sum), layer);
        let left = || self.forecast.left();
        self.pace.end_layer(work, layer.boards, left);
        let last = layer.last || layer.sum >= self.forecast.last_sum();
        if last || self.last_line.is_none() || self.due() {
            self.line("layer", layer.boards, took);
        }
    }
}

/// A count continues if stderr cannot be written.
fn say(text: impl Display) {
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}
