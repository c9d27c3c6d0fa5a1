//! The reduce: the union of the sorted runs of a range. No files, no threads.

use std::mem;

use super::splitters::Span;
use crate::game::Tally;

/// Replace `out` by the union of two strictly increasing lists, strictly increasing, too. About 2
/// ns a value; no branch depends on the data while both lists last.
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

/// Put the union of strictly increasing lists into the first list, by rounds of pairs. Each value
/// is moved log2 of the number of lists times. The other lists and `spare` then hold no useful
/// data.
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

/// Merge the sorted runs of a range into `keys`, in place of its content. There is at least one
/// run, and no run has repeats. Counts the unique states and the repeats between runs. One of
/// `runs` is left, for its memory.
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
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::super::splitters::Splitters;
    use super::*;
    use crate::game::Exp;
    use crate::game::key::KeyCodec;

    proptest! {
        #[test]
        fn merging_is_set_union(sets in prop::collection::vec(prop::collection::btree_set(0u64..300, 0..80), 0..9)) {
            let expected: BTreeSet<u64> = sets.iter().flatten().copied().collect();
            let lists = sets.into_iter().map(|set| set.into_iter().collect());
            // At least one list, and a spare buffer that was used before.
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
}
