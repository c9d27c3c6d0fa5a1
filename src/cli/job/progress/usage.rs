//! The memory and the disk space that a job takes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::HumanBytes;

use crate::{machine, store};

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

/// Watches the free space of a run's directory.
pub(in crate::cli) struct Disk {
    dir: PathBuf,
    /// Bytes on disk that the last two layers took.
    last_two: [u64; 2],
    /// Whether space was short before the last layer.
    warned: bool,
}

impl Disk {
    /// A watch on `dir`.
    pub(in crate::cli) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            last_two: [0; 2],
            warned: false,
        }
    }

    /// Record the bytes on disk that a layer took.
    pub(in crate::cli) fn took(&mut self, bytes: u64) {
        self.last_two = [self.last_two[1], bytes];
    }

    /// A warning if the layer of `sum`, the next one, may not fit.
    pub(in crate::cli) fn warning(&mut self, sum: u32) -> Option<String> {
        let needed = forecast(self.last_two);
        let free = store::free_space(&self.dir).unwrap_or(u64::MAX);
        let short = free < needed;
        let first = short && !self.warned;
        self.warned = short;
        first.then(|| {
            format!(
                "WARNING: the layer of sum {sum} may take {} of disk, but {} has only {} left: make space, \
                 or stop and resume later",
                HumanBytes(needed),
                self.dir.display(),
                HumanBytes(free)
            )
        })
    }
}

/// Bytes that a layer may take on disk after layers of `before` and `last` bytes: as much growth
/// again, and half of the last layer as a reserve, since layers do not grow evenly.
fn forecast([before, last]: [u64; 2]) -> u64 {
    let growth = last.saturating_sub(before);
    last + growth + last / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_layer_is_expected_to_grow_as_the_last_did_and_more() {
        assert_eq!(forecast([0, 0]), 0);
        assert_eq!(forecast([100, 150]), 150 + 50 + 75);
        assert_eq!(forecast([150, 100]), 100 + 50);
    }

    #[test]
    fn a_warning_comes_once_while_space_is_short() {
        let place = tempfile::tempdir().unwrap();
        let mut disk = Disk::new(place.path());
        assert_eq!(disk.warning(4), None);
        disk.took(u64::MAX / 4);
        assert!(
            disk.warning(6)
                .unwrap()
                .starts_with("WARNING: the layer of sum 6")
        );
        assert_eq!(disk.warning(8), None);
        disk.took(0);
        assert_eq!(disk.warning(10), None);
        disk.took(u64::MAX / 4);
        assert!(disk.warning(12).is_some());
    }
}
