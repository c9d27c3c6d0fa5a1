//! Progress of a job whose size is known in advance.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::LINE_EVERY;
use crate::cli::talk;

/// Shows how many states of a known number are done. Many threads may add to it.
pub(in crate::cli) struct Gauge {
    bar: ProgressBar,
    job: &'static str,
    lines: bool,
    begin: Instant,
    last_line: Mutex<Instant>,
}

impl Gauge {
    /// A gauge for `states` states.
    pub(in crate::cli) fn new(job: &'static str, states: u64, quiet: bool) -> Self {
        let terminal = io::stderr().is_terminal();
        let bar = ProgressBar::new(states);
        bar.set_style(
            ProgressStyle::with_template(
                "{prefix} {wide_bar} {percent}%  {human_pos} of {human_len} states, {per_sec}, {eta} left",
            )
            .expect("the template is valid"),
        );
        bar.set_prefix(job);
        if quiet || !terminal {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let now = Instant::now();
        Self {
            bar,
            job,
            lines: !quiet && !terminal,
            begin: now,
            last_line: Mutex::new(now),
        }
    }

    /// Add states that are done.
    pub(in crate::cli) fn add(&self, states: u64) {
        self.bar.inc(states);
        if self.lines {
            let mut last = self.last_line.lock().expect("no thread panics");
            if last.elapsed() >= LINE_EVERY {
                *last = Instant::now();
                self.line();
            }
        }
    }

    fn line(&self) {
        let (done, seconds) = (self.bar.position(), self.begin.elapsed().as_secs_f64());
        let (job, of) = (self.job, self.bar.length().unwrap_or(0));
        let rate = (done as f64 / seconds) as u64;
        talk::line(format_args!(
            "job={job} states={done} of={of} states_per_sec={rate} sec={seconds:.3}"
        ));
    }

    /// Remove the bar, or write the last line.
    pub(in crate::cli) fn finish(self) {
        // Before the bar is finished, as that moves its position to the end.
        if self.lines {
            self.line();
        }
        self.bar.finish_and_clear();
    }
}
