//! Sorts the keys of a bucket, whichever way they are stored.

use super::sort::Sorter;
use super::splitters::Span;

/// A thread's sorters: for offsets of 4 bytes, and for keys of 8.
#[derive(Default)]
pub(super) struct KeySorter {
    narrow: Sorter<u32>,
    wide: Sorter<u64>,
}

impl KeySorter {
    /// Append the keys that `pieces` of buckets of one range hold, sorted and without repeats, to
    /// `out`. Returns how many they were with repeats.
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

    /// Append `keys`, sorted and without repeats, to `out`; returns how many they were with
    /// repeats.
    pub(super) fn sort_keys(&mut self, keys: &[u64], out: &mut Vec<u64>) -> usize {
        out.extend_from_slice(self.wide.sort_dedup(&[keys]));
        keys.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
