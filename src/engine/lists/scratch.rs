//! A thread's memory for candidates.

use super::filter::Filter;
use super::key_sorter::KeySorter;
use crate::engine::chunk::CHUNK_BYTES;
use crate::engine::chunk_pool::ChunkPool;
use crate::engine::plan::Plan;
use crate::game::Board;

/// What a thread makes and sorts candidates with; it lives as long as the count.
pub(super) struct Scratch {
    pub(super) pool: ChunkPool,
    pub(super) sorter: KeySorter,
    pub(super) filter: Filter,
    /// Boards just made, and then their keys.
    pub(super) made: Vec<Board>,
    /// Keys of boards that are still needed themselves.
    pub(super) keys: Vec<u64>,
    /// Sorted runs of a range.
    pub(super) runs: Vec<Vec<u64>>,
}

impl Scratch {
    /// One thread's share of a plan.
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
