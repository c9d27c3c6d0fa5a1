//! The candidates of one part, while they are collected: from spawns, from moves, and from starts.

use std::sync::{Arc, Mutex};

use super::buckets::Buckets;
use super::sort::KeySorter;
use super::splitters::Splitters;
use crate::engine::PerThread;
use crate::engine::job::Visit;
use crate::engine::packed::{CHUNK_BYTES, ChunkPool};
use crate::engine::plan::Plan;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::board::holds;
use crate::game::key::KeyCodec;
use crate::game::{Board, Exp, Game, Rules, Tally};

/// States or afterstates of one part, unsorted and with repeats. Each thread fills its own buckets.
pub(crate) struct Candidates {
    pub(super) rules: Rules,
    pub(super) codec: KeyCodec,
    pub(super) splitters: Splitters,
    pub(super) buckets: PerThread<Buckets>,
    pub(super) scratch: Arc<PerThread<CandidateScratch>>,
    /// Most candidates that are sorted at once.
    pub(super) sort: usize,
}

impl Candidates {
    /// Spawn `tile` into a block of afterstates, and collect the states in the buckets of one
    /// thread.
    pub(super) fn spawn(&self, afterstates: &[Board], tile: Exp, thread: usize) -> Result<()> {
        let mut buckets = self.buckets.lock(thread);
        let scratch = &mut *self.scratch.lock(thread);
        let (pool, sorter, made) = (&mut scratch.pool, &mut scratch.sorter, &mut scratch.made);
        let produced = expand(afterstates, tile, self.rules, &self.codec, made, |key| {
            buckets.push(self.splitters.range(key), key, pool, sorter)
        })?;
        buckets.produced += produced;
        Ok(())
    }

    /// Collect canonical boards in the buckets of a thread, and turn `boards` into keys.
    pub(super) fn add(&self, boards: &mut [Board], thread: usize) -> Result<()> {
        let CandidateScratch { pool, sorter, .. } = &mut *self.scratch.lock(thread);
        let mut buckets = self.buckets.lock(thread);
        buckets.produced += boards.len() as u64;
        self.codec.encode(boards);
        boards
            .iter()
            .try_for_each(|&key| buckets.push(self.splitters.range(key), key, pool, sorter))
    }
}

/// The visit of one part's states: counts them, drops the dead ones, moves the live ones, and collects
/// their afterstates. The largest tile of an afterstate is the part's largest tile, or the next larger
/// tile after a merge.
pub(crate) struct ExpandStates<'a> {
    /// The winning tile.
    win: Exp,
    own: &'a Candidates,
    above: &'a Candidates,
    /// The tile that two of the part's largest tiles merge into.
    merged: Exp,
}

impl<'a> ExpandStates<'a> {
    /// The visit of states with largest tile `max`. Afterstates go to `own`, or after a merge of
    /// largest tiles to `above`.
    pub(crate) fn new(game: &Game, max: Exp, own: &'a Candidates, above: &'a Candidates) -> Self {
        Self {
            win: game.win(),
            own,
            above,
            merged: max.next(),
        }
    }

    /// Collect the afterstates of a slice of states, one list for each direction. They are not
    /// canonical and have repeats; 0 stands for no afterstate. `worker` is the number of the
    /// thread.
    fn collect(&self, worker: usize, afterstates: &[Vec<Board>; 4]) -> Result<()> {
        let scratch = &mut *self.own.scratch.lock(worker);
        let (pool, sorter, keys) = (&mut scratch.pool, &mut scratch.sorter, &mut scratch.keys);
        let fresh = scratch.filter.pass(afterstates, &mut scratch.made);
        self.own.rules.canonicalise(fresh);
        keys.clear();
        keys.extend_from_slice(fresh);
        self.own.codec.encode(keys);

        let mut own = self.own.buckets.lock(worker);
        let mut above = self.above.buckets.lock(worker);
        let mut mergers = 0;
        for (&afterstate, &key) in fresh.iter().zip(keys.iter()) {
            let merged = holds(afterstate, self.merged);
            mergers += usize::from(merged);
            let (candidates, buckets) = match merged {
                true => (self.above, &mut above),
                false => (self.own, &mut own),
            };
            buckets.push(candidates.splitters.range(key), key, pool, sorter)?;
        }
        above.produced += mergers as u64;
        own.produced += (fresh.len() - mergers) as u64;
        Ok(())
    }
}

impl Visit for ExpandStates<'_> {
    type Found = ();

    fn count_and_filter(&self, states: &mut Vec<Board>) -> Tally {
        self.own.rules.census(states)
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
        let tally = self.own.rules.slide(states, self.win, slid);
        self.collect(worker.index, &worker.slid)?;
        Ok(tally)
    }
}

/// A thread's buffers to make and sort candidates. They are reused from layer to layer.
pub(super) struct CandidateScratch {
    pub(super) pool: ChunkPool,
    pub(super) sorter: KeySorter,
    filter: Filter,
    /// New boards, and then their keys.
    pub(super) made: Vec<Board>,
    /// Keys of boards, while the boards are still needed.
    pub(super) keys: Vec<u64>,
    /// Sorted runs of a range.
    pub(super) runs: Vec<Vec<u64>>,
}

impl CandidateScratch {
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

/// Afterstates of a slice: the boards made from it fit a core's first caches.
const SLICE: usize = 1 << 10;

/// Spawn `tile` into every empty cell of a block of afterstates. `emit` gets the key of each
/// resulting board, in canonical form. Returns the number of boards. `made` is scratch space.
///
/// About 6 ns a candidate, without the time of `emit`.
fn expand(
    afterstates: &[Board],
    tile: Exp,
    rules: Rules,
    codec: &KeyCodec,
    made: &mut Vec<u64>,
    mut emit: impl FnMut(u64) -> Result<()>,
) -> Result<u64> {
    let mut candidates = 0;
    for slice in afterstates.chunks(SLICE) {
        made.clear();
        rules.spawn(slice, tile, made);
        rules.canonicalise(made);
        codec.encode(made);
        candidates += made.len() as u64;
        made.iter().try_for_each(|&key| emit(key))?;
    }
    Ok(candidates)
}

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

    /// Put the boards of all lists that are not remembered into `passed`, and remember them. Zeros,
    /// which stand for no board, are dropped.
    fn pass<'a>(&mut self, lists: &[Vec<Board>], passed: &'a mut Vec<Board>) -> &'a mut [Board] {
        let length = lists.iter().map(Vec::len).sum();
        passed.resize(passed.len().max(length), 0);
        let to = &mut passed[..length];
        let mut end = 0;
        for list in lists {
            for &board in list {
                // Multiplying by an odd constant (Knuth's golden ratio) spreads boards over the top
                // bits.
                let slot = board.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS);
                let known = &mut self.table[slot as usize];
                let fresh = (*known != board) & (board != 0);
                *known = board;
                to[end] = board;
                end += usize::from(fresh);
            }
        }
        &mut to[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    #[test]
    fn a_block_expands_to_the_candidates_of_the_rules() {
        let game: Game = "2x2".parse().unwrap();
        let rules = game.rules();
        // 2 . / . . and . . / 4 2 with a 2: the sums are 4 and 8, so each needs its own codec.
        for (afterstate, expected) in [
            (0x2000, vec![0x0012, 0x0012, 0x0120]),
            (0x0021, vec![0x0112, 0x0121]),
        ] {
            let sum = crate::game::sum(afterstate) + 2;
            let codec = KeyCodec::new(sum, Exp::of_tile(8).unwrap());
            let (mut made, mut boards) = (Vec::new(), Vec::new());
            let candidates = expand(&[afterstate], Exp::TWO, rules, &codec, &mut made, |key| {
                boards.push(codec.decode(key));
                Ok(())
            });
            boards.sort_unstable();
            assert_eq!(boards, expected, "{afterstate:#x}");
            assert_eq!(candidates.unwrap(), expected.len() as u64);
        }
    }

    #[test]
    fn the_filter_passes_every_board_at_least_once_and_drops_recent_repeats() {
        let mut filter = Filter::new();
        let mut passed = vec![1; 20];
        let first = [vec![5, 0, 7, 5], vec![], vec![5, 0, 9, 7]];
        assert_eq!(filter.pass(&first, &mut passed), [5, 7, 9]);
        assert_eq!(filter.pass(&[vec![9, 11]], &mut passed), [11]);
        let last = [vec![11, 13], vec![], vec![13, 0, 5, 15]];
        assert_eq!(filter.pass(&last, &mut passed), [13, 15]);
    }
}
