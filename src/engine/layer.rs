//! Layers held as lists: their parts in order of largest tile.
//!
//! A merge makes a tile at most one step larger. So when the states of a part have been moved, all
//! afterstates with its largest tile are known. They come from its own states, and from merges in
//! the part below.
//!
//! Key idea: parts are counted in *groups*, one after another. In a large layer each part is a
//! group of its own, so that memory holds the candidates of one part at a time. In a small layer
//! all parts are one group, because one part would not keep the threads busy. The afterstates of a
//! small layer stay in memory. Unless the run keeps the afterstates of every layer, only the lists
//! of the frontier are written, at the next seal.

use super::Counter;
use super::frontier::{Frontier, ListSource, Origins};
use super::group::Group;
use super::lists::{CandidateSource, Candidates, Lists};
use super::parts::{BuiltPart, PartOrder, Parts};
use super::plan::Plan;
use super::visit::{CountAfterstates, ExpandStates, OnlyList};
use super::workers::Workers;
use crate::counts::Row;
use crate::error::Result;
use crate::game::Tally;
use crate::game::{Board, Exp, PartKey};
use crate::part::Kind;
use crate::progress::Progress;
use crate::store::{CountedLayer, Store};

/// Counts layers as lists, one after another, and reuses its buffers.
pub(crate) struct ListCounter<'a> {
    lists: Lists,
    parts: Parts<'a>,
    /// Most candidates of a small layer.
    small: u64,
    /// The frontier, if some of it is in memory.
    frontier: Option<Frontier>,
}

impl Counter for ListCounter<'_> {
    fn next(
        &mut self,
        last: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<CountedLayer>> {
        let mut frontier = match self.frontier.take() {
            Some(frontier) => frontier,
            None => Frontier::open(store.run())?,
        };
        if frontier.candidates_at_most() > self.small {
            let layer = self.count(&mut frontier, false, store, progress)?;
            progress.end(&layer.finished(store.run().keep()));
            return Ok(vec![layer]);
        }
        let mut layers = Vec::new();
        loop {
            let mut layer = self.count(&mut frontier, true, store, progress)?;
            let goes_on = layer.sum < last && frontier.candidates_at_most() <= self.small;
            let done = layer.last || !goes_on || store.is_commit_due() || progress.stop();
            let run = store.run();
            if run.keep().afterstates() {
                self.write_lists(frontier.lists_above(layer.sum - 2), &mut layer, store)?;
            } else if done {
                self.write_lists(frontier.lists_above(run.sealed_sum()), &mut layer, store)?;
            }
            progress.end(&layer.finished(store.run().keep()));
            layers.push(layer);
            if done {
                self.frontier = Some(frontier);
                return Ok(layers);
            }
        }
    }
}

impl<'a> ListCounter<'a> {
    /// Prepare to go on after the last sealed layer of `store`.
    pub(crate) fn new(store: &Store, plan: &Plan, workers: &'a Workers) -> Result<Self> {
        Ok(Self {
            lists: Lists::new(store.run(), plan)?,
            parts: Parts::new(plan, workers),
            small: plan.small,
            frontier: None,
        })
    }

    /// Count the layer that follows from a frontier, and write the files of its states. The
    /// afterstates of a large layer are written, too. The afterstates of a small layer stay in
    /// memory, and the frontier advances to them.
    fn count(
        &mut self,
        frontier: &mut Frontier,
        small: bool,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<CountedLayer> {
        let sum = frontier.sum();
        let mut layer = CountedLayer::new(sum);
        progress.begin(sum);
        self.lists.begin(sum);
        let tiles: Vec<Exp> = store.run().game().top().up_to().collect();
        let group = if small { tiles.len() } else { 1 };
        // Afterstates that merges in the part below made.
        let mut merged = None;
        let mut kept = Vec::new();
        for tiles in tiles.chunks(group) {
            let group = Group::collect(sum, tiles, merged, frontier, &self.lists);
            let mut rows: Vec<Row> = group.keys().map(Row::of).collect();
            let report = |counted: Tally| progress.advance(counted.unique);
            self.states(&group, &mut rows, frontier, &mut layer, store, report)?;
            let (own, above) = group.into_afterstates();
            if small {
                kept = self.list_afterstates(own, &mut rows, &mut layer, store)?;
            } else {
                self.write_afterstates(own, &mut rows, &mut layer, store)?;
            }
            merged = above;
            layer.rows.append(&mut rows);
        }
        // No afterstate holds the winning tile, so this is empty.
        if let Some(none) = merged {
            none.retire();
        }
        let ends = layer.rows.iter().all(|row| row.afterstates == 0);
        layer.last = sum >= 8 && ends && !frontier.goes_on();
        if small {
            frontier.advance(kept);
        }
        Ok(layer)
    }

    /// Build the files of a group's live states, and move the states.
    fn states(
        &mut self,
        group: &Group,
        rows: &mut [Row],
        frontier: &Frontier,
        layer: &mut CountedLayer,
        store: &mut Store,
        report: impl FnMut(Tally),
    ) -> Result<()> {
        let game = *store.run().game();
        let keys: Vec<PartKey> = group.keys().filter(|&key| frontier.leads_to(key)).collect();
        let origins: Vec<Origins> = keys.iter().map(|&key| frontier.origins(key)).collect();
        let states = self.lists.spawn(&origins, self.parts.workers)?;
        let orders = keys.iter().zip(states).map(|(&key, candidates)| {
            Ok(PartOrder {
                key,
                source: candidates.into_source()?,
                visit: ExpandStates::new(&game, group.sink(key)),
            })
        });
        let orders = orders.collect::<Result<_>>()?;
        let built = self
            .parts
            .build_files(Kind::States, orders, store, report)?;
        for built in built {
            let BuiltPart {
                key,
                part: sealed,
                tally,
                cuts,
                source,
            } = built;
            let row = row_of(rows, key);
            row.live = sealed.states;
            row.fingerprint = sealed.fingerprint;
            row.dead = tally.dead;
            row.labeled = tally.labeled;
            row.candidates = tally.candidates;
            row.duplicates = tally.duplicates;
            row.moves = tally.moves;
            row.wins = tally.wins;
            layer.wrote(Kind::States, sealed.bytes, cuts);
            self.lists.remember(Kind::States, key.max, source.retire());
        }
        Ok(())
    }

    /// Build the files of afterstates.
    fn write_afterstates(
        &mut self,
        afterstates: Vec<(PartKey, Candidates)>,
        rows: &mut [Row],
        layer: &mut CountedLayer,
        store: &mut Store,
    ) -> Result<()> {
        let orders = afterstate_orders(afterstates, store)?;
        let built = self
            .parts
            .build_files(Kind::Afterstates, orders, store, |_| ())?;
        for built in built {
            let (key, sealed) = (built.key, built.part);
            layer.wrote(Kind::Afterstates, sealed.bytes, built.cuts);
            self.counted(
                row_of(rows, key),
                key,
                sealed.states,
                &built.tally,
                built.source,
            );
        }
        Ok(())
    }

    /// Build afterstates in memory.
    fn list_afterstates(
        &mut self,
        afterstates: Vec<(PartKey, Candidates)>,
        rows: &mut [Row],
        layer: &mut CountedLayer,
        store: &Store,
    ) -> Result<Vec<(PartKey, Vec<Board>)>> {
        let orders = afterstate_orders(afterstates, store)?;
        let built = self.parts.build_lists(orders)?;
        let lists = built.into_iter().map(|built| {
            let (key, list) = (built.key, built.part);
            layer.took(built.cuts);
            let afterstates = list.len() as u64;
            self.counted(
                row_of(rows, key),
                key,
                afterstates,
                &built.tally,
                built.source,
            );
            (key, list)
        });
        Ok(lists.collect())
    }

    /// Record the counts of a built part of afterstates.
    fn counted(
        &mut self,
        row: &mut Row,
        key: PartKey,
        afterstates: u64,
        tally: &Tally,
        source: CandidateSource,
    ) {
        row.afterstates = afterstates;
        row.empty_cells = tally.empty_cells;
        self.lists
            .remember(Kind::Afterstates, key.max, source.retire());
    }

    /// Write the files of afterstates that are in memory.
    fn write_lists<'f>(
        &mut self,
        lists: impl Iterator<Item = (PartKey, ListSource<'f>)>,
        layer: &mut CountedLayer,
        store: &mut Store,
    ) -> Result<()> {
        let orders = lists.map(|(key, source)| PartOrder {
            key,
            source,
            visit: OnlyList,
        });
        let built = self
            .parts
            .build_files(Kind::Afterstates, orders.collect(), store, |_| ())?;
        for built in built {
            layer.wrote(Kind::Afterstates, built.part.bytes, built.cuts);
        }
        Ok(())
    }
}

/// The orders for parts of afterstates.
fn afterstate_orders(
    afterstates: Vec<(PartKey, Candidates)>,
    store: &Store,
) -> Result<Vec<PartOrder<CandidateSource, CountAfterstates>>> {
    let game = store.run().game();
    let orders = afterstates.into_iter().map(|(key, candidates)| {
        Ok(PartOrder {
            key,
            source: candidates.into_source()?,
            visit: CountAfterstates::new(game),
        })
    });
    orders.collect()
}

fn row_of(rows: &mut [Row], key: PartKey) -> &mut Row {
    let mut rows = rows.iter_mut();
    let row = rows.find(|row| row.key() == Some(key));
    row.expect("each part of a group has a row")
}
