//! Progress of a count: a display for people on a terminal, lines of `key=value` anywhere else.
//!
//! `pace` (how fast, and how much is left), `disk` (a warning before it is full), `log` (when a line
//! is due) and `interrupt` (Ctrl-C) belong to [`Reporter`]; [`Gauge`] is for the jobs whose size is
//! known in advance.

mod disk;
mod gauge;
mod interrupt;
mod log;
mod pace;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

use self::disk::Disk;
pub(super) use self::gauge::Gauge;
use self::log::Log;
use self::pace::Pace;
use super::{machine, talk, units};
use crate::engine::{Choice, Plan, Progress, Step};
use crate::part::Kind;
use crate::store::{Layer, Store};

/// On a terminal, a layer that took at least this long gets a line of its own.
const WORTH_A_LINE: Duration = Duration::from_millis(500);

/// Memory is measured, and the display changed, at most this often.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The display on a terminal, before and after it can be said how much is left. The cursor stays at
/// the end of the last line, so the `^C` that a terminal echoes takes a line more, and one too few is
/// cleared then: the first, which is empty.
const SPINNER: &str = "\n{spinner} {elapsed_precise}  {msg}";
const BAR: &str = "\n{spinner} {elapsed_precise}  {wide_bar} {prefix}\n  {msg}";

/// Length of the bar.
const WHOLE: u64 = 1000;

/// How progress is shown.
enum Form {
    Silent,
    Lines(Log),
    Terminal(ProgressBar),
}

impl Form {
    fn new(quiet: bool) -> Self {
        match (quiet, io::stderr().is_terminal()) {
            (true, _) => Self::Silent,
            (_, false) => Self::Lines(Log::new()),
            (_, true) => Self::Terminal(bar()),
        }
    }

    /// Print a message.
    fn say(&self, text: &str) {
        match self {
            Self::Silent => {}
            Self::Lines(_) => talk::say(text),
            Self::Terminal(bar) => bar.println(text),
        }
    }
}

/// Shows the progress of a count, and measures memory meanwhile.
pub(super) struct Reporter {
    form: Form,
    pace: Pace,
    last_look: Instant,
    /// Greatest sum to count.
    end: u32,
    /// Bytes of the files of states, and of those of afterstates where they are kept.
    bytes: u64,
    afterstates_kept: bool,
    /// Greatest anonymous memory seen.
    peak: Option<u64>,
    disk: Disk,
}

impl Reporter {
    /// A reporter for a count that continues what is in `store` as `choice` says. Prints what the
    /// count will use.
    pub(super) fn new(plan: &Plan, store: &Store, choice: &Choice, quiet: bool) -> Self {
        let run = store.run();
        let afterstates_kept = run.keep().afterstates();
        let kept = |kind| kind == Kind::States || afterstates_kept;
        let kinds = [Kind::States, Kind::Afterstates]
            .into_iter()
            .filter(|&kind| kept(kind));
        let reporter = Self {
            form: Form::new(quiet),
            pace: Pace::new(run, choice),
            last_look: Instant::now(),
            end: choice.last().min(run.game().sum_bound()),
            bytes: kinds.map(|kind| run.bytes(kind, None)).sum(),
            afterstates_kept,
            peak: None,
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
        if let Form::Terminal(bar) = &self.form {
            interrupt::watch(bar.clone(), dir.to_owned());
        }
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

    /// Draw the display of a terminal.
    fn draw(&self, bar: &ProgressBar, step: Step, memory: u64) {
        let of_layer = step.live + step.dead;
        if let Some(left) = self.pace.left() {
            if bar.prefix().is_empty() {
                bar.set_style(style(BAR));
            }
            bar.set_position((left.done * WHOLE as f64) as u64);
            let (percent, time) = (left.done * 100.0, units::time(left.seconds));
            bar.set_prefix(format!("{percent:.0}%, about {time} left"));
        }
        let speed = self
            .pace
            .rate(of_layer)
            .map_or(String::new(), |rate| format!(", {}", units::speed(rate)));
        bar.set_message(format!(
            "sum {}, {} in the layer\n  {} states{speed}, {} memory, {} on disk",
            step.sum,
            HumanCount(of_layer),
            HumanCount(self.pace.found(of_layer)),
            HumanBytes(memory),
            HumanBytes(self.bytes),
        ));
    }

    /// Write a line for scripts: `what` is a whole `layer`, or the states that are `found` of one
    /// that is not among the counted ones yet. The keys are a contract.
    fn log(&mut self, sum: u32, what: &str, states: u64) {
        let memory = self.memory();
        let fresh = if what == "found" { states } else { 0 };
        let rate = self
            .pace
            .rate(fresh)
            .map_or(String::new(), |rate| format!(" states_per_sec={rate:.0}"));
        let left = self.pace.left().map_or(String::new(), |left| {
            let (done, seconds) = (left.done, units::rounded(left.seconds));
            let time = units::time(left.seconds).replace(' ', "");
            format!(" done={done:.4} left_sec={seconds} left={time}")
        });
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
        if self.last_look.elapsed() < LOOK_EVERY {
            return;
        }
        self.last_look = Instant::now();
        let memory = self.memory();
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
            Form::Terminal(bar) if took >= WORTH_A_LINE => {
                let (states, seconds) = (HumanCount(states).to_string(), took.as_secs_f64());
                bar.println(format!(
                    "sum {:>5}  {states:>17} states  {seconds:>8.1} s",
                    layer.sum
                ));
            }
            _ => {}
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(WHOLE).with_style(style(SPINNER));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is valid")
}
