//! Sort numbers and drop duplicates.
//!
//! A radix sort from the least significant digit, that looks only at the bits in which the values
//! differ and shares them out evenly among as few passes as will do. Lists come here small enough for
//! a core's cache, cut by key range beforehand, and in pieces: the first pass gathers them.

use std::mem;
use std::ops::{BitAnd, BitOr, BitXor};

/// Most bits of a digit: 2,048 streams are about what a core writes at full speed.
const DIGIT: u32 = 11;

/// Below this the standard library's sort is faster than clearing the counters.
const SMALL: usize = 1024;

/// What a [`Sorter`] sorts: `u32` or `u64`.
pub trait Key:
    Copy + Default + Ord + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
    /// The bits from `shift` on that `mask` leaves.
    fn digit(self, shift: u32, mask: usize) -> usize;
    /// Bits after the first one that is set, and with it.
    fn length(self) -> u32;
}

macro_rules! key {
    ($number:ty) => {
        impl Key for $number {
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
    counts: Vec<[u32; 1 << DIGIT]>,
}

impl<K: Key> Sorter<K> {
    /// The values of all `pieces`, sorted, without duplicates.
    ///
    /// Needs twice the memory of what the pieces hold; about 1 to 2 ns a value and pass within a cache.
    pub fn sort_dedup(&mut self, pieces: &[&[K]]) -> &[K] {
        let length = pieces.iter().map(|piece| piece.len()).sum();
        self.sorted.clear();
        if length < SMALL {
            pieces
                .iter()
                .for_each(|piece| self.sorted.extend_from_slice(piece));
            self.sorted.sort_unstable();
        } else {
            self.sorted.resize(length, K::default());
            self.radix(pieces);
        }
        dedup(&mut self.sorted);
        &self.sorted
    }

    fn radix(&mut self, pieces: &[&[K]]) {
        let values = || pieces.iter().copied().flatten().copied();
        let first = pieces
            .iter()
            .find_map(|piece| piece.first())
            .copied()
            .unwrap_or_default();
        let differ = pieces.iter().fold(K::default(), |differ, piece| {
            piece.iter().fold(differ, |differ, &x| differ | (x ^ first))
        });
        let passes = differ.length().div_ceil(DIGIT).max(1);
        let width = differ.length().div_ceil(passes);
        let mask = (1usize << width) - 1;

        self.counts.resize(passes as usize, [0; 1 << DIGIT]);
        for counts in &mut self.counts {
            counts[..=mask].fill(0);
        }
        for x in values() {
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
            let mut put = |x: K, to: &mut [K]| {
                let place = &mut counts[x.digit(shift, mask)];
                to[*place as usize] = x;
                *place += 1;
            };
            if pass == 0 {
                for piece in pieces {
                    piece.iter().for_each(|&x| put(x, &mut self.sorted));
                }
            } else {
                self.spare.resize(self.sorted.len(), K::default());
                self.sorted.iter().for_each(|&x| put(x, &mut self.spare));
                mem::swap(&mut self.sorted, &mut self.spare);
            }
        }
    }
}

/// Drop repeats of a sorted list.
fn dedup<K: Key>(values: &mut Vec<K>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reference<K: Key>(mut values: Vec<K>) -> Vec<K> {
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
}
