//! The candidates of one part, while they are collected.

use std::path::Path;
use std::sync::{Arc, MutexGuard};

use super::buckets::Buckets;
use super::expand::expand;
use super::filter::Filter;
use super::sort::KeySorter;
use super::source::CandidateSource;
use super::splitters::Splitters;
use crate::engine::chunk::CHUNK_BYTES;
use crate::engine::chunk::ChunkPool;
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::game::board::holds;
use crate::game::key::KeyCodec;
use crate::game::{Board, Exp, Game, Rules};
use crate::per_thread::PerThread;
use crate::store::Spill;

/// States or afterstates of one part, unsorted and with repeats; each thread fills buckets of its
/// own.
pub(crate) struct Candidates {
    rules: &'static dyn Rules,
    codec: KeyCodec,
    splitters: Splitters,
    buckets: PerThread<Buckets>,
    scratch: Arc<PerThread<CandidateScratch>>,
    /// Most candidates that are sorted at once.
    sort: usize,
}

impl Candidates {
    /// No candidates yet. Buckets spill to nameless files in `dir`.
    pub(super) fn new(
        game: &Game,
        codec: KeyCodec,
        splitters: Splitters,
        plan: &Plan,
        scratch: Arc<PerThread<CandidateScratch>>,
        dir: &Path,
    ) -> Self {
        let buckets = |thread| {
            let pool = &mut scratch.lock(thread).pool;
            Ok(Buckets::new(&splitters, plan, Spill::new(dir), pool))
        };
        Self {
            rules: game.rules(),
            codec,
            buckets: PerThread::new(plan.threads(), buckets).expect("nothing here fails"),
            splitters,
            scratch,
            sort: plan.sort,
        }
    }

    /// The buckets of a thread.
    fn filler(&self, thread: usize) -> Filler<'_> {
        Filler {
            splitters: &self.splitters,
            buckets: self.buckets.lock(thread),
        }
    }

    /// Spawn `tile` into a block of afterstates, and collect the states in the buckets of one
    /// thread.
    pub(super) fn spawn(
        &self,
        afterstates: &[Board],
        tile: Exp,
        thread: usize,
        scratch: &mut CandidateScratch,
    ) -> Result<()> {
        let mut buckets = self.buckets.lock(thread);
        let CandidateScratch {
            pool, sorter, made, ..
        } = scratch;
        let candidates = expand(
            afterstates,
            tile,
            self.rules,
            &self.codec,
            &self.splitters,
            made,
            |range, key| buckets.push(range, key, pool, sorter),
        )?;
        buckets.announce(candidates);
        Ok(())
    }

    /// Collect canonical boards in the buckets of a thread, and turn `boards` into keys.
    pub(super) fn add(&self, boards: &mut [Board], thread: usize) -> Result<()> {
        let CandidateScratch { pool, sorter, .. } = &mut *self.scratch.lock(thread);
        let mut filler = self.filler(thread);
        filler.buckets.announce(boards.len() as u64);
        self.codec.encode(boards);
        let mut push = |key| filler.push(key, pool, sorter);
        boards.iter().copied().try_for_each(&mut push)
    }

    /// Turn the collected candidates into the source of their part.
    pub(crate) fn into_source(self) -> Result<CandidateSource> {
        let buckets = self.buckets.into_values();
        CandidateSource::new(buckets, self.codec, self.scratch, self.sort)
    }

    /// Return all chunks to the threads' pools.
    pub(crate) fn retire(self) {
        for (thread, buckets) in self.buckets.into_values().into_iter().enumerate() {
            buckets.retire(&mut self.scratch.lock(thread).pool);
        }
    }
}

/// Collects the afterstates of one part's states. Their largest tile is the part's, or the next
/// larger one after a merge of two largest tiles.
pub(crate) struct MoveSink<'a> {
    own: &'a Candidates,
    above: &'a Candidates,
    /// The tile that two of the part's largest tiles merge into.
    merged: Exp,
}

impl<'a> MoveSink<'a> {
    /// For states whose largest tile is `max`: afterstates go to `own`, or to `above`.
    pub(crate) fn new(max: Exp, own: &'a Candidates, above: &'a Candidates) -> Self {
        Self {
            own,
            above,
            merged: max.next(),
        }
    }

    /// Take the afterstates of a slice of states, one list for each direction: not canonical, with
    /// repeats, 0 for no afterstate. `worker` is the number of the thread.
    pub(crate) fn take(&self, worker: usize, afterstates: &[Vec<Board>; 4]) -> Result<()> {
        let CandidateScratch {
            pool,
            sorter,
            filter,
            made,
            keys,
            ..
        } = &mut *self.own.scratch.lock(worker);
        let fresh = filter.pass_all(afterstates, made);
        self.own.rules.canonicalise(fresh);
        keys.clear();
        keys.extend_from_slice(fresh);
        self.own.codec.encode(keys);

        let mut own = self.own.filler(worker);
        let mut above = self.above.filler(worker);
        let mut mergers = 0;
        for (&afterstate, &key) in fresh.iter().zip(keys.iter()) {
            let merged = holds(afterstate, self.merged);
            mergers += usize::from(merged);
            let filler = if merged { &mut above } else { &mut own };
            filler.push(key, pool, sorter)?;
        }
        above.buckets.announce(mergers as u64);
        own.buckets.announce((fresh.len() - mergers) as u64);
        Ok(())
    }
}

/// The buckets of a thread, to be filled by key.
struct Filler<'a> {
    splitters: &'a Splitters,
    buckets: MutexGuard<'a, Buckets>,
}

impl Filler<'_> {
    #[inline]
    fn push(&mut self, key: u64, pool: &mut ChunkPool, sorter: &mut KeySorter) -> Result<()> {
        let range = self.splitters.range(key);
        self.buckets.push(range, key, pool, sorter)
    }
}

/// A thread's buffers to make and sort candidates; they live as long as the count.
pub(super) struct CandidateScratch {
    pub(super) pool: ChunkPool,
    pub(super) sorter: KeySorter,
    pub(super) filter: Filter,
    /// Boards just made, and then their keys.
    pub(super) made: Vec<Board>,
    /// Keys of boards, while the boards are still needed.
    pub(super) keys: Vec<u64>,
    /// Sorted runs of a range.
    pub(super) runs: Vec<Vec<u64>>,
}

impl CandidateScratch {
    /// The buffers of one thread under a plan.
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            pool: ChunkPool::new(plan.chunks / CHUNK_BYTES),
            sorter: KeySorter::default(),
            filter: Filter::new(),
            made: Vec::new(),
            keys: Vec::new(),
            runs: Vec::new(),
        }
    }
}
