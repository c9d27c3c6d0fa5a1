//! Lines of `key=value` for a stderr that is no terminal.

use std::time::{Duration, Instant, SystemTime};

use crate::cli::talk;

/// A line is written about this often.
const EVERY: Duration = Duration::from_secs(10);

/// A log with a line now and then.
pub(in crate::cli) struct Log {
    /// When the last line was written, or the log was begun.
    last: Instant,
    empty: bool,
}

impl Log {
    /// A log without a line.
    pub(in crate::cli) fn new() -> Self {
        Self {
            last: Instant::now(),
            empty: true,
        }
    }

    /// Whether nothing was written for long.
    pub(in crate::cli) fn due(&self) -> bool {
        self.last.elapsed() >= EVERY
    }

    /// Whether work that took so long gets a line when it is done: the first does, what took long,
    /// and whatever is done when a line is due.
    pub(in crate::cli) fn wants(&self, took: Duration) -> bool {
        self.empty || took >= EVERY || self.due()
    }

    /// Write a line, with the time of day before it.
    pub(in crate::cli) fn write(&mut self, line: &str) {
        let now = humantime::format_rfc3339_seconds(SystemTime::now());
        talk::line(format_args!("time={now} {line}"));
        self.last = Instant::now();
        self.empty = false;
    }
}
