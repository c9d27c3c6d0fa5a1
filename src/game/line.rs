//! One line of a board, and the move as a person states it.
//!
//! The engine moves whole boards by arithmetic (`slide.rs`). This file shares no code with
//! `slide.rs`, so it can check the engine when it replays games and counts layers again.

use super::board::{Board, Size};
use super::slide::Direction;

/// A line of a board, seen from the edge moved toward: its first cell is at that edge.
///
/// The tiles of a line are a list of exponents, or *packed* into a number with a digit for each
/// cell, the first cell most significant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// The first cell. Cells are counted from 0 at the top left, row by row.
    first: i8,
    /// Difference between the numbers of neighbouring cells.
    stride: i8,
    /// Number of cells.
    length: i8,
    /// The last cell of the board, whose digit is the least significant.
    last: i8,
}

/// The lines of a board in one direction.
pub(crate) fn lines(size: Size, direction: Direction) -> impl Iterator<Item = Line> {
    let (rows, cols) = (size.rows() as i8, size.cols() as i8);
    // The first cell of the first line, the distance to the first cell of the next line, the distance
    // between neighbours of a line, the number of lines, and their length.
    let (first, across, stride, lines, length) = match direction {
        Direction::Up => (0, 1, cols, cols, rows),
        Direction::Down => ((rows - 1) * cols, 1, -cols, cols, rows),
        Direction::Left => (0, cols, 1, rows, cols),
        Direction::Right => (cols - 1, cols, -1, rows, cols),
    };
    (0..lines).map(move |line| Line {
        first: first + line * across,
        stride,
        length,
        last: rows * cols - 1,
    })
}

impl Line {
    /// Number of cells.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.length as usize
    }

    /// The numbers of the cells.
    #[inline]
    pub(crate) fn cells(&self) -> impl DoubleEndedIterator<Item = usize> {
        let Self { first, stride, .. } = *self;
        (0..self.length).map(move |step| (first + step * stride) as usize)
    }

    /// The shift of each cell's digit in a board.
    #[inline]
    fn shifts(&self) -> impl DoubleEndedIterator<Item = usize> {
        let last = self.last as usize;
        self.cells().map(move |cell| 4 * (last - cell))
    }

    /// This line of a board, packed.
    #[inline]
    pub(crate) fn of_board(&self, board: Board) -> u16 {
        let shifts = self.shifts();
        shifts.fold(0, |line, shift| line << 4 | (board >> shift & 15) as u16)
    }

    /// The board that holds this packed line and no other tiles.
    #[inline]
    pub(crate) fn to_board(self, packed: u16) -> Board {
        let digits = self.shifts().rev().enumerate();
        digits.fold(0, |board, (place, shift)| {
            board | u64::from(packed >> (4 * place) & 15) << shift
        })
    }
}

/// The exponents of a packed line of `length` cells.
pub(crate) fn unpack(packed: u16, length: usize) -> Vec<u8> {
    (0..length)
        .rev()
        .map(|place| (packed >> (4 * place) & 15) as u8)
        .collect()
}

/// Pack a line; `None` if it holds the tile 65536, which has no digit.
pub(crate) fn pack(tiles: &[u8]) -> Option<u16> {
    tiles.iter().try_fold(0, |packed, &tile| {
        (tile < 16).then_some(packed << 4 | u16::from(tile))
    })
}

/// Slide the exponents of a line toward its first cell; 0 is an empty cell. Returns the score,
/// which is the sum of the tiles that merges made.
///
/// 4 4 . 8 becomes 8 8 . ., not 16: a tile that a merge made does not merge again in this move. `stone`
/// is the exponent that stands for a stone, if the game has stones. Two stones do not merge.
pub(crate) fn slide(line: &mut [u8], stone: Option<u8>) -> u64 {
    // No tile is 0.
    let stone = stone.unwrap_or(0);
    let (mut score, mut end, mut can_merge) = (0, 0, false);
    for at in 0..line.len() {
        let tile = std::mem::take(&mut line[at]);
        if tile == 0 {
            continue;
        }
        if can_merge && line[end - 1] == tile && tile != stone {
            line[end - 1] += 1;
            score += 1 << line[end - 1];
            can_merge = false;
        } else {
            line[end] = tile;
            end += 1;
            can_merge = true;
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
            assert_eq!(slide(&mut line, None), score, "{before:?}");
            assert_eq!(line, after, "{before:?}");
        }
        let mut stones = [0, 15, 15, 1];
        assert_eq!(slide(&mut stones, Some(15)), 0);
        assert_eq!(stones, [15, 15, 1, 0]);
    }

    #[test]
    fn a_line_begins_at_the_edge_moved_toward() {
        // 2 4 8 / 16 32 64, which is 0x123456: each digit is one more than its cell's number.
        let size = Size::new(2, 3).unwrap();
        for (direction, packed) in [
            (Direction::Up, &[0x14, 0x25, 0x36][..]),
            (Direction::Right, &[0x321, 0x654]),
            (Direction::Down, &[0x41, 0x52, 0x63]),
            (Direction::Left, &[0x123, 0x456]),
        ] {
            let found = lines(size, direction).map(|line| line.of_board(0x12_3456));
            assert_eq!(found.collect::<Vec<_>>(), packed, "{direction:?}");
            for (line, &packed) in lines(size, direction).zip(packed) {
                let cells = line.cells().map(|cell| cell as u8 + 1);
                assert!(cells.eq(unpack(packed, line.len())));
            }
        }
    }

    #[test]
    fn the_lines_of_a_board_together_are_the_board() {
        for (rows, cols) in [(2, 2), (2, 4), (4, 3), (4, 4)] {
            let size = Size::new(rows, cols).unwrap();
            let board = 0xfedc_ba98_7654_3210 >> (64 - 4 * size.cells());
            for direction in Direction::ALL {
                let boards = lines(size, direction).map(|line| line.to_board(line.of_board(board)));
                assert_eq!(
                    boards.fold(0, |all, one| all | one),
                    board,
                    "{size} {direction:?}"
                );
            }
        }
    }

    #[test]
    fn packing_undoes_unpacking_and_refuses_the_tile_65536() {
        for packed in 0..=u16::MAX {
            assert_eq!(pack(&unpack(packed, 4)), Some(packed));
        }
        assert_eq!(unpack(0x120, 3), [1, 2, 0]);
        assert_eq!(pack(&[16, 0, 0]), None);
    }
}
