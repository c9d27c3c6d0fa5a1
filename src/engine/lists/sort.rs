//! Sort numbers and drop duplicates.
//!
//! Key idea: most values occur several times, and sorting is the most expensive way to find
//! repeats. So a small lossy hash table drops most repeats while the values are gathered: each
//! value overwrites its slot. The rest goes through a radix sort from the least significant digit.
//! It sorts only by the bits in which the values differ, divided evenly among as few passes as
//! possible. The lists are ranges that fit a core's cache.

use std::mem;
use std::ops::{BitOr, BitXor};

use super::splitters::Span;

/// Most bits of a digit: a core writes about 2,048 streams at full speed.
const DIGIT: u32 = 11;

/// Most bits of a slot's number in the table of repeats: 256 KiB of 4-byte values.
const PLACE: u32 = 16;

/// The standard library sorts shorter lists in less time than clearing the counters takes.
const SMALL: usize = 1024;

/// An integer that a [`Sorter`] can sort: `u32` or `u64`.
pub trait SortKey:
    Copy + Default + From<bool> + Ord + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// A hash of `bits` bits: slot 0 for the value 0, another slot for 1.
    fn place(self, bits: u32) -> usize;
    /// The bits from `shift` up, masked by `mask`.
    fn digit(self, shift: u32, mask: usize) -> usize;
    /// Number of bits without leading zeros.
    fn length(self) -> u32;
}

macro_rules! key {
    ($number:ty) => {
        impl SortKey for $number {
            #[inline(always)]
            fn place(self, bits: u32) -> usize {
                // Knuth's golden ratio.
                (u64::from(self).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
            }

            #[inline(always)]
            fn digit(self, shift: u32, mask: usize) -> usize {
                (self >> shift) as usize & mask
            }

            #[inline(always)]
            fn length(self) -> u32 {
                Self::BITS - self.leading_zeros()
            }
        }
    };
}

key!(u32);
key!(u64);

/// A sorter with its scratch space, for reuse.
#[derive(Default)]
pub struct Sorter<K> {
    sorted: Vec<K>,
    spare: Vec<K>,
    known: Vec<K>,
    counts: Vec<[u32; 1 << DIGIT]>,
}

impl<K: SortKey> Sorter<K> {
    /// The values of all `pieces`, sorted, without duplicates.
    ///
    /// Takes two and a half times the memory of `pieces`. Costs about 1 to 2 ns a value, and 1 to 2
    /// ns for each pass over a value that the table does not drop.
    pub fn sort_dedup(&mut self, pieces: &[&[K]]) -> &[K] {
        let length = pieces.iter().map(|piece| piece.len()).sum();
        self.sorted.clear();
        if length < SMALL {
            let gathered = pieces.iter().copied().flatten();
            self.sorted.extend(gathered);
            self.sorted.sort_unstable();
        } else {
            self.gather(pieces, length);
            self.radix();
        }
        dedup(&mut self.sorted);
        &self.sorted
    }

    /// Copy the values to `spare`, `length` at most, without the repeats that the table of known
    /// values finds.
    fn gather(&mut self, pieces: &[&[K]], length: usize) {
        let bits = (length / 2).ilog2().min(PLACE);
        self.known.clear();
        self.known.resize(1 << bits, K::default());
        // An empty slot must never match: 0 hashes to slot 0, so that slot starts as 1, which
        // hashes elsewhere.
        self.known[0] = K::from(true);
        self.spare.resize(length, K::default());
        let mut kept = 0;
        for &value in pieces.iter().copied().flatten() {
            let known = &mut self.known[value.place(bits)];
            self.spare[kept] = value;
            kept += usize::from(*known != value);
            *known = value;
        }
        self.spare.truncate(kept);
    }

    /// Sort the values of `spare` into `sorted`.
    fn radix(&mut self) {
        let first = self.spare[0];
        let differ = self.spare.iter();
        let differ = differ.fold(K::default(), |differ, &x| differ | (x ^ first));
        let passes = differ.length().div_ceil(DIGIT).max(1);
        let width = differ.length().div_ceil(passes);
        let mask = (1usize << width) - 1;

        self.counts.resize(passes as usize, [0; 1 << DIGIT]);
        for counts in &mut self.counts {
            counts[..=mask].fill(0);
        }
        for x in &self.spare {
            for (pass, counts) in (0..).zip(&mut self.counts) {
                counts[x.digit(width * pass, mask)] += 1;
            }
        }
        for (pass, counts) in (0..).zip(&mut self.counts) {
            let shift = width * pass;
            let mut start = 0;
            for count in &mut counts[..=mask] {
                start += mem::replace(count, start);
            }
            self.sorted.resize(self.spare.len(), K::default());
            for &x in &self.spare {
                let place = &mut counts[x.digit(shift, mask)];
                self.sorted[*place as usize] = x;
                *place += 1;
            }
            mem::swap(&mut self.sorted, &mut self.spare);
        }
        mem::swap(&mut self.sorted, &mut self.spare);
    }
}

/// Drop repeats of a sorted list.
fn dedup<K: SortKey>(values: &mut Vec<K>) {
    let Some(&first) = values.first() else { return };
    let (mut kept, mut previous) = (1, first);
    for i in 1..values.len() {
        let value = values[i];
        values[kept] = value;
        kept += usize::from(value != previous);
        previous = value;
    }
    values.truncate(kept);
}

/// A thread's sorters: for offsets of 4 bytes, and for keys of 8.
#[derive(Default)]
pub(super) struct KeySorter {
    narrow: Sorter<u32>,
    wide: Sorter<u64>,
}

impl KeySorter {
    /// Append the keys of one range, which `pieces` of buckets hold, to `out`, sorted and without
    /// repeats. Returns the number of keys with repeats.
    pub(super) fn sort(&mut self, span: Span, pieces: &[&[u32]], out: &mut Vec<u64>) -> usize {
        if span.wide() {
            let keys = pieces.iter().flat_map(|piece| span.keys(piece));
            self.sort_keys(&keys.collect::<Vec<_>>(), out)
        } else {
            let offsets = self.narrow.sort_dedup(pieces);
            out.extend(offsets.iter().map(|&offset| span.first + u64::from(offset)));
            pieces.iter().map(|piece| piece.len()).sum()
        }
    }

    /// Append `keys`, sorted and without repeats, to `out`; returns the number of keys with
    /// repeats.
    pub(super) fn sort_keys(&mut self, keys: &[u64], out: &mut Vec<u64>) -> usize {
        out.extend_from_slice(self.wide.sort_dedup(&[keys]));
        keys.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reference<K: SortKey>(mut values: Vec<K>) -> Vec<K> {
        values.sort_unstable();
        values.dedup();
        values
    }

    proptest! {
        #[test]
        fn any_list_is_sorted_as_the_standard_library_sorts_it(
            values in prop::collection::vec(any::<u64>(), 0..5000),
            mask in any::<u64>(),
            pieces in 1usize..2000,
        ) {
            let wide: Vec<u64> = values.iter().map(|x| x & mask).collect();
            let narrow: Vec<u32> = wide.iter().map(|&x| x as u32).collect();
            let wide_pieces: Vec<&[u64]> = wide.chunks(pieces).collect();
            let narrow_pieces: Vec<&[u32]> = narrow.chunks(pieces).collect();
            let (mut wide_sorter, mut narrow_sorter) = (Sorter::default(), Sorter::default());
            prop_assert_eq!(wide_sorter.sort_dedup(&wide_pieces), reference(wide.clone()));
            prop_assert_eq!(narrow_sorter.sort_dedup(&narrow_pieces), reference(narrow.clone()));
        }
    }

    #[test]
    fn a_sorter_can_be_used_again_on_longer_and_shorter_lists() {
        let mut sorter = Sorter::default();
        for (length, step) in [
            (5000u64, 0x1_0000_0001),
            (1024, 3),
            (2000, 0),
            (20_000, 0x10_0000_0000),
            (0, 1),
        ] {
            let values: Vec<u64> = (0..length)
                .map(|i| i.wrapping_mul(0x9E37_79B9) % 4096 * step)
                .collect();
            assert_eq!(sorter.sort_dedup(&[&values]), reference(values));
        }
    }

    #[test]
    fn keys_of_narrow_and_of_wide_ranges_are_sorted() {
        let mut sorter = KeySorter::default();
        for last in [u64::from(u32::MAX) + 7, u64::from(u32::MAX) + 8] {
            let span = Span { first: 7, last };
            let words: Vec<u32> = [3, 1, 3, 0]
                .iter()
                .flat_map(|&low| vec![low; span.words()])
                .collect();
            let mut keys = Vec::new();
            assert_eq!(sorter.sort(span, &[&words[..], &words[..]], &mut keys), 8);
            let high = |low: u64| if span.wide() { low << 32 } else { 0 };
            assert_eq!(keys, [0, 1, 3].map(|low| 7 + (high(low) | low)));
        }
    }
}
