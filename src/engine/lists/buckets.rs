//! One thread's candidates of one part, in a bucket for each range.
//!
//! Candidates are put unsorted into chunks, as offsets from the first key of their range: 4 bytes
//! each, or 8 if the range is too wide for 4. When the thread's pool of chunks is used up, its full
//! chunks are packed: the keys of each bucket are sorted, freed of repeats and delta-coded into
//! chunks again ([`PackedRun`]). When packed runs take too much memory, they are spilled to a
//! nameless file. Neither happens while memory lasts.

use std::mem;

use super::sort::KeySorter;
use super::splitters::{KeyLimits, Splitters};
use crate::engine::packed::PackedRun;
use crate::engine::packed::{CHUNK, CHUNK_BYTES, Chunk, ChunkPool};
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::store::Spill;

/// The chunk of a range that is being filled.
struct Bucket {
    open: Chunk,
    /// Words of `open` that are filled.
    filled: usize,
    first: u64,
    wide: bool,
}

/// One thread's buckets for one part.
pub(super) struct Buckets {
    /// The keys that each range can hold.
    pub(super) limits: Vec<KeyLimits>,
    buckets: Vec<Bucket>,
    /// The full chunks of each bucket.
    full: Vec<Vec<Chunk>>,
    pub(super) runs: Vec<PackedRun>,
    /// Full chunks that are reserved for these buckets, so that the thread's other buckets cannot
    /// take all memory.
    granted: usize,
    full_chunks: usize,
    /// Most candidates that are sorted at once.
    most: usize,
    pub(super) spill: Spill,
    /// Candidates produced for these buckets. Not counted in [`Buckets::push`], so that the
    /// conservation law catches lost candidates.
    pub(super) produced: u64,
    /// Repeats that were dropped when chunks were packed.
    pub(super) repeats: u64,
}

impl Buckets {
    /// Empty buckets, which spill to `spill`.
    pub(super) fn new(
        splitters: &Splitters,
        plan: &Plan,
        spill: Spill,
        pool: &mut ChunkPool,
    ) -> Self {
        let limits: Vec<KeyLimits> = (0..splitters.ranges())
            .map(|range| splitters.limits(range))
            .collect();
        let bucket = |limits: &KeyLimits| Bucket {
            open: pool.take(),
            filled: 0,
            first: limits.first,
            wide: limits.wide(),
        };
        Self {
            buckets: limits.iter().map(bucket).collect(),
            full: limits.iter().map(|_| Vec::new()).collect(),
            limits,
            runs: Vec::new(),
            granted: plan.granted / CHUNK_BYTES,
            full_chunks: 0,
            most: plan.sort,
            spill,
            produced: 0,
            repeats: 0,
        }
    }

    /// Add a candidate to a range.
    #[inline]
    pub(super) fn push(
        &mut self,
        range: usize,
        key: u64,
        pool: &mut ChunkPool,
        sorter: &mut KeySorter,
    ) -> Result<()> {
        let bucket = &mut self.buckets[range];
        let offset = key - bucket.first;
        bucket.open.0[bucket.filled % CHUNK] = offset as u32;
        bucket.filled += 1;
        if bucket.wide {
            bucket.open.0[bucket.filled % CHUNK] = (offset >> 32) as u32;
            bucket.filled += 1;
        }
        if bucket.filled == CHUNK {
            self.next_chunk(range, pool, sorter)
        } else {
            Ok(())
        }
    }

    /// Put the full chunk of a bucket aside, and make room if the pool is used up.
    #[cold]
    fn next_chunk(
        &mut self,
        range: usize,
        pool: &mut ChunkPool,
        sorter: &mut KeySorter,
    ) -> Result<()> {
        let bucket = &mut self.buckets[range];
        self.full[range].push(mem::replace(&mut bucket.open, pool.take()));
        bucket.filled = 0;
        self.full_chunks += 1;
        if pool.used_up() && self.full_chunks > self.granted {
            self.make_room(pool, sorter)?;
        }
        Ok(())
    }

    /// Pack all full chunks, and spill the packed runs if they take over half of the pool.
    fn make_room(&mut self, pool: &mut ChunkPool, sorter: &mut KeySorter) -> Result<()> {
        while self.full_chunks > 0 {
            self.pack(pool, sorter)?;
        }
        let packed: usize = self.runs.iter().map(PackedRun::chunks).sum();
        if packed > pool.limit / 2 {
            for run in &mut self.runs {
                run.spill(&mut self.spill, pool)?;
            }
        }
        Ok(())
    }

    /// Pack full chunks into a run. The chunks of each bucket fit one sort.
    fn pack(&mut self, pool: &mut ChunkPool, sorter: &mut KeySorter) -> Result<()> {
        let most = (self.most / CHUNK).max(1);
        let (mut run, mut keys, mut bytes) = (PackedRun::default(), Vec::new(), Vec::new());
        for (full, &limits) in self.full.iter_mut().zip(&self.limits) {
            let chunks = full.split_off(full.len().saturating_sub(most));
            let slices: Vec<&[u32]> = chunks.iter().map(|chunk| &chunk.0[..]).collect();
            keys.clear();
            let candidates = sorter.sort(limits, &slices, &mut keys);
            self.full_chunks -= chunks.len();
            self.repeats += (candidates - keys.len()) as u64;
            chunks.into_iter().for_each(|chunk| pool.give(chunk));
            run.append(&keys, &mut bytes, pool)?;
        }
        self.runs.push(run);
        Ok(())
    }

    /// The number of a range's candidates in memory and in files, repeats included.
    pub(super) fn candidates(&self, range: usize) -> usize {
        let packed = self.runs.iter().map(|run| run.count(range));
        let words = self.full[range].len() * CHUNK + self.buckets[range].filled;
        words / self.limits[range].words() + packed.sum::<usize>()
    }

    /// The unsorted candidates of a range, in the form that [`KeyLimits::keys`] reads.
    pub(super) fn unsorted(&self, range: usize) -> impl Iterator<Item = &[u32]> {
        let bucket = &self.buckets[range];
        let full = self.full[range].iter().map(|chunk| &chunk.0[..]);
        full.chain([&bucket.open.0[..bucket.filled]])
    }

    /// Return the full chunks of a range to the pool. Its bucket is then empty.
    pub(super) fn release(&mut self, range: usize, pool: &mut ChunkPool) {
        self.buckets[range].filled = 0;
        self.full_chunks -= self.full[range].len();
        let chunks = mem::take(&mut self.full[range]);
        chunks.into_iter().for_each(|chunk| pool.give(chunk));
    }

    /// Return all chunks to the pool.
    pub(super) fn retire(self, pool: &mut ChunkPool) {
        let full = self.full.into_iter().flatten();
        let open = self.buckets.into_iter().map(|bucket| bucket.open);
        full.chain(open).for_each(|chunk| pool.give(chunk));
        self.runs.into_iter().for_each(|run| run.retire(pool));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn buckets_return_every_candidate_from_chunks_runs_and_files() {
        let place = tempfile::tempdir().unwrap();
        let mix = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The first three ranges have 2^18 keys each. The last range has all greater keys.
        let keys: Vec<u64> = (0..60_000)
            .map(|i| (mix(i) >> 44) | ((i % 3) << 40))
            .collect();
        let sample: Vec<u64> = (0..1 << 10).map(|i| i << 10).collect();
        let splitters = Splitters::new(&sample, 4, 42);
        // First all candidates are in chunks, then some in packed runs, then some in a file.
        for (limit, packed, spilled) in [
            (1 << 20, false, false),
            (300 << 10, true, false),
            (64 << 10, true, true),
        ] {
            let (mut pool, mut sorter) =
                (ChunkPool::new(limit / CHUNK_BYTES), KeySorter::default());
            let plan = Plan::tiny(1);
            let spill = Spill::new(place.path());
            let mut buckets = Buckets::new(&splitters, &plan, spill, &mut pool);
            buckets.granted = 0;
            let widths: Vec<usize> = buckets.limits.iter().map(|limits| limits.words()).collect();
            assert_eq!(widths, [1, 1, 1, 2]);
            for &key in &keys {
                let range = splitters.range(key);
                buckets.push(range, key, &mut pool, &mut sorter).unwrap();
                assert!(pool.taken() <= pool.limit + 6, "{limit}");
            }
            assert_eq!(!buckets.runs.is_empty(), packed, "{limit}");
            assert_eq!(buckets.spill.bytes() > 0, spilled, "{limit}");

            let mut found = BTreeSet::new();
            for range in 0..splitters.ranges() {
                let limits = buckets.limits[range];
                let slices = buckets.unsorted(range);
                let mut held: Vec<u64> = slices.flat_map(|slice| limits.keys(slice)).collect();
                for run in &buckets.runs {
                    let from = held.len();
                    let mut bytes = Vec::new();
                    run.read(range, &buckets.spill, &mut bytes, &mut held)
                        .unwrap();
                    assert!(held[from..].is_sorted());
                }
                assert_eq!(held.len(), buckets.candidates(range));
                assert!(held.iter().all(|&key| splitters.range(key) == range));
                found.extend(held);
            }
            assert_eq!(found, keys.iter().copied().collect::<BTreeSet<_>>());
            buckets.retire(&mut pool);
            assert_eq!(pool.taken(), 0);
        }
    }
}
