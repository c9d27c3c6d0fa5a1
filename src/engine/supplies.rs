//! What a thread fills its lots with: chunks, and scratch space to sort in.
//!
//! All lots of a thread take chunks from one supply, so whichever needs memory has what the others
//! leave.

use super::chunk::{CHUNK_BYTES, Chunk};
use super::ranges::Span;
use crate::run::Sorter;

/// What a thread has to fill lots with, shared by all its lots.
pub(crate) struct Supplies {
    /// Chunks for the next who asks.
    pub(super) free: Vec<Chunk>,
    /// Chunks that lots have.
    pub(super) taken: usize,
    /// Chunks that lots may have, but for what each is granted.
    pub(super) limit: usize,
    /// Most candidates that are sorted at once.
    pub(super) unit: usize,
    narrow: Sorter<u32>,
    wide: Sorter<u64>,
    pub(super) ranks: Vec<u64>,
    pub(super) bytes: Vec<u8>,
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

    pub(super) fn take(&mut self) -> Chunk {
        self.taken += 1;
        if self.free.is_empty() {
            Chunk::supply(&mut self.free);
        }
        self.free.pop().expect("some were supplied")
    }

    pub(super) fn give(&mut self, chunk: Chunk) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
