//! Progress of a count: a display for people on a terminal, lines of `key=value` anywhere else.
//!
//! `pace` (how fast, and how much is left) belongs to [`Reporter`]; `form` (where it is shown), `disk`
//! (a warning before it is full), `memory`, `log` (when a line is due) and `interrupt` (Ctrl-C) also
//! to the progress of a solver. [`Gauge`] is for other jobs, whose size is known in advance.

mod disk;
mod form;
mod gauge;
mod interrupt;
mod log;
mod memory;
mod pace;

use std::path::Path;

use indicatif::{HumanBytes, HumanCount, ProgressBar};

pub(super) use self::disk::Disk;
pub(super) use self::form::{Form, Left, draw, left_in_log, tell_of_layer};
pub(super) use self::gauge::Gauge;
pub(super) use self::memory::Memory;
use self::pace::Pace;
use super::units;
use crate::engine::{Choice, Plan, Progress, Step};
use crate::part::Kind;
use crate::store::{Layer, Store};

/// Shows the progress of a count, and measures memory meanwhile.
pub(crate) struct Reporter {
    form: Form,
    pace: Pace,
    /// Greatest sum to count.
    end: u32,
    /// Bytes of the files of states, and of those of afterstates where they are kept.
    bytes: u64,
    afterstates_kept: bool,
    memory: Memory,
    disk: Disk,
}

impl Reporter {
    /// A reporter for a count that continues what is in `store` as `choice` says. Prints what the
    /// count will use.
    pub(crate) fn new(plan: &Plan, store: &Store, choice: &Choice, quiet: bool) -> Self {
        let run = store.run();
        let afterstates_kept = run.keep().afterstates();
        let kept = |kind| kind == Kind::States || afterstates_kept;
        let kinds = [Kind::States, Kind::Afterstates]
            .into_iter()
            .filter(|&kind| kept(kind));
        let reporter = Self {
            form: Form::new(quiet),
            pace: Pace::new(run, choice),
            end: choice.last().min(run.game().sum_bound()),
            bytes: kinds.map(|kind| run.bytes(kind, None)).sum(),
            afterstates_kept,
            memory: Memory::new(),
            disk: Disk::new(run.dir()),
        };
        for note in store.notes() {
            reporter.form.say(note);
        }
        reporter.announce(plan, store);
        reporter
    }

    /// On a terminal, Ctrl-C says what stays of the run in `dir` before it ends the process.
    pub(super) fn explain_interrupt(&self, dir: &Path) {
        let dir = dir.to_owned();
        self.form
            .explain_interrupt(move || interrupt::of_count(&dir));
    }

    fn announce(&self, plan: &Plan, store: &Store) {
        self.form.warn_of_memory(plan);
        let run = store.run();
        if run.complete() {
            return;
        }
        let from = match run.sealed_sum() {
            2 => String::new(),
            sum => format!("resuming at sum {}, ", sum + 2),
        };
        let (game, dir) = (run.game(), run.dir().display());
        let threads = units::things(plan.threads() as u64, "thread");
        let bound = HumanBytes(plan.memory());
        self.form.say(&format!(
            "{game} in {dir}: {from}{threads}, {bound} for data"
        ));
    }

    /// End the display; returns the greatest memory seen.
    pub(crate) fn finish(self) -> Option<u64> {
        self.form.finish();
        self.memory.peak()
    }

    /// Draw the display of a terminal.
    fn draw(&self, bar: &ProgressBar, step: Step, memory: u64) {
        let of_layer = step.live + step.dead;
        let speed = self
            .pace
            .rate(of_layer)
            .map_or(String::new(), |rate| format!(", {}", units::speed(rate)));
        let message = format!(
            "sum {}, {} in the layer\n  {}{speed}, {} memory, {} on disk",
            step.sum,
            HumanCount(of_layer),
            units::things(self.pace.found(of_layer), "state"),
            HumanBytes(memory),
            HumanBytes(self.bytes),
        );
        draw(bar, self.pace.left().as_ref(), message);
    }

    /// Write a line for scripts: `what` is a whole `layer`, or the states that are `found` of one
    /// that is not among the counted ones yet. The keys are a contract.
    fn log(&mut self, sum: u32, what: &str, states: u64) {
        let memory = self.memory.look();
        let fresh = if what == "found" { states } else { 0 };
        let rate = self
            .pace
            .rate(fresh)
            .map_or(String::new(), |rate| format!(" states_per_sec={rate:.0}"));
        let left = left_in_log(self.pace.left().as_ref());
        let line = format!(
            "sum={sum} {what}={states} states={}{rate} memory={memory} disk={} layer_sec={:.3} sec={:.3}{left}",
            self.pace.found(fresh),
            self.bytes,
            self.pace.layer_elapsed().as_secs_f64(),
            self.pace.elapsed().as_secs_f64(),
        );
        if let Form::Lines(log) = &mut self.form {
            log.write(&line);
        }
    }
}

impl Progress for Reporter {
    fn begin(&mut self, sum: u32) {
        if let Some(warning) = self.disk.warning(sum) {
            self.form.say(&warning);
        }
        self.pace.begin_layer();
        self.step(Step::begin(sum));
    }

    fn step(&mut self, step: Step) {
        let Some(memory) = self.memory.look_if_due() else {
            return;
        };
        match &self.form {
            Form::Lines(log) if log.due() => self.log(step.sum, "found", step.live + step.dead),
            Form::Terminal(bar) => self.draw(bar, step, memory),
            _ => {}
        }
    }

    fn end(&mut self, layer: &Layer) {
        let took = self.pace.layer_elapsed();
        let last = layer.last || layer.sum >= self.end;
        let states = self.pace.end_layer(layer);
        self.bytes += layer.bytes;
        if self.afterstates_kept {
            self.bytes += layer.afterstate_bytes;
        }
        self.disk.took(layer.disk);
        match &self.form {
            Form::Lines(log) if last || log.wants(took) => self.log(layer.sum, "layer", states),
            Form::Terminal(bar) => {
                let states = HumanCount(states).to_string();
                tell_of_layer(bar, layer.sum, &format!("{states:>17} states"), took);
            }
            _ => {}
        }
    }
}
