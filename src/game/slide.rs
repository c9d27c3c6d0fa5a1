//! A move, on all lines of a board at once and without a branch.
//!
//! Published programs look rows up in a table of 65,536 entries. Here a move is arithmetic on the
//! whole board. It visits the places of a line twice, counted from the edge moved toward. First,
//! where a cell is empty, it pulls the rest of the line up by one cell. Then, where a cell equals
//! its neighbour, it adds one to the cell and pulls the rest over the neighbour. Lines do not
//! affect each other, so a few instructions move all lines. Without a branch or a table, the
//! compiler moves eight boards side by side.

use super::board::{Board, ONES, Shape, no_stones, occupied};

/// A direction to move in, numbered as in published move codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Toward the first row.
    Up = 0,
    /// Toward the last column.
    Right = 1,
    /// Toward the last row.
    Down = 2,
    /// Toward the first column.
    Left = 3,
}

impl Direction {
    /// All four, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// `up`, `right`, `down` or `left`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Right => "right",
            Self::Down => "down",
            Self::Left => "left",
        }
    }
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moved {
    /// The move would not change the board.
    Illegal,
    /// The move makes the winning tile and ends the game.
    Wins,
    /// The afterstate, not canonical.
    To(Board),
}

/// The lines of a board in direction `D`, as constants.
struct PackedLines<const R: usize, const C: usize, const D: usize>;

impl<const R: usize, const C: usize, const D: usize> PackedLines<R, C, D> {
    const VERTICAL: bool = D == Direction::Up as usize || D == Direction::Down as usize;
    /// Whether a move is toward the more significant end of each line.
    const UPWARD: bool = D == Direction::Up as usize || D == Direction::Left as usize;
    /// Number of cells of a line.
    const LENGTH: usize = if Self::VERTICAL { R } else { C };
    /// Bits from a cell to the next cell of its line.
    const STEP: usize = if Self::VERTICAL { 4 * C } else { 4 };

    /// Mask of the `k`-th cell of every line, counted from the edge moved toward.
    #[inline(always)]
    const fn place(k: usize) -> u64 {
        let k = if Self::UPWARD {
            k
        } else {
            Self::LENGTH - 1 - k
        };
        if Self::VERTICAL {
            Shape::<R, C>::ROWS[k]
        } else {
            Shape::<R, C>::COLUMNS[k]
        }
    }

    /// Move every tile one cell toward the edge; the tiles at the edge are dropped.
    #[inline(always)]
    const fn pull(x: u64) -> u64 {
        let x = x & !Self::place(0);
        if Self::UPWARD {
            x << Self::STEP
        } else {
            x >> Self::STEP
        }
    }

    /// Move every digit one cell away from the edge.
    #[inline(always)]
    const fn push(x: u64) -> u64 {
        if Self::UPWARD {
            x >> Self::STEP
        } else {
            x << Self::STEP
        }
    }

    /// Mask of the places from `k` on, in the lines that are marked at place `k`.
    #[inline(always)]
    const fn rest(marked: u64, k: usize) -> u64 {
        let mut cells = marked;
        let mut place = k + 1;
        while place < Self::LENGTH {
            cells |= Self::push(cells);
            place += 1;
        }
        (cells << 4).wrapping_sub(cells)
    }
}

/// The board after a move in direction `D`, or 0 if the move is illegal. The second word is nonzero
/// if the move makes the winning tile, and then the board is meaningless. Every digit of `base` is
/// the exponent below the winning exponent.
///
/// A move wins exactly if two tiles of exponent `base` touch along a line once the tiles have slid
/// together, before any merge. An earlier merge takes a tile of this pair only if it merges two
/// tiles of exponent `base`, which wins as well.
///
/// `STONES` says whether the digit 15 is a stone. Two stones do not merge.
#[inline(always)]
pub(crate) fn slide<const R: usize, const C: usize, const D: usize, const STONES: bool>(
    board: u64,
    base: u64,
) -> (u64, u64) {
    let length = PackedLines::<R, C, D>::LENGTH;
    let mut x = board;
    for k in (0..length - 1).rev() {
        let empty = !occupied(x) & ONES & PackedLines::<R, C, D>::place(k);
        let moving = PackedLines::<R, C, D>::rest(empty, k);
        x = (x & !moving) | (PackedLines::<R, C, D>::pull(x) & moving);
    }
    let high = !occupied(x ^ base) & no_stones::<STONES>(x);
    let won = high & PackedLines::<R, C, D>::pull(high);
    for k in 0..length - 1 {
        let next = PackedLines::<R, C, D>::pull(x);
        let equal = !occupied(x ^ next) & no_stones::<STONES>(x);
        let merged = occupied(x) & equal & PackedLines::<R, C, D>::place(k);
        let moving = PackedLines::<R, C, D>::rest(PackedLines::<R, C, D>::push(merged), k + 1);
        x = (x & !moving) | (next & moving);
        x = x.wrapping_add(merged);
    }
    (if x == board { 0 } else { x }, won)
}

#[cfg(test)]
mod tests {
    use super::super::line;
    use super::*;

    /// `base` for games without a winning tile: no test board holds two tiles 2^15 side by side.
    const NEVER: u64 = u64::MAX;

    /// The exponents of a line of `length` cells, slid toward its first cell as a person would.
    fn slid(line: u64, length: usize) -> Vec<u8> {
        let mut tiles = line::unpack(line as u16, length);
        line::slide(&mut tiles, None);
        tiles
    }

    #[test]
    fn every_row_of_four_slides_like_a_line() {
        for row in 0..=0xffffu64 {
            let Some(left) = line::pack(&slid(row, 4)).map(u64::from) else {
                continue; // two tiles 2^15 make a tile without a digit
            };
            // Repeat the row in all four rows of a board.
            let board = row * 0x0001_0001_0001_0001;
            let slid = slide::<4, 4, 3, false>(board, NEVER).0;
            let wanted = left * 0x0001_0001_0001_0001;
            assert_eq!(
                slid,
                if wanted == board { 0 } else { wanted },
                "row {row:04x}"
            );
        }
    }

    #[test]
    fn every_row_of_four_with_stones_slides_like_a_line() {
        for row in 0..=0xffffu64 {
            let mut tiles = line::unpack(row as u16, 4);
            line::slide(&mut tiles, Some(15));
            let left = u64::from(line::pack(&tiles).expect("stones do not merge"));
            let [board, wanted] = [row, left].map(|row| row * 0x0001_0001_0001_0001);
            let wanted = if wanted == board { 0 } else { wanted };
            // The game has no winning tile, and two stones side by side are no win.
            let slid = slide::<4, 4, 3, true>(board, 15 * ONES);
            assert_eq!(slid, (wanted, 0), "row {row:04x}");
        }
    }

    #[test]
    fn every_row_of_three_slides_like_a_line() {
        for row in 1..0x1000u64 {
            let Some(left) = line::pack(&slid(row, 3)).map(u64::from) else {
                continue;
            };
            let (board, wanted) = (row << 12, left << 12);
            let slid = slide::<3, 3, 3, false>(board, NEVER).0;
            assert_eq!(
                slid,
                if wanted == board { 0 } else { wanted },
                "row {row:03x}"
            );
        }
    }

    #[test]
    fn the_examples_of_the_rules_hold() {
        let left = |row: u64| slide::<4, 4, 3, false>(row << 48, NEVER).0 >> 48;
        let right = |row: u64| slide::<4, 4, 1, false>(row << 48, NEVER).0 >> 48;
        assert_eq!(left(0x2203), 0x3300, "4 4 . 8 left is 8 8 . .");
        assert_eq!(right(0x1110), 0x0012, "2 2 2 . right is . . 2 4");
        assert_eq!(left(0x1111), 0x2200, "2 2 2 2 left is 4 4 . .");
        assert_eq!(left(0x1200), 0, "a move that changes nothing is illegal");
    }

    #[test]
    fn a_row_wins_exactly_if_its_line_makes_the_winning_tile() {
        for win in [3u8, 5, 16] {
            for row in 1..=0xffffu64 {
                if line::unpack(row as u16, 4).iter().any(|&exp| exp >= win) {
                    continue;
                }
                let expected = slid(row, 4).contains(&win);
                let (_, won) = slide::<4, 4, 3, false>(row, u64::from(win - 1) * ONES);
                assert_eq!(won != 0, expected, "row {row:04x} to 2^{win}");
            }
        }
    }
}
