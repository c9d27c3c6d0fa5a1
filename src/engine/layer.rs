//! Counts layers as lists, part by part in order of largest tile.
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

use std::collections::BTreeMap;
use std::mem;
use std::sync::Mutex;

use super::frontier::{Frontier, Origins};
use super::job::{CountAfterstates, PartJob, Source};
use super::lists::{Candidates, ExpandStates, Lists};
use super::pipeline::Pipeline;
use super::plan::Plan;
use super::workers::{Done, Workers};
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Board, Exp, LAST_START, PartKey, Tally};
use crate::laws;
use crate::part::{Block, Kind};
use crate::progress::{Progress, Silent};
use crate::store::{CountedLayer, Files, Store};

/// The candidates for the afterstates of a layer, by largest tile. They come from the states with
/// this largest tile, and from merges of states with the tile below.
type CollectedAfterstates = BTreeMap<Exp, Candidates>;

/// Counts layers as lists, one after another, and reuses its buffers.
pub(crate) struct ListCounter<'a> {
    lists: Lists,
    parts: Pipeline<'a>,
    /// The frontier, if some of it is in memory.
    frontier: Option<Frontier>,
    /// The states of the last layer, if it is small.
    states: PartLists,
}

/// What becomes of the boards of a layer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// They stay in memory: the layer is small.
    Memory,
    /// States and afterstates are written.
    Files,
    /// Only afterstates are written: the run does not keep the states.
    Afterstates,
}

/// Parts in memory.
type PartLists = Vec<(PartKey, Vec<Board>)>;

impl<'a> ListCounter<'a> {
    /// Prepare to count the layer after the last sealed layer of `store`.
    pub(crate) fn new(store: &Store, plan: &Plan, workers: &'a Workers) -> Result<Self> {
        Ok(Self {
            lists: Lists::new(store.run(), plan)?,
            parts: Pipeline::new(plan.batch, workers),
            frontier: None,
            states: Vec::new(),
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
        if frontier.candidates_at_most() > self.lists.plan.small {
            let (keep, sum) = (store.run().keep(), frontier.sum());
            let form = match keep.states() || sum == last || !store.run().game().goes_on(sum) {
                true => Form::Files,
                false => Form::Afterstates,
            };
            let mut layer = self.count_layer(&mut frontier, form, store, progress)?;
            if layer.last && form == Form::Afterstates {
                // Only the first count tells that this layer is the last, whose states are listed.
                store.outbox().drop_from(sum)?;
                layer = self.count_layer(&mut frontier, Form::Files, store, &mut Silent)?;
            }
            progress.end(&layer.finished(store.run().keep()));
            return Ok(vec![layer]);
        }
        let workers = self.parts.workers;
        workers.check()?;
        let mut layers = Vec::new();
        loop {
            // A stop waits for a small layer, because the layers before it are only in memory.
            let mut layer = workers
                .finish(|| self.count_layer(&mut frontier, Form::Memory, store, progress))?;
            let goes_on =
                layer.sum < last && frontier.candidates_at_most() <= self.lists.plan.small;
            let stops = progress.stop() || workers.check().is_err();
            let done = layer.last || !goes_on || stops || store.outbox().is_commit_due();
            let run = store.run();
            let run_keeps_states = run.keep().states();
            let above = match run.keep().lists_of_afterstates() {
                true => Some(layer.sum - 2),
                false => done.then_some(run.sealed_sum()),
            };
            if let Some(above) = above {
                let lists = frontier.lists_above(above);
                let kind = Kind::Afterstates;
                workers.finish(|| self.write_lists(kind, lists, &mut layer, store))?;
            }
            if run_keeps_states || done {
                let lists = self.states.iter().map(|(key, boards)| (*key, &boards[..]));
                let kind = Kind::States;
                workers.finish(|| self.write_lists(kind, lists, &mut layer, store))?;
            }
            progress.end(&layer.finished(store.run().keep()));
            layers.push(layer);
            if done {
                self.frontier = Some(frontier);
                return Ok(layers);
            }
        }
    }

    /// Count the layer that follows from a frontier. If its boards stay in memory, the frontier advances
    /// to its afterstates.
    fn count_layer(
        &mut self,
        frontier: &mut Frontier,
        form: Form,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<CountedLayer> {
        let sum = frontier.sum();
        let mut layer = CountedLayer::new(sum);
        progress.begin(sum);
        self.lists.begin(sum);
        let tiles = store.run().game().top().up_to();
        let keys: Vec<PartKey> = tiles.map(|max| PartKey { sum, max }).collect();
        let group_size = match form {
            Form::Memory => keys.len(),
            _ => 1,
        };
        let (mut afterstates, mut lists) = (CollectedAfterstates::new(), PartLists::new());
        for keys in keys.chunks(group_size) {
            layer.rows.extend(keys.iter().copied().map(Row::of));
            let origins = keys.iter().map(|&key| frontier.origins(key));
            let origins: Vec<Origins> = origins.filter(|from| !from.is_empty()).collect();
            for Origins { key, .. } in &origins {
                for max in [key.max, key.max.next()] {
                    let collect = || self.lists.collect(Kind::Afterstates, max);
                    afterstates.entry(max).or_insert_with(collect);
                }
            }
            self.build_states(&origins, &afterstates, form, &mut layer, store, progress)?;
            let above = afterstates.split_off(&keys[keys.len() - 1].max.next());
            let own = mem::replace(&mut afterstates, above);
            lists = self.build_afterstates(own, form, &mut layer, store)?;
        }
        // No afterstate holds the winning tile, so no candidate is lost here.
        for empty in afterstates.into_values() {
            empty.into_source().retire();
        }
        let game = store.run().game();
        let ends = !game.goes_on(sum) || layer.rows.iter().all(|row| row.afterstates == 0);
        layer.last = sum >= LAST_START && ends && !frontier.goes_on();
        if form == Form::Memory {
            frontier.advance(lists);
        }
        Ok(layer)
    }

    /// Build a group's live states, and collect their afterstates.
    fn build_states(
        &mut self,
        origins: &[Origins],
        afterstates: &CollectedAfterstates,
        form: Form,
        layer: &mut CountedLayer,
        store: &mut Store,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let kind = Kind::States;
        let states = self.lists.spawn(origins, self.parts.workers)?;
        let mut jobs = Vec::new();
        for (&Origins { key, .. }, candidates) in origins.iter().zip(states) {
            let max = key.max;
            let [own, above] = [max, max.next()].map(|max| &afterstates[&max]);
            let visit = ExpandStates::new(own, above);
            jobs.push(PartJob::new(key, candidates.into_source(), visit));
        }
        let mut report = |counted: Tally| progress.advance(counted.unique);
        match form {
            Form::Memory => {
                self.states.clear();
                let built = self.parts.build_lists(mem::take(&mut jobs))?;
                for (job, list) in built {
                    report(job.tally);
                    self.states.push((job.key, list));
                    jobs.push(job);
                }
            }
            Form::Files => {
                let built = mem::take(&mut jobs);
                let built = self
                    .parts
                    .build_files(kind, built, store.outbox(), report)?;
                for (job, sealed) in built {
                    layer.wrote(kind, sealed.bytes);
                    jobs.push(job);
                }
            }
            Form::Afterstates => self.parts.build(&mut jobs, report)?,
        }
        for job in jobs {
            layer.spilled += job.source.spilled();
            let live = job.tally.unique - job.tally.dead;
            job.check_conserved(live)?;
            row_of(layer, job.key).set_states(live, job.visit.fingerprint(), &job.tally);
            let candidates = job.source.retire();
            self.lists.remember(kind, job.key.max, candidates);
        }
        Ok(())
    }

    /// Build afterstates, in memory if the layer is small, else in files, and add their counts to
    /// the rows. Returns the lists in memory.
    fn build_afterstates(
        &mut self,
        afterstates: CollectedAfterstates,
        form: Form,
        layer: &mut CountedLayer,
        store: &mut Store,
    ) -> Result<PartLists> {
        let (kind, sum) = (Kind::Afterstates, layer.sum);
        let mut jobs = Vec::new();
        for (max, candidates) in afterstates {
            let visit = CountAfterstates(store.run().game().rules());
            let source = candidates.into_source();
            jobs.push(PartJob::new(PartKey { sum, max }, source, visit));
        }
        let (mut lists, mut built) = (Vec::new(), Vec::new());
        if form == Form::Memory {
            for (job, list) in self.parts.build_lists(jobs)? {
                layer.spilled += job.source.spilled();
                lists.push((job.key, list));
                built.push(job);
            }
        } else {
            for (job, sealed) in self.parts.build_files(kind, jobs, store.outbox(), |_| ())? {
                layer.wrote(kind, sealed.bytes);
                layer.spilled += job.source.spilled();
                built.push(job);
            }
        }
        for job in built {
            let row = row_of(layer, job.key);
            row.afterstates = job.tally.unique;
            row.empty_cells = job.tally.empty_cells;
            self.lists.remember(kind, job.key.max, job.source.retire());
        }
        Ok(lists)
    }

    /// Write the files of parts that are in memory.
    fn write_lists<'b>(
        &self,
        kind: Kind,
        lists: impl Iterator<Item = (PartKey, &'b [Board])>,
        layer: &mut CountedLayer,
        store: &mut Store,
    ) -> Result<()> {
        let (mut parts, mut blocks) = (Vec::new(), Vec::new());
        for (key, boards) in lists {
            let begin = blocks.len();
            let chunks = boards.chunks(kind.block());
            blocks.extend(chunks.map(|boards| (boards, Mutex::<Block>::default())));
            parts.push((key, boards.len() as u64, begin..blocks.len()));
        }
        self.parts
            .workers
            .each(&blocks, |worker, (boards, block)| {
                let block = &mut block.lock().expect("no thread panics");
                worker.encoder.encode(boards, block)?;
                Ok(Done)
            })?;
        for (key, listed, range) in parts {
            let mut writer = store.outbox().create(kind, key)?;
            for (_, block) in &blocks[range] {
                writer.append(&block.lock().expect("no thread panics"))?;
            }
            let sealed = store.outbox().finish(kind, key, writer)?;
            let what = "boards in memory, and in their file";
            laws::equal(&Row::of(key), what, listed, sealed.states)?;
            layer.wrote(kind, sealed.bytes);
        }
        Ok(())
    }
}

fn row_of(layer: &mut CountedLayer, key: PartKey) -> &mut Row {
    let row = layer.rows.iter_mut().find(|row| row.key() == Some(key));
    row.expect("each part of a group has a row")
}
