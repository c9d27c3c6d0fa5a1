//! Chunks of memory on huge pages, and packed runs in them: sorted numbers in delta code, about 1.5
//! bytes each.
//!
//! Key idea: candidates are scattered over thousands of chunks, so with pages of 4 KiB nearly every
//! store would miss the TLB. Chunks are cut from huge pages of 2 MiB, if the system has them. Pages
//! are never freed, and dropped chunks are reused. A thread takes all its chunks from one pool, so
//! any user of the pool can take the memory that the other users do not need.
//!
//! A run has a block for each range of ranks, or for each row of boards. Its bytes are in chunks of
//! memory or in the spill file.

use std::mem;
use std::ops::DerefMut;
use std::sync::{Mutex, MutexGuard};

use crate::error::Result;
use crate::pages::Pages;
use crate::part::delta::{put_deltas, take_deltas};
use crate::store::Spill;

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
    taken: usize,
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

const WORD: usize = size_of::<u32>();

/// Chunks per write to the file.
const WRITE: usize = 256;

/// A block of a run: its location and a summary of its content.
struct PackedBlock {
    /// Offset of the first byte, a multiple of [`WORD`].
    at: u64,
    length: usize,
    first: u64,
    count: u32,
    /// CRC-32 of the bytes, because they may be read from a disk.
    crc: u32,
}

impl PackedBlock {
    /// The number of the first word after the block.
    fn end(&self) -> usize {
        self.at as usize / WORD + self.length.div_ceil(WORD)
    }
}

/// A sorted run of one thread's candidates or boards.
#[derive(Default)]
pub(crate) struct PackedRun {
    blocks: Vec<PackedBlock>,
    /// The bytes of the run, unless they are in the spill file.
    chunks: Vec<Chunk>,
    /// The offset of the run's bytes in the spill file.
    spilled: Option<u64>,
}

impl PackedRun {
    /// Chunks of memory that the run occupies.
    pub(crate) fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Number of boards in a block.
    pub(crate) fn count(&self, block: usize) -> usize {
        self.blocks[block].count as usize
    }

    /// Add the numbers of the next block, strictly increasing. `bytes` is scratch space.
    pub(crate) fn append(
        &mut self,
        keys: &[u64],
        bytes: &mut Vec<u8>,
        pool: &mut ChunkPool,
    ) -> Result<()> {
        let length = put_deltas(keys, bytes)?;
        let words = self.blocks.last().map_or(0, PackedBlock::end);
        self.blocks.push(PackedBlock {
            at: (words * WORD) as u64,
            length,
            first: keys.first().copied().unwrap_or(0),
            count: keys.len() as u32,
            crc: crc32fast::hash(&bytes[..length]),
        });
        for (place, four) in (words..).zip(bytes[..length].chunks(WORD)) {
            let mut word = [0; WORD];
            word[..four.len()].copy_from_slice(four);
            let place = place % CHUNK;
            if place == 0 {
                self.chunks.push(pool.take());
            }
            let chunk = self
                .chunks
                .last_mut()
                .expect("a chunk was taken for the first word");
            chunk.0[place] = u32::from_le_bytes(word);
        }
        Ok(())
    }

    /// Move the run from memory to the spill file.
    pub(crate) fn spill(&mut self, spill: &mut Spill, pool: &mut ChunkPool) -> Result<()> {
        if self.spilled.is_some() {
            return Ok(());
        }
        let begin = spill.bytes();
        let mut bytes = Vec::new();
        for some in self.chunks.chunks(WRITE) {
            let words = some.iter().flat_map(|chunk| chunk.0.iter());
            bytes.clear();
            bytes.extend(words.flat_map(|word| word.to_le_bytes()));
            spill.append(&bytes)?;
        }
        self.chunks.drain(..).for_each(|chunk| pool.give(chunk));
        self.spilled = Some(begin);
        Ok(())
    }

    /// Append the numbers of a block to `out`, sorted. `bytes` is scratch space.
    pub(crate) fn read(
        &self,
        block: usize,
        spill: &Spill,
        bytes: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        let block = &self.blocks[block];
        if block.count == 0 {
            return Ok(());
        }
        bytes.clear();
        match self.spilled {
            None => {
                let mut words = block.at as usize / WORD..block.end();
                while !words.is_empty() {
                    let begin = words.start % CHUNK;
                    let end = CHUNK.min(begin + words.len());
                    let some = &self.chunks[words.start / CHUNK].0[begin..end];
                    bytes.extend(some.iter().flat_map(|word| word.to_le_bytes()));
                    words.start += some.len();
                }
                bytes.truncate(block.length);
            }
            Some(begin) => {
                bytes.resize(block.length, 0);
                spill.read(begin + block.at, block.crc, bytes)?;
            }
        }
        take_deltas(bytes, block.first, block.count, out).expect("`put_deltas` wrote the bytes");
        Ok(())
    }

    /// Return the chunks to the pool.
    pub(crate) fn retire(self, pool: &mut ChunkPool) {
        self.chunks.into_iter().for_each(|chunk| pool.give(chunk));
    }
}

#[cfg(test)]
impl ChunkPool {
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_read_back_from_memory_and_from_a_file() {
        let place = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(place.path());
        spill.append(b"bytes of another run").unwrap();
        let mut pool = ChunkPool::new(1000);
        // Small steps, an empty range, a single key, and large steps that fill several chunks.
        let ranges: [Vec<u64>; 4] = [
            (0..50_000).map(|i| i * 3).collect(),
            vec![],
            vec![1 << 40],
            (0..500).map(|i| (1 << 41) + i * i * 1_000_003).collect(),
        ];
        let mut run = PackedRun::default();
        for keys in &ranges {
            run.append(keys, &mut Vec::new(), &mut pool).unwrap();
        }
        assert_eq!(run.chunks(), pool.taken());
        let check = |run: &PackedRun, spill: &Spill| {
            for (range, keys) in ranges.iter().enumerate() {
                assert_eq!(run.count(range), keys.len());
                let (mut found, mut bytes) = (Vec::new(), Vec::new());
                run.read(range, spill, &mut bytes, &mut found).unwrap();
                assert_eq!(found, *keys, "{range}");
            }
        };
        check(&run, &spill);
        run.spill(&mut spill, &mut pool).unwrap();
        assert_eq!((run.chunks(), pool.taken()), (0, 0));
        check(&run, &spill);
    }

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
        assert!(!pool.used_up() && pool.taken() == 0);
        assert!(pool.free.len() >= 3, "returned chunks are kept");
    }
}
