//! What a count will find in the layers that are left, and how long they take: for `--dry-run`, and
//! for the time that is left while counting.
//!
//! Key idea: every layer has an upper bound, the number of boards that could be in it, and the share
//! of it that a game reaches changes slowly from layer to layer. So the last counted layers tell
//! about the next ones, and each that is counted corrects the forecast. What the layers cost is in
//! `costs`.

mod costs;
mod line;
mod range;

use crate::bound;
use crate::counts::{Row, Table};
use crate::game::Game;
use crate::known::{What, published};

pub(super) use self::costs::Costs;
pub(super) use self::line::Line;
pub(super) use self::range::Range;

/// So many of the last counted layers tell the share of the bound.
const RECENT: usize = 5;

/// By how much the share of all layers to come may differ from that of the first ones that take
/// time: as it does in the games that were counted (`results/`), by number of cells.
fn change(cells: u32) -> Range {
    let (low, high) = match cells {
        ..=9 => (0.4, 1.0),
        10..=12 => (0.6, 1.6),
        _ => (1.0, 3.0),
    };
    Range { low, high }
}

/// The layers of a game, counted or not.
pub(super) struct Forecast {
    pub(super) layers: Vec<Layer>,
    /// Live states of the layers that are counted.
    live: u64,
    /// Those of all layers, if they were published.
    published: Option<u64>,
    change: Range,
    complete: bool,
}

/// A layer, counted or not.
pub(super) struct Layer {
    pub(super) sum: u32,
    /// An upper bound on its states.
    pub(super) bound: u64,
    /// Its states.
    pub(super) counted: Option<u64>,
}

impl Layer {
    /// Its states, or those to expect of it with such a share of its bound.
    pub(super) fn states(&self, share: f64) -> f64 {
        let counted = self.counted.map(|states| states as f64);
        counted.unwrap_or(self.bound as f64 * share)
    }
}

impl Forecast {
    /// For the layers up to sum `last`, none of which is counted.
    pub(super) fn new(game: &Game, last: u32) -> Self {
        let bounds = (0..).step_by(2).zip(bound::canonical(game, last));
        let layers = bounds.skip(2).map(|(sum, bound)| Layer {
            sum,
            bound,
            counted: None,
        });
        Self {
            layers: layers.filter(|layer| layer.bound > 0).collect(),
            live: 0,
            published: published_live(game).filter(|_| last >= game.sum_bound()),
            change: change(game.size().cells()),
            complete: false,
        }
    }

    /// Those of `table` are counted; `complete` if there are no others.
    pub(super) fn take(&mut self, table: &Table, complete: bool) {
        self.complete = complete;
        self.live = 0;
        let last = table.last_sum();
        for layer in self.layers.iter_mut().take_while(|layer| layer.sum <= last) {
            let rows = table.layer(layer.sum).iter();
            self.live += rows.clone().map(|row| row.live).sum::<u64>();
            layer.counted = Some(rows.map(Row::states).sum());
        }
    }

    /// One more layer is counted; returns its bound.
    pub(super) fn count(&mut self, rows: &[Row]) -> Option<u64> {
        let sum = rows.first()?.sum;
        let at = self.layers.binary_search_by_key(&sum, |layer| layer.sum);
        let layer = &mut self.layers[at.ok()?];
        self.live += rows.iter().map(|row| row.live).sum::<u64>();
        layer.counted = Some(rows.iter().map(Row::states).sum());
        Some(layer.bound)
    }

    /// Whether the number of all live states is known before they are counted.
    pub(super) fn is_published(&self) -> bool {
        self.published.is_some()
    }

    /// States that are counted.
    pub(super) fn counted(&self) -> u64 {
        self.layers.iter().filter_map(|layer| layer.counted).sum()
    }

    /// States to expect in all layers.
    pub(super) fn states(&self) -> Range {
        let share = self.share();
        let [low, high] = [share.low, share.high].map(|share| {
            let states = self.after(2).map(|layer| layer.states(share));
            states.sum()
        });
        Range { low, high }
    }

    /// The layer of a sum, if it can have a state.
    pub(super) fn layer(&self, sum: u32) -> Option<&Layer> {
        let at = self.layers.binary_search_by_key(&sum, |layer| layer.sum);
        Some(&self.layers[at.ok()?])
    }

    /// The layers after that of a sum, counted or not.
    pub(super) fn after(&self, sum: u32) -> impl Iterator<Item = &Layer> {
        let after = self.layers.iter().filter(move |layer| layer.sum > sum);
        after.filter(|layer| layer.counted.is_some() || !self.complete)
    }

    /// The layers that are not counted.
    pub(super) fn left(&self) -> impl Iterator<Item = &Layer> {
        self.after(2).filter(|layer| layer.counted.is_none())
    }

    /// Share of the bound to expect in the layers that are left.
    pub(super) fn share(&self) -> Range {
        let bound = |layers: &mut dyn Iterator<Item = &Layer>| -> f64 {
            layers.map(|layer| layer.bound as f64).sum()
        };
        let left = bound(&mut self.left());
        if let Some(all) = self.published {
            let live = all.saturating_sub(self.live) as f64;
            // There are as many dead ones to a live one as so far.
            let states = self.counted() as f64 / self.live.max(1) as f64;
            return Range::exactly(live * states.max(1.0) / left.max(1.0));
        }
        let counted = self.layers.iter().rev();
        let counted = counted.filter(|layer| layer.counted.is_some()).take(RECENT);
        let states: u64 = counted.clone().filter_map(|layer| layer.counted).sum();
        let recent = states as f64 / bound(&mut counted.into_iter()).max(1.0);
        let change = self
            .change
            .power(left / bound(&mut self.layers.iter()).max(1.0));
        Range {
            low: recent * change.low,
            high: (recent * change.high).min(1.0),
        }
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

    #[test]
    fn the_states_that_are_left_are_between_limits_that_narrow() {
        let game: Game = "3x3-64".parse().unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let plan = Plan::new(64 << 20, 2).unwrap();
        engine::count(&mut store, &plan, None, &mut Silent).unwrap();
        let table = store.run().table();
        let states = |table: &Table| table.totals().states() as f64;
        let mut width = f64::INFINITY;
        for until in [40, 70, 100] {
            let begun = table.until(Some(until));
            let mut forecast = Forecast::new(&game, u32::MAX);
            forecast.published = None;
            forecast.take(&begun, false);
            let (all, Range { low, high }) = (states(&table), forecast.states());
            assert!(low < all && all < high, "{until}: {low} {all} {high}");
            assert!(high / low < width, "{until}: {low} to {high}");
            width = high / low;
        }
        let mut whole = Forecast::new(&game, u32::MAX);
        whole.take(&table, true);
        assert_eq!(whole.left().count(), 0);
        assert_eq!(whole.states().low, states(&table));
    }

    #[test]
    fn a_published_total_is_what_is_counted_and_what_is_left() {
        let game: Game = "4x4-64".parse().unwrap();
        let mut forecast = Forecast::new(&game, u32::MAX);
        let row = Row {
            sum: 4,
            live: 10,
            dead: 11,
            ..Row::default()
        };
        assert!(forecast.count(&[row]).is_some());
        let all = forecast.states().middle();
        // 40,652,843,433 live states (Lees-Miller, 2017); more than half are dead, as in this layer.
        let expected = 2.1 * 40_652_843_433.0;
        assert!((all - expected).abs() < 1.0, "{all}");
        assert!(!Forecast::new(&game, 100).is_published());
    }
}
