//! One line of a board, moved as a person moves it.
//!
//! The engine moves whole boards by arithmetic (`slide.rs`). This is the rule itself, in the order in
//! which it is told, and shares nothing with the engine: games are replayed with it, and what the engine
//! does is compared with it.

use super::board::Size;
use super::slide::Direction;

/// How many lines a move in a direction has, and how many cells each.
#[must_use]
pub fn lines(size: Size, direction: Direction) -> (usize, usize) {
    let (rows, cols) = (size.rows().into(), size.cols().into());
    match direction {
        Direction::Up | Direction::Down => (cols, rows),
        Direction::Right | Direction::Left => (rows, cols),
    }
}

/// The cell of a line that is `step` cells from the edge moved toward. Cells are counted from 0 at the top left,
/// along the rows.
#[must_use]
pub fn cell(size: Size, direction: Direction, line: usize, step: usize) -> usize {
    let (rows, cols) = (usize::from(size.rows()), usize::from(size.cols()));
    match direction {
        Direction::Up => step * cols + line,
        Direction::Down => (rows - 1 - step) * cols + line,
        Direction::Left => line * cols + step,
        Direction::Right => line * cols + cols - 1 - step,
    }
}

/// Slide a line of exponents toward its first cell, 0 being empty. Returns the score: the sum of the
/// tiles that merging made.
///
/// ```
/// // 4 4 . 8 gives 8 8 . ., not 16: a tile that came from a merge does not merge again.
/// let mut line = [2, 2, 0, 3];
/// assert_eq!(enum48::game::line::slide(&mut line), 8);
/// assert_eq!(line, [3, 3, 0, 0]);
/// ```
pub fn slide(line: &mut [u8]) -> u64 {
    let (mut score, mut end, mut fresh) = (0, 0, false);
    for at in 0..line.len() {
        let tile = std::mem::take(&mut line[at]);
        if tile == 0 {
            continue;
        }
        if fresh && line[end - 1] == tile {
            line[end - 1] += 1;
            score += 1 << line[end - 1];
            fresh = false;
        } else {
            line[end] = tile;
            end += 1;
            fresh = true;
        }
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_rules_hold() {
        for (before, after, score) in [
            ([2, 2, 0, 3], [3, 3, 0, 0], 8),
            ([0, 1, 1, 1], [2, 1, 0, 0], 4),
            ([1, 1, 1, 1], [2, 2, 0, 0], 8),
            ([0, 0, 0, 0], [0, 0, 0, 0], 0),
            ([1, 2, 1, 2], [1, 2, 1, 2], 0),
            ([15, 0, 0, 15], [16, 0, 0, 0], 65536),
        ] {
            let mut line: [u8; 4] = before;
            assert_eq!(slide(&mut line), score, "{before:?}");
            assert_eq!(line, after, "{before:?}");
        }
    }
}
