//! Candidates as lists, the first of the two ways to hold a layer.
//!
//! A parallel sample sort, which drops repeats late. Candidates are turned into keys (`KeyCodec`),
//! which have the order of boards in fewer bits. *Splitters*, taken from a sample of the part in
//! the layer before, cut the keys into *ranges* of about equal numbers of candidates. Every thread
//! puts its candidates into its own *buckets*, one for each range, in chunks of memory from one
//! pool. When the pool is used up, buckets are sorted and packed into delta-coded runs. If the runs
//! take too much memory, they are spilled to a file. Then the buckets of all threads are sorted and
//! merged, range by range, and repeats are dropped. The ranges in order are the part.
//!
//! ```text
//! expand ----(range, key)--> Buckets        chunks; packed when chunks run out; then spilled
//! ExpandStates --/              |
//!                               v
//!                            SortTask       a range, or a subrange: Sorter, PackedRun
//!                               |
//!                               | sorted runs
//!                               v
//!                            reduce ------> states, in order
//! ```
//!
//! The two steps that do the work are pure functions, `expand` and `reduce`: they use no files, no
//! threads and no buckets.
//!
//! Reading order: `splitters`, `candidates` (with `expand`), `buckets` (`packed`),
//! `source`, `sort` (with `reduce`).

mod buckets;
mod candidates;
pub(crate) mod sort;
mod source;
mod splitters;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::frontier::Origins;
use super::plan::Plan;
use super::workers::{Done, Workers};
use crate::engine::PerThread;
use crate::error::Result;
use crate::game::key::KeyCodec;
use crate::game::{Exp, Game};
use crate::part::Kind;
use crate::store::{Run, Spill};
use buckets::Buckets;
use candidates::CandidateScratch;
pub(crate) use candidates::{Candidates, ExpandStates};
use splitters::{Sample, Splitters};

/// Data that is kept from layer to layer: samples to cut the parts of the next layer, and the
/// buffers of each thread.
pub(crate) struct Lists {
    game: Game,
    plan: Plan,
    codec: KeyCodec,
    /// A sample of each part of the layer before.
    samples: BTreeMap<(Kind, Exp), Sample>,
    scratch: Arc<PerThread<CandidateScratch>>,
    /// The directory of spill files.
    dir: PathBuf,
}

impl Lists {
    /// Prepare to count the layer after the last sealed layer of `run`.
    pub(crate) fn new(run: &Run, plan: &Plan) -> Result<Self> {
        let game = *run.game();
        let mut samples = BTreeMap::new();
        for kind in [Kind::States, Kind::Afterstates] {
            for part in run.parts_of(kind, run.sealed_sum())? {
                samples.insert((kind, part.label().key.max), Sample::of(&part));
            }
        }
        let scratch = (0..plan.threads()).map(|_| CandidateScratch::new(plan));
        Ok(Self {
            game,
            plan: plan.clone(),
            codec: KeyCodec::new(run.sealed_sum(), Exp::TWO),
            samples,
            scratch: Arc::new(PerThread::of(scratch)),
            dir: run.dir().to_owned(),
        })
    }

    /// Expect the candidates of only one of `tasks` tasks of a part.
    pub(crate) fn for_one_of(mut self, tasks: usize) -> Self {
        for sample in self.samples.values_mut() {
            sample.candidates /= tasks.max(1) as u64;
        }
        self
    }

    /// Prepare for the layer of sum `sum`.
    pub(crate) fn begin(&mut self, sum: u32) {
        self.codec = self.codec.for_sum(sum, largest(&self.game, sum));
    }

    /// Collect candidates of a part of this layer. The splitters come from a sample of the part
    /// with this largest tile in the layer before. If its states are not kept, they come from its
    /// afterstates, which have a similar distribution.
    pub(crate) fn collect(&self, kind: Kind, max: Exp) -> Candidates {
        let sample = |kind| self.samples.get(&(kind, max));
        let sample = sample(kind).or_else(|| sample(Kind::Afterstates));
        let (mut keys, candidates) = sample.map_or_else(Default::default, |sample| {
            (sample.values.clone(), sample.candidates)
        });
        self.codec.encode(&mut keys);
        let ranges = splitters::ranges(candidates, &self.plan);
        let bits = self.codec.bits(self.game.size().cells());
        let splitters = Splitters::new(&keys, ranges, bits);
        let buckets = |thread| {
            let pool = &mut self.scratch.lock(thread).pool;
            Buckets::new(&splitters, &self.plan, Spill::new(&self.dir), pool)
        };
        Candidates {
            rules: self.game.rules(),
            codec: self.codec.clone(),
            buckets: PerThread::of((0..self.plan.threads()).map(buckets)),
            splitters,
            scratch: Arc::clone(&self.scratch),
            sort: self.plan.sort,
        }
    }

    /// Keep a sample of a part for the next layer.
    pub(crate) fn remember(&mut self, kind: Kind, max: Exp, sample: Sample) {
        self.samples.insert((kind, max), sample);
    }

    /// Spawn into the origins of parts, and collect the states.
    pub(crate) fn spawn(&self, parts: &[Origins], workers: &Workers) -> Result<Vec<Candidates>> {
        let collect = |origins: &Origins| self.collect(Kind::States, origins.key.max);
        let states: Vec<Candidates> = parts.iter().map(collect).collect();
        let mut blocks = Vec::new();
        for (states, origins) in states.iter().zip(parts) {
            blocks.extend(origins.blocks.iter().map(|block| (states, block)));
        }
        workers.each(&blocks, |worker, (states, block)| {
            worker.boards.clear();
            let part = block.part;
            part.read(block.number, &mut worker.decoder, &mut worker.boards)?;
            states.spawn(&worker.boards, block.tile, worker.index)?;
            Ok(Done)
        })?;
        for (states, origins) in states.iter().zip(parts) {
            states.add(&mut origins.starts.clone(), 0)?;
        }
        Ok(states)
    }
}

/// The largest tile that a layer can have.
fn largest(game: &Game, sum: u32) -> Exp {
    let largest = Exp::new(sum.ilog2() as u8).unwrap_or(Exp::LAST);
    largest.min(game.top())
}

/// The codec between the boards of a layer and their keys.
pub(crate) fn codec(game: &Game, sum: u32) -> KeyCodec {
    KeyCodec::new(sum, largest(game, sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::job::Source;
    use crate::engine::{Silent, count};
    use crate::store::{Keep, Store};

    #[test]
    fn splitters_come_from_afterstates_if_no_states_are_kept() {
        let game: Game = "4x4-16".parse().unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
        let plan = Plan::new(1 << 30, 2).unwrap();
        count(&mut store, &plan, Some(36), &mut Silent).unwrap();
        let mut lists = Lists::new(store.run(), &plan).unwrap();
        let max = Exp::of_tile(8).unwrap();
        assert!(lists.samples.remove(&(Kind::States, max)).is_some());
        let source = lists.collect(Kind::States, max).into_source();
        assert!(source.unwrap().cuts().ranges > 1);
    }
}
