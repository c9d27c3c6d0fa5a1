//! How a memory bound is shared out. All sizes of buffers come from here.

use crate::error::{Error, Result};

/// Bytes that a bound must allow for each thread, and once.
const LEAST_FOR_THREAD: usize = 8 << 20;
const LEAST: usize = 16 << 20;

/// Candidates of a range that sort well: with their scratch space they fit a core's cache.
const RANGE: usize = 1 << 16;

/// Candidates that a small part is cut into ranges of, so that all threads have work.
const SMALL_RANGE: usize = 1 << 12;

/// Buffer sizes under a memory bound.
///
/// The bound is for data; the program itself (code, stacks, compression contexts) comes on top, and
/// stays under 200 MiB. The shares, of the whole bound:
///
/// | share | for |
/// |---|---|
/// | 5/8 | candidates: of the states of a part, of its afterstates, and of those with the next larger tile, whichever need it |
/// | 1/32, thrice | what each of these is granted if the others took all |
/// | 1/12 | scratch to sort and merge in |
/// | 1/8 | sorted states of two waves and their encoded blocks |
#[derive(Clone, Debug)]
pub struct Plan {
    /// The bound.
    memory: u64,
    threads: usize,
    /// zstd level of the files.
    level: i32,
    /// Bytes of candidates that a thread holds.
    pub(crate) supplies: usize,
    /// Bytes of candidates that each lot of a thread is granted.
    pub(crate) granted: usize,
    /// Most candidates that are sorted at once.
    pub(crate) unit: usize,
    /// Most candidates between two writes.
    pub(crate) wave: usize,
}

/// zstd level if none is given.
pub const LEVEL: i32 = 4;

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
        // Sorting takes the values twice, and merging them thrice again: 40 bytes each.
        let unit = (memory / 12 / threads / 40).min(1 << 22);
        // A sorted state takes 8 bytes, its encoded form about 2, vectors grow by halves, and one
        // wave is sorted while the one before is encoded.
        let wave = (memory / 8 / 40).min(1 << 24);
        Ok(Self {
            memory: bound,
            threads,
            level: LEVEL,
            supplies: memory / 8 * 5 / threads,
            granted: memory / 32 / threads,
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
            supplies: 48 << 10,
            granted: 16 << 10,
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

    /// Into how many ranges to cut a part of about `candidates`.
    pub(crate) fn ranges(&self, candidates: u64) -> usize {
        let candidates = candidates as usize;
        let for_cache = candidates / RANGE.min(self.unit / 2);
        let for_threads = (candidates / SMALL_RANGE).min(8 * self.threads);
        // Each range has a chunk that is being filled, in three lots: those may take a quarter.
        let most = self.supplies / super::chunk::CHUNK_BYTES / 12;
        for_cache.max(for_threads).clamp(1, most.clamp(1, 8192))
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
                let lots = threads * (plan.supplies + 3 * plan.granted);
                let sum = lots + threads * plan.unit * 40 + plan.wave * 40;
                assert!(sum as u64 <= memory, "{sum} of {memory} for {threads}");
                assert!(plan.ranges(u64::MAX >> 1) >= 16);
            }
        }
    }
}
