//! Counts layers as lists, part by part in order of largest tile.
//!
//! A merge makes a tile at most one step larger. So when the states of a part have been moved, all
//! afterstates with its largest tile are known. They come from its own states, and from merges in
//! the part below.
//!
//! Key idea: in a large layer the parts are counted one after another, so that memory holds the
//! candidates of one part at a time. One part of a small layer would not keep the threads busy, so
//! all its parts are counted at once (`small`). The afterstates of a small layer stay in memory.
//! Unless the run keeps the afterstates of every layer, only the lists of the frontier are written,
//! at the next seal.

use super::frontier::{Frontier, Origins, Slices};
use super::job::{PartJob, Source};
use super::lists::{Candidates, ExpandStates, Lists};
use super::pipeline::Pipeline;
use super::plan::Plan;
use super::small;
use super::unwritten::Unwritten;
use super::workers::Workers;
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Game, LAST_START, PartKey, Tally};
use crate::part::Kind;
use crate::progress::{Progress, Silent};
use crate::store::{CountedLayer, Store};

/// Counts layers as lists, one after another, and reuses its buffers.
pub(crate) struct ListCounter<'a> {
    lists: Lists,
    parts: Pipeline<'a>,
    /// The frontier, if some of it is in memory.
    frontier: Option<Frontier>,
}

impl<'a> ListCounter<'a> {
    /// Prepare to count the layer after the last sealed layer of `store`.
    pub(crate) fn new(store: &Store, plan: &Plan, workers: &'a Workers) -> Result<Self> {
        Ok(Self {
            lists: Lists::new(store.run(), plan)?,
            parts: Pipeline::new(plan.batch, workers),
            frontier: None,
        })
    }

    /// Count a large layer, or some small ones, after the last sealed layer and up to sum `last`,
    /// and write their files.
    pub(crate) fn next(
        &mut self,
        last: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<CountedLayer>> {
        let mut frontier = match self.frontier.take() {
            Some(frontier) => frontier,
            None => Frontier::open(store.run())?,
        };
        if frontier.candidates_at_most() <= self.lists.plan.small {
            let layers = self.count_small(&mut frontier, last, store, progress)?;
            self.frontier = Some(frontier);
            return Ok(layers);
        }
        let (keep, sum) = (store.run().keep(), frontier.sum());
        let lists_states = keep.states() || sum == last || !store.run().game().goes_on(sum);
        let mut layer = self.count_large(&frontier, lists_states, store, progress)?;
        if layer.last && !lists_states {
            // Only the first count tells that this layer is the last, whose states are listed.
            store.outbox().drop_from(sum)?;
            layer = self.count_large(&frontier, true, store, &mut Silent)?;
        }
        progress.end(&layer.finished(keep));
        Ok(vec![layer])
    }

    /// Count small layers after a frontier, and make it the frontier after them. The boards of a layer
    /// are encoded beside the next layer.
    fn count_small(
        &mut self,
        frontier: &mut Frontier,
        last: u32,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<Vec<CountedLayer>> {
        let (workers, game) = (self.parts.workers, *store.run().game());
        let (keep, sealed) = (store.run().keep(), store.run().sealed_sum());
        workers.check()?;
        let (mut layers, mut states) = (Vec::<CountedLayer>::new(), Vec::new());
        loop {
            let mut unwritten = Unwritten::default();
            if let Some(layer) = layers.last() {
                if keep.lists_of_afterstates() {
                    unwritten.add(
                        Kind::Afterstates,
                        frontier.lists_above(layer.sum - 2),
                        &mut self.lists,
                    );
                }
                if keep.states() {
                    unwritten.add(Kind::States, slices_of(&states), &mut self.lists);
                }
            }
            let mut small = small::count(&mut self.lists, frontier, &game, &unwritten, workers)?;
            if let Some(layer) = layers.last_mut() {
                unwritten.write(layer, store)?;
                progress.end(&layer.finished(keep));
            }
            let layer = &mut small.counted;
            progress.begin(layer.sum);
            progress.advance(layer.rows.iter().map(Row::states).sum());
            layer.last = is_last(layer, &game, frontier);
            frontier.advance(small.afterstates);
            let goes_on =
                layer.sum < last && frontier.candidates_at_most() <= self.lists.plan.small;
            let stops = progress.stop() || workers.check().is_err();
            let done = layer.last || !goes_on || stops || store.outbox().is_commit_due();
            states = small.states;
            layers.push(small.counted);
            if done {
                break;
            }
        }
        let layer = layers.last_mut().expect("a layer was counted");
        let above = match keep.lists_of_afterstates() {
            true => layer.sum - 2,
            false => sealed,
        };
        let mut unwritten = Unwritten::default();
        unwritten.add(
            Kind::Afterstates,
            frontier.lists_above(above),
            &mut self.lists,
        );
        unwritten.add(Kind::States, slices_of(&states), &mut self.lists);
        workers.finish(|| unwritten.encode_all(workers))?;
        unwritten.write(layer, store)?;
        progress.end(&layer.finished(keep));
        Ok(layers)
    }

    /// Count the layer that follows from a frontier, part by part. The files of its afterstates are
    /// written, and of its states if `lists_states`.
    fn count_large(
        &mut self,
        frontier: &Frontier,
        lists_states: bool,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<CountedLayer> {
        let sum = frontier.sum();
        let mut layer = CountedLayer::new(sum);
        progress.begin(sum);
        self.lists.begin(sum);
        // Merges of the part below collect some afterstates of a part.
        let mut merged = None;
        for max in store.run().game().top().up_to() {
            let key = PartKey { sum, max };
            layer.rows.push(Row::of(key));
            let origins = frontier.origins(key);
            let (own, mut above) = (merged.take(), None);
            if origins.is_empty() && own.is_none() {
                continue;
            }
            let mut collect = |max| self.lists.collect(Kind::Afterstates, max);
            let own = own.unwrap_or_else(|| collect(max));
            if !origins.is_empty() {
                let above = above.insert(collect(max.next()));
                self.build_states(
                    &origins,
                    [&own, above],
                    lists_states,
                    &mut layer,
                    store,
                    progress,
                )?;
            }
            self.build_afterstates(key, own, &mut layer, store)?;
            merged = above;
        }
        // No afterstate holds the winning tile, so no candidate is lost here.
        if let Some(empty) = merged {
            self.lists.retire(empty);
        }
        layer.last = is_last(&layer, store.run().game(), frontier);
        Ok(layer)
    }

    /// Build a part's live states, and collect their afterstates: with the part's largest tile, and above.
    fn build_states(
        &mut self,
        origins: &Origins,
        [own, above]: [&Candidates; 2],
        lists_states: bool,
        layer: &mut CountedLayer,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let (kind, key) = (Kind::States, origins.key);
        let candidates = self.lists.spawn(origins, self.parts.workers)?;
        let mut job = PartJob::new(key, candidates.into_source(), ExpandStates::new(own, above));
        let report = |counted: Tally| progress.advance(counted.unique);
        if lists_states {
            let (built, sealed) = self.parts.build_file(kind, job, store.outbox(), report)?;
            layer.wrote(kind, sealed.bytes);
            job = built;
        } else {
            self.parts.build(std::slice::from_mut(&mut job), report)?;
        }
        let live = job.tally.unique - job.tally.dead;
        job.check_conserved(live)?;
        layer.spilled += job.source.spilled();
        layer
            .row(key)
            .set_states(live, job.visit.fingerprint(), &job.tally);
        self.lists.retire(job.source.into_candidates());
        Ok(())
    }

    /// Build the file of a part's afterstates, and add their counts to the row.
    fn build_afterstates(
        &mut self,
        key: PartKey,
        candidates: Candidates,
        layer: &mut CountedLayer,
        store: &mut Store,
    ) -> Result<()> {
        let kind = Kind::Afterstates;
        let visit = candidates.count_afterstates();
        let job = PartJob::new(key, candidates.into_source(), visit);
        let (job, sealed) = self.parts.build_file(kind, job, store.outbox(), |_| ())?;
        layer.wrote(kind, sealed.bytes);
        layer.spilled += job.source.spilled();
        let row = layer.row(key);
        row.afterstates = job.tally.unique;
        row.empty_cells = job.tally.empty_cells;
        self.lists.retire(job.source.into_candidates());
        Ok(())
    }
}

/// Whether the count ends with the layer that followed from a frontier.
fn is_last(layer: &CountedLayer, game: &Game, frontier: &Frontier) -> bool {
    let ends = !game.goes_on(layer.sum) || layer.rows.iter().all(|row| row.afterstates == 0);
    layer.sum >= LAST_START && ends && !frontier.goes_on()
}

fn slices_of(parts: &[(PartKey, Slices)]) -> impl Iterator<Item = (PartKey, &Slices)> {
    parts.iter().map(|(key, slices)| (*key, slices))
}
