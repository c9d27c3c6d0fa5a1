//! Numbers of boards: upper bounds on what a count can find.
//!
//! Key idea: the boards of each sum are counted by the coefficients of a product with one factor
//! `1 + x^2 + x^4 + x^8 + ...` for each cell. Up to symmetry (Burnside's lemma) it is the average
//! of such products over the symmetries, where cells that a symmetry moves onto each other share
//! one factor.
//!
//! Reading order: this file (boards of each sum), `canonical` (up to symmetry).

#[cfg(any(feature = "cli", test))]
mod canonical;

use std::ops::RangeInclusive;

#[cfg(feature = "cli")]
pub(crate) use canonical::canonical;

/// For each half sum up to `half`, the number of boards of `cells` cells whose tiles all have an
/// exponent in `tiles`.
pub(crate) fn labeled(cells: usize, tiles: &RangeInclusive<u8>, half: usize) -> Vec<u64> {
    orbits(&vec![1; cells], tiles, half)
}

/// The same for boards whose cells come in groups that hold equal tiles; `groups` are the sizes of
/// the groups.
fn orbits(groups: &[usize], tiles: &RangeInclusive<u8>, half: usize) -> Vec<u64> {
    let mut boards = vec![0u64; half + 1];
    boards[0] = 1;
    for group in groups {
        let without = boards.clone();
        for exp in tiles.clone() {
            // The group's tiles add this much to the sums of the other cells.
            let with = boards.iter_mut().skip(group << (exp - 1));
            for (boards, without) in with.zip(&without) {
                *boards += without;
            }
        }
    }
    boards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_2x2_with_sum_4_are_those_counted_by_hand() {
        // No tile; one 2 in four ways; two 2s in six ways and one 4 in four.
        assert_eq!(labeled(4, &(1..=2), 2), [1, 4, 10]);
    }
}
