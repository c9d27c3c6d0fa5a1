//! Progress of a count: a display for people on a terminal, lines of `key=value` anywhere else.
//!
//! `pace` (how fast, and how much is left) and `disk` (a warning before it is full) belong to
//! [`Reporter`]; [`Gauge`] is for the jobs whose size is known in advance.

mod disk;
mod gauge;
mod pace;

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

use self::disk::Disk;
pub(super) use self::gauge::Gauge;
use self::pace::{Pace, Tally};
use super::machine;
use super::talk;
use crate::engine::{Plan, Progress, Step};
use crate::store::{Layer, Store};

/// On a terminal, a layer that took at least this long gets a line of its own.
const WORTH_A_LINE: Duration = Duration::from_millis(500);

/// Without a terminal, a line is written at least this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Memory is measured, and the display changed, at most this often.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How progress is shown.
enum Form {
    Silent,
    Lines,
    Terminal(ProgressBar),
}

impl Form {
    fn new(quiet: bool) -> Self {
        match (quiet, io::stderr().is_terminal()) {
            (true, _) => Self::Silent,
            (_, false) => Self::Lines,
            (_, true) => Self::Terminal(bar()),
        }
    }

    /// Print a message.
    fn say(&self, text: &str) {
        match self {
            Self::Silent => {}
            Self::Lines => talk::say(text),
            Self::Terminal(bar) => bar.println(text),
        }
    }
}

/// Shows the progress of a count, and measures memory meanwhile.
pub(super) struct Reporter {
    form: Form,
    pace: Pace,
    layer_begin: Instant,
    last_line: Instant,
    last_look: Instant,
    /// Greatest sum that the count can reach.
    end: u32,
    /// States of the layers that are counted.
    counted: Tally,
    /// Bytes of their files.
    bytes: u64,
    /// Greatest anonymous memory seen.
    peak: Option<u64>,
    disk: Disk,
}

impl Reporter {
    /// A reporter for a count that continues what is in `store`. Prints what the count will use.
    pub(super) fn new(plan: &Plan, store: &Store, until: Option<u32>, quiet: bool) -> Self {
        let run = store.run();
        let now = Instant::now();
        let totals = run.table().totals();
        let counted = Tally {
            live: totals.live,
            dead: totals.dead,
        };
        let reporter = Self {
            form: Form::new(quiet),
            pace: Pace::new(run.game(), until, counted),
            layer_begin: now,
            last_line: now,
            last_look: now,
            end: until.unwrap_or(u32::MAX).min(run.game().sum_bound()),
            counted,
            bytes: run.bytes(None),
            peak: None,
            disk: Disk::new(run.dir()),
        };
        for note in store.notes() {
            reporter.form.say(note);
        }
        reporter.announce(plan, store);
        reporter
    }

    fn announce(&self, plan: &Plan, store: &Store) {
        let bound = HumanBytes(plan.memory());
        if let Some(machine) = machine::memory().filter(|&memory| memory < plan.memory()) {
            self.form.say(&format!(
                "WARNING: a memory bound of {bound}, but there are only {}: give less --memory",
                HumanBytes(machine)
            ));
        }
        let run = store.run();
        if run.complete() {
            return;
        }
        let from = match run.sealed_sum() {
            2 => String::new(),
            sum => format!("resuming at sum {}, ", sum + 2),
        };
        let (game, dir, threads) = (run.game(), run.dir().display(), plan.threads());
        self.form.say(&format!(
            "{game} in {dir}: {from}{threads} threads, {bound} for data"
        ));
    }

    /// End the display; returns the greatest memory seen.
    pub(super) fn finish(mut self) -> Option<u64> {
        self.memory();
        if let Form::Terminal(bar) = self.form {
            bar.finish_and_clear();
        }
        self.peak
    }

    /// Anonymous memory in bytes, 0 where the system does not tell.
    fn memory(&mut self) -> u64 {
        let now = machine::anonymous_memory();
        self.peak = self.peak.max(now);
        now.unwrap_or(0)
    }

    fn show(&mut self, step: Step) {
        let memory = self.memory();
        let found = self.counted.plus(step.live, step.dead);
        let of_layer = step.live + step.dead;
        match &self.form {
            Form::Silent => {}
            Form::Lines => {
                if self.last_line.elapsed() >= LINE_EVERY {
                    self.last_line = Instant::now();
                    self.line(step.sum, "found", of_layer, found, memory);
                }
            }
            Form::Terminal(bar) => {
                let left = self.pace.left(found).map_or_else(
                    || format!("at most {}", self.end),
                    |(done, left)| format!("{:.0}%, {} left", done * 100.0, clock(left)),
                );
                bar.set_message(format!(
                    "sum {} ({left})  {} in the layer\n  {} states, {}/s  {} memory  {} on disk",
                    step.sum,
                    HumanCount(of_layer),
                    HumanCount(found.states()),
                    HumanCount(self.pace.rate(found) as u64),
                    HumanBytes(memory),
                    HumanBytes(self.bytes),
                ));
            }
        }
    }

    /// Print a line for scripts. Its keys are a contract.
    fn line(&self, sum: u32, what: &str, of_layer: u64, found: Tally, memory: u64) {
        let (states, rate) = (found.states(), self.pace.rate(found) as u64);
        let (layer, all) = (
            self.layer_begin.elapsed().as_secs_f64(),
            self.pace.elapsed().as_secs_f64(),
        );
        let left = self.pace.left(found).map_or(String::new(), |(done, left)| {
            format!(" done={done:.4} left_sec={:.0}", left.as_secs_f64())
        });
        talk::line(format_args!(
            "sum={sum} {what}={of_layer} states={states} states_per_sec={rate} memory={memory} \
             disk={} layer_sec={layer:.3} sec={all:.3}{left}",
            self.bytes
        ));
    }
}

impl Progress for Reporter {
    fn begin(&mut self, sum: u32) {
        if let Some(warning) = self.disk.warning(sum) {
            self.form.say(&warning);
        }
        self.layer_begin = Instant::now();
        self.step(Step {
            sum,
            live: 0,
            dead: 0,
        });
    }

    fn step(&mut self, step: Step) {
        if self.last_look.elapsed() >= LOOK_EVERY {
            self.last_look = Instant::now();
            self.show(step);
        }
    }

    fn end(&mut self, layer: &Layer) {
        let live = layer.rows.iter().map(|row| row.live).sum();
        let dead = layer.rows.iter().map(|row| row.dead).sum();
        let states = live + dead;
        self.counted = self.counted.plus(live, dead);
        self.bytes += layer.bytes;
        self.disk.took(layer.disk);
        match &self.form {
            Form::Silent => {}
            Form::Lines => {
                self.last_line = Instant::now();
                let memory = self.memory();
                self.line(layer.sum, "layer", states, self.counted, memory);
            }
            Form::Terminal(bar) => {
                let took = self.layer_begin.elapsed();
                if took >= WORTH_A_LINE {
                    let (states, seconds) = (HumanCount(states).to_string(), took.as_secs_f64());
                    bar.println(format!(
                        "sum {:>5}  {states:>17} states  {seconds:>8.1} s",
                        layer.sum
                    ));
                }
            }
        }
    }
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {elapsed_precise}  {msg}");
    let bar = ProgressBar::new_spinner().with_style(style.expect("the template is valid"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// `h:mm:ss`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}
