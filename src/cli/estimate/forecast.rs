//! How many live states a count will find in the layers that are left.
//!
//! Key idea: every layer has an upper bound, the number of boards that could be in it. The share of
//! the bound that a game reaches changes slowly from layer to layer. So the last counted layers tell
//! about the next ones, and each that is counted corrects the forecast.

use super::Range;
use super::cost::{Costs, LayerWork, Trial, WorkKind};
use crate::bound;
use crate::counts::{Row, Table};
use crate::engine::{Choice, Engine};
use crate::game::Game;
use crate::known::{What, published};
use crate::store::{Keep, Run};

/// So many of the last counted layers tell the share of the bound.
const RECENT: usize = 5;

/// Afterstates for each state in layers that take time: as in 4x4 to 64.
pub(super) const AFTERSTATES: f64 = 0.36;

/// To list a board takes bits as long as so many boards of the bound.
const LISTED: f64 = 30.0;

/// By how much the share of all layers to come may differ from the share of the first layers that
/// take time: as in the games that were counted (`results/`), by number of cells.
fn change(cells: u32) -> Range {
    match cells {
        ..=9 => Range::new(0.4, 1.0),
        10..=12 => Range::new(0.6, 1.6),
        _ => Range::new(1.0, 3.0),
    }
}

/// The layers of a game, counted or not.
pub(in crate::cli) struct Forecast {
    pub(super) layers: Vec<BoundedLayer>,
    choice: Choice,
    keep: Keep,
    /// Live states of all layers, if they were published.
    published: Option<u64>,
    change: Range,
    complete: bool,
}

/// A layer with an upper bound on its states.
#[derive(Clone, Copy)]
pub(super) struct BoundedLayer {
    pub(super) sum: u32,
    pub(super) bound: u64,
    /// Live states, if they are counted.
    pub(super) live: Option<u64>,
}

impl BoundedLayer {
    /// Live states, or the states to expect with a share of the bound.
    pub(super) fn states(&self, share: f64) -> f64 {
        self.live
            .map_or(self.bound as f64 * share, |live| live as f64)
    }
}

impl Forecast {
    /// For a count that goes on with `run` as `choice` says, and keeps `keep`.
    pub(in crate::cli) fn new(run: &Run, choice: &Choice, keep: Keep) -> Self {
        let (game, last) = (run.game(), choice.last());
        let bounds = (0..).step_by(2).zip(bound::canonical(game, last));
        let layers = bounds.skip(2).map(|(sum, bound)| BoundedLayer {
            sum,
            bound,
            live: None,
        });
        let mut forecast = Self {
            layers: layers.filter(|layer| layer.bound > 0).collect(),
            choice: choice.clone(),
            keep,
            published: published_live(game).filter(|_| last >= game.sum_bound()),
            change: change(game.size().cells()),
            complete: false,
        };
        forecast.take(&run.table(), run.complete());
        forecast
    }

    /// The layers of `table` are counted; `complete` if there are no others.
    pub(super) fn take(&mut self, table: &Table, complete: bool) {
        self.complete = complete;
        let last = table.last_sum();
        for layer in self.layers.iter_mut().take_while(|layer| layer.sum <= last) {
            let rows: &[Row] = table.layer(layer.sum);
            layer.live = Some(rows.iter().map(|row| row.live).sum());
        }
    }

    /// A layer is counted. Returns it as it could have been planned.
    pub(in crate::cli) fn count(&mut self, sum: u32, live: u64) -> Option<LayerWork> {
        let at = self.layers.binary_search_by_key(&sum, |layer| layer.sum);
        let layer = &mut self.layers[at.ok()?];
        layer.live = Some(live);
        let layer = *layer;
        Some(self.planned(layer, 0.0))
    }

    /// A trial tells the costs of its layers.
    pub(super) fn learn(&self, trial: &Trial, costs: &mut Costs) {
        for (layer, seconds) in &trial.layers {
            let at = self
                .layers
                .binary_search_by_key(&layer.sum, |layer| layer.sum);
            if let Ok(at) = at {
                let live = Some(layer.boards - layer.dead);
                let layer = BoundedLayer {
                    live,
                    ..self.layers[at]
                };
                costs.learn(&self.planned(layer, 0.0), *seconds);
            }
        }
    }

    /// Greatest sum of the game that is to be counted.
    pub(in crate::cli) fn last_sum(&self) -> u32 {
        self.layers.last().map_or(2, |layer| layer.sum)
    }

    /// Live states that are counted.
    fn live(&self) -> u64 {
        self.layers.iter().filter_map(|layer| layer.live).sum()
    }

    /// Whether the number of all live states is known before they are counted.
    pub(super) fn is_published(&self) -> bool {
        self.published.is_some()
    }

    /// Whether every layer is counted.
    pub(super) fn is_complete(&self) -> bool {
        self.uncounted().next().is_none()
    }

    /// Live states to expect in all layers.
    pub(super) fn states(&self) -> Range {
        let states = |share| self.after(2).map(|layer| layer.states(share)).sum();
        self.share().map(states)
    }

    /// The layers after a sum that can have states.
    pub(super) fn after(&self, sum: u32) -> impl Iterator<Item = BoundedLayer> {
        let layers = self.layers.iter().copied();
        layers.filter(move |layer| layer.sum > sum && (layer.live.is_some() || !self.complete))
    }

    fn uncounted(&self) -> impl Iterator<Item = BoundedLayer> {
        self.after(2).filter(|layer| layer.live.is_none())
    }

    /// The layers that are not counted, as they are to be expected.
    pub(in crate::cli) fn left(&self) -> Vec<LayerWork> {
        let share = self.share().middle();
        let left = self.uncounted().map(|layer| self.planned(layer, share));
        left.collect()
    }

    /// A layer as work, with a share of its bound if it is not counted.
    pub(super) fn planned(&self, layer: BoundedLayer, share: f64) -> LayerWork {
        let boards = layer.states(share);
        let (way, work) = match self.choice.engine(layer.sum) {
            Engine::Lists => (WorkKind::Lists, boards),
            Engine::Bits => {
                // The states of the last layer are always listed.
                let listed = self.keep.states() || layer.sum == self.choice.last();
                let states = if listed { boards } else { 0.0 };
                let afterstates = if self.keep.afterstates() {
                    AFTERSTATES * boards
                } else {
                    0.0
                };
                let listed = LISTED * (states + afterstates);
                (WorkKind::Bits, layer.bound as f64 + listed)
            }
        };
        LayerWork {
            boards,
            bound: layer.bound as f64,
            way,
            work,
        }
    }

    /// Share of the bound to expect in the layers that are left.
    pub(super) fn share(&self) -> Range {
        let all: f64 = self.layers.iter().map(|layer| layer.bound as f64).sum();
        let left: f64 = self.uncounted().map(|layer| layer.bound as f64).sum();
        if let Some(published) = self.published {
            let live = published.saturating_sub(self.live());
            return Range::exactly(live as f64 / left.max(1.0));
        }
        let (mut live, mut bound) = (0.0, 0.0);
        let counted = self.layers.iter().rev();
        for layer in counted.filter(|layer| layer.live.is_some()).take(RECENT) {
            live += layer.states(0.0);
            bound += layer.bound as f64;
        }
        let (recent, left) = (live / f64::max(bound, 1.0), left / all.max(1.0));
        let share = |change: f64| (recent * change.powf(left)).min(1.0);
        self.change.map(share)
    }
}

/// Live states of a game, if they were published.
fn published_live(game: &Game) -> Option<u64> {
    let figures = published(game)?.figures;
    let of = |what| {
        let figure = figures.iter().find(|figure| figure.what == what);
        figure.map(|figure| figure.expected)
    };
    of(What::Live).or_else(|| Some(of(What::States)? - of(What::Dead)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Plan, Silent};
    use crate::store::Store;

    /// A forecast for a game as lists up to a sum, of which nothing is counted.
    fn forecast(game: &str, until: Option<u32>) -> Forecast {
        let place = tempfile::tempdir().unwrap();
        let store = Store::open(place.path(), &game.parse().unwrap(), None).unwrap();
        let plan = Plan::new(64 << 20, 2).unwrap();
        let plan = plan.with_engine(Some(Engine::Lists));
        let choice = Choice::new(store.run(), &plan, until).unwrap();
        Forecast::new(store.run(), &choice, Keep::All)
    }

    #[test]
    fn the_states_that_are_left_are_between_limits_that_narrow() {
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &"3x3-64".parse().unwrap(), None).unwrap();
        let plan = Plan::new(64 << 20, 2).unwrap();
        engine::count(&mut store, &plan, None, &mut Silent).unwrap();
        let table = store.run().table();
        let all = table.totals().live as f64;
        let mut width = f64::INFINITY;
        for until in [40, 70, 100] {
            let mut forecast = forecast("3x3-64", None);
            forecast.published = None;
            forecast.take(&table.until(Some(until)), false);
            let Range { low, high } = forecast.states();
            assert!(low < all && all < high, "{until}: {low} {all} {high}");
            assert!(high / low < width, "{until}: {low} to {high}");
            width = high / low;
        }
        let mut whole = forecast("3x3-64", None);
        whole.take(&table, true);
        assert!(whole.is_complete());
        assert_eq!(whole.states().low, all);
    }

    #[test]
    fn a_published_total_is_what_is_counted_and_what_is_left() {
        let mut begun = forecast("4x4-64", None);
        assert!(begun.count(4, 10).is_some());
        let all = begun.states().middle();
        // 40,652,843,433 live states (Lees-Miller, 2017).
        assert!((all - 40_652_843_433.0).abs() < 1.0, "{all}");
        assert!(!forecast("4x4-64", Some(100)).is_published());
    }
}
