//! The estimate for the whole count, as one JSON object.

use serde::Serialize;

use super::Estimate;

/// Least and greatest number of bits of a state on disk, if too few states of the game are counted:
/// those of 4x4 to 32 and of 3x3.
const BITS: (f64, f64) = (3.9, 5.3);

/// With this many states counted, their files tell how many bits a state takes.
const ENOUGH: u64 = 1_000_000;

/// The keys of `--dry-run --json`, in their order. They are a contract: new ones go to the end.
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
}

impl Total {
    /// Add up the layers.
    pub(super) fn new(estimate: &Estimate) -> Self {
        let layers = &estimate.layers;
        let bounds = layers.iter().map(|layer| layer.bound);
        let expected = layers.iter().map(|layer| estimate.expected(layer));
        let add = |(a, b): (f64, f64), (c, d): (f64, f64)| (a + c, b + d);
        let (low, high) = expected.clone().fold((0.0, 0.0), add);
        let largest = expected.map(|(_, high)| high).fold(0.0, f64::max);
        let so_far = estimate.so_far();
        let left = |states: f64| (states - so_far as f64).max(0.0) / estimate.states_per_second;
        let bits = bits_per_state(estimate.bytes, estimate.listed);
        let disk = |bits: f64| {
            if estimate.complete {
                estimate.bytes
            } else {
                (bits / 8.0) as u64
            }
        };
        Self {
            game: estimate.game.to_string(),
            layers: layers.len(),
            last_sum: layers.last().map_or(2, |layer| layer.sum),
            bound: bounds.fold(0, u64::saturating_add),
            sealed_sum: estimate.sealed_sum,
            complete: estimate.complete,
            states_so_far: so_far,
            states_low: low as u64,
            states_high: high as u64,
            largest_layer: largest as u64,
            disk_low: disk(low * bits.0),
            disk_high: disk(high * bits.1),
            disk_keep_last: (3.0 * largest * bits.1 / 8.0) as u64,
            disk_free: estimate.free,
            memory: estimate.plan.memory(),
            states_per_second: estimate.states_per_second as u64,
            seconds_low: left(low).round(),
            seconds_high: left(high).round(),
        }
    }
}

/// Least and greatest number of bits to expect of a state, if `states` of them took `bytes`: from
/// what they took to the least of any game, which large games come close to.
fn bits_per_state(bytes: u64, states: u64) -> (f64, f64) {
    if states <= ENOUGH {
        return BITS;
    }
    let bits = bytes as f64 * 8.0 / states as f64;
    (bits.min(BITS.0), bits.max(BITS.0))
}
