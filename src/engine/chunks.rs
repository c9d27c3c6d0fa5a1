//! Chunks of memory on huge pages.
//!
//! Key idea: candidates are scattered over thousands of chunks, so with pages of 4 KiB nearly every
//! store would miss the TLB. Chunks are cut from huge pages of 2 MiB, if the system has them. Pages
//! are never freed, and dropped chunks are reused. A thread takes all its chunks from one pool, so
//! any user of the pool can take the memory that the other users do not need.

use std::mem;
use std::ops::DerefMut;
use std::sync::{Mutex, MutexGuard};

use crate::pages::Pages;

/// Words of a chunk. Tests use small chunks, so that small games fill many.
pub(crate) const CHUNK: usize = if cfg!(test) { 64 } else { 1024 };

pub(crate) const CHUNK_BYTES: usize = CHUNK * size_of::<u32>();

/// Bytes of a huge page.
const SLAB: usize = 2 << 20;

/// Chunks that are not in use.
static STOCK: Mutex<Vec<&'static mut [u32]>> = Mutex::new(Vec::new());

/// A chunk of [`CHUNK`] words, or of none. A new chunk still holds the data of its last use.
#[derive(Default)]
pub(crate) struct Chunk(pub(crate) &'static mut [u32]);

impl Chunk {
    /// Put at least one chunk into `free`.
    pub(crate) fn supply(free: &mut Vec<Self>) {
        let mut stock = stock();
        if stock.is_empty() {
            stock.extend(slab().chunks_exact_mut(CHUNK));
        }
        let rest = stock.len().saturating_sub(SLAB / CHUNK_BYTES);
        free.extend(stock.drain(rest..).map(Self));
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            stock().push(mem::take(&mut self.0));
        }
    }
}

fn stock() -> MutexGuard<'static, Vec<&'static mut [u32]>> {
    STOCK.lock().expect("no thread panics with it")
}

/// A new huge page, never freed.
fn slab() -> &'static mut [u32] {
    const WORDS: usize = SLAB / size_of::<u32>();
    match Pages::new(WORDS) {
        Ok(pages) => Box::leak(Box::new(pages)).deref_mut(),
        Err(_) => vec![0; WORDS].leak(),
    }
}

/// The chunks of one thread.
pub(crate) struct ChunkPool {
    /// Chunks that are ready for use.
    free: Vec<Chunk>,
    /// Chunks that are in use.
    pub(crate) taken: usize,
    /// Most chunks that should be in use; see [`ChunkPool::used_up`].
    pub(crate) limit: usize,
}

impl ChunkPool {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            free: Vec::new(),
            taken: 0,
            limit,
        }
    }

    /// Take a chunk, even if the pool is used up.
    pub(crate) fn take(&mut self) -> Chunk {
        self.taken += 1;
        if self.free.is_empty() {
            Chunk::supply(&mut self.free);
        }
        self.free.pop().expect("some were supplied")
    }

    /// Return a chunk to the pool.
    pub(crate) fn give(&mut self, chunk: Chunk) {
        self.taken -= 1;
        self.free.push(chunk);
    }

    /// Lower the limit by one chunk. Its memory has another use.
    pub(crate) fn cede(&mut self) {
        self.limit = self.limit.saturating_sub(1);
    }

    /// Whether more chunks are in use than the limit allows.
    pub(crate) fn used_up(&self) -> bool {
        self.taken > self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_has_one_user_at_a_time() {
        let mut mine = Vec::new();
        while mine.len() < 1000 {
            Chunk::supply(&mut mine);
        }
        for (number, chunk) in (0..).zip(&mut mine) {
            assert_eq!(chunk.0.len(), CHUNK);
            chunk.0.fill(number);
        }
        for (number, chunk) in (0..).zip(&mine) {
            assert!(chunk.0.iter().all(|&word| word == number));
        }
    }

    #[test]
    fn a_pool_knows_its_limit_and_keeps_returned_chunks() {
        let mut pool = ChunkPool::new(2);
        let chunks: Vec<Chunk> = (0..3).map(|_| pool.take()).collect();
        assert!(pool.used_up());
        chunks.into_iter().for_each(|chunk| pool.give(chunk));
        assert!(!pool.used_up() && pool.taken == 0);
        assert!(pool.free.len() >= 3, "returned chunks are kept");
    }
}
