//! One thread's candidates of one part, in buckets by range of rank.
//!
//! Candidates come unsorted into chunks, as offsets from where their range begins: 4 bytes each, or 8
//! in a range that is wider than that. All lots of a thread take chunks from the same supplies. When
//! those are used up, a lot compacts its own: each bucket is sorted, freed of duplicates and
//! delta-coded, about 1.5 bytes a candidate, into chunks again; and when such runs take too much, they
//! go to a nameless file. The first step is all there is while memory lasts.

use std::mem;

use super::chunk::{CHUNK, CHUNK_BYTES, Chunk};
use super::ranges::Ranges;
use crate::error::Result;
use crate::run::Sorter;
use crate::run::block::{put_deltas, take_deltas, walk_deltas};
use crate::store::Spill;

/// Chunks that are written to a file at once.
const WRITE: usize = 256;

/// What a thread has to fill lots with, shared by all its lots.
pub(crate) struct Supplies {
    /// Chunks for the next who asks.
    free: Vec<Chunk>,
    /// Chunks that lots have.
    taken: usize,
    /// Chunks that lots may have, but for what each is granted.
    limit: usize,
    /// Most candidates that are sorted at once.
    unit: usize,
    narrow: Sorter<u32>,
    wide: Sorter<u64>,
    ranks: Vec<u64>,
    bytes: Vec<u8>,
}

impl Supplies {
    /// Supplies of `bytes`, to be sorted by no more than `unit` candidates at once.
    pub(crate) fn new(bytes: usize, unit: usize) -> Self {
        Self {
            free: Vec::new(),
            taken: 0,
            limit: bytes / CHUNK_BYTES,
            unit,
            narrow: Sorter::default(),
            wide: Sorter::default(),
            ranks: Vec::new(),
            bytes: Vec::new(),
        }
    }

    fn take(&mut self) -> Chunk {
        self.taken += 1;
        if self.free.is_empty() {
            Chunk::supply(&mut self.free);
        }
        self.free.pop().expect("some were supplied")
    }

    fn give(&mut self, chunk: Chunk) {
        self.taken -= 1;
        self.free.push(chunk);
    }

    /// Append the ranks that `pieces` of a bucket hold, sorted and without duplicates, to `out`.
    /// Returns how many they were with duplicates.
    pub(crate) fn sort(&mut self, span: Span, pieces: &[&[u32]], out: &mut Vec<u64>) -> usize {
        if span.wide() {
            let ranks = pieces.iter().flat_map(|piece| span.ranks(piece));
            self.sort_wide(&ranks.collect::<Vec<_>>(), out)
        } else {
            let offsets = self.narrow.sort_dedup(pieces);
            out.extend(offsets.iter().map(|&offset| span.first + u64::from(offset)));
            pieces.iter().map(|piece| piece.len()).sum()
        }
    }

    /// Append `ranks`, sorted and without duplicates, to `out`; returns how many they were with them.
    pub(crate) fn sort_wide(&mut self, ranks: &[u64], out: &mut Vec<u64>) -> usize {
        out.extend_from_slice(self.wide.sort_dedup(&[ranks]));
        ranks.len()
    }
}

/// The ranks that a range could hold, from the first to the last.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    first: u64,
    last: u64,
}

impl Span {
    /// Whether offsets take two words, the low one first.
    fn wide(self) -> bool {
        self.last - self.first > u64::from(u32::MAX)
    }

    /// Words of a candidate.
    fn words(self) -> usize {
        if self.wide() { 2 } else { 1 }
    }

    /// The ranks that a piece of a bucket holds, as they came.
    pub(crate) fn ranks(self, piece: &[u32]) -> impl Iterator<Item = u64> {
        piece.chunks_exact(self.words()).map(move |words| {
            let high = words.get(1).copied().unwrap_or(0);
            self.first + (u64::from(high) << 32 | u64::from(words[0]))
        })
    }
}

/// Candidates of one range.
struct Bucket {
    open: Chunk,
    /// Words of `open` that are filled.
    filled: usize,
    first: u64,
    wide: bool,
}

/// Where a compacted run has its piece for one range.
#[derive(Clone, Copy)]
struct Piece {
    /// Place of its first byte; a whole number of words.
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
    place: Place,
}

/// Where a run's bytes are.
enum Place {
    Memory(Vec<Chunk>),
    /// From this byte of the spill file on.
    File(u64),
}

/// See the module.
pub(crate) struct Lot {
    spans: Vec<Span>,
    buckets: Vec<Bucket>,
    /// The full chunks of each bucket.
    full: Vec<Vec<Chunk>>,
    runs: Vec<Run>,
    /// Full chunks that this lot may have whatever the others take.
    granted: usize,
    full_chunks: usize,
    run_chunks: usize,
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
        let span = |range| {
            let (first, last) = ranges.bounds(range);
            Span { first, last }
        };
        let spans: Vec<Span> = (0..ranges.count()).map(span).collect();
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
            run_chunks: 0,
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
                self.compact(supplies)?;
            }
            if self.run_chunks > supplies.limit / 2 {
                self.spill(supplies)?;
            }
        }
        Ok(())
    }

    /// Turn the full chunks into a run: all of them, or of each bucket as many as may be sorted at once.
    fn compact(&mut self, supplies: &mut Supplies) -> Result<()> {
        let most = (supplies.unit / CHUNK).max(1);
        let mut pieces = Vec::with_capacity(self.spans.len());
        let mut writer = RunWriter::default();
        let (mut ranks, mut bytes) = (
            mem::take(&mut supplies.ranks),
            mem::take(&mut supplies.bytes),
        );
        for (full, &span) in self.full.iter_mut().zip(&self.spans) {
            let chunks = full.split_off(full.len().saturating_sub(most));
            let sources: Vec<&[u32]> = chunks.iter().map(|chunk| &chunk[..]).collect();
            ranks.clear();
            let gathered = supplies.sort(span, &sources, &mut ranks);
            let length = put_deltas(&ranks, &mut bytes)?;
            self.full_chunks -= chunks.len();
            self.dropped += (gathered - ranks.len()) as u64;
            chunks.into_iter().for_each(|chunk| supplies.give(chunk));
            pieces.push(Piece {
                at: writer.bytes(),
                length,
                first: ranks.first().copied().unwrap_or(0),
                count: ranks.len() as u32,
                crc: crc32fast::hash(&bytes[..length]),
            });
            writer.append(&bytes[..length], supplies);
        }
        (supplies.ranks, supplies.bytes) = (ranks, bytes);
        self.run_chunks += writer.chunks.len();
        self.runs.push(Run {
            pieces,
            place: Place::Memory(writer.chunks),
        });
        Ok(())
    }

    /// Move all runs in memory to the spill file.
    fn spill(&mut self, supplies: &mut Supplies) -> Result<()> {
        let mut bytes = mem::take(&mut supplies.bytes);
        for run in &mut self.runs {
            let Place::Memory(chunks) = &mut run.place else {
                continue;
            };
            let begin = self.spill.bytes();
            for some in chunks.chunks(WRITE) {
                bytes.clear();
                let words = some.iter().flat_map(|chunk| chunk.iter());
                bytes.extend(words.flat_map(|word| word.to_le_bytes()));
                self.spill.append(&bytes)?;
            }
            chunks.drain(..).for_each(|chunk| supplies.give(chunk));
            run.place = Place::File(begin);
        }
        supplies.bytes = bytes;
        self.run_chunks = 0;
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
        let counts = self.runs.iter().map(|run| run.pieces[range].count as usize);
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

    /// Number of compacted runs.
    pub(crate) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Append the ranks that a compacted run has in a range, those from `low` to before `high`, or
    /// to the end for the greatest `high`, sorted, to `out`. Takes no more memory than those and
    /// their bytes.
    pub(crate) fn read_run(
        &self,
        run: usize,
        range: usize,
        (low, high): (u64, u64),
        scratch: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        let Some(Piece { first, count, .. }) = self.deltas(run, range, scratch)? else {
            return Ok(());
        };
        if (low, high) == (0, u64::MAX) {
            take_deltas(scratch, first, count, out).expect("what put_deltas wrote is read");
        } else {
            let from_low = walk_deltas(scratch, first).skip_while(|&rank| rank < low);
            out.extend(from_low.take_while(|&rank| rank < high || high == u64::MAX));
        }
        Ok(())
    }

    /// Append every `stride`-th rank that a compacted run has in a range to `out`.
    pub(crate) fn sample_run(
        &self,
        run: usize,
        range: usize,
        stride: usize,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        if let Some(piece) = self.deltas(run, range, scratch)? {
            out.extend(walk_deltas(scratch, piece.first).step_by(stride));
        }
        Ok(())
    }

    /// Read the coded piece that a run has for a range into `bytes`; `None` if it is empty.
    fn deltas(&self, run: usize, range: usize, bytes: &mut Vec<u8>) -> Result<Option<Piece>> {
        let Run { pieces, place } = &self.runs[run];
        let piece = pieces[range];
        if piece.count == 0 {
            return Ok(None);
        }
        bytes.clear();
        match place {
            Place::Memory(chunks) => {
                let from = piece.at as usize / size_of::<u32>();
                let mut words = from..from + piece.length.div_ceil(size_of::<u32>());
                while !words.is_empty() {
                    let begin = words.start % CHUNK;
                    let end = CHUNK.min(begin + words.len());
                    let some = &chunks[words.start / CHUNK][begin..end];
                    bytes.extend(some.iter().flat_map(|word| word.to_le_bytes()));
                    words.start += some.len();
                }
                bytes.truncate(piece.length);
            }
            Place::File(begin) => {
                bytes.resize(piece.length, 0);
                self.spill.read(begin + piece.at, piece.crc, bytes)?;
            }
        }
        Ok(Some(piece))
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
        let runs = self.runs.into_iter().flat_map(|run| match run.place {
            Place::Memory(chunks) => chunks,
            Place::File(_) => Vec::new(),
        });
        let full = self.full.into_iter().flatten();
        let open = self.buckets.into_iter().map(|bucket| bucket.open);
        full.chain(open)
            .chain(runs)
            .for_each(|chunk| supplies.give(chunk));
    }
}

/// Puts the pieces of a run into chunks.
#[derive(Default)]
struct RunWriter {
    chunks: Vec<Chunk>,
    /// Words that are filled.
    words: usize,
}

impl RunWriter {
    fn bytes(&self) -> u64 {
        (self.words * size_of::<u32>()) as u64
    }

    fn append(&mut self, bytes: &[u8], supplies: &mut Supplies) {
        for four in bytes.chunks(size_of::<u32>()) {
            let mut word = [0; size_of::<u32>()];
            word[..four.len()].copy_from_slice(four);
            let place = self.words % CHUNK;
            if place == 0 {
                self.chunks.push(supplies.take());
            }
            let chunk = self.chunks.last_mut().expect("one was just taken");
            chunk[place] = u32::from_le_bytes(word);
            self.words += 1;
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
        let mix = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The first three ranges span 2^18 ranks each, the last one takes all beyond.
        let ranks: Vec<u64> = (0..60_000)
            .map(|i| (mix(i) >> 44) | ((i % 3) << 40))
            .collect();
        let sample: Vec<u64> = (0..1 << 10).map(|i| i << 10).collect();
        let ranges = Ranges::cut(&sample, 4, 42);
        // All in chunks, compacted runs in memory, and runs in a file.
        for (limit, compacted, spilled) in [
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
            assert_eq!(!lot.runs.is_empty(), compacted, "{limit}");
            let in_file = |run: &Run| matches!(run.place, Place::File(_));
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

    #[test]
    fn sorting_gives_ranks_of_narrow_and_wide_buckets() {
        let mut supplies = Supplies::new(0, 0);
        for last in [u64::from(u32::MAX) + 7, u64::from(u32::MAX) + 8] {
            let span = Span { first: 7, last };
            let words: Vec<u32> = [3, 1, 3, 0]
                .iter()
                .flat_map(|&low| vec![low; span.words()])
                .collect();
            let mut ranks = Vec::new();
            assert_eq!(
                supplies.sort(span, &[&words[..], &words[..]], &mut ranks),
                8
            );
            let high = |low: u64| if span.wide() { low << 32 } else { 0 };
            assert_eq!(ranks, [0, 1, 3].map(|low| 7 + (high(low) | low)));
        }
    }
}
