//! Numbers of boards: upper bounds on what a count can find.
//!
//! Key idea: the generating function of boards by sum is a product with one factor `1 + x^2 + x^4 +
//! x^8 + ...` for each cell. For boards up to symmetry, Burnside's lemma averages such products
//! over the symmetries: each cycle of cells under a symmetry has one factor.
//!
//! Reading order: this file (boards of each sum), `canonical` (up to symmetry).

#[cfg(any(feature = "machine", test))]
mod canonical;

use std::ops::RangeInclusive;

#[cfg(feature = "machine")]
pub(crate) use canonical::canonical;

/// For each half sum up to `half`, the number of boards of `cells` cells whose tiles all have an
/// exponent in `tiles`.
pub(crate) fn labeled(cells: usize, tiles: &RangeInclusive<u8>, half: usize) -> Vec<u64> {
    orbits(&vec![1; cells], tiles, half)
}

/// Like `labeled`, for boards with equal tiles in all cells of a cycle; `groups` are the lengths of
/// the cycles.
fn orbits(groups: &[usize], tiles: &RangeInclusive<u8>, half: usize) -> Vec<u64> {
    let mut boards = vec![0u64; half + 1];
    boards[0] = 1;
    for group in groups {
        let without = boards.clone();
        for exp in tiles.clone() {
            // Equal tiles in a cycle add `group << (exp - 1)` to half the sum.
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
    fn boards_of_2x2_up_to_sum_4_agree_with_a_count_by_hand() {
        // No tile; one 2 in four ways; two 2s in six ways and one 4 in four ways.
        assert_eq!(labeled(4, &(1..=2), 2), [1, 4, 10]);
    }
}
