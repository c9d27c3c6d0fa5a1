//! One thread's candidates of one part, in a bucket for each range of ranks.
//!
//! Candidates are put unsorted into chunks, as offsets from the first rank of their range. When the
//! thread's pool of chunks is used up, its full chunks are spilled: the offsets of each bucket are
//! sorted, freed of repeats, and delta-coded in a nameless file, about 1.5 bytes each.

use std::mem;

use super::bitmap::Bitmap;
use crate::engine::chunks::{CHUNK, CHUNK_BYTES, Chunk, ChunkPool};
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::part::delta::{put_deltas, take_deltas};
use crate::store::Spill;
use crate::wide::wide;

/// Bytes that are written to the spill file at once.
const WRITE: usize = 1 << 20;

/// The chunk of a range that is being filled. Most ranges have none.
#[derive(Default)]
struct Bucket {
    open: Chunk,
    /// Words of `open` that are filled.
    filled: usize,
}

impl Bucket {
    fn offsets(&self) -> &[u32] {
        &self.open.0[..self.filled]
    }
}

/// Sorted offsets of a range, in the spill file.
struct SpilledBlock {
    at: u64,
    length: usize,
    first: u64,
    count: u32,
    crc: u32,
}

/// One thread's buckets for one part.
pub(super) struct Buckets {
    /// Bits of an offset. The other bits of a rank are the number of its range.
    bits: u32,
    buckets: Vec<Bucket>,
    /// The full chunks of each bucket.
    full: Vec<Vec<Chunk>>,
    /// The spilled blocks, one for each range each time.
    spilled: Vec<Vec<SpilledBlock>>,
    /// Full chunks that are reserved for these buckets, so that the thread's other buckets cannot
    /// take all memory.
    granted: usize,
    full_chunks: usize,
    pub(super) spill: Spill,
    /// Candidates produced for these buckets. Not counted where they are put, so that the
    /// conservation law catches lost candidates.
    pub(super) produced: u64,
    /// Repeats that were dropped when chunks were spilled.
    pub(super) repeats: u64,
}

impl Buckets {
    /// Empty buckets of `1 << bits` ranks each, which spill to `spill`.
    pub(super) fn new(ranges: usize, bits: u32, plan: &Plan, spill: Spill) -> Self {
        Self {
            bits,
            buckets: (0..ranges).map(|_| Bucket::default()).collect(),
            full: (0..ranges).map(|_| Vec::new()).collect(),
            spilled: Vec::new(),
            granted: plan.granted / CHUNK_BYTES,
            full_chunks: 0,
            spill,
            produced: 0,
            repeats: 0,
        }
    }

    /// Add candidates.
    pub(super) fn put(
        &mut self,
        mut ranks: &[u64],
        pool: &mut ChunkPool,
        bitmap: &mut Bitmap,
    ) -> Result<()> {
        loop {
            let put = put_until_full(&mut self.buckets, self.bits, ranks);
            ranks = &ranks[put..];
            let Some(&rank) = ranks.first() else {
                return Ok(());
            };
            self.next_chunk((rank >> self.bits) as usize, pool, bitmap)?;
        }
    }

    /// Put the full chunk of a bucket aside, if it has one, and make room if the pool is used up.
    #[cold]
    fn next_chunk(
        &mut self,
        range: usize,
        pool: &mut ChunkPool,
        bitmap: &mut Bitmap,
    ) -> Result<()> {
        let next = Bucket {
            open: pool.take(),
            filled: 0,
        };
        let full = mem::replace(&mut self.buckets[range], next).open;
        if full.0.is_empty() {
            return Ok(());
        }
        self.full[range].push(full);
        self.full_chunks += 1;
        if pool.used_up() && self.full_chunks > self.granted {
            self.make_room(pool, bitmap)?;
        }
        Ok(())
    }

    /// Spill all full chunks.
    fn make_room(&mut self, pool: &mut ChunkPool, bitmap: &mut Bitmap) -> Result<()> {
        let (mut offsets, mut deltas, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        let mut blocks = Vec::with_capacity(self.full.len());
        for full in &mut self.full {
            let slices: Vec<&[u32]> = full.iter().map(|chunk| &chunk.0[..]).collect();
            self.repeats += bitmap.take(self.bits, &slices);
            offsets.clear();
            bitmap.ranks(0..1 << self.bits, 0, &mut offsets);
            full.drain(..).for_each(|chunk| pool.give(chunk));
            let length = put_deltas(&offsets, &mut deltas)?;
            let deltas = &deltas[..length];
            blocks.push(SpilledBlock {
                at: self.spill.bytes() + bytes.len() as u64,
                length,
                first: offsets.first().copied().unwrap_or(0),
                count: offsets.len() as u32,
                crc: crc32fast::hash(deltas),
            });
            bytes.extend_from_slice(deltas);
            if bytes.len() >= WRITE {
                self.spill.append(&bytes)?;
                bytes.clear();
            }
        }
        self.spill.append(&bytes)?;
        self.full_chunks = 0;
        self.spilled.push(blocks);
        Ok(())
    }

    /// Number of ranges.
    pub(super) fn ranges(&self) -> usize {
        self.buckets.len()
    }

    /// The number of a range's candidates in memory and in files, repeats included.
    pub(super) fn candidates(&self, range: usize) -> usize {
        let spilled = self
            .spilled
            .iter()
            .map(|blocks| blocks[range].count as usize);
        let open = self.buckets[range].offsets().len();
        self.full[range].len() * CHUNK + open + spilled.sum::<usize>()
    }

    /// The candidates of a range that are in memory and unsorted.
    pub(super) fn unsorted(&self, range: usize) -> impl Iterator<Item = &[u32]> {
        let full = self.full[range].iter().map(|chunk| &chunk.0[..]);
        full.chain([self.buckets[range].offsets()])
    }

    /// The sorted offsets of a range that were spilled together.
    pub(super) fn spilled(&self, range: usize) -> Result<Vec<Vec<u32>>> {
        let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
        let blocks = self.spilled.iter().map(|blocks| &blocks[range]);
        let read = |block: &SpilledBlock| {
            bytes.resize(block.length, 0);
            self.spill.read(block.at, block.crc, &mut bytes)?;
            offsets.clear();
            take_deltas(&bytes, block.first, block.count, &mut offsets)
                .expect("`put_deltas` wrote the bytes");
            Ok(offsets.iter().map(|&offset| offset as u32).collect())
        };
        blocks.filter(|block| block.count > 0).map(read).collect()
    }

    /// Return the chunks of a range to the pool. Its bucket is then empty.
    pub(super) fn release(&mut self, range: usize, pool: &mut ChunkPool) {
        if self.buckets[range].open.0.is_empty() {
            return;
        }
        self.full_chunks -= self.full[range].len();
        let open = mem::take(&mut self.buckets[range]).open;
        let full = mem::take(&mut self.full[range]).into_iter();
        let chunks = full.chain([open]).filter(|chunk| !chunk.0.is_empty());
        chunks.for_each(|chunk| pool.give(chunk));
    }

    /// Return all chunks to the pool.
    pub(super) fn retire(mut self, pool: &mut ChunkPool) {
        (0..self.ranges()).for_each(|range| self.release(range, pool));
    }
}

wide! {
    /// Put candidates into the open chunks, until a chunk is full or missing. Returns their number.
    fn put_until_full(buckets: &mut [Bucket], bits: u32, ranks: &[u64]) -> usize {
        for (put, &rank) in ranks.iter().enumerate() {
            let bucket = &mut buckets[(rank >> bits) as usize];
            let Some(offset) = bucket.open.0.get_mut(bucket.filled) else {
                return put;
            };
            *offset = (rank & ((1 << bits) - 1)) as u32;
            bucket.filled += 1;
        }
        ranks.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn buckets_return_every_candidate_from_chunks_and_files() {
        let place = tempfile::tempdir().unwrap();
        let mix = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // Four ranges of 2^18 ranks each; the last one has few.
        let ranks: Vec<u64> = (0..60_000)
            .map(|i| (mix(i) >> 46) | (i % 3) << 18)
            .chain([3 << 18, (4 << 18) - 1, 3 << 18])
            .collect();
        // First all candidates are in chunks, then some in a file, then most.
        for (limit, spills) in [(1 << 20, false), (170 << 10, true), (64 << 10, true)] {
            let mut pool = ChunkPool::new(limit / CHUNK_BYTES);
            let mut bitmap = Bitmap::default();
            let spill = Spill::new(place.path());
            let mut buckets = Buckets::new(4, 18, &Plan::tiny(1), spill);
            buckets.granted = 0;
            for &rank in &ranks {
                buckets.put(&[rank], &mut pool, &mut bitmap).unwrap();
                assert!(pool.taken <= pool.limit + 6, "{limit}");
            }
            assert_eq!(buckets.spill.bytes() > 0, spills, "{limit}");

            let (mut found, mut held) = (BTreeSet::new(), 0);
            for range in 0..4 {
                let spilled = buckets.spilled(range).unwrap();
                let mut offsets: Vec<u64> = spilled
                    .iter()
                    .flatten()
                    .map(|&offset| offset.into())
                    .collect();
                offsets.extend(
                    buckets
                        .unsorted(range)
                        .flatten()
                        .map(|&offset| u64::from(offset)),
                );
                assert_eq!(offsets.len(), buckets.candidates(range));
                assert!(offsets.iter().all(|&offset| offset < 1 << 18));
                held += offsets.len();
                found.extend(offsets.iter().map(|offset| (range as u64) << 18 | offset));
            }
            assert_eq!(held + buckets.repeats as usize, ranks.len());
            assert_eq!(found, ranks.iter().copied().collect::<BTreeSet<_>>());
            buckets.retire(&mut pool);
            assert_eq!(pool.taken, 0);
        }
    }
}
