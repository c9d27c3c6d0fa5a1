//! One layer: its parts in order of largest tile.
//!
//! A merge makes a tile at most one step larger. So when the states of a part have been moved, all
//! afterstates with its largest tile are known: those that its own states lead to, and those that
//! merges in the part below made.

use super::build::Builder;
use super::frontier::Frontier;
use super::lists::{Candidates, Lists, MoveSink};
use super::plan::Plan;
use super::progress::{Progress, Step};
use super::tally::Tally;
use super::visit::{CountAfterstates, ExpandStates, Visit};
use super::workers::Workers;
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Game, PartKey};
use crate::laws;
use crate::part::{Kind, Sealed};
use crate::store::{Layer, Store};

/// Counts layers, one after another; keeps its threads and buffers from each to the next.
pub(crate) struct Layers {
    game: Game,
    workers: Workers,
    builder: Builder,
    lists: Lists,
}

/// A part that is built: its file, and what was counted on the way.
struct Built {
    sealed: Sealed,
    tally: Tally,
}

impl Layers {
    /// Make ready to go on after the last sealed layer of `store`.
    pub(crate) fn new(store: &Store, plan: &Plan) -> Result<Self> {
        Ok(Self {
            game: *store.run().game(),
            workers: Workers::start(plan)?,
            builder: Builder::new(plan.batch),
            lists: Lists::new(store.run(), plan)?,
        })
    }

    /// The threads.
    pub(crate) fn workers(&self) -> &Workers {
        &self.workers
    }

    /// Count the layer of sum `sum`, which must be the next, and write its files.
    pub(crate) fn count(
        &mut self,
        sum: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Layer> {
        let frontier = Frontier::open(store.run(), sum)?;
        let mut layer = Layer::new(sum);
        let mut found = Step::begin(sum);
        self.lists.begin(sum);
        // Afterstates that merges in the part below made.
        let mut merged = None;
        for max in self.game.top().up_to() {
            let key = PartKey { sum, max };
            let mut row = Row::of(key);
            let mut own = merged.take();
            if frontier.leads_to(key) {
                let own =
                    own.get_or_insert_with(|| self.lists.collect(Kind::Afterstates, max, store));
                let above = self.lists.collect(Kind::Afterstates, max.next(), store);
                let states = self.lists.spawn(&frontier, key, &self.workers, store)?;
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
        let visit = ExpandStates::new(&self.game, sink);
        let Built { sealed, tally } =
            self.part(Kind::States, row, candidates, &visit, store, report)?;
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
        let visit = CountAfterstates::new(&self.game);
        let Built { sealed, tally } =
            self.part(Kind::Afterstates, row, candidates, &visit, store, |_| ())?;
        row.afterstates = sealed.states;
        row.empty_cells = tally.empty_cells;
        layer.took(sealed.bytes, tally.cuts);
        Ok(())
    }

    /// Build the file of a part from its candidates, and see that none of them was lost on the way.
    fn part(
        &mut self,
        kind: Kind,
        row: &Row,
        candidates: Candidates,
        visit: &impl Visit,
        store: &mut Store,
        report: impl FnMut(Tally),
    ) -> Result<Built> {
        let key = row.key().expect("a row of the engine has a tile");
        let mut writer = store.create(kind, key)?;
        let mut source = candidates.into_source()?;
        let tally = self
            .builder
            .build(&mut source, visit, &mut writer, &self.workers, report)?;
        self.lists.remember(kind, key.max, source.retire());
        let sealed = store.finish(kind, key, writer)?;
        let kept = sealed.states + tally.dead;
        laws::conserved(row, tally.candidates, tally.unique, tally.duplicates, kept)?;
        Ok(Built { sealed, tally })
    }
}
