//! Divides the memory bound. All sizes of buffers come from here.

use std::fmt;
use std::time::Duration;

use crate::error::{InputError, Result};
use crate::progress::Stop;

/// The least bound, without [`LEAST_FOR_THREAD`].
const LEAST: usize = 16 << 20;

/// The addition to the least bound for each thread.
const LEAST_FOR_THREAD: usize = 8 << 20;

/// Parts whose candidates the list engine collects at once: a part's states, its afterstates, and
/// the afterstates with the next larger tile.
pub(crate) const PARTS: usize = 3;

/// A frontier of matrices is written at the end of a layer if this much time has passed since the
/// last seal.
const FRONTIER_AFTER: Duration = Duration::from_secs(45);

/// Bytes of the bound for each candidate of a small layer. Memory holds the candidates of all parts,
/// the afterstates of two sums and the states of the layer before at once, and every part has its own
/// buckets.
const SMALL: u64 = 576;

/// The form of a layer while it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// Sorted lists of states: for every size of board and of memory.
    Lists,
    /// Matrices with a bit for every board of the sum: for 4x4, if they fit in memory.
    Bits,
}

/// Buffer sizes under a memory bound.
///
/// The bound is for data. The program itself (code, stacks, compression contexts) needs up to
/// 400 MiB more, as measured up to a bound of 16 GiB. The bound is divided as follows:
///
/// | fraction | use |
/// |---|---|
/// | 5/8 | candidates: the states of a part, its afterstates, and the afterstates with the next larger tile, in any proportion |
/// | 1/32 each | reserved for these three kinds of candidates |
/// | 1/12 | scratch space to drop repeats and to merge in |
/// | 1/8 | the sorted states of two batches and their encoded blocks |
///
/// Matrices take the memory that they need, and the table divides the rest. A sixteenth of the
/// bound is the scratch memory for their quarter turn. The moves down take a quarter of the bound
/// in the largest layer, or less if other matrices need it. In smaller layers they also take the
/// memory that these layers leave. If a layer needs more, they are made in batches.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The bound, in bytes.
    memory: u64,
    threads: usize,
    /// zstd level of the files, 1 to 22.
    pub level: i32,
    /// The engine that the user chose; `None` leaves the choice to the program.
    pub engine: Option<Engine>,
    /// Ends the work when it is asked.
    pub stop: Stop,
    /// Bytes of scratch memory for a turn of matrices.
    pub(crate) turn: u64,
    /// Most bytes of moves down of a batch in the largest layer.
    pub(crate) moves_down: u64,
    /// Bytes of matrices beside this plan's memory.
    pub(crate) matrices: u64,
    /// The least time between two frontiers of matrices on disk.
    pub(crate) frontier_after: Duration,
    /// Bytes for the candidates of a thread.
    pub(crate) chunks: usize,
    /// Bytes of candidates that are reserved for each part for which a thread has buckets.
    pub(crate) granted: usize,
    /// Most candidates that a task of lists takes at once.
    pub(crate) sort: usize,
    /// Most candidates of a batch.
    pub(crate) batch: usize,
    /// Most candidates of a layer whose parts are counted together.
    pub(crate) small: u64,
}

/// The default zstd level.
pub const LEVEL: i32 = 1;

impl Plan {
    /// Divide `memory` bytes among `threads`.
    ///
    /// # Errors
    ///
    /// [`InputError::Memory`], with the least bound that works, if the bound is too small.
    pub fn new(memory: u64, threads: usize) -> Result<Self> {
        let threads = threads.max(1);
        let least = least(threads);
        if memory < least {
            return Err(InputError::Memory {
                given: memory_text(memory),
                least: format!("{}M", least.div_ceil(1 << 20)),
                threads,
            }
            .into());
        }
        let bound = memory;
        let memory = usize::try_from(bound).unwrap_or(usize::MAX);
        // A bitmap takes up to 32 bytes a candidate, and a board 8. A merge holds five boards for one.
        let sort = (memory / 12 / threads / 40).min(1 << 22);
        // A sorted state takes 8 bytes, and its encoded form about 2. Vectors double when they
        // grow. One batch is sorted while the batch before it is encoded.
        let batch = (memory / 8 / 40).min(1 << 24);
        Ok(Self {
            memory: bound,
            threads,
            level: LEVEL,
            engine: None,
            stop: Stop::default(),
            turn: bound / 16,
            moves_down: bound / 4,
            matrices: 0,
            frontier_after: FRONTIER_AFTER,
            chunks: memory / 8 * 5 / threads,
            granted: memory / 32 / threads,
            sort,
            batch,
            small: (bound / SMALL).min(1 << 24),
        })
    }

    /// Set the engine; `None` leaves the choice to the program.
    #[must_use]
    pub fn with_engine(mut self, engine: Option<Engine>) -> Self {
        self.engine = engine;
        self
    }

    /// Set the [`Stop`] that ends the work.
    #[must_use]
    pub fn with_stop(mut self, stop: Stop) -> Self {
        self.stop = stop;
        self
    }

    /// Use batches that fit the caches of the cores. They touch less new memory, which is costly in
    /// a short-lived process.
    pub(crate) fn with_short_batches(mut self) -> Self {
        self.batch = self.batch.min(self.threads << 18);
        self
    }

    /// The plan for the memory beside `bytes` bytes, with the boards of `parts` parts collected at
    /// once; `None` if too little memory remains.
    pub(crate) fn beside(&self, bytes: u64, parts: usize) -> Option<Self> {
        let rest = Self::new(self.memory.checked_sub(bytes)?, self.threads).ok()?;
        Some(Self {
            level: self.level,
            engine: self.engine,
            stop: self.stop.clone(),
            turn: self.turn,
            moves_down: self.moves_down,
            frontier_after: self.frontier_after,
            matrices: bytes,
            granted: rest.granted * PARTS / parts,
            ..rest
        })
    }

    /// The plan for the memory beside `bytes` bytes of other work, or for the least memory.
    pub(crate) fn without(&self, bytes: u64) -> Self {
        let memory = self.memory.saturating_sub(bytes).max(self.least());
        let rest = Self::new(memory, self.threads).expect("the memory is enough");
        Self {
            level: self.level,
            engine: self.engine,
            stop: self.stop.clone(),
            ..rest
        }
    }

    /// Bytes that matrices can take if nothing else needs memory.
    pub(crate) fn all_memory(&self) -> u64 {
        self.matrices + self.memory - self.least()
    }

    /// The least memory for the plan's threads.
    pub(crate) fn least(&self) -> u64 {
        least(self.threads)
    }

    /// The bound, in bytes.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The bound as text, such as `512M`.
    pub(crate) fn memory_text(&self) -> String {
        memory_text(self.memory)
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lists => "lists",
            Self::Bits => "bits",
        })
    }
}

/// The least bound for a number of threads.
fn least(threads: usize) -> u64 {
    LEAST.saturating_add(LEAST_FOR_THREAD.saturating_mul(threads)) as u64
}

pub(crate) fn memory_text(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes}"),
        1024..1_048_576 => format!("{}K", bytes >> 10),
        _ => format!("{}M", bytes >> 20),
    }
}

#[cfg(test)]
impl Plan {
    /// A plan so small that even small games spill their candidates, split ranges, take
    /// many batches, and write a frontier after each layer.
    pub(crate) fn tiny(threads: usize) -> Self {
        Self {
            memory: 0,
            threads,
            level: LEVEL,
            engine: Some(Engine::Lists),
            stop: Stop::default(),
            turn: 0,
            moves_down: 0,
            matrices: 0,
            frontier_after: Duration::ZERO,
            chunks: 48 << 10,
            granted: 16 << 10,
            sort: 1500,
            batch: 5000,
            small: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_a_small_bound_names_the_least_bound() {
        let error = Plan::new(1 << 20, 2).unwrap_err().to_string();
        assert_eq!(
            error,
            "memory 1M: too little: --threads 2 takes at least 32M (or give fewer --threads)"
        );
        assert!(Plan::new(32 << 20, 2).is_ok());
        assert!(Plan::new((32 << 20) - 1, 2).is_err());
        assert!(Plan::new(1 << 40, usize::MAX / 2).is_err());
    }

    #[test]
    fn buffers_add_up_to_no_more_than_the_bound() {
        for memory in [24u64 << 20, 64 << 20, 4 << 30, 1 << 40] {
            for threads in [1, 2, 7, 64] {
                let Ok(plan) = Plan::new(memory, threads) else {
                    continue;
                };
                let candidates = threads * (plan.chunks + 3 * plan.granted);
                let sum = candidates + threads * plan.sort * 40 + plan.batch * 40;
                assert!(sum as u64 <= memory, "{sum} of {memory} for {threads}");
            }
        }
    }
}
