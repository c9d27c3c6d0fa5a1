//! Candidates as lists, the first of the two ways to hold a layer.
//!
//! A board of the layer has a *rank*, its number among all boards of its sum. The ranks of a part
//! are cut into *ranges* of equal length. Every thread puts its candidates into its own *buckets*,
//! one for each range, in chunks of memory from one pool. When the pool is used up, buckets are
//! freed of repeats and spilled to a file, in delta code. Then the buckets of all threads go
//! through a bitmap, range by range. A candidate sets its bit, so repeats vanish and order comes by
//! itself. The ranges in order are the part. In small parts, each thread's candidates set bits at once.
//!
//! ```text
//! Candidates::spawn -(rank)-> Buckets       chunks; spilled when chunks run out
//! ExpandStates -----/            |
//!                                v
//!                             Bitmap        a bit for each rank of a range
//!                                |
//!                                v
//!                        Ranking::decode -> states, in order
//! ```
//!
//! Reading order: [`Ranking`], `bitmap`, `buckets`, `filter`, `candidates`, `source`.

pub(crate) mod bitmap;
mod buckets;
mod candidates;
mod filter;
mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::frontier::Origins;
use super::plan::Plan;
use super::rankings::Rankings;
use super::workers::{Done, Workers};
use crate::engine::PerThread;
use crate::error::Result;
use crate::game::rank::Ranking;
use crate::game::{Exp, Game, PartKey};
use crate::part::Kind;
use crate::store::{Run, Spill};
use buckets::{Buckets, Ranges};
use candidates::CandidateScratch;
pub(crate) use candidates::{Candidates, ExpandStates};

/// Data that is kept from layer to layer: the ranks, the sizes of parts, and the buffers of each thread.
pub(crate) struct Lists {
    game: Game,
    pub(super) plan: Plan,
    /// The sum of the layer under way.
    sum: u32,
    rankings: Rankings,
    /// The number of candidates of each part of the layer before.
    candidates: BTreeMap<(Kind, Exp), u64>,
    scratch: Arc<PerThread<CandidateScratch>>,
    /// The directory of spill files.
    dir: PathBuf,
}

impl Lists {
    /// Prepare to count the layer after the last sealed layer of `run`.
    pub(crate) fn new(run: &Run, plan: &Plan) -> Result<Self> {
        let game = *run.game();
        let mut candidates = BTreeMap::new();
        for kind in [Kind::States, Kind::Afterstates] {
            for part in run.parts_of(kind, run.sealed_sum())? {
                candidates.insert((kind, part.label().key.max), 2 * part.states());
            }
        }
        let scratch = (0..plan.threads()).map(|_| CandidateScratch::new(plan));
        Ok(Self {
            game,
            plan: plan.clone(),
            sum: run.sealed_sum(),
            rankings: Rankings::new(&game),
            candidates,
            scratch: Arc::new(PerThread::of(scratch)),
            dir: run.dir().to_owned(),
        })
    }

    /// Expect the candidates of only one of `tasks` tasks of a part.
    pub(crate) fn for_one_of(mut self, tasks: usize) -> Self {
        for candidates in self.candidates.values_mut() {
            *candidates /= tasks.max(1) as u64;
        }
        self
    }

    /// Prepare for the layer of sum `sum`.
    pub(crate) fn begin(&mut self, sum: u32) {
        self.sum = sum;
    }

    /// The ranks of the boards of a part.
    pub(super) fn ranking(&mut self, key: PartKey) -> Arc<Ranking> {
        self.rankings.of(key)
    }

    /// Collect candidates of a part of this layer. The number of candidates in the layer before
    /// tells how many ranges are needed.
    pub(crate) fn collect(&mut self, kind: Kind, max: Exp) -> Candidates {
        let key = PartKey { sum: self.sum, max };
        let ranking = self.ranking(key);
        let before = |kind| self.candidates.get(&(kind, max)).copied();
        let expected = before(kind).or_else(|| before(Kind::Afterstates));
        let (boards, expected) = (ranking.boards(), expected.unwrap_or(0));
        let ranges = Ranges::new(boards, expected, &self.plan);
        let buckets = |_| Buckets::new(ranges, &self.plan, Spill::new(&self.dir));
        Candidates {
            game: self.game,
            kind,
            key,
            ranking,
            ranges,
            buckets: PerThread::of((0..self.plan.threads()).map(buckets)),
            scratch: Arc::clone(&self.scratch),
            most: self.plan.sort,
        }
    }

    /// Drop the candidates of a part, but keep their number for the next layer.
    pub(crate) fn retire(&mut self, candidates: Candidates) {
        let (kind, max) = (candidates.kind, candidates.key.max);
        let number = candidates.tally().candidates;
        self.candidates.insert((kind, max), number);
        candidates.retire();
    }

    /// Collect the states of a part. The starts are the first.
    pub(crate) fn collect_states(&mut self, origins: &Origins) -> Result<Candidates> {
        let states = self.collect(Kind::States, origins.key.max);
        states.add(&origins.starts, 0)?;
        Ok(states)
    }

    /// Spawn into the origins of a part, and collect the states.
    pub(crate) fn spawn(&mut self, origins: &Origins, workers: &Workers) -> Result<Candidates> {
        let states = self.collect_states(origins)?;
        workers.each(&origins.blocks, |worker, block| {
            states.spawn(block, worker)?;
            Ok(Done)
        })?;
        Ok(states)
    }
}
