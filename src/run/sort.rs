//! Sort a list of `u64` and drop its duplicates.
//!
//! A radix sort from the least significant digit, twelve bits (three board digits) a pass, that
//! looks only at the bits in which the values differ. Lists come here small enough for a core's
//! cache, cut by key range beforehand, so that each pass runs at the speed of the cache, and boards
//! use few of the 4,096 digit values, so that each pass writes few streams.

/// Bits of a digit.
const DIGIT: u32 = 12;
const VALUES: usize = 1 << DIGIT;

/// Below this the standard library's sort is faster than clearing the counters.
const SMALL: usize = 1024;

/// A sorter with its scratch space, for reuse.
#[derive(Default)]
pub struct Sorter {
    spare: Vec<u64>,
    counts: Vec<[u32; VALUES]>,
}

impl Sorter {
    /// Sort `values` and drop duplicates. Values that agree in all but the lowest `ignored` bits must
    /// be equal; those bits are then not looked at.
    ///
    /// Needs as much scratch as `values` holds; about 1 to 2 ns a value and pass within a cache.
    pub fn sort_dedup(&mut self, values: &mut Vec<u64>, ignored: u32) {
        if values.len() < SMALL {
            values.sort_unstable();
        } else {
            self.radix(values, ignored);
        }
        dedup(values);
    }

    fn radix(&mut self, values: &mut Vec<u64>, ignored: u32) {
        let (any, all) = values
            .iter()
            .fold((0, u64::MAX), |(any, all), &x| (any | x, all & x));
        let differ = (any ^ all) >> ignored << ignored;
        if differ == 0 {
            return;
        }
        let low = differ.trailing_zeros() / 4 * 4;
        let digits = (64 - differ.leading_zeros() - low).div_ceil(DIGIT) as usize;
        let shift = |digit: usize| low + DIGIT * digit as u32;

        self.counts
            .resize(self.counts.len().max(digits), [0; VALUES]);
        let counts = &mut self.counts[..digits];
        counts.fill([0; VALUES]);
        for &x in values.iter() {
            for (digit, counts) in counts.iter_mut().enumerate() {
                counts[digit_of(x, shift(digit))] += 1;
            }
        }
        self.spare.clear();
        self.spare.resize(values.len(), 0);
        for (digit, counts) in counts.iter_mut().enumerate() {
            let shift = shift(digit);
            if counts[digit_of(values[0], shift)] as usize == values.len() {
                continue;
            }
            let mut start = 0;
            for count in counts.iter_mut() {
                start += std::mem::replace(count, start);
            }
            for &x in values.iter() {
                let place = &mut counts[digit_of(x, shift)];
                self.spare[*place as usize] = x;
                *place += 1;
            }
            std::mem::swap(values, &mut self.spare);
        }
    }
}

#[inline(always)]
fn digit_of(x: u64, shift: u32) -> usize {
    (x >> shift) as usize % VALUES
}

/// Drop repeats of a sorted list.
fn dedup(values: &mut Vec<u64>) {
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

    fn reference(mut values: Vec<u64>) -> Vec<u64> {
        values.sort_unstable();
        values.dedup();
        values
    }

    proptest! {
        #[test]
        fn any_list_is_sorted_as_the_standard_library_sorts_it(
            values in prop::collection::vec(any::<u64>(), 0..5000),
            mask in any::<u64>(),
        ) {
            let masked: Vec<u64> = values.iter().map(|x| x & mask).collect();
            let mut sorted = masked.clone();
            Sorter::default().sort_dedup(&mut sorted, 0);
            prop_assert_eq!(sorted, reference(masked));
        }
    }

    #[test]
    fn a_sorter_can_be_used_again_on_longer_and_shorter_lists() {
        let mut sorter = Sorter::default();
        for (length, step) in [
            (5000u64, 0x1_0000_0001),
            (1024, 3),
            (20_000, 0x10_0000_0000),
            (0, 1),
        ] {
            let values: Vec<u64> = (0..length)
                .map(|i| i.wrapping_mul(0x9E37_79B9) % 4096 * step)
                .collect();
            let mut sorted = values.clone();
            sorter.sort_dedup(&mut sorted, 0);
            assert_eq!(sorted, reference(values));
        }
    }

    #[test]
    fn ignored_bits_are_carried_along() {
        let values: Vec<u64> = (0..4096u64).rev().map(|i| i << 4 | (i % 7)).collect();
        let mut sorted = values.clone();
        Sorter::default().sort_dedup(&mut sorted, 4);
        assert_eq!(sorted, reference(values));
    }
}
