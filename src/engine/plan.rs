//! How a memory bound is shared out. All sizes of buffers come from here.

use crate::error::{Error, Result};

/// Bytes that a bound must allow for each thread, and once.
const LEAST_FOR_THREAD: usize = 8 << 20;
const LEAST: usize = 16 << 20;

/// Candidates of a key range that sort well: with their scratch space they fit a core's cache.
const RANGE: usize = 1 << 15;

/// Candidates that a small part is cut into ranges of, so that all threads have work.
const SMALL_RANGE: usize = 1 << 12;

/// Buffer sizes under a memory bound.
///
/// The bound is for data; the program itself (code, stacks, compression contexts) comes on top, and
/// stays under 200 MiB. The shares, of the whole bound:
///
/// | share | for |
/// |---|---|
/// | 2/5 | candidates of the states of a part |
/// | 1/8, twice | candidates of the afterstates of a part and of the next larger tile |
/// | 1/6 | scratch to sort and merge in |
/// | 1/8 | sorted states of a wave and their encoded blocks |
#[derive(Clone, Debug)]
pub struct Plan {
    /// The bound.
    memory: u64,
    threads: usize,
    /// zstd level of the files.
    level: i32,
    /// Bytes of candidate states that a thread holds.
    pub(crate) spawned_bytes: usize,
    /// Bytes of candidate afterstates of one part that a thread holds.
    pub(crate) moved_bytes: usize,
    /// Most candidates that are sorted at once.
    pub(crate) unit: usize,
    /// Most candidates between two writes.
    pub(crate) wave: usize,
}

/// zstd level if none is given.
pub const LEVEL: i32 = 5;

impl Plan {
    /// Share out `memory` bytes among `threads`.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`], saying the least that works, if the bound is too small.
    pub fn new(memory: u64, threads: usize) -> Result<Self> {
        let threads = threads.max(1);
        let least = LEAST + LEAST_FOR_THREAD * threads;
        if memory < least as u64 {
            let mebi = |bytes: u64| format!("{}M", bytes.div_ceil(1 << 20));
            let (given, least) = (memory_text(memory), mebi(least as u64));
            return Err(Error::Memory {
                given,
                least,
                threads,
            });
        }
        let bound = memory;
        let memory = usize::try_from(bound).unwrap_or(usize::MAX);
        // Sorting takes the values twice, and merging them twice again: 32 bytes each.
        let unit = (memory / 6 / threads / 32).min(1 << 22);
        // A sorted state takes 8 bytes, its encoded form about 2, and vectors grow by halves.
        let wave = (memory / 8 / 16).min(1 << 21);
        Ok(Self {
            memory: bound,
            threads,
            level: LEVEL,
            spawned_bytes: memory / 5 * 2 / threads,
            moved_bytes: memory / 8 / threads,
            unit,
            wave,
        })
    }

    /// The same with another zstd level, 1 to 22.
    #[must_use]
    pub fn with_level(mut self, level: i32) -> Self {
        self.level = level;
        self
    }

    /// A plan so small that even little games compact, spill, split ranges and take many waves.
    #[cfg(test)]
    pub(crate) fn tiny(threads: usize) -> Self {
        let (memory, level) = (0, LEVEL);
        Self {
            memory,
            threads,
            level,
            spawned_bytes: 48 << 10,
            moved_bytes: 24 << 10,
            unit: 1500,
            wave: 5000,
        }
    }

    /// The bound, in bytes.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Number of threads.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// zstd level of the files.
    #[must_use]
    pub fn level(&self) -> i32 {
        self.level
    }

    /// Into how many key ranges to cut a part of about `candidates`, if a thread may hold `bytes`.
    pub(crate) fn ranges(&self, candidates: u64, bytes: usize) -> usize {
        let candidates = candidates as usize;
        let for_cache = candidates / RANGE.min(self.unit / 2);
        let for_threads = (candidates / SMALL_RANGE).min(8 * self.threads);
        // Each range has a chunk that is being filled; those may take a quarter of the memory.
        let most = bytes / super::lot::CHUNK_BYTES / 4;
        for_cache.max(for_threads).clamp(1, most.clamp(1, 4096))
    }

    /// Candidates that a range of [`Plan::ranges`] should have.
    pub(crate) fn range_target(&self) -> usize {
        RANGE.min(self.unit / 2)
    }
}

fn memory_text(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes}"),
        1024..1_048_576 => format!("{}K", bytes >> 10),
        _ => format!("{}M", bytes >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_too_small_names_the_least_that_works() {
        let error = Plan::new(1 << 20, 2).unwrap_err().to_string();
        assert_eq!(
            error,
            "memory 1M: too little: 2 threads need at least 32M (or give fewer --threads)"
        );
        assert!(Plan::new(32 << 20, 2).is_ok());
        assert!(Plan::new((32 << 20) - 1, 2).is_err());
    }

    #[test]
    fn shares_add_up_to_no_more_than_the_bound() {
        for memory in [24u64 << 20, 64 << 20, 4 << 30, 1 << 40] {
            for threads in [1, 2, 7, 64] {
                let Ok(plan) = Plan::new(memory, threads) else {
                    continue;
                };
                let lots = threads * (plan.spawned_bytes + 2 * plan.moved_bytes);
                let sum = lots + threads * plan.unit * 32 + plan.wave * 16;
                assert!(sum as u64 <= memory, "{sum} of {memory} for {threads}");
                assert!(plan.ranges(u64::MAX >> 1, plan.moved_bytes) >= 16);
            }
        }
    }
}
