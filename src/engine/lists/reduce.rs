//! The reduce: from the sorted runs of a range to the keys of its states. No files, no threads.

use std::mem;

use super::merge::union_all;
use super::splitters::Span;
use crate::game::Tally;

/// Merge the sorted runs of a range, one at least, each without repeats, into `keys`, sorted, in
/// place of what it holds. Counts the unique states and the repeats between runs. Of `runs` one is
/// left, for its memory.
///
/// 2 ns a state for each doubling of the number of runs.
pub(super) fn reduce(span: Span, runs: &mut Vec<Vec<u64>>, keys: &mut Vec<u64>) -> Tally {
    let candidates: usize = runs.iter().map(Vec::len).sum();
    union_all(runs, keys);
    runs.truncate(1);
    mem::swap(&mut runs[0], keys);
    debug_assert!(
        keys.iter()
            .all(|key| (span.first..=span.last).contains(key))
    );
    Tally {
        unique: keys.len() as u64,
        duplicates: (candidates - keys.len()) as u64,
        ..Tally::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Exp;
    use crate::game::key::KeyCodec;

    #[test]
    fn runs_become_sorted_states_and_repeats_are_counted() {
        // 2x2 boards of sum 8 with tiles up to 4.
        let codec = KeyCodec::new(8, Exp::FOUR);
        let mut states = vec![0x0112, 0x0121, 0x0022, 0x0220];
        states.sort_unstable();
        let mut keys = states.clone();
        codec.encode(&mut keys);
        let span = Splitters::new(&[], 1, codec.bits(4)).span(0);
        let mut runs = vec![
            keys[..3].to_vec(),
            vec![keys[0], keys[2]],
            keys[2..].to_vec(),
        ];
        let mut found = vec![99];
        let tally = reduce(span, &mut runs, &mut found);
        assert_eq!(found, keys);
        codec.decode_all(&mut found);
        assert_eq!(found, states);
        assert_eq!((tally.unique, tally.duplicates), (4, 3));
        assert_eq!(runs.len(), 1);
    }

    use super::super::splitters::Splitters;
}
