//! How many live states the next layers of a count will have.
//!
//! Key idea: every layer has an upper bound, the number of boards that could be in it. The share of
//! the bound that a game reaches changes slowly from layer to layer. So the last counted layers tell
//! the share of the next layers.

use super::{LayerWork, Range, middle};
use crate::bound;
use crate::counts::Row;
use crate::engine::{Choice, Engine, Plan};
use crate::progress::FinishedLayer;
use crate::store::{Keep, Run};

/// This number of the last counted layers tells the share of the bound.
const RECENT: usize = 5;

/// Afterstates for each state of a large layer, as in 4x4 to 64.
const AFTERSTATES: f64 = 0.36;

/// Units of work for a state of a layer that is counted as lists.
const LIST_STATE: f64 = 400.0;

/// Units of work to list a board of a layer of bits.
const LISTED: f64 = 30.0;

/// A layer of bits also takes time for its tables and rows: this number of units, times the root of
/// the layer's other units.
const TABLES: f64 = 5_000.0;

/// Bytes of memory of a count beside its boards, and for each board in lists.
const BESIDE: f64 = (12 << 20) as f64;
const LIST_BOARD: f64 = 24.0;

/// The layers of a count.
pub(crate) struct Forecast {
    pub(crate) layers: Vec<BoundedLayer>,
    choice: Choice,
    keep: Keep,
    /// The share of the bound that all layers reach, divided by the share that the first layers
    /// reach. If only a fraction of the bound remains, this number is raised to that fraction.
    change: Range,
    complete: bool,
}

/// A layer with an upper bound on its states.
#[derive(Clone, Copy)]
pub(crate) struct BoundedLayer {
    pub(crate) sum: u32,
    pub(crate) bound: u64,
    /// Live states of a counted layer.
    pub(crate) live: Option<u64>,
}

impl BoundedLayer {
    /// Live states: counted, or else a share of the bound.
    pub(crate) fn states(&self, share: f64) -> f64 {
        self.live
            .map_or(self.bound as f64 * share, |live| live as f64)
    }
}

impl Forecast {
    /// A forecast for a count that continues `run` as `choice` says, and keeps `keep`.
    pub(crate) fn new(run: &Run, choice: &Choice, keep: Keep) -> Self {
        let (game, last, table) = (run.game(), choice.last(), run.table());
        let bounds = (0..).step_by(2).zip(bound::canonical(game, last));
        let layer = |(sum, bound)| BoundedLayer {
            sum,
            bound,
            live: (sum <= table.last_sum()).then(|| {
                let rows: &[Row] = table.layer(sum);
                rows.iter().map(|row| row.live).sum()
            }),
        };
        let bounds = bounds.skip(2).filter(|&(_, bound)| bound > 0);
        Self {
            layers: bounds.map(layer).collect(),
            choice: choice.clone(),
            keep,
            // As in the games that were counted (`results/`). The greatest is 3.2, of 4x4 to 256 after sum 64.
            // Stones leave a game as much to reach as a smaller board: 442 to 128 has 0.5.
            change: match game.size().tile_cells() {
                ..=10 => [0.4, 1.0],
                11..=12 => [0.6, 1.6],
                _ => [1.0, 4.0],
            },
            complete: run.complete(),
        }
    }

    /// Record a counted layer. Returns its work.
    pub(crate) fn count(&mut self, layer: &FinishedLayer) -> Option<LayerWork> {
        let at = self
            .layers
            .binary_search_by_key(&layer.sum, |layer| layer.sum);
        let counted = &mut self.layers[at.ok()?];
        counted.live = Some(layer.boards - layer.dead);
        self.complete |= layer.last;
        let counted = *counted;
        Some(self.work(&counted, 0.0))
    }

    /// The greatest sum that is to be counted.
    pub(crate) fn last_sum(&self) -> u32 {
        self.layers.last().map_or(2, |layer| layer.sum)
    }

    /// Whether every layer is counted.
    pub(crate) fn is_complete(&self) -> bool {
        self.uncounted().next().is_none()
    }

    /// Live states to expect in all layers.
    pub(crate) fn states(&self) -> Range {
        let states = |share| self.after(2).map(|layer| layer.states(share)).sum();
        self.share().map(states)
    }

    /// The layers after a sum that can have states.
    pub(crate) fn after(&self, sum: u32) -> impl Iterator<Item = &BoundedLayer> {
        let possible = move |layer: &&BoundedLayer| {
            layer.sum > sum && (layer.live.is_some() || !self.complete)
        };
        self.layers.iter().filter(possible)
    }

    fn uncounted(&self) -> impl Iterator<Item = &BoundedLayer> {
        self.after(2).filter(|layer| layer.live.is_none())
    }

    /// The work of the layers that are not counted.
    pub(crate) fn left(&self) -> Vec<LayerWork> {
        let share = middle(self.share());
        let work = |layer| self.work(layer, share);
        self.uncounted().map(work).collect()
    }

    /// The work of a layer. The states of an uncounted layer are a share of its bound.
    pub(crate) fn work(&self, layer: &BoundedLayer, share: f64) -> LayerWork {
        let boards = layer.states(share);
        let units = match self.choice.engine(layer.sum) {
            Engine::Lists => LIST_STATE * boards,
            Engine::Bits => {
                let units = layer.bound as f64 + LISTED * self.listed(layer, share);
                units + TABLES * units.sqrt()
            }
        };
        LayerWork { boards, units }
    }

    /// The boards of a layer of bits that are listed for the files.
    fn listed(&self, layer: &BoundedLayer, share: f64) -> f64 {
        let (states, keep) = (layer.states(share), self.keep);
        match (keep.states(), keep.lists_of_afterstates()) {
            _ if keep.matrices() => 0.0,
            (true, true) => states * (1.0 + AFTERSTATES),
            (true, false) => states,
            // The states of the last layer and the afterstates of two sums are listed.
            _ if layer.sum == self.choice.last() => states * (1.0 + 2.0 * AFTERSTATES),
            (false, true) => states * AFTERSTATES,
            (false, false) => 0.0,
        }
    }

    /// The most states to expect in a layer.
    pub(crate) fn largest(&self) -> f64 {
        let [_, share] = self.share();
        let states = self.after(2).map(|layer| layer.states(share));
        states.fold(0.0, f64::max)
    }

    /// Bytes of memory to expect for a count: of matrices, and of the boards in lists.
    pub(crate) fn memory(&self, plan: &Plan) -> f64 {
        let [_, share] = self.share();
        let stages = self.choice.stages().iter().map(|stage| {
            let layers = self.after(2).filter(|layer| layer.sum <= stage.last);
            let boards = layers.map(|layer| match stage.engine {
                Engine::Lists => layer.states(share),
                Engine::Bits => self.listed(layer, share).min(stage.plan.batch as f64),
            });
            let matrices = (plan.memory() - stage.plan.memory()) as f64;
            matrices + LIST_BOARD * boards.fold(0.0, f64::max)
        });
        BESIDE + stages.fold(0.0, f64::max)
    }

    /// The share of the bound to expect in the layers that are not counted.
    pub(crate) fn share(&self) -> Range {
        let bound = |layer: &BoundedLayer| layer.bound as f64;
        let left: f64 = self.uncounted().map(bound).sum();
        let counted = self.layers.iter().filter(|layer| layer.live.is_some());
        let recent = || counted.clone().rev().take(RECENT);
        let live: f64 = recent().map(|layer| layer.states(0.0)).sum();
        let reached = live / recent().map(bound).sum::<f64>().max(1.0);
        let left = left / self.layers.iter().map(bound).sum::<f64>().max(1.0);
        self.change
            .map(|change| (reached * change.powf(left)).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Plan};
    use crate::progress::Progress;
    use crate::store::Store;

    /// Collects the layers of a count.
    #[derive(Default)]
    struct Layers(Vec<FinishedLayer>);

    impl Progress for Layers {
        fn end(&mut self, layer: &FinishedLayer) {
            self.0.push(layer.clone());
        }
    }

    #[test]
    fn the_truth_lies_between_limits_that_narrow() {
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &"3x3-64".parse().unwrap(), None).unwrap();
        let plan = Plan::new(64 << 20, 2).unwrap();
        let choice = Choice::new(store.run(), &plan, None).unwrap();
        let mut forecast = Forecast::new(store.run(), &choice, Keep::All);
        let mut counted = Layers::default();
        engine::count(&mut store, &plan, None, &mut counted).unwrap();
        let all = store.run().table().totals().live as f64;
        let mut width = f64::INFINITY;
        for layer in &counted.0 {
            assert!(forecast.count(layer).is_some(), "{layer:?}");
            if [40, 70, 100].contains(&layer.sum) {
                let [low, high] = forecast.states();
                assert!(low < all && all < high, "{layer:?}: {low} {all} {high}");
                assert!(high / low < width, "{layer:?}: {low} to {high}");
                width = high / low;
            }
        }
        assert!(forecast.is_complete());
        assert_eq!(forecast.states()[0], all);
    }

    #[test]
    fn a_run_that_keeps_matrices_needs_no_memory_for_lists() {
        let [last, matrices] = [Keep::Last, Keep::Matrices].map(|keep| {
            let place = tempfile::tempdir().unwrap();
            let game = "4x4-64".parse().unwrap();
            let mut store = Store::open(place.path(), &game, Some(keep)).unwrap();
            let plan = Plan::new(1 << 30, 2).unwrap();
            engine::count(&mut store, &plan, Some(30), &mut engine::Silent).unwrap();
            let choice = Choice::new(store.run(), &plan, Some(60)).unwrap();
            Forecast::new(store.run(), &choice, keep).memory(&plan)
        });
        assert!(matrices < last, "{matrices} {last}");
    }

    /// The work of all layers of 4x4 to 32 and to 64 as bits, divided by the work of the layers that a
    /// trial of 1.5 s counted, agrees with the times that were measured on one machine.
    #[test]
    fn small_layers_of_bits_tell_the_time_of_large_layers() {
        for (game, last, trial, whole) in [("4x4-32", 66, 0.95, 8.0), ("4x4-64", 60, 0.56, 159.0)] {
            let place = tempfile::tempdir().unwrap();
            let store =
                Store::open(place.path(), &game.parse().unwrap(), Some(Keep::Last)).unwrap();
            let plan = Plan::new(16 << 30, 2).unwrap();
            let choice = Choice::new(store.run(), &plan, None).unwrap();
            let forecast = Forecast::new(store.run(), &choice, Keep::Last);
            let units = |most: u32| -> f64 {
                let layers = forecast.after(2).filter(|layer| layer.sum <= most);
                layers.map(|layer| forecast.work(layer, 0.0).units).sum()
            };
            let expected = trial * units(u32::MAX) / units(last);
            assert!(
                (0.7..1.4).contains(&(expected / whole)),
                "{game}: {expected}"
            );
        }
    }
}
