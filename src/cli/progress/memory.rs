//! The memory that a job takes, looked at now and then.

use std::time::{Duration, Instant};

use crate::machine;

/// Memory is measured, and the display changed, at most this often.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Watches the anonymous memory of the process.
pub(in crate::cli) struct Memory {
    last_look: Instant,
    peak: Option<u64>,
}

impl Memory {
    pub(in crate::cli) fn new() -> Self {
        Self {
            last_look: Instant::now(),
            peak: None,
        }
    }

    /// Bytes at the moment, 0 where the system does not tell.
    pub(in crate::cli) fn look(&mut self) -> u64 {
        self.last_look = Instant::now();
        let now = machine::anonymous_memory();
        self.peak = self.peak.max(now);
        now.unwrap_or(0)
    }

    /// The same, unless it was looked at a moment ago.
    pub(in crate::cli) fn look_if_due(&mut self) -> Option<u64> {
        (self.last_look.elapsed() >= LOOK_EVERY).then(|| self.look())
    }

    /// The most bytes seen, if the system tells, and now.
    pub(in crate::cli) fn peak(mut self) -> Option<u64> {
        self.look();
        self.peak
    }
}
