//! Packed runs: sorted numbers in delta code, about 1.5 bytes each.
//!
//! A run has a block for each range of keys, or for each row of boards. Its bytes are in chunks of
//! memory or in the spill file.

use super::chunk::{CHUNK, Chunk, ChunkPool};
use crate::error::Result;
use crate::part::delta::{put_deltas, take_deltas};
use crate::store::Spill;

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

/// A sorted run of one thread's keys or boards.
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

    /// Number of keys in a block.
    pub(crate) fn count(&self, block: usize) -> usize {
        self.blocks[block].count as usize
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Add the keys of the next block, strictly increasing. `bytes` is scratch space.
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
            chunk[place] = u32::from_le_bytes(word);
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
            let words = some.iter().flat_map(|chunk| chunk.iter());
            bytes.clear();
            bytes.extend(words.flat_map(|word| word.to_le_bytes()));
            spill.append(&bytes)?;
        }
        self.chunks.drain(..).for_each(|chunk| pool.give(chunk));
        self.spilled = Some(begin);
        Ok(())
    }

    /// Append the keys of a block to `out`, sorted. `bytes` is scratch space.
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
                    let some = &self.chunks[words.start / CHUNK][begin..end];
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
}
