//! `--dry-run`: what a count or a solver will take.
//!
//! Key idea: the job is tried for a moment in a temporary directory, as the job itself will run. The
//! layers of the trial tell the cost of all other layers; see [`crate::estimate`].

mod count;
mod solve;

use std::time::{Duration, Instant};

use crate::cli::out::units;
use crate::estimate::Range;
use crate::progress::{FinishedLayer, Progress};

pub(in crate::cli) use self::count::estimate_count;
pub(in crate::cli) use self::solve::estimate_solver;

/// The length of a trial.
const TRIAL: Duration = Duration::from_millis(1500);

/// A trial of at most this number of boards is not stopped. So the estimate of a small game is exact on
/// any machine.
const FEW: u64 = 100_000;

/// Stops a job after some time, and notes the time of each layer.
struct Trial {
    /// The time that is left for layers.
    left: Duration,
    layer_begin: Instant,
    /// The finished layers, with seconds.
    layers: Vec<(FinishedLayer, f64)>,
}

impl Trial {
    fn new(length: Duration) -> Self {
        Self {
            left: length,
            layer_begin: Instant::now(),
            layers: Vec::new(),
        }
    }
}

impl Progress for Trial {
    fn begin(&mut self, _: u32) {
        self.layer_begin = Instant::now();
    }

    fn end(&mut self, layer: &FinishedLayer) {
        let took = self.layer_begin.elapsed();
        self.left = self.left.saturating_sub(took);
        self.layers.push((layer.clone(), took.as_secs_f64()));
    }

    fn stop(&mut self) -> bool {
        let boards = self.layers.iter().map(|(layer, _)| layer.boards);
        self.left.is_zero() && boards.sum::<u64>() > FEW
    }
}

/// "1.2 GiB to 3.4 GiB", or "1.2 GiB".
fn bytes(range: [u64; 2]) -> String {
    let [low, high] = range.map(|bytes| units::bytes(bytes as f64));
    units::range(&low, &high)
}

/// "9 min to 20 min".
fn time(range: Range) -> String {
    let [low, high] = range.map(units::time);
    units::range(&low, &high)
}

/// Both ends of a range: an exact number as it is, any other numbers with two digits.
fn known([low, high]: Range) -> [u64; 2] {
    let digits = |n: f64| if low < high { units::rounded(n) } else { n };
    [low, high].map(|n| digits(n) as u64)
}

/// Free space, in words.
fn space(free: Option<u64>) -> String {
    free.map_or("unknown".to_owned(), |free| units::bytes(free as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_needs_time_and_boards_to_be_stopped() {
        let layer = |boards| FinishedLayer {
            boards,
            ..FinishedLayer::default()
        };
        let mut slow = Trial::new(Duration::ZERO);
        slow.end(&layer(FEW));
        assert!(!slow.stop());
        slow.end(&layer(1));
        assert!(slow.stop());
        let mut fast = Trial::new(Duration::MAX);
        fast.end(&layer(u64::MAX));
        assert!(!fast.stop());
    }
}
