//! The reduce: from the sorted runs of a range to its states. No files, no threads.

use super::merge::union_all;
use super::splitters::Span;
use crate::engine::tally::Tally;
use crate::game::Board;
use crate::game::key::KeyCodec;

/// Merge the sorted runs of a range, each without repeats, into its states, sorted, in `states`
/// (which is cleared). Counts the unique states and the repeats between runs. Of `runs` one is
/// left, the union, for its memory.
///
/// About 3 ns a state, and 2 ns for each doubling of the number of runs.
pub(super) fn reduce(
    span: Span,
    runs: &mut Vec<Vec<u64>>,
    codec: &KeyCodec,
    states: &mut Vec<Board>,
) -> Tally {
    let candidates: usize = runs.iter().map(Vec::len).sum();
    let keys = union_all(std::mem::take(runs));
    debug_assert!(
        keys.iter()
            .all(|key| (span.first..=span.last).contains(key))
    );
    states.clear();
    states.extend(keys.iter().map(|&key| codec.decode(key)));
    let tally = Tally {
        unique: keys.len() as u64,
        duplicates: (candidates - keys.len()) as u64,
        ..Tally::default()
    };
    runs.push(keys);
    tally
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Exp;

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
        let tally = reduce(span, &mut runs, &codec, &mut found);
        assert_eq!(found, states);
        assert_eq!((tally.unique, tally.duplicates), (4, 3));
        assert_eq!(runs, [keys]);
    }

    use super::super::splitters::Splitters;
}
