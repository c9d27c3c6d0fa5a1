//! How progress is shown: not at all, as lines in a log, or as a display on a terminal.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use super::interrupt;
use super::log::Log;
use crate::cli::{talk, units};
use crate::engine::Plan;
use crate::machine;

/// On a terminal, a layer that took at least this long gets a line of its own.
const WORTH_A_LINE: Duration = Duration::from_millis(500);

/// The display on a terminal, before and after it can be said how much is left. The cursor stays at
/// the end of the last line, so the `^C` that a terminal echoes takes a line more, and one too few is
/// cleared then: the first, which is empty.
const SPINNER: &str = "\n{spinner} {elapsed_precise}  {msg}";
const BAR: &str = "\n{spinner} {elapsed_precise}  {wide_bar} {prefix}\n  {msg}";

/// Length of the bar.
const WHOLE: u64 = 1000;

/// How progress is shown.
pub(in crate::cli) enum Form {
    Silent,
    Lines(Log),
    Terminal(ProgressBar),
}

/// How far a job is.
pub(in crate::cli) struct Left {
    /// The share that is done, from 0 to 1.
    pub(in crate::cli) done: f64,
    pub(in crate::cli) seconds: f64,
}

impl Form {
    pub(in crate::cli) fn new(quiet: bool) -> Self {
        match (quiet, io::stderr().is_terminal()) {
            (true, _) => Self::Silent,
            (_, false) => Self::Lines(Log::new()),
            (_, true) => Self::Terminal(bar()),
        }
    }

    /// Print a message.
    pub(in crate::cli) fn say(&self, text: &str) {
        match self {
            Self::Silent => {}
            Self::Lines(_) => talk::say(text),
            Self::Terminal(bar) => bar.println(text),
        }
    }

    /// Warn of a memory bound that the machine has not got.
    pub(in crate::cli) fn warn_of_memory(&self, plan: &Plan) {
        if let Some(machine) = machine::memory().filter(|&memory| memory < plan.memory()) {
            self.say(&format!(
                "WARNING: a memory bound of {}, but there are only {}: give less --memory",
                HumanBytes(plan.memory()),
                HumanBytes(machine)
            ));
        }
    }

    /// On a terminal, Ctrl-C says what stays before it ends the process.
    pub(in crate::cli) fn explain_interrupt(
        &self,
        what_stays: impl Fn() -> String + Send + 'static,
    ) {
        if let Self::Terminal(bar) = self {
            interrupt::watch(bar.clone(), what_stays);
        }
    }

    /// End the display.
    pub(in crate::cli) fn finish(self) {
        if let Self::Terminal(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Draw the display of a terminal.
pub(in crate::cli) fn draw(bar: &ProgressBar, left: Option<&Left>, message: String) {
    if let Some(left) = left {
        if bar.prefix().is_empty() {
            bar.set_style(style(BAR));
        }
        bar.set_position((left.done * WHOLE as f64) as u64);
        let (percent, time) = (left.done * 100.0, units::time(left.seconds));
        bar.set_prefix(format!("{percent:.0}%, about {time} left"));
    }
    bar.set_message(message);
}

/// Print a line for a layer that has so many boards, if it took long.
pub(in crate::cli) fn tell_of_layer(bar: &ProgressBar, sum: u32, boards: &str, took: Duration) {
    if took >= WORTH_A_LINE {
        let seconds = took.as_secs_f64();
        bar.println(format!("sum {sum:>5}  {boards}  {seconds:>8.1} s"));
    }
}

/// What is left, for a line of a log; the keys are a contract.
pub(in crate::cli) fn left_in_log(left: Option<&Left>) -> String {
    left.map_or(String::new(), |left| {
        let (done, seconds) = (left.done, units::rounded(left.seconds));
        let time = units::time(left.seconds).replace(' ', "");
        format!(" done={done:.4} left_sec={seconds} left={time}")
    })
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(WHOLE).with_style(style(SPINNER));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is valid")
}
