//! One thread's candidates of one part, in buckets by key range.
//!
//! Candidates come unsorted into chunks. When the chunks take half of what the lot may hold, they are
//! compacted: each bucket is sorted, freed of duplicates and delta-coded, about 2 bytes a state
//! instead of 8. When the coded runs take a quarter, they go to a nameless file; the last quarter is
//! for the run that is being made. (Chunks are kept for reuse, so compacting gives no memory back.)
//! The first step is all there is while memory lasts.

use crate::error::Result;
use crate::run::Sorter;
use crate::run::block::{put_deltas, take_deltas, walk_deltas};
use crate::store::Spill;

/// Values of a chunk.
const CHUNK: usize = 512;
pub(super) const CHUNK_BYTES: usize = CHUNK * size_of::<u64>();

type Chunk = Box<[u64; CHUNK]>;

/// What a thread has to fill lots with, shared by all its lots.
pub(crate) struct Supplies {
    /// Chunks that were used before: their memory needs no page faults any more.
    free: Vec<Chunk>,
    /// Digits of a key that never decide: see [`Sorter::sort_dedup`].
    ignored: u32,
    sorter: Sorter,
    values: Vec<u64>,
    deltas: Vec<u8>,
}

impl Supplies {
    pub(crate) fn new(ignored: u32) -> Self {
        let (values, deltas) = (Vec::new(), Vec::new());
        Self {
            free: Vec::new(),
            ignored,
            sorter: Sorter::default(),
            values,
            deltas,
        }
    }

    fn chunk(&mut self) -> Chunk {
        self.free.pop().unwrap_or_else(|| Box::new([0; CHUNK]))
    }

    /// Sort `values` and drop duplicates.
    pub(crate) fn sort_dedup(&mut self, values: &mut Vec<u64>) {
        self.sorter.sort_dedup(values, self.ignored);
    }
}

/// Candidates of one range.
struct Bucket {
    open: Chunk,
    filled: usize,
    full: Vec<Chunk>,
}

/// Where a compacted run has its piece for one range.
#[derive(Clone, Copy)]
struct Piece {
    at: u64,
    length: usize,
    first: u64,
    count: u32,
    /// CRC-32 of the bytes: they may have been on a disk.
    crc: u32,
}

/// A compacted run: sorted pieces, delta-coded, one for each range.
struct Run {
    pieces: Vec<Piece>,
    /// The bytes, or where they begin in the spill file.
    bytes: Result<Vec<u8>, u64>,
}

/// See the module.
pub(crate) struct Lot {
    buckets: Vec<Bucket>,
    runs: Vec<Run>,
    /// Bytes that this lot may hold.
    limit: usize,
    full_bytes: usize,
    run_bytes: usize,
    spill: Spill,
    /// Candidates that were made for this lot.
    made: u64,
    /// Repeats that were dropped on the way.
    dropped: u64,
}

impl Lot {
    /// An empty lot of `ranges` buckets, to hold `limit` bytes and spill the rest to `spill`.
    pub(crate) fn new(ranges: usize, limit: usize, spill: Spill, supplies: &mut Supplies) -> Self {
        let bucket = |_| Bucket {
            open: supplies.chunk(),
            filled: 0,
            full: Vec::new(),
        };
        Self {
            buckets: (0..ranges).map(bucket).collect(),
            runs: Vec::new(),
            limit: limit - (ranges * CHUNK_BYTES).min(limit),
            full_bytes: 0,
            run_bytes: 0,
            spill,
            made: 0,
            dropped: 0,
        }
    }

    /// Add a candidate of the range `range`.
    #[inline]
    pub(crate) fn push(&mut self, range: usize, key: u64, supplies: &mut Supplies) -> Result<()> {
        let bucket = &mut self.buckets[range];
        bucket.open[bucket.filled % CHUNK] = key;
        bucket.filled += 1;
        if bucket.filled == CHUNK {
            self.fill(range, supplies)
        } else {
            Ok(())
        }
    }

    #[cold]
    fn fill(&mut self, range: usize, supplies: &mut Supplies) -> Result<()> {
        let chunk = supplies.chunk();
        let bucket = &mut self.buckets[range];
        bucket.full.push(std::mem::replace(&mut bucket.open, chunk));
        bucket.filled = 0;
        self.full_bytes += CHUNK_BYTES;
        if self.full_bytes > self.limit / 2 {
            self.compact(supplies)?;
            if self.run_bytes > self.limit / 4 {
                self.spill()?;
            }
        }
        Ok(())
    }

    /// Turn all full chunks into a run.
    fn compact(&mut self, supplies: &mut Supplies) -> Result<()> {
        let mut pieces = Vec::with_capacity(self.buckets.len());
        let mut bytes = Vec::with_capacity(self.full_bytes / 4);
        let (mut values, mut deltas) = (
            std::mem::take(&mut supplies.values),
            std::mem::take(&mut supplies.deltas),
        );
        for bucket in &mut self.buckets {
            values.clear();
            for chunk in bucket.full.drain(..) {
                values.extend_from_slice(&*chunk);
                supplies.free.push(chunk);
            }
            let gathered = values.len();
            supplies.sort_dedup(&mut values);
            self.dropped += (gathered - values.len()) as u64;
            let length = put_deltas(&values, &mut deltas)?;
            pieces.push(Piece {
                at: bytes.len() as u64,
                length,
                first: values.first().copied().unwrap_or(0),
                count: values.len() as u32,
                crc: crc32fast::hash(&deltas[..length]),
            });
            bytes.extend_from_slice(&deltas[..length]);
        }
        (supplies.values, supplies.deltas) = (values, deltas);
        bytes.shrink_to_fit();
        self.full_bytes = 0;
        self.run_bytes += bytes.len();
        self.runs.push(Run {
            pieces,
            bytes: Ok(bytes),
        });
        Ok(())
    }

    /// Move all runs in memory to the spill file.
    fn spill(&mut self) -> Result<()> {
        for run in &mut self.runs {
            if let Ok(bytes) = &run.bytes {
                run.bytes = Err(self.spill.append(bytes)?);
            }
        }
        self.run_bytes = 0;
        Ok(())
    }

    /// Note that `candidates` are made for this lot, in whose number it must end up with them.
    pub(crate) fn announce(&mut self, candidates: u64) {
        self.made += candidates;
    }

    /// Candidates that were made for this lot.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    /// Repeats among them that were dropped already.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Bytes that were spilled.
    pub(crate) fn spilled(&self) -> u64 {
        self.spill.bytes()
    }

    /// Candidates of a range, repeats included.
    pub(crate) fn size(&self, range: usize) -> usize {
        let bucket = &self.buckets[range];
        let runs: usize = self
            .runs
            .iter()
            .map(|run| run.pieces[range].count as usize)
            .sum();
        bucket.full.len() * CHUNK + bucket.filled + runs
    }

    /// The unsorted candidates of a range.
    pub(crate) fn unsorted(&self, range: usize) -> impl Iterator<Item = &[u64]> {
        let bucket = &self.buckets[range];
        let full = bucket.full.iter().map(|chunk| &chunk[..]);
        full.chain([&bucket.open[..bucket.filled]])
    }

    /// Number of compacted runs.
    pub(crate) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Append the states that a compacted run has in a range, those from `low` to before `high`, or
    /// to the end for the greatest `high`, sorted, to `out`. Takes no more memory than those and,
    /// for a run that was spilled, its bytes.
    pub(crate) fn read_run(
        &self,
        run: usize,
        range: usize,
        (low, high): (u64, u64),
        scratch: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        let Some((deltas, Piece { first, count, .. })) = self.deltas(run, range, scratch)? else {
            return Ok(());
        };
        if (low, high) == (0, u64::MAX) {
            take_deltas(deltas, first, count, out).expect("what put_deltas wrote is read");
        } else {
            let from_low = walk_deltas(deltas, first).skip_while(|&state| state < low);
            out.extend(from_low.take_while(|&state| state < high || high == u64::MAX));
        }
        Ok(())
    }

    /// Append every `stride`-th state that a compacted run has in a range to `out`.
    pub(crate) fn sample_run(
        &self,
        run: usize,
        range: usize,
        stride: usize,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        if let Some((deltas, piece)) = self.deltas(run, range, scratch)? {
            out.extend(walk_deltas(deltas, piece.first).step_by(stride));
        }
        Ok(())
    }

    /// The coded piece that a run has for a range, read into `scratch` if it was spilled; `None` if
    /// it is empty.
    fn deltas<'b>(
        &'b self,
        run: usize,
        range: usize,
        scratch: &'b mut Vec<u8>,
    ) -> Result<Option<(&'b [u8], Piece)>> {
        let Run { pieces, bytes } = &self.runs[run];
        let piece = pieces[range];
        if piece.count == 0 {
            return Ok(None);
        }
        let deltas = match bytes {
            Ok(bytes) => &bytes[piece.at as usize..piece.at as usize + piece.length],
            Err(begin) => {
                scratch.resize(piece.length, 0);
                self.spill.read(begin + piece.at, piece.crc, scratch)?;
                scratch
            }
        };
        Ok(Some((deltas, piece)))
    }

    /// Give the chunks of a range back; it is empty then.
    pub(crate) fn release(&mut self, range: usize, supplies: &mut Supplies) {
        let bucket = &mut self.buckets[range];
        bucket.filled = 0;
        supplies.free.append(&mut bucket.full);
    }

    /// Give everything back.
    pub(crate) fn retire(self, supplies: &mut Supplies) {
        for mut bucket in self.buckets {
            supplies.free.append(&mut bucket.full);
            supplies.free.push(bucket.open);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::ranges::Ranges;
    use crate::game::Game;
    use crate::store::Store;
    use std::collections::BTreeSet;

    #[test]
    fn a_lot_gives_back_what_it_was_given_through_chunks_runs_and_files() {
        let place = tempfile::tempdir().unwrap();
        let game = Game::new("2".parse().unwrap(), Some(32)).unwrap();
        let store = Store::open(place.path(), &game, None).unwrap();
        let keys = (0..60_000u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 44 << 4);
        let sample: Vec<u64> = (0..1 << 10).map(|i| i << 14).collect();
        let ranges = Ranges::cut(&sample, 4, 24);
        // All in chunks, compacted runs in memory, and runs in a file.
        for (limit, compacted, spilled) in [
            (1 << 20, false, false),
            (900 << 10, true, false),
            (64 << 10, true, true),
        ] {
            let mut supplies = Supplies::new(4);
            let mut lot = Lot::new(ranges.count(), limit, store.spill(), &mut supplies);
            for key in keys.clone() {
                lot.push(ranges.of(key), key, &mut supplies).unwrap();
            }
            assert_eq!(!lot.runs.is_empty(), compacted, "{limit}");
            assert_eq!(
                lot.runs.iter().any(|run| run.bytes.is_err()),
                spilled,
                "{limit}"
            );
            assert!((lot.full_bytes + lot.run_bytes) <= lot.limit * 3 / 4 + CHUNK_BYTES);

            let mut found = BTreeSet::new();
            for range in 0..ranges.count() {
                let mut states: Vec<u64> = lot.unsorted(range).flatten().copied().collect();
                for run in 0..lot.runs() {
                    let from = states.len();
                    lot.read_run(run, range, (0, u64::MAX), &mut Vec::new(), &mut states)
                        .unwrap();
                    assert!(states[from..].is_sorted());
                    let (low, high) = (5 << 20, 9 << 20);
                    let mut some = Vec::new();
                    lot.read_run(run, range, (low, high), &mut Vec::new(), &mut some)
                        .unwrap();
                    let between = states[from..]
                        .iter()
                        .copied()
                        .filter(|key| (low..high).contains(key));
                    assert_eq!(some, between.collect::<Vec<_>>());
                }
                assert_eq!(states.len(), lot.size(range));
                assert!(states.iter().all(|&key| ranges.of(key) == range));
                found.extend(states);
            }
            assert_eq!(found, keys.clone().collect::<BTreeSet<_>>());
            lot.retire(&mut supplies);
            assert!(
                !supplies.free.is_empty(),
                "chunks are kept for the next lot"
            );
        }
    }
}
