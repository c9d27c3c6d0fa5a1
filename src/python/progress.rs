//! Progress of a count, as lines of `key=value` on stderr.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::engine::Plan;
use crate::machine;
use crate::progress::{FinishedLayer, Progress};
use crate::store::Store;

/// Time between two lines.
const EVERY: Duration = Duration::from_secs(10);

/// Writes a line now and then; the keys are those of the program's log.
pub(super) struct ProgressLines {
    begin: Instant,
    layer_begin: Instant,
    last_line: Option<Instant>,
    /// States of the layers that are counted, by this process or before it.
    states: u64,
    /// Sum of the layer that is being counted, and its states found so far.
    sum: u32,
    found: u64,
}

impl ProgressLines {
    /// For a count that goes on with `store`; says first how it goes on.
    pub(super) fn new(plan: &Plan, store: &Store) -> Self {
        for note in store.notes() {
            say(note);
        }
        let run = store.run();
        let (game, dir, sum) = (run.game(), run.dir().display(), run.sealed_sum());
        let (threads, memory) = (plan.threads(), plan.memory());
        say(format_args!(
            "{game} in {dir}: counted up to sum {sum}, threads={threads} memory={memory}"
        ));
        let now = Instant::now();
        Self {
            begin: now,
            layer_begin: now,
            last_line: None,
            states: run.table().totals().states(),
            sum,
            found: 0,
        }
    }

    /// Whether the last line, or the beginning, is long ago.
    fn due(&self) -> bool {
        self.last_line.unwrap_or(self.begin).elapsed() >= EVERY
    }

    /// Write a line: `what` says whether the `states` are a whole `layer`, or `found` of it so far.
    fn line(&mut self, sum: u32, what: &str, states: u64) {
        let memory = machine::anonymous_memory().unwrap_or(0);
        say(format_args!(
            "sum={sum} {what}={states} states={} memory={memory} layer_sec={:.3} sec={:.3}",
            self.states,
            self.layer_begin.elapsed().as_secs_f64(),
            self.begin.elapsed().as_secs_f64()
        ));
        self.last_line = Some(Instant::now());
    }
}

impl Progress for ProgressLines {
    fn begin(&mut self, sum: u32) {
        self.layer_begin = Instant::now();
        (self.sum, self.found) = (sum, 0);
    }

    fn advance(&mut self, boards: u64) {
        self.found += boards;
        if self.due() {
            self.line(self.sum, "found", self.found);
        }
    }

    fn end(&mut self, layer: &FinishedLayer) {
        self.states += layer.boards;
        if layer.last || self.last_line.is_none() || self.due() {
            self.line(layer.sum, "layer", layer.boards);
        }
    }
}

/// A count goes on if stderr cannot be written.
fn say(text: impl Display) {
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}
