//! A layer held as lists: its parts in order of largest tile.
//!
//! A merge makes a tile at most one step larger. So when the states of a part have been moved, all
//! afterstates with its largest tile are known: those that its own states lead to, and those that
//! merges in the part below made.

use super::counter::Counter;
use super::frontier::Frontier;
use super::lists::{Candidates, Lists, MoveSink};
use super::parts::{Built, Parts};
use super::plan::Plan;
use super::progress::{Progress, Step};
use super::tally::Tally;
use super::visit::{CountAfterstates, ExpandStates, Visit};
use super::workers::Workers;
use crate::counts::Row;
use crate::error::Result;
use crate::game::PartKey;
use crate::part::Kind;
use crate::store::{Layer, Store};

/// Counts layers as lists, one after another; keeps its buffers from each to the next.
pub(crate) struct Layers<'a> {
    lists: Lists,
    parts: Parts<'a>,
}

impl Counter for Layers<'_> {
    fn next(
        &mut self,
        _: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<Layer>> {
        let sum = store.run().sealed_sum() + 2;
        progress.begin(sum);
        let layer = self.count(sum, store, progress)?;
        progress.end(&layer);
        Ok(vec![layer])
    }
}

impl<'a> Layers<'a> {
    /// Make ready to go on after the last sealed layer of `store`.
    pub(crate) fn new(store: &Store, plan: &Plan, workers: &'a Workers) -> Result<Self> {
        Ok(Self {
            lists: Lists::new(store.run(), plan)?,
            parts: Parts::new(plan, workers),
        })
    }

    /// Count the layer of sum `sum`, which must be the next, and write its files.
    fn count(&mut self, sum: u32, store: &mut Store, progress: &mut dyn Progress) -> Result<Layer> {
        let frontier = Frontier::open(store.run(), sum)?;
        let mut layer = Layer::new(sum);
        let mut found = Step::begin(sum);
        self.lists.begin(sum);
        // Afterstates that merges in the part below made.
        let mut merged = None;
        for max in store.run().game().top().up_to() {
            let key = PartKey { sum, max };
            let mut row = Row::of(key);
            let mut own = merged.take();
            if frontier.leads_to(key) {
                let collect = |max| self.lists.collect(Kind::Afterstates, max, store);
                let own = own.get_or_insert_with(|| collect(max));
                let above = collect(max.next());
                let states = self
                    .lists
                    .spawn(&frontier, key, self.parts.workers, store)?;
                let sink = MoveSink::new(max, own, &above);
                let report = |counted| progress.step(found.add(counted));
                self.states(&mut row, states, sink, &mut layer, store, report)?;
                merged = Some(above);
            }
            if let Some(afterstates) = own {
                self.afterstates(&mut row, afterstates, &mut layer, store)?;
            }
            layer.rows.push(row);
        }
        // Nothing is merged into the winning tile.
        if let Some(none) = merged {
            none.retire();
        }
        let ends = layer.rows.iter().all(|row| row.afterstates == 0);
        layer.last = sum >= 8 && ends && !frontier.goes_on();
        Ok(layer)
    }

    /// Build the part of a row's live states, and move them into `sink`.
    fn states(
        &mut self,
        row: &mut Row,
        candidates: Candidates,
        sink: MoveSink,
        layer: &mut Layer,
        store: &mut Store,
        report: impl FnMut(Tally),
    ) -> Result<()> {
        let visit = ExpandStates::new(store.run().game(), sink);
        let Built { sealed, tally } =
            self.build(Kind::States, row, candidates, &visit, store, report)?;
        row.live = sealed.states;
        row.fingerprint = sealed.fingerprint;
        row.dead = tally.dead;
        row.labeled = tally.labeled;
        row.candidates = tally.candidates;
        row.duplicates = tally.duplicates;
        row.moves = tally.moves;
        row.wins = tally.wins;
        layer.bytes += sealed.bytes;
        layer.took(sealed.bytes, tally.cuts);
        Ok(())
    }

    /// Build the part of a row's afterstates.
    fn afterstates(
        &mut self,
        row: &mut Row,
        candidates: Candidates,
        layer: &mut Layer,
        store: &mut Store,
    ) -> Result<()> {
        let visit = CountAfterstates::new(store.run().game());
        let Built { sealed, tally } =
            self.build(Kind::Afterstates, row, candidates, &visit, store, |_| ())?;
        row.afterstates = sealed.states;
        row.empty_cells = tally.empty_cells;
        layer.took(sealed.bytes, tally.cuts);
        Ok(())
    }

    /// Build the file of a row's part from its candidates; keeps a sample of it.
    fn build(
        &mut self,
        kind: Kind,
        row: &Row,
        candidates: Candidates,
        visit: &impl Visit,
        store: &mut Store,
        report: impl FnMut(Tally),
    ) -> Result<Built> {
        let mut source = candidates.into_source()?;
        let built = self
            .parts
            .build(kind, row, &mut source, visit, store, report)?;
        let key = row.key().expect("a row of the engine has a tile");
        self.lists.remember(kind, key.max, source.retire());
        Ok(built)
    }
}
