//! The memory that a job takes.

use std::time::{Duration, Instant};

use crate::machine;

/// Least time between two measurements of memory, and two changes of the display.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Watches the anonymous memory of the process.
pub(in crate::cli) struct Memory {
    last_look: Instant,
    /// The most bytes seen, if the system tells.
    pub(in crate::cli) peak: Option<u64>,
}

impl Memory {
    pub(in crate::cli) fn new() -> Self {
        Self {
            last_look: Instant::now(),
            peak: None,
        }
    }

    /// Current bytes; 0 if the system does not tell.
    pub(in crate::cli) fn look(&mut self) -> u64 {
        self.last_look = Instant::now();
        let now = machine::anonymous_memory();
        self.peak = self.peak.max(now);
        now.unwrap_or(0)
    }

    /// Current bytes, if the last look was long enough ago.
    pub(in crate::cli) fn look_if_due(&mut self) -> Option<u64> {
        (self.last_look.elapsed() >= LOOK_EVERY).then(|| self.look())
    }
}
