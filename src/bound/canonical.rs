//! The number of canonical boards: boards up to symmetry.

use super::orbits;
use crate::game::{Game, Size};

/// For each half sum up to `last / 2`, the number of canonical boards that have only tiles of a
/// game and hold a 2 or a 4. Every state is such a board, so this is an upper bound.
pub(crate) fn canonical(game: &Game, last: u32) -> Vec<u64> {
    let half = last.min(game.sum_bound()) as usize / 2;
    let symmetries = symmetries(game.size());
    let mut total = vec![0u128; half + 1];
    for symmetry in &symmetries {
        let groups = cycles(symmetry);
        let top = game.top().get();
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

/// The symmetries of a rectangle, as permutations: entry i is the cell to which cell i moves.
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
    use crate::game::board::exps;
    use crate::game::{Board, Exp, sum};

    #[test]
    fn squares_have_8_symmetries_and_rectangles_4() {
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
    fn canonical_boards_agree_with_the_rules() {
        for name in ["2x2-16", "2x3-8", "3x3-8"] {
            let game: Game = name.parse().unwrap();
            let (cells, top) = (game.size().cells(), u64::from(game.top().get()));
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
                |&board: &Board| exps(board).any(|exp| matches!(exp, Exp::TWO | Exp::FOUR));
            let mut expected = vec![0; game.sum_bound() as usize / 2 + 1];
            for board in boards.iter().copied().filter(has_small) {
                if let Some(count) = expected.get_mut(sum(board) as usize / 2) {
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
