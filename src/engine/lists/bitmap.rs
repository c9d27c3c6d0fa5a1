//! A range of ranks as bits: sorts candidates and drops their repeats.
//!
//! Key idea: a bit for each rank. A candidate sets its bit, so repeats vanish, and the bits are in
//! order. With the way back to boards it costs 2 ns a candidate, if the bits fit a core's second
//! cache. Where candidates are few and far between, nearly all bits would be empty, so they are
//! sorted.

use std::ops::Range;

use crate::game::PartKey;
use crate::part::Kind;
use crate::wide::wide;

/// Bits of a range that fit a core's second cache: 256 KiB.
pub(super) const FIT: u64 = 1 << 21;

/// A range with more bits for each candidate is sorted. This bounds the memory of a bitmap.
pub(super) const SPARSE: u64 = 256;

/// The candidates of a range, in order and without repeats.
#[derive(Default)]
pub struct Bitmap {
    /// Whether there is a bit for each rank of the range, or a sorted list.
    dense: bool,
    words: Vec<u64>,
    sorted: Vec<u32>,
    /// The part and the range, if the bitmap has all its candidates.
    pub(super) of: Option<(Kind, PartKey, usize)>,
}

impl Bitmap {
    /// Take the offsets of all slices, below `1 << bits`, at least 64. Returns how many repeats they
    /// have.
    pub fn take(&mut self, bits: u32, slices: &[&[u32]]) -> u64 {
        let candidates: usize = slices.iter().map(|slice| slice.len()).sum();
        self.of = None;
        self.dense = candidates as u64 * SPARSE >= 1 << bits;
        let unique = if self.dense {
            self.words.clear();
            self.words.resize((1 << bits) / 64, 0);
            slices.iter().for_each(|slice| set(&mut self.words, slice));
            count(&self.words)
        } else {
            self.sorted.clear();
            self.sorted.extend(slices.iter().copied().flatten());
            self.sorted.sort_unstable();
            self.sorted.dedup();
            self.sorted.len()
        };
        (candidates - unique) as u64
    }

    /// Take the bits of all slices, for offsets below `1 << bits`. Returns how many are repeats.
    pub(super) fn join<'a>(&mut self, bits: u32, slices: impl Iterator<Item = &'a [u32]>) -> u64 {
        (self.of, self.dense) = (None, true);
        self.words.clear();
        self.words.resize((1 << bits) / 64, 0);
        let mut candidates = 0;
        for slice in slices {
            candidates += or(&mut self.words, slice);
        }
        (candidates - count(&self.words)) as u64
    }

    /// Append the ranks of some offsets to `ranks`. The offset 0 has rank `first`. The range begins
    /// and ends at multiples of 64.
    pub fn ranks(&self, offsets: Range<usize>, first: u64, ranks: &mut Vec<u64>) {
        if !self.dense {
            let from = self
                .sorted
                .partition_point(|&offset| (offset as usize) < offsets.start);
            let within = self.sorted[from..]
                .iter()
                .take_while(|&&offset| (offset as usize) < offsets.end);
            ranks.extend(within.map(|&offset| first + u64::from(offset)));
            return;
        }
        let words = &self.words[offsets.start / 64..offsets.end / 64];
        let start = ranks.len();
        let end = start + count(words);
        ranks.reserve_exact(end + ROOM - start);
        ranks.resize(end + ROOM, 0);
        list(words, first + offsets.start as u64, &mut ranks[start..]);
        ranks.truncate(end);
    }
}

/// Ranks that [`list`] writes beyond the last.
const ROOM: usize = 4;

wide! {
    /// Set the bits of some offsets.
    fn set(words: &mut [u64], offsets: &[u32]) {
        for &offset in offsets {
            words[offset as usize / 64] |= 1 << (offset % 64);
        }
    }
}

wide! {
    /// Set the bits that are set in `more`, two words for one. Returns their number.
    fn or(words: &mut [u64], more: &[u32]) -> usize {
        let mut bits = 0;
        for (word, more) in words.iter_mut().zip(more.as_chunks::<2>().0) {
            let more = u64::from(more[0]) | u64::from(more[1]) << 32;
            bits += more.count_ones() as usize;
            *word |= more;
        }
        bits
    }
}

wide! {
    /// Number of bits.
    fn count(words: &[u64]) -> usize {
        words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

wide! {
    /// Write the ranks of all bits to `ranks`. The first bit has rank `first`.
    fn list(words: &[u64], first: u64, ranks: &mut [u64]) {
        let mut end = 0;
        for (&word, first) in words.iter().zip((0..).map(|word| first + 64 * word)) {
            let (mut left, mut at) = (word, end);
            // Four at a time, because the processor cannot predict the number of bits of a word.
            while left != 0 {
                for rank in &mut ranks[at..at + ROOM] {
                    *rank = first + u64::from(left.trailing_zeros());
                    left &= left.wrapping_sub(1);
                }
                at += ROOM;
            }
            end += word.count_ones() as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn any_offsets_become_their_set_in_order(
            bits in 6u32..17,
            offsets in prop::collection::vec(any::<u32>(), 0..400),
            slices in 1usize..100,
            cut in any::<usize>(),
        ) {
            let offsets: Vec<u32> = offsets.iter().map(|offset| offset % (1 << bits)).collect();
            let slices: Vec<&[u32]> = offsets.chunks(slices).collect();
            let expected: BTreeSet<u32> = offsets.iter().copied().collect();
            // Dense or sparse, by the number of offsets; with the bits of an earlier range.
            let mut bitmap = Bitmap::default();
            bitmap.take(6, &[&[0; 100]]);
            let repeats = bitmap.take(bits, &slices);
            prop_assert_eq!(repeats as usize, offsets.len() - expected.len());
            let mut ranks = vec![7];
            let cut = (cut % (1 << bits)) / 64 * 64;
            bitmap.ranks(0..cut, 1000, &mut ranks);
            bitmap.ranks(cut..1 << bits, 1000, &mut ranks);
            let all = [7].into_iter().chain(expected.iter().map(|&offset| 1000 + u64::from(offset)));
            prop_assert!(ranks.into_iter().eq(all));
        }
    }
}
