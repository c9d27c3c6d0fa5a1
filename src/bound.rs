//! How many boards there are: bounds on what a count can find.
//!
//! Key idea: the number of boards by sum is the coefficient of a product, one factor for each cell,
//! `1 + x^2 + x^4 + x^8 + ...`; and up to symmetry (Burnside's lemma) the average of such products over
//! the symmetries, where cells that a symmetry moves onto each other have one factor together.

use std::ops::RangeInclusive;

use crate::game::{Game, Size};

/// For each half sum up to `half`, the number of boards of `cells` cells that are empty or hold a tile
/// with an exponent of `tiles`.
///
/// ```
/// // 2x2 boards of sum 4: two 2s in six ways, one 4 in four.
/// assert_eq!(enum48::bound::labeled(4, &(1..=2), 2), [1, 4, 10]);
/// ```
#[must_use]
pub fn labeled(cells: usize, tiles: &RangeInclusive<u8>, half: usize) -> Vec<u64> {
    orbits(&vec![1; cells], tiles, half)
}

/// The same of boards that are constant on each of the groups of cells with the sizes `groups`.
fn orbits(groups: &[usize], tiles: &RangeInclusive<u8>, half: usize) -> Vec<u64> {
    let mut boards = vec![0u64; half + 1];
    boards[0] = 1;
    for group in groups {
        for sum in (0..=half).rev() {
            let with = |e: u8| {
                sum.checked_sub(group << (e - 1))
                    .map_or(0, |rest| boards[rest])
            };
            boards[sum] += tiles.clone().map(with).sum::<u64>();
        }
    }
    boards
}

/// For each half sum up to `last / 2`, the number of canonical boards with tiles that a game has and
/// with a 2 or a 4 among them, which every state has: an upper bound on its states.
#[must_use]
pub fn canonical(game: &Game, last: u32) -> Vec<u64> {
    let half = last.min(game.sum_bound()) as usize / 2;
    let symmetries = symmetries(game.size());
    let mut total = vec![0u128; half + 1];
    for symmetry in &symmetries {
        let groups = cycles(symmetry);
        let top = game.top_exponent();
        let all = orbits(&groups, &(1..=top), half);
        let large = orbits(&groups, &(3..=top.max(2)), half);
        for (total, (all, large)) in total.iter_mut().zip(all.iter().zip(&large)) {
            *total += u128::from(all - large);
        }
    }
    let order = symmetries.len() as u128;
    total
        .into_iter()
        .map(|boards| (boards / order) as u64)
        .collect()
}

/// The symmetries of a rectangle, each as the cell that every cell goes to.
fn symmetries(size: Size) -> Vec<Vec<usize>> {
    let (rows, cols) = (usize::from(size.rows()), usize::from(size.cols()));
    let mut found = Vec::new();
    for transposed in [false, true] {
        for (down, across) in [(false, false), (false, true), (true, false), (true, true)] {
            if transposed && rows != cols {
                continue;
            }
            let image = |cell: usize| {
                let (row, col) = (cell / cols, cell % cols);
                let row = if down { rows - 1 - row } else { row };
                let col = if across { cols - 1 - col } else { col };
                if transposed {
                    col * cols + row
                } else {
                    row * cols + col
                }
            };
            found.push((0..rows * cols).map(image).collect());
        }
    }
    found
}

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

    #[test]
    fn a_rectangle_has_as_many_symmetries_as_its_size_says() {
        for (name, sizes) in [("2", 8), ("3", 8), ("4x3", 4), ("2x4", 4)] {
            let size: Size = name.parse().unwrap();
            let mut all = symmetries(size);
            all.sort();
            all.dedup();
            assert_eq!(all.len(), sizes, "{name}");
            assert_eq!(all.len() as u32, size.symmetries());
        }
    }

    #[test]
    fn canonical_boards_are_those_that_the_rules_find() {
        for name in ["2x2-16", "2x3-8", "3x3-8"] {
            let game: Game = name.parse().unwrap();
            let (cells, top) = (game.size().cells(), u64::from(game.top_exponent()));
            let mut boards = Vec::new();
            for code in 0..(top + 1).pow(cells) {
                let mut rest = code;
                let board = (0..cells).fold(0, |board, _| {
                    let digit = rest % (top + 1);
                    rest /= top + 1;
                    board << 4 | digit
                });
                boards.push(board);
            }
            game.rules().canonicalise(&mut boards);
            boards.sort_unstable();
            boards.dedup();
            let has_small =
                |board: &u64| (0..cells).any(|cell| matches!(board >> (4 * cell) & 15, 1 | 2));
            let mut expected = vec![0; game.sum_bound() as usize / 2 + 1];
            for board in boards.iter().copied().filter(has_small) {
                if let Some(count) = expected.get_mut(crate::game::board::sum(board) as usize / 2) {
                    *count += 1;
                }
            }
            assert_eq!(canonical(&game, u32::MAX), expected, "{name}");
        }
    }

    #[test]
    fn bounds_are_bounds() {
        // Live and dead states of sum 4, 6, 8 of 2x2: 2, 3, 4 (the first rows of its table).
        let bound = canonical(&"2x2".parse().unwrap(), 8);
        assert!(bound[2] >= 2 && bound[3] >= 3 && bound[4] >= 4, "{bound:?}");
        // All boards of 3x3 to 1024: Lees-Miller's bound on labeled ones is 786,513,819 (2017).
        let all: u64 = canonical(&"3x3-1024".parse().unwrap(), u32::MAX)
            .iter()
            .sum();
        assert!((786_513_819 / 8..125_000_000).contains(&all), "{all}");
    }
}
