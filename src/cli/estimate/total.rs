//! The estimate for the whole count, as one JSON object.

use serde::Serialize;

use super::files::{Files, frames};
use super::{Basis, Estimate};
use crate::cli::forecast::Range;
use crate::cli::units;

/// The keys of `--dry-run --json`, in their order. They are a contract: new ones go to the end.
/// What is not known exactly has two digits.
#[derive(Serialize)]
pub(super) struct Total {
    game: String,
    layers: usize,
    pub(super) last_sum: u32,
    pub(super) bound: u64,
    sealed_sum: u32,
    complete: bool,
    pub(super) states_so_far: u64,
    pub(super) states_low: u64,
    pub(super) states_high: u64,
    pub(super) largest_layer: u64,
    pub(super) disk_low: u64,
    pub(super) disk_high: u64,
    pub(super) disk_keep_last: u64,
    pub(super) disk_free: Option<u64>,
    pub(super) memory: u64,
    pub(super) states_per_second: u64,
    pub(super) seconds_low: f64,
    pub(super) seconds_high: f64,
    engine: String,
    /// Whether states and disk are known exactly, as all layers are counted.
    exact: bool,
    /// Of the files of afterstates; null if they are not kept.
    pub(super) disk_afterstates_low: Option<u64>,
    pub(super) disk_afterstates_high: Option<u64>,
}

impl Total {
    /// Add up the layers.
    pub(super) fn new(estimate: &Estimate) -> Self {
        let forecast = &estimate.forecast;
        let layers = || forecast.after(2);
        let (states, share) = (forecast.states(), forecast.share());
        let largest = layers().map(|layer| layer.states(share.high));
        let largest = largest.fold(0.0, f64::max);
        let bits = estimate.files.bits();
        let framed = layers().map(|layer| frames(&estimate.game, layer.sum));
        let (framed, most_framed) = framed.fold((0.0, 0.0_f64), |(sum, most), bytes| {
            (sum + bytes, most.max(bytes))
        });
        let exact = matches!(estimate.basis, Basis::Run | Basis::Moment);
        let disk = |files: Files| {
            if exact && files.states > 0 {
                return Range::exactly(files.bytes as f64);
            }
            let bits = files.bits();
            Range {
                low: states.low * bits.low / 8.0 + framed,
                high: states.high * bits.high / 8.0 + framed,
            }
        };
        let afterstates = estimate.afterstates.map(disk);
        let disk = disk(estimate.files);
        let seconds = estimate.seconds;
        let left = (states.middle() - estimate.so_far as f64).max(0.0);
        let three_layers = 3.0 * (largest * bits.high / 8.0 + most_framed);
        let known = |n: f64| if exact { n } else { units::rounded(n) } as u64;
        Self {
            game: estimate.game.to_string(),
            layers: forecast.layers.len(),
            last_sum: forecast.layers.last().map_or(2, |layer| layer.sum),
            bound: forecast.layers.iter().map(|layer| layer.bound).sum(),
            sealed_sum: estimate.sealed_sum,
            complete: estimate.complete,
            states_so_far: estimate.so_far,
            states_low: known(states.low),
            states_high: known(states.high),
            largest_layer: known(largest),
            disk_low: known(disk.low),
            disk_high: known(disk.high),
            disk_keep_last: units::rounded(three_layers) as u64,
            disk_free: estimate.free,
            memory: estimate.plan.memory(),
            states_per_second: units::rounded(left / seconds.middle().max(1e-9)) as u64,
            seconds_low: units::rounded(seconds.low),
            seconds_high: units::rounded(seconds.high),
            engine: estimate.choice.to_string(),
            exact,
            disk_afterstates_low: afterstates.map(|disk| known(disk.low)),
            disk_afterstates_high: afterstates.map(|disk| known(disk.high)),
        }
    }
}
