//! Upper bounds on the number of states: boards that hold a 2 or a 4, by sum.
//!
//! Every state holds the 2 or 4 that was spawned last. Key idea: the generating function of boards
//! by sum is a product with one factor `1 + x^2 + x^4 + x^8 + ...` for each cell. For boards up to
//! symmetry, Burnside's lemma averages such products over the symmetries: each cycle of cells under
//! a symmetry has one factor. In a game with stones, a factor also has a term for a stone.

use std::ops::RangeInclusive;

use crate::game::Size;
#[cfg(any(feature = "machine", test))]
use crate::game::{Game, board::for_size, exps, images};

/// For each half sum up to `last / 2`, the number of canonical boards of a game that hold a 2 or a 4.
#[cfg(any(feature = "machine", test))]
pub(crate) fn canonical(game: &Game, last: u32) -> Vec<u64> {
    let half = last.min(game.sum_bound()) as usize / 2;
    let size = game.size();
    if !size.locks().is_none() {
        // Few symmetries are left, so this bound is close.
        return labeled(size, game.top().get(), half);
    }
    let symmetries = symmetries(size);
    let mut total = vec![0u128; half + 1];
    for symmetry in &symmetries {
        let fixed = holding_small(&cycles(symmetry), size.stones(), game.top().get(), half);
        for (total, fixed) in total.iter_mut().zip(fixed) {
            *total += u128::from(fixed);
        }
    }
    let order = symmetries.len() as u128;
    total
        .into_iter()
        .map(|boards| (boards / order) as u64)
        .collect()
}

/// For each half sum up to `half`, at least the number of boards with the stones of `size` that hold a 2 or
/// a 4, and no tile above 2^`top`. With several masks, a board counts once for each mask.
pub(crate) fn labeled(size: Size, top: u8, half: usize) -> Vec<u64> {
    let mut total = vec![0; half + 1];
    for (cells, stones) in size.beside_masks() {
        let boards = holding_small(&vec![1; cells], stones, top, half);
        for (total, boards) in total.iter_mut().zip(boards) {
            *total += boards;
        }
    }
    total
}

/// For each half sum up to `half`, the number of boards that hold some stones, a 2 or a 4, no tile above
/// 2^`top`, and the same in all cells of a cycle. `cycles` are the lengths.
fn holding_small(cycles: &[usize], stones: u32, top: u8, half: usize) -> Vec<u64> {
    let all = boards(cycles, stones, 1..=top, half);
    let large = boards(cycles, stones, 3..=top.max(2), half);
    all.iter()
        .zip(large)
        .map(|(all, large)| all - large)
        .collect()
}

/// Like `holding_small`, for boards whose tiles all have an exponent in `tiles`.
fn boards(cycles: &[usize], stones: u32, tiles: RangeInclusive<u8>, half: usize) -> Vec<u64> {
    // For each number of stones.
    let mut boards = vec![vec![0u64; half + 1]; stones as usize + 1];
    boards[0][0] = 1;
    for &length in cycles {
        let without = boards.clone();
        for (stones, boards) in boards.iter_mut().enumerate() {
            for exp in tiles.clone() {
                // Equal tiles in a cycle add `length << (exp - 1)` to half the sum.
                let with = boards.iter_mut().skip(length << (exp - 1));
                with.zip(&without[stones])
                    .for_each(|(boards, without)| *boards += without);
            }
            if let Some(fewer) = stones.checked_sub(length) {
                let with = boards.iter_mut();
                with.zip(&without[fewer])
                    .for_each(|(boards, without)| *boards += without);
            }
        }
    }
    boards.swap_remove(stones as usize)
}

/// The symmetries of a rectangle, as permutations: entry i is the cell to which cell i moves.
#[cfg(any(feature = "machine", test))]
fn symmetries(size: Size) -> Vec<Vec<usize>> {
    // A board whose digits are the numbers of its cells.
    let numbered = 0x0123_4567_89ab_cdef >> (64 - 4 * size.cells());
    let images = for_size!(size, images::<R, C>(numbered)).into_iter();
    let outside = 16 - size.cells() as usize;
    let cells = |image| exps(image).rev().skip(outside).map(|exp| exp.get().into());
    images
        .take(size.symmetries() as usize)
        .map(|image| cells(image).collect())
        .collect()
}

#[cfg(any(feature = "machine", test))]
/// Lengths of the cycles of a permutation.
fn cycles(images: &[usize]) -> Vec<usize> {
    let mut seen = vec![false; images.len()];
    let mut lengths = Vec::new();
    for start in 0..images.len() {
        let (mut at, mut length) = (start, 0);
        while !std::mem::replace(&mut seen[at], true) {
            at = images[at];
            length += 1;
        }
        if length > 0 {
            lengths.push(length);
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Board, Exp};

    #[test]
    fn boards_of_2x2_up_to_sum_4_agree_with_a_count_by_hand() {
        // No tile; one 2 in four ways; two 2s in six ways and one 4 in four ways.
        assert_eq!(boards(&[1; 4], 0, 1..=2, 2), [1, 4, 10]);
        assert_eq!(holding_small(&[1; 4], 0, 2, 2), [0, 4, 10]);
    }

    #[test]
    fn squares_have_8_symmetries_and_rectangles_4() {
        for (name, order) in [("2", 8), ("3", 8), ("4x3", 4), ("2x4", 4)] {
            let size: Size = name.parse().unwrap();
            let mut all = symmetries(size);
            all.sort();
            all.dedup();
            assert_eq!(all.len(), order, "{name}");
            assert_eq!(all.len() as u32, size.symmetries());
        }
    }

    #[test]
    fn canonical_boards_agree_with_the_rules() {
        for name in [
            "2x2-16",
            "2x3-8",
            "3x3-8",
            "2x2free2",
            "2x3free4-16",
            "3x3free5-8",
        ] {
            let game: Game = name.parse().unwrap();
            let size = game.size();
            let (cells, top) = (size.cells(), u64::from(game.top().get()));
            let digits = top + 1 + u64::from(size.stones() > 0);
            let mut boards = Vec::new();
            for code in 0..digits.pow(cells) {
                let mut rest = code;
                let board = (0..cells).fold(0, |board, _| {
                    let digit = rest % digits;
                    rest /= digits;
                    board << 4 | if digit > top { 15 } else { digit }
                });
                boards.push(board);
            }
            boards.retain(|&board| size.stones_of(board) == size.stones());
            game.rules().canonicalise(&mut boards);
            boards.sort_unstable();
            boards.dedup();
            let has_small =
                |&board: &Board| exps(board).any(|exp| matches!(exp, Exp::TWO | Exp::FOUR));
            let mut expected = vec![0; game.sum_bound() as usize / 2 + 1];
            for board in boards.iter().copied().filter(has_small) {
                if let Some(count) = expected.get_mut(game.sum(board) as usize / 2) {
                    *count += 1;
                }
            }
            assert_eq!(canonical(&game, u32::MAX), expected, "{name}");
        }
    }

    #[test]
    fn known_numbers_of_states_stay_below_the_bounds() {
        // Live and dead states of sum 4, 6, 8 of 2x2: 2, 3, 4 (the first rows of its table).
        let bound = canonical(&"2x2".parse().unwrap(), 8);
        assert!(bound[2] >= 2 && bound[3] >= 3 && bound[4] >= 4, "{bound:?}");
        // All boards of 3x3 to 1024: Lees-Miller's bound, without symmetry, is 786,513,819 (2017).
        let all: u64 = canonical(&"3x3-1024".parse().unwrap(), u32::MAX)
            .iter()
            .sum();
        assert!((786_513_819 / 8..125_000_000).contains(&all), "{all}");
    }
}
