//! One thread's candidates of one part, in a bucket for each range of ranks.
//!
//! Candidates are put unsorted into chunks, as offsets from the first rank of their range. When the
//! thread's pool of chunks is used up, its full chunks are spilled: the offsets of each bucket are
//! sorted, freed of repeats, and delta-coded in a nameless file, about 1.5 bytes each.
//!
//! If all bits of a part fit a core's second cache, its chunks hold the bits of ranges instead. A candidate
//! then sets its bit at once.

use std::mem;

use super::bitmap::{self, Bitmap};
use crate::engine::chunks::{CHUNK, CHUNK_BYTES, Chunk, ChunkPool};
use crate::engine::plan::{PARTS, Plan};
use crate::error::Result;
use crate::part::delta::{put_deltas, take_deltas};
use crate::store::Spill;
use crate::wide::wide;

/// Bytes that are written to the spill file at once.
const WRITE: usize = 1 << 20;

/// Candidates of a range of a small part. Smaller ranges give all threads work. Most boards that stand for
/// their images have low ranks, so some ranges have most candidates.
const SMALL_RANGE: u64 = 1 << 10;

/// Parts with more ranks for each candidate are not dense: their words would be cleared and read in vain.
const DENSE: u64 = 64;

/// Ranks whose bits fit a chunk, as a power of two.
const CHUNK_BITS: u32 = (CHUNK * 32).ilog2();

/// How the ranks of a part are cut.
#[derive(Clone, Copy)]
pub(super) struct Ranges {
    pub(super) number: usize,
    /// Bits of an offset: a range has `1 << bits` ranks. The other bits of a rank are the number of its range.
    pub(super) bits: u32,
    /// Whether the open chunk of a range has a bit for each rank, instead of offsets.
    pub(super) dense: bool,
}

impl Ranges {
    /// The ranges of a part of `boards` ranks and about `candidates` candidates.
    pub(super) fn new(boards: u64, candidates: u64, plan: &Plan) -> Self {
        let for_cache = (boards / bitmap::FIT).min(candidates / bitmap::SPARSE);
        let for_threads = (candidates / SMALL_RANGE).min(32 * plan.threads() as u64);
        // Each range has a partly filled chunk in the buckets of each part. These chunks may take a
        // quarter of the memory.
        let most = (plan.chunks / CHUNK_BYTES / (4 * PARTS)).clamp(1, 8192) as u64;
        let ranges = for_cache.max(for_threads).clamp(1, most);
        // An offset has 32 bits.
        let bits = (boards / ranges).max(64).ilog2().min(31) + 1;
        let fits = boards <= bitmap::FIT && boards >> CHUNK_BITS < most;
        let dense = fits && candidates * DENSE >= boards;
        let bits = if dense { bits.min(CHUNK_BITS) } else { bits };
        Self {
            number: (boards >> bits) as usize + 1,
            bits,
            dense,
        }
    }
}

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
    ranges: Ranges,
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
    /// Repeats that were dropped when a bit was set already, or when chunks were spilled.
    pub(super) repeats: u64,
}

impl Buckets {
    /// Empty buckets, which spill to `spill`.
    pub(super) fn new(ranges: Ranges, plan: &Plan, spill: Spill) -> Self {
        Self {
            ranges,
            buckets: (0..ranges.number).map(|_| Bucket::default()).collect(),
            full: (0..ranges.number).map(|_| Vec::new()).collect(),
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
        let Ranges { bits, dense, .. } = self.ranges;
        loop {
            let put = match dense {
                true => set_until_missing(&mut self.buckets, bits, ranks, &mut self.repeats),
                false => put_until_full(&mut self.buckets, bits, ranks),
            };
            ranks = &ranks[put..];
            let Some(&rank) = ranks.first() else {
                return Ok(());
            };
            self.next_chunk((rank >> bits) as usize, pool, bitmap)?;
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
        let open = pool.take();
        if self.ranges.dense {
            open.0.fill(0);
        }
        let next = Bucket { open, filled: 0 };
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
            self.repeats += bitmap.take(self.ranges.bits, &slices);
            offsets.clear();
            bitmap.ranks(0..1 << self.ranges.bits, 0, &mut offsets);
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

    /// The number of a range's candidates in memory and in files, repeats included.
    pub(super) fn candidates(&self, range: usize) -> usize {
        if let Some(words) = self.words(range) {
            return count(words);
        }
        let spilled = self
            .spilled
            .iter()
            .map(|blocks| blocks[range].count as usize);
        let open = self.buckets[range].offsets().len();
        self.full[range].len() * CHUNK + open + spilled.sum::<usize>()
    }

    /// The bits of a range, if the ranges are dense. There may be more words than the range has, or none.
    pub(super) fn words(&self, range: usize) -> Option<&[u32]> {
        self.ranges.dense.then(|| &*self.buckets[range].open.0)
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
        (0..self.ranges.number).for_each(|range| self.release(range, pool));
    }
}

wide! {
    /// Set the bits of candidates, until a chunk is missing. Returns how many candidates were put.
    /// Adds to `repeats` how many of them had their bit already.
    fn set_until_missing(buckets: &mut [Bucket], bits: u32, ranks: &[u64], repeats: &mut u64) -> usize {
        let mut set_before = 0;
        let mut put = ranks.len();
        for (at, &rank) in ranks.iter().enumerate() {
            let bucket = &mut buckets[(rank >> bits) as usize];
            let offset = (rank & ((1 << bits) - 1)) as u32;
            let Some(word) = bucket.open.0.get_mut(offset as usize / 32) else {
                put = at;
                break;
            };
            set_before += u64::from(*word >> (offset % 32) & 1);
            *word |= 1 << (offset % 32);
        }
        *repeats += set_before;
        put
    }
}

wide! {
    /// Number of bits.
    fn count(words: &[u32]) -> usize {
        words.iter().map(|word| word.count_ones() as usize).sum()
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
            let ranges = Ranges {
                number: 4,
                bits: 18,
                dense: false,
            };
            let mut buckets = Buckets::new(ranges, &Plan::tiny(1), spill);
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

    #[test]
    fn dense_buckets_of_some_threads_have_every_candidate_once() {
        let place = tempfile::tempdir().unwrap();
        let mut random = fastrand::Rng::with_seed(66);
        let mut pool = ChunkPool::new(1);
        let mut bitmap = Bitmap::default();
        // The second game after the first uses its chunks again.
        for bits in [CHUNK_BITS, 8] {
            let ranges = Ranges {
                number: 5,
                bits,
                dense: true,
            };
            let ranks: [Vec<u64>; 3] = [0, 700, 700].map(|number| {
                let ranks = (0..number).map(|_| random.u64(..4 << bits).min(3 << bits));
                ranks.collect()
            });
            let threads = ranks.each_ref().map(|ranks| {
                let mut buckets = Buckets::new(ranges, &Plan::tiny(3), Spill::new(place.path()));
                buckets.put(ranks, &mut pool, &mut bitmap).unwrap();
                buckets
            });
            let mut repeats: u64 = threads.iter().map(|own| own.repeats).sum();
            let mut found = Vec::new();
            for range in 0..5 {
                let words = threads.iter().filter_map(|own| own.words(range));
                let set: usize = threads.iter().map(|own| own.candidates(range)).sum();
                let (before, repeated) = (found.len(), bitmap.join(bits, words));
                bitmap.ranks(0..1 << bits, (range as u64) << bits, &mut found);
                assert_eq!(set - repeated as usize, found.len() - before);
                repeats += repeated;
            }
            let expected: BTreeSet<u64> = ranks.iter().flatten().copied().collect();
            assert!(found.iter().eq(&expected));
            assert_eq!(found.len() + repeats as usize, 1400);
            threads.into_iter().for_each(|own| own.retire(&mut pool));
            assert_eq!(pool.taken, 0);
        }
    }
}
