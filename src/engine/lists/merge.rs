//! Union of sorted runs.

use std::mem;

/// The union of two strictly increasing lists, strictly increasing, in place of what `out` holds.
/// About 2 ns a value; no branch depends on the data while both lists last.
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

/// The union of any number of strictly increasing lists, by rounds of pairs: each value is moved
/// log2 of the number of lists times. It is in the first of them; the others and `spare` are only
/// memory then.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn merging_is_set_union(sets in prop::collection::vec(prop::collection::btree_set(0u64..300, 0..80), 0..9)) {
            let expected: BTreeSet<u64> = sets.iter().flatten().copied().collect();
            let lists = sets.into_iter().map(|set| set.into_iter().collect());
            // One at least, and memory that was used before.
            let mut lists: Vec<Vec<u64>> = lists.chain([Vec::new()]).collect();
            union_all(&mut lists, &mut vec![7; 90]);
            prop_assert_eq!(&lists[0], &expected.into_iter().collect::<Vec<_>>());
        }
    }
}
