//! A range of ranks as bits: sorts candidates and drops their repeats.
//!
//! Key idea: a bit for each rank. A candidate sets its bit, so repeats vanish, and the bits are in
//! order. It costs about 1 ns a candidate, if the bits fit a core's second cache. Where candidates
//! are few and far between, there would be little else than empty bits, so they are sorted.

use std::ops::Range;

use crate::game::PartKey;
use crate::part::Kind;

/// Bits of a range that fit a core's second cache: 256 KiB.
pub(super) const FIT: u64 = 1 << 21;

/// Bits for each candidate, from which on sorting takes less time.
pub(super) const SPARSE: u64 = 256;

/// The candidates of a range, in order and without repeats.
#[derive(Default)]
pub(super) struct Bitmap {
    /// Whether there is a bit for each rank of the range, or a sorted list.
    dense: bool,
    words: Vec<u64>,
    sorted: Vec<u32>,
    /// The part and the range, if the bitmap has all its candidates.
    pub(super) of: Option<(Kind, PartKey, usize)>,
}

impl Bitmap {
    /// Take `candidates`, about `number` offsets below `1 << bits`. Returns how many are different.
    pub(super) fn take(
        &mut self,
        bits: u32,
        number: usize,
        candidates: impl Iterator<Item = u32>,
    ) -> u64 {
        self.of = None;
        self.dense = number as u64 * SPARSE >= 1 << bits;
        if self.dense {
            self.words.clear();
            self.words.resize((1 << bits) / 64, 0);
            for offset in candidates {
                self.words[offset as usize / 64] |= 1 << (offset % 64);
            }
            self.words
                .iter()
                .map(|word| u64::from(word.count_ones()))
                .sum()
        } else {
            self.sorted.clear();
            self.sorted.extend(candidates);
            self.sorted.sort_unstable();
            self.sorted.dedup();
            self.sorted.len() as u64
        }
    }

    /// Append the ranks of some offsets, a multiple of 64, to `ranks`. The offset 0 has rank `first`.
    pub(super) fn ranks(&self, offsets: Range<usize>, first: u64, ranks: &mut Vec<u64>) {
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
        for (&word, first) in words
            .iter()
            .zip((first + offsets.start as u64..).step_by(64))
        {
            let mut word = word;
            while word != 0 {
                ranks.push(first + u64::from(word.trailing_zeros()));
                word &= word - 1;
            }
        }
    }
}
