//! Progress of a job whose size is known in advance.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::log::Log;
use crate::cli::units;

const TEMPLATE: &str = "{prefix} {wide_bar} {percent}% of {human_len} states{speed}";

/// Shows how many states of a known number are done. Many threads may add to it.
pub(in crate::cli) struct Gauge {
    bar: ProgressBar,
    job: &'static str,
    begin: Instant,
    log: Option<Mutex<Log>>,
}

impl Gauge {
    /// A gauge for `states` states.
    pub(in crate::cli) fn new(job: &'static str, states: u64, quiet: bool) -> Self {
        let terminal = io::stderr().is_terminal();
        let bar = ProgressBar::new(states);
        let style = ProgressStyle::with_template(TEMPLATE).expect("the template is valid");
        bar.set_style(style.with_key("speed", speed));
        bar.set_prefix(job);
        if quiet || !terminal {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self {
            bar,
            job,
            begin: Instant::now(),
            log: (!quiet && !terminal).then(|| Mutex::new(Log::new())),
        }
    }

    /// Add states that are done.
    pub(in crate::cli) fn add(&self, states: u64) {
        self.bar.inc(states);
        if let Some(log) = &self.log {
            let mut log = log.lock().expect("no thread panics");
            if log.due() {
                self.write(&mut log);
            }
        }
    }

    fn write(&self, log: &mut Log) {
        let (states, time) = (self.bar.position(), self.begin.elapsed());
        let (job, of) = (self.job, self.bar.length().unwrap_or(0));
        let rate = units::rate(states, time)
            .map_or(String::new(), |rate| format!(" states_per_sec={rate:.0}"));
        let seconds = time.as_secs_f64();
        log.write(&format!(
            "job={job} states={states} of={of}{rate} sec={seconds:.3}"
        ));
    }

    /// Remove the bar, or write the last line.
    pub(in crate::cli) fn finish(self) {
        // Before the bar is finished, as that moves its position to the end.
        if let Some(log) = &self.log {
            self.write(&mut log.lock().expect("no thread panics"));
        }
        self.bar.finish_and_clear();
    }
}

/// How fast it goes, and how long that will take, once that can be told.
fn speed(state: &ProgressState, to: &mut dyn Write) {
    let Some(rate) = units::rate(state.pos(), state.elapsed()).filter(|&rate| rate > 0.0) else {
        return;
    };
    let left = state.len().unwrap_or(0).saturating_sub(state.pos());
    let (speed, left) = (units::speed(rate), units::time(left as f64 / rate));
    // A display that cannot be written is not drawn.
    let _ = write!(to, ", {speed}, {left} left");
}
