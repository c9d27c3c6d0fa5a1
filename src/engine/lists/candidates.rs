//! The candidates of one part, while they are collected: from spawns, from moves, and from starts.

use std::sync::{Arc, Mutex};

use super::bitmap::Bitmap;
use super::buckets::Buckets;
use crate::engine::PerThread;
use crate::engine::chunks::{CHUNK_BYTES, ChunkPool};
use crate::engine::job::Visit;
use crate::engine::plan::Plan;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::board::holds;
use crate::game::rank::Ranking;
use crate::game::{Board, Exp, Game, PartKey, Tally};
use crate::part::Kind;

/// States or afterstates of one part, unsorted and with repeats. Each thread fills its own buckets.
pub(crate) struct Candidates {
    pub(super) game: Game,
    pub(super) kind: Kind,
    pub(super) key: PartKey,
    pub(super) ranking: Arc<Ranking>,
    /// Ranks of a range, as a power of two.
    pub(super) bits: u32,
    pub(super) buckets: PerThread<Buckets>,
    pub(super) scratch: Arc<PerThread<CandidateScratch>>,
    /// Most ranks that a task decodes.
    pub(super) most: usize,
}

impl Candidates {
    /// Spawn `tile` into a block of afterstates, and collect the states in the buckets of one
    /// thread.
    pub(super) fn spawn(&self, afterstates: &[Board], tile: Exp, thread: usize) -> Result<()> {
        let (rules, mut buckets) = (self.game.rules(), self.buckets.lock(thread));
        let CandidateScratch {
            pool,
            bitmap,
            made: [made, _],
            ranks,
            ..
        } = &mut *self.scratch.lock(thread);
        for slice in afterstates.chunks(SLICE) {
            made.clear();
            rules.spawn(slice, tile, made);
            rules.canonicalise(made);
            ranks.clear();
            self.ranking.ranks(made, ranks);
            buckets.produced += made.len() as u64;
            buckets.put(ranks, pool, bitmap)?;
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
}

/// The visit of one part's states: counts them, drops the dead ones, moves the live ones, and collects
/// their afterstates.
pub(crate) struct ExpandStates<'a> {
    /// Gets the afterstates with the part's largest tile.
    pub(crate) own: &'a Candidates,
    /// Gets the others. After a merge of largest tiles, they have the next larger tile.
    pub(crate) above: &'a Candidates,
}

impl Visit for ExpandStates<'_> {
    type Found = ();

    fn count_and_filter(&self, states: &mut Vec<Board>) -> Tally {
        self.own.game.rules().census(states)
    }

    fn visit(
        &self,
        states: &[Board],
        _: usize,
        _: &Mutex<()>,
        worker: &mut Worker,
    ) -> Result<Tally> {
        for afterstates in &mut worker.slid {
            afterstates.resize(states.len(), 0);
        }
        let slid = worker.slid.each_mut().map(Vec::as_mut_slice);
        let (rules, win) = (self.own.game.rules(), self.own.game.win());
        let tally = rules.slide(states, win, slid);
        let CandidateScratch {
            pool,
            bitmap,
            filter,
            made: [own, above],
            ranks,
        } = &mut *self.own.scratch.lock(worker.index);
        filter.pass(&worker.slid, self.above.key.max, own, above);
        for (candidates, boards) in [(self.own, own), (self.above, above)] {
            rules.canonicalise(boards);
            ranks.clear();
            candidates.ranking.ranks(boards, ranks);
            let mut buckets = candidates.buckets.lock(worker.index);
            buckets.produced += boards.len() as u64;
            buckets.put(ranks, pool, bitmap)?;
        }
        Ok(tally)
    }
}

/// A thread's buffers to make candidates, and to drop repeats. They are reused from layer to layer.
pub(super) struct CandidateScratch {
    pub(super) pool: ChunkPool,
    pub(super) bitmap: Bitmap,
    filter: Filter,
    /// New boards, without and with a new largest tile.
    made: [Vec<Board>; 2],
    /// Their ranks.
    ranks: Vec<u64>,
}

impl CandidateScratch {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            pool: ChunkPool::new(plan.chunks / CHUNK_BYTES),
            bitmap: Bitmap::default(),
            filter: Filter::new(),
            made: Default::default(),
            ranks: Vec::new(),
        }
    }
}

/// Afterstates of a slice: the boards made from it fit a core's first caches.
const SLICE: usize = 1 << 10;

/// Log2 of the entries of a [`Filter`]. They take 256 KiB, part of a core's second cache.
const BITS: u32 = 15;

/// A small lossy table of recent boards: each board stays until another board takes its slot.
/// Neighbours in a sorted list of states often have afterstates in common. Dropping repeats here,
/// before canonical form and sort, costs almost nothing.
struct Filter {
    table: Vec<Board>,
}

impl Filter {
    fn new() -> Self {
        Self {
            table: vec![0; 1 << BITS],
        }
    }

    /// Put the boards of all lists that are not remembered into `own`, or into `above` if they have
    /// the tile `merged`, and remember them. Zeros, which stand for no board, are dropped.
    fn pass(
        &mut self,
        lists: &[Vec<Board>],
        merged: Exp,
        own: &mut Vec<Board>,
        above: &mut Vec<Board>,
    ) {
        let length = lists.iter().map(Vec::len).sum();
        let mut ends = [0; 2];
        own.resize(length, 0);
        above.resize(length, 0);
        for list in lists {
            for &board in list {
                // Multiplying by an odd constant (Knuth's golden ratio) spreads boards over the top
                // bits.
                let slot = board.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS);
                let known = &mut self.table[slot as usize];
                let fresh = (*known != board) & (board != 0);
                *known = board;
                let merged = holds(board, merged);
                own[ends[0]] = board;
                ends[0] += usize::from(fresh & !merged);
                above[ends[1]] = board;
                ends[1] += usize::from(fresh & merged);
            }
        }
        own.truncate(ends[0]);
        above.truncate(ends[1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_passes_every_board_at_least_once_and_drops_recent_repeats() {
        let mut filter = Filter::new();
        let (mut own, mut above) = (vec![1; 20], Vec::new());
        let mut pass = |lists: &[Vec<Board>]| {
            filter.pass(lists, Exp::FOUR, &mut own, &mut above);
            (own.clone(), above.clone())
        };
        let first = [vec![5, 0, 7, 5], vec![], vec![5, 0, 0x21, 7]];
        assert_eq!(pass(&first), (vec![5, 7], vec![0x21]));
        assert_eq!(pass(&[vec![0x21, 11]]), (vec![11], vec![]));
        let last = [vec![11, 13], vec![], vec![13, 0, 5, 0x12]];
        assert_eq!(pass(&last), (vec![13], vec![0x12]));
    }
}
