//! One thread's candidates of one part, in buckets by range of rank.
//!
//! Candidates come unsorted into chunks, as offsets from where their range begins: 4 bytes each, or 8
//! in a range that is wider than that. All lots of a thread take chunks from the same supplies. When
//! those are used up, a lot packs its own: each bucket is sorted, freed of duplicates and delta-coded
//! into chunks again (`packed.rs`); and when such runs take too much, they go to a nameless file. The
//! first step is all there is while memory lasts.

use std::mem;

use super::chunk::{CHUNK, CHUNK_BYTES, Chunk};
use super::packed::{Packed, Packer};
use super::ranges::{Ranges, Span};
use super::supplies::Supplies;
use crate::error::Result;
use crate::store::Spill;

/// Candidates of one range.
struct Bucket {
    open: Chunk,
    /// Words of `open` that are filled.
    filled: usize,
    first: u64,
    wide: bool,
}

/// See the module.
pub(crate) struct Lot {
    spans: Vec<Span>,
    buckets: Vec<Bucket>,
    /// The full chunks of each bucket.
    full: Vec<Vec<Chunk>>,
    runs: Vec<Packed>,
    /// Full chunks that this lot may have whatever the others take.
    granted: usize,
    full_chunks: usize,
    spill: Spill,
    /// Candidates that were made for this lot.
    made: u64,
    /// Repeats that were dropped on the way.
    dropped: u64,
}

impl Lot {
    /// An empty lot, granted `granted` bytes, that spills what does not fit to `spill`.
    pub(crate) fn new(
        ranges: &Ranges,
        granted: usize,
        spill: Spill,
        supplies: &mut Supplies,
    ) -> Self {
        let spans: Vec<Span> = (0..ranges.count())
            .map(|range| ranges.span(range))
            .collect();
        let bucket = |span: &Span| Bucket {
            open: supplies.take(),
            filled: 0,
            first: span.first,
            wide: span.wide(),
        };
        Self {
            buckets: spans.iter().map(bucket).collect(),
            full: spans.iter().map(|_| Vec::new()).collect(),
            spans,
            runs: Vec::new(),
            granted: granted / CHUNK_BYTES,
            full_chunks: 0,
            spill,
            made: 0,
            dropped: 0,
        }
    }

    /// Add a candidate of the range `range`.
    #[inline]
    pub(crate) fn push(&mut self, range: usize, rank: u64, supplies: &mut Supplies) -> Result<()> {
        let bucket = &mut self.buckets[range];
        let offset = rank - bucket.first;
        bucket.open[bucket.filled % CHUNK] = offset as u32;
        bucket.filled += 1;
        if bucket.wide {
            bucket.open[bucket.filled % CHUNK] = (offset >> 32) as u32;
            bucket.filled += 1;
        }
        if bucket.filled == CHUNK {
            self.fill(range, supplies)
        } else {
            Ok(())
        }
    }

    #[cold]
    fn fill(&mut self, range: usize, supplies: &mut Supplies) -> Result<()> {
        let bucket = &mut self.buckets[range];
        self.full[range].push(mem::replace(&mut bucket.open, supplies.take()));
        bucket.filled = 0;
        self.full_chunks += 1;
        if supplies.taken > supplies.limit && self.full_chunks > self.granted {
            while self.full_chunks > 0 {
                self.pack(supplies)?;
            }
            let taken: usize = self.runs.iter().map(Packed::chunks).sum();
            if taken > supplies.limit / 2 {
                let mut runs = self.runs.iter_mut();
                runs.try_for_each(|run| run.spill(&mut self.spill, supplies))?;
            }
        }
        Ok(())
    }

    /// Pack the full chunks into a run: all of them, or of each bucket as many as may be sorted at once.
    fn pack(&mut self, supplies: &mut Supplies) -> Result<()> {
        let most = (supplies.unit / CHUNK).max(1);
        let mut packer = Packer::default();
        let mut ranks = mem::take(&mut supplies.ranks);
        for (full, &span) in self.full.iter_mut().zip(&self.spans) {
            let chunks = full.split_off(full.len().saturating_sub(most));
            let sources: Vec<&[u32]> = chunks.iter().map(|chunk| &chunk[..]).collect();
            ranks.clear();
            let gathered = supplies.sort(span, &sources, &mut ranks);
            self.full_chunks -= chunks.len();
            self.dropped += (gathered - ranks.len()) as u64;
            chunks.into_iter().for_each(|chunk| supplies.give(chunk));
            packer.append(&ranks, supplies)?;
        }
        supplies.ranks = ranks;
        self.runs.push(packer.finish());
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
        let counts = self.runs.iter().map(|run| run.count(range));
        let words = self.full[range].len() * CHUNK + self.buckets[range].filled;
        words / self.spans[range].words() + counts.sum::<usize>()
    }

    /// The ranks that a range could hold.
    pub(crate) fn span(&self, range: usize) -> Span {
        self.spans[range]
    }

    /// The unsorted candidates of a range: see [`Span::ranks`].
    pub(crate) fn unsorted(&self, range: usize) -> impl Iterator<Item = &[u32]> {
        let bucket = &self.buckets[range];
        let full = self.full[range].iter().map(|chunk| &chunk[..]);
        full.chain([&bucket.open[..bucket.filled]])
    }

    /// Number of ranges.
    pub(crate) fn ranges(&self) -> usize {
        self.spans.len()
    }

    /// Number of packed runs.
    pub(crate) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// See [`Packed::read`].
    pub(crate) fn read_run(
        &self,
        run: usize,
        range: usize,
        bounds: (u64, u64),
        scratch: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        self.runs[run].read(range, bounds, &self.spill, scratch, out)
    }

    /// See [`Packed::sample`].
    pub(crate) fn sample_run(
        &self,
        run: usize,
        range: usize,
        stride: usize,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        self.runs[run].sample(range, stride, &self.spill, scratch, out)
    }

    /// Give the chunks of a range back; it is empty then.
    pub(crate) fn release(&mut self, range: usize, supplies: &mut Supplies) {
        self.buckets[range].filled = 0;
        self.full_chunks -= self.full[range].len();
        mem::take(&mut self.full[range])
            .into_iter()
            .for_each(|chunk| supplies.give(chunk));
    }

    /// Give everything back.
    pub(crate) fn retire(self, supplies: &mut Supplies) {
        let full = self.full.into_iter().flatten();
        let open = self.buckets.into_iter().map(|bucket| bucket.open);
        full.chain(open).for_each(|chunk| supplies.give(chunk));
        self.runs.into_iter().for_each(|run| run.retire(supplies));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::store::Store;
    use std::collections::BTreeSet;

    #[test]
    fn a_lot_gives_back_what_it_was_given_through_chunks_runs_and_files() {
        let place = tempfile::tempdir().unwrap();
        let game = Game::new("2".parse().unwrap(), Some(32)).unwrap();
        let store = Store::open(place.path(), &game, None).unwrap();
        let mix = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The first three ranges span 2^18 ranks each, the last one takes all beyond.
        let ranks: Vec<u64> = (0..60_000)
            .map(|i| (mix(i) >> 44) | ((i % 3) << 40))
            .collect();
        let sample: Vec<u64> = (0..1 << 10).map(|i| i << 10).collect();
        let ranges = Ranges::cut(&sample, 4, 42);
        // All in chunks, packed runs in memory, and runs in a file.
        for (limit, packed, spilled) in [
            (1 << 20, false, false),
            (300 << 10, true, false),
            (64 << 10, true, true),
        ] {
            let mut supplies = Supplies::new(limit, 4000);
            let mut lot = Lot::new(&ranges, 0, store.spill(), &mut supplies);
            let widths: Vec<usize> = lot.spans.iter().map(|span| span.words()).collect();
            assert_eq!(widths, [1, 1, 1, 2]);
            for &rank in &ranks {
                lot.push(ranges.of(rank), rank, &mut supplies).unwrap();
                assert!(supplies.taken <= supplies.limit + 6, "{limit}");
            }
            assert_eq!(!lot.runs.is_empty(), packed, "{limit}");
            let in_file = |run: &Packed| run.chunks() == 0;
            assert_eq!(lot.runs.iter().any(in_file), spilled, "{limit}");

            let mut found = BTreeSet::new();
            for range in 0..ranges.count() {
                let span = lot.span(range);
                let pieces = lot.unsorted(range);
                let mut held: Vec<u64> = pieces.flat_map(|piece| span.ranks(piece)).collect();
                for run in 0..lot.runs() {
                    let from = held.len();
                    lot.read_run(run, range, (0, u64::MAX), &mut Vec::new(), &mut held)
                        .unwrap();
                    assert!(held[from..].is_sorted());
                    let (low, high) = (5 << 16, 9 << 16);
                    let mut some = Vec::new();
                    lot.read_run(run, range, (low, high), &mut Vec::new(), &mut some)
                        .unwrap();
                    let between = |rank: &&u64| (low..high).contains(*rank);
                    let expected: Vec<u64> = held[from..].iter().filter(between).copied().collect();
                    assert_eq!(some, expected);
                }
                assert_eq!(held.len(), lot.size(range));
                assert!(held.iter().all(|&rank| ranges.of(rank) == range));
                found.extend(held);
            }
            assert_eq!(found, ranks.iter().copied().collect::<BTreeSet<_>>());
            lot.retire(&mut supplies);
            assert_eq!(supplies.taken, 0);
            assert!(
                !supplies.free.is_empty(),
                "chunks are kept for the next lot"
            );
        }
    }
}
