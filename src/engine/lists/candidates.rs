//! The candidates of one part, while they are collected: from spawns, from moves, and from starts.

use std::sync::{Arc, Mutex};

use super::bitmap::Bitmap;
use super::buckets::{Buckets, Ranges};
use super::filter::Filter;
use crate::engine::PerThread;
use crate::engine::chunks::{CHUNK_BYTES, ChunkPool};
use crate::engine::frontier::FrontierBlock;
use crate::engine::job::{CountAfterstates, CountBoards};
use crate::engine::plan::Plan;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::rank::Ranking;
use crate::game::{Board, Game, PartKey, Tally};
use crate::part::{Fingerprint, Kind, fingerprint};

/// States or afterstates of one part, unsorted and with repeats. Each thread fills its own buckets.
pub(crate) struct Candidates {
    pub(super) game: Game,
    pub(super) kind: Kind,
    pub(crate) key: PartKey,
    pub(crate) ranking: Arc<Ranking>,
    pub(super) ranges: Ranges,
    pub(super) buckets: PerThread<Buckets>,
    pub(super) scratch: Arc<PerThread<CandidateScratch>>,
    /// Most ranks that a task decodes.
    pub(super) most: usize,
}

impl Candidates {
    /// Spawn into a block of afterstates, and collect the states in the buckets of the worker's thread.
    pub(crate) fn spawn(&self, block: &FrontierBlock, worker: &mut Worker) -> Result<()> {
        let FrontierBlock { part, number, tile } = *block;
        let afterstates = part.read(number, &mut worker.decoder, &mut worker.boards)?;
        let (rules, mut buckets) = (self.game.rules(), self.buckets.lock(worker.index));
        let CandidateScratch {
            pool,
            bitmap,
            made: [made, _],
            ..
        } = &mut *self.scratch.lock(worker.index);
        for slice in afterstates.chunks(SLICE) {
            made.clear();
            rules.spawn(slice, tile, made);
            rules.canonicalise(made);
            self.ranking.encode(made);
            buckets.produced += made.len() as u64;
            buckets.put(made, pool, bitmap)?;
        }
        Ok(())
    }

    /// Collect canonical boards in the buckets of a thread.
    pub(super) fn add(&self, boards: &[Board], thread: usize) -> Result<()> {
        let CandidateScratch { pool, bitmap, .. } = &mut *self.scratch.lock(thread);
        let mut buckets = self.buckets.lock(thread);
        let mut ranks = Vec::new();
        self.ranking.ranks(boards, &mut ranks);
        buckets.produced += boards.len() as u64;
        buckets.put(&ranks, pool, bitmap)
    }

    /// The work on the boards, if they are afterstates.
    pub(crate) fn count_afterstates(&self) -> CountAfterstates {
        CountAfterstates {
            rules: self.game.rules(),
            ranking: Arc::clone(&self.ranking),
        }
    }
}

/// The work on one part's states: counts them, drops the dead ones, moves the live ones, and collects
/// their afterstates.
pub(crate) struct ExpandStates<'a> {
    /// Gets the afterstates with the part's largest tile.
    own: &'a Candidates,
    /// Gets the others. After a merge of largest tiles, they have the next larger tile.
    above: &'a Candidates,
    fingerprint: Mutex<Fingerprint>,
}

impl<'a> ExpandStates<'a> {
    pub(crate) fn new(own: &'a Candidates, above: &'a Candidates) -> Self {
        Self {
            own,
            above,
            fingerprint: Mutex::default(),
        }
    }

    /// The fingerprint of the live states so far.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        *self.fingerprint.lock().expect("no thread panics")
    }
}

impl CountBoards for ExpandStates<'_> {
    fn count_and_filter(&self, states: &mut Vec<Board>, worker: &mut Worker) -> Result<Tally> {
        let (rules, win) = (self.own.game.rules(), self.own.game.win());
        let CandidateScratch {
            pool,
            bitmap,
            filter,
            slid,
            made,
        } = &mut *self.own.scratch.lock(worker.index);
        let (mut live, mut tally) = (0, Tally::default());
        for from in (0..states.len()).step_by(SLICE) {
            let to = states.len().min(from + SLICE);
            let (moving, counted) = rules.expand(&mut states[from..to], win, slid);
            tally += counted;
            states.copy_within(from..from + moving, live);
            live += moving;
            let [own, above] = filter.pass(slid, self.above.key.max, made);
            for (candidates, boards) in [(self.own, own), (self.above, above)] {
                rules.canonicalise(boards);
                candidates.ranking.encode(boards);
                let mut buckets = candidates.buckets.lock(worker.index);
                buckets.produced += boards.len() as u64;
                buckets.put(boards, pool, bitmap)?;
            }
        }
        states.truncate(live);
        *self.fingerprint.lock().expect("no thread panics") += fingerprint(states);
        Ok(tally)
    }

    fn ranking(&self) -> &Ranking {
        &self.own.ranking
    }
}

/// A thread's buffers to make candidates, and to drop repeats. They are reused from layer to layer.
pub(super) struct CandidateScratch {
    pub(super) pool: ChunkPool,
    pub(super) bitmap: Bitmap,
    filter: Filter,
    /// The afterstates of each direction.
    slid: [Vec<Board>; 4],
    /// New boards, without and with a new largest tile; then their ranks.
    made: [Vec<Board>; 2],
}

impl CandidateScratch {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            pool: ChunkPool::new(plan.chunks / CHUNK_BYTES),
            bitmap: Bitmap::default(),
            filter: Filter::new(),
            slid: Default::default(),
            made: Default::default(),
        }
    }
}

/// Boards of a slice: the boards made from it fit a core's first caches.
const SLICE: usize = 1 << 10;
