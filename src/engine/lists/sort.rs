//! Sorts numbers, merges sorted lists, and drops repeats. No files, no threads.
//!
//! Key idea: most values occur several times, and sorting is the most expensive way to find
//! repeats. So a small lossy hash table drops most repeats while the values are gathered: each
//! value overwrites its slot. The rest goes through a radix sort from the least significant digit.
//! It sorts by the bits up to the highest bit in which values differ, divided evenly among as few
//! passes as possible. The lists are ranges that fit a core's cache.

use std::mem;
use std::ops::{BitOr, BitXor};

use super::splitters::KeyLimits;
use crate::game::Tally;

/// Most bits of a digit: a core writes about 2,048 streams at full speed.
const DIGIT: u32 = 11;

/// Most bits of a slot's number in the table of repeats: 256 KiB of 4-byte values.
const PLACE: u32 = 16;

/// The standard library sorts shorter lists faster than the radix sort clears its counters.
const SMALL: usize = 1024;

/// An integer that a [`Sorter`] can sort: `u32` or `u64`.
pub trait SortKey:
    Copy + Default + From<bool> + Into<u64> + Ord + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// A hash of `bits` bits: slot 0 for the value 0, another slot for 1.
    #[inline(always)]
    fn slot(self, bits: u32) -> usize {
        // Knuth's golden ratio.
        (self.into().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
    }

    /// The bits from `shift` up, masked by `mask`.
    #[inline(always)]
    fn digit(self, shift: u32, mask: usize) -> usize {
        (self.into() >> shift) as usize & mask
    }
}

impl SortKey for u32 {}
impl SortKey for u64 {}

/// A sorter with its scratch space, for reuse.
#[derive(Default)]
pub struct Sorter<K> {
    sorted: Vec<K>,
    spare: Vec<K>,
    known: Vec<K>,
    counts: Vec<[u32; 1 << DIGIT]>,
}

impl<K: SortKey> Sorter<K> {
    /// The values of all `slices`, sorted, without repeats.
    ///
    /// Takes two and a half times the memory of `slices`. Costs about 1 to 2 ns a value, and for
    /// each pass 1 to 2 ns a value that the table does not drop.
    pub fn sort_dedup(&mut self, slices: &[&[K]]) -> &[K] {
        let length = slices.iter().map(|slice| slice.len()).sum();
        self.sorted.clear();
        if length < SMALL {
            self.sorted.extend(slices.iter().copied().flatten());
            self.sorted.sort_unstable();
        } else {
            self.gather(slices, length);
            self.radix();
        }
        dedup(&mut self.sorted);
        &self.sorted
    }

    /// Copy at most `length` values to `spare`, without the repeats that the table of known values
    /// finds. Not inlined, to have all registers.
    #[inline(never)]
    fn gather(&mut self, slices: &[&[K]], length: usize) {
        let bits = (length / 2).ilog2().min(PLACE);
        self.known.clear();
        self.known.resize(1 << bits, K::default());
        // An empty slot must never match: 0 hashes to slot 0, so that slot starts as 1, which
        // hashes elsewhere.
        self.known[0] = K::from(true);
        self.spare.resize(length, K::default());
        let mut kept = 0;
        for &value in slices.iter().copied().flatten() {
            let known = &mut self.known[value.slot(bits)];
            self.spare[kept] = value;
            kept += usize::from(*known != value);
            *known = value;
        }
        self.spare.truncate(kept);
    }

    /// Sort the values of `spare` into `sorted`. Not inlined, to have all registers.
    #[inline(never)]
    fn radix(&mut self) {
        let first = self.spare[0];
        let differing = |bits, &x| bits | (x ^ first);
        let differing = self.spare.iter().fold(K::default(), differing).into();
        let length = u64::BITS - differing.leading_zeros();
        let passes = length.div_ceil(DIGIT).max(1);
        let width = length.div_ceil(passes);
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
    /// Append the keys in `slices` of buckets of one range to `out`, sorted and without repeats.
    /// Returns the number of keys, repeats included.
    pub(super) fn sort(
        &mut self,
        limits: KeyLimits,
        slices: &[&[u32]],
        out: &mut Vec<u64>,
    ) -> usize {
        if limits.wide() {
            let keys = slices.iter().flat_map(|slice| limits.keys(slice));
            self.sort_keys(&keys.collect::<Vec<_>>(), out)
        } else {
            let offsets = self.narrow.sort_dedup(slices);
            out.extend(
                offsets
                    .iter()
                    .map(|&offset| limits.first + u64::from(offset)),
            );
            slices.iter().map(|slice| slice.len()).sum()
        }
    }

    /// Append `keys` to `out`, sorted and without repeats. Returns the length of `keys`.
    pub(super) fn sort_keys(&mut self, keys: &[u64], out: &mut Vec<u64>) -> usize {
        out.extend_from_slice(self.wide.sort_dedup(&[keys]));
        keys.len()
    }
}

/// Replace `out` by the strictly increasing union of two strictly increasing lists. About 2 ns a
/// value; no branch depends on the data while both lists last.
pub fn union(a: &[u64], b: &[u64], out: &mut Vec<u64>) {
    out.resize(a.len() + b.len(), 0);
    let (mut i, mut j, mut n) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        out[n] = x.min(y);
        n += 1;
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    for rest in [&a[i..], &b[j..]] {
        out[n..n + rest.len()].copy_from_slice(rest);
        n += rest.len();
    }
    out.truncate(n);
}

/// Put the union of strictly increasing lists into the first list, in rounds that merge pairs of
/// lists. The other lists and `spare` then hold no useful data.
pub fn union_all(lists: &mut [Vec<u64>], spare: &mut Vec<u64>) {
    let mut apart = 1;
    while apart < lists.len() {
        for lists in lists.chunks_mut(2 * apart) {
            if let Some((firsts, seconds)) = lists.split_at_mut_checked(apart)
                && let [second, ..] = seconds
            {
                union(&firsts[0], second, spare);
                mem::swap(&mut firsts[0], spare);
            }
        }
        apart *= 2;
    }
}

/// Replace `keys` by the union of the sorted runs of a range. There is at least one run, and no run
/// has repeats. Counts the unique states and the repeats between runs. One of `runs` is left, for
/// its memory.
///
/// About 2 ns a state for each doubling of the number of runs.
pub(super) fn reduce(limits: KeyLimits, runs: &mut Vec<Vec<u64>>, keys: &mut Vec<u64>) -> Tally {
    let candidates: usize = runs.iter().map(Vec::len).sum();
    union_all(runs, keys);
    runs.truncate(1);
    mem::swap(&mut runs[0], keys);
    debug_assert!(
        keys.iter()
            .all(|key| (limits.first..=limits.last).contains(key))
    );
    Tally {
        unique: keys.len() as u64,
        duplicates: (candidates - keys.len()) as u64,
        ..Tally::default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::splitters::Splitters;
    use super::*;
    use crate::game::Exp;
    use crate::game::key::KeyCodec;

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
            slices in 1usize..2000,
        ) {
            let wide: Vec<u64> = values.iter().map(|x| x & mask).collect();
            let narrow: Vec<u32> = wide.iter().map(|&x| x as u32).collect();
            let wide_slices: Vec<&[u64]> = wide.chunks(slices).collect();
            let narrow_slices: Vec<&[u32]> = narrow.chunks(slices).collect();
            let (mut wide_sorter, mut narrow_sorter) = (Sorter::default(), Sorter::default());
            prop_assert_eq!(wide_sorter.sort_dedup(&wide_slices), reference(wide.clone()));
            prop_assert_eq!(narrow_sorter.sort_dedup(&narrow_slices), reference(narrow.clone()));
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
    fn keys_of_narrow_and_wide_ranges_are_sorted() {
        let mut sorter = KeySorter::default();
        for last in [u64::from(u32::MAX) + 7, u64::from(u32::MAX) + 8] {
            let limits = KeyLimits { first: 7, last };
            let words: Vec<u32> = [3, 1, 3, 0]
                .iter()
                .flat_map(|&low| vec![low; limits.words()])
                .collect();
            let mut keys = Vec::new();
            assert_eq!(sorter.sort(limits, &[&words[..], &words[..]], &mut keys), 8);
            let high = |low: u64| if limits.wide() { low << 32 } else { 0 };
            assert_eq!(keys, [0, 1, 3].map(|low| 7 + (high(low) | low)));
        }
    }

    proptest! {
        #[test]
        fn merging_is_set_union(sets in prop::collection::vec(prop::collection::btree_set(0u64..300, 0..80), 0..9)) {
            let expected: BTreeSet<u64> = sets.iter().flatten().copied().collect();
            let lists = sets.into_iter().map(|set| set.into_iter().collect());
            // There is at least one list. The spare buffer was used before.
            let mut lists: Vec<Vec<u64>> = lists.chain([Vec::new()]).collect();
            union_all(&mut lists, &mut vec![7; 90]);
            prop_assert_eq!(&lists[0], &expected.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn runs_become_sorted_states_and_repeats_are_counted() {
        // 2x2 boards of sum 8 with tiles up to 4.
        let codec = KeyCodec::new(8, Exp::FOUR);
        let mut states = vec![0x0112, 0x0121, 0x0022, 0x0220];
        states.sort_unstable();
        let mut keys = states.clone();
        codec.encode(&mut keys);
        let limits = Splitters::new(&[], 1, codec.bits(4)).limits(0);
        let mut runs = vec![
            keys[..3].to_vec(),
            vec![keys[0], keys[2]],
            keys[2..].to_vec(),
        ];
        let mut found = vec![99];
        let tally = reduce(limits, &mut runs, &mut found);
        assert_eq!(found, keys);
        codec.decode_all(&mut found);
        assert_eq!(found, states);
        assert_eq!((tally.unique, tally.duplicates), (4, 3));
        assert_eq!(runs.len(), 1);
    }
}
