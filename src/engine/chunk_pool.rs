//! A thread's chunks: all that collects candidates or boards takes them from one pool, so whichever
//! needs memory has what the others leave.

use super::chunk::Chunk;

/// The chunks that one thread may have.
pub(crate) struct ChunkPool {
    /// Chunks for the next who asks.
    free: Vec<Chunk>,
    /// Chunks that are in use.
    taken: usize,
    /// Chunks that should be in use at most; [`ChunkPool::used_up`] says when.
    limit: usize,
}

impl ChunkPool {
    /// A pool of `limit` chunks.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            free: Vec::new(),
            taken: 0,
            limit,
        }
    }

    /// A chunk, even if the pool is used up.
    pub(crate) fn take(&mut self) -> Chunk {
        self.taken += 1;
        if self.free.is_empty() {
            Chunk::supply(&mut self.free);
        }
        self.free.pop().expect("some were supplied")
    }

    /// Give a chunk back.
    pub(crate) fn give(&mut self, chunk: Chunk) {
        self.taken -= 1;
        self.free.push(chunk);
    }

    /// Have room for one chunk less: as much memory is used for something else.
    pub(crate) fn cede(&mut self) {
        self.limit = self.limit.saturating_sub(1);
    }

    /// Whether more chunks are taken than should be.
    pub(crate) fn used_up(&self) -> bool {
        self.taken > self.limit
    }

    /// Chunks that should be in use at most.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Chunks that are in use.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_says_when_it_is_used_up_and_keeps_what_comes_back() {
        let mut pool = ChunkPool::new(2);
        let chunks: Vec<Chunk> = (0..3).map(|_| pool.take()).collect();
        assert!(pool.used_up());
        chunks.into_iter().for_each(|chunk| pool.give(chunk));
        assert!(!pool.used_up() && pool.taken() == 0);
        assert!(pool.free.len() >= 3, "for the next who asks");
    }
}
