//! A board as one 64-bit number, the part that it belongs to, and the size of a board.
//!
//! A board of R rows and C columns is a number of R*C hexadecimal digits. Digit `e` is the tile 2^e
//! and 0 is an empty cell. The first cell (top left) is the most significant digit; the others
//! follow row by row. On the left is the shift of each cell of a 4x4 board, in bits; on the right
//! is a board:
//!
//! ```text
//!   60 56 52 48      .    2    .    4
//!   44 40 36 32      .    2    .    8
//!   28 24 20 16      .    .    .   16      = 0x0102_0103_0004_000b,  sum 2080
//!   12  8  4  0      .    .    . 2048
//! ```
//!
//! Worked on 2x2: `4 8 / 2 .` is `0x2310`, its sum is 14, its largest tile 8 (exponent 3), and the
//! least of its eight images under rotation and reflection is `0x0132`.
//!
//! A game of the end of 4x4 has *stones*: they slide as tiles do, but never merge and have no value. A
//! stone is the digit 15. The [`Size`] of a board tells how many stones it has. So it also tells
//! whether the digit 15 is a stone or the tile 32768.
//!
//! Because a board is a number, a set of boards is a sorted list of numbers, and two boards that
//! agree in their first cells are neighbours in the list. The file format and most of the speed
//! rest on this order.

use std::fmt;

use super::exp::Exp;
use super::locks::Locks;
use crate::error::{Error, InputError};

/// A board: one hexadecimal digit for each cell, the first cell most significant.
///
/// Digit e is the tile 2^e and 0 an empty cell. On 2x2, `4 8 / 2 .` is 0x2310.
pub type Board = u64;

/// One in every digit.
pub(crate) const ONES: u64 = 0x1111_1111_1111_1111;

/// A one in every digit of `x` that is not 0.
#[inline(always)]
pub(crate) const fn occupied(x: u64) -> u64 {
    let pairs = x | (x >> 2);
    (pairs | (pairs >> 1)) & ONES
}

/// The digit of a stone.
pub(crate) const STONE: u8 = 15;

/// A one in every digit of `x` that is no stone. Without `STONES`, the digit 15 is a tile.
#[inline(always)]
pub(crate) const fn no_stones<const STONES: bool>(x: u64) -> u64 {
    if STONES {
        let pairs = x & (x >> 2);
        !(pairs & (pairs >> 1)) & ONES
    } else {
        ONES
    }
}

/// A board whose stones have become empty cells.
#[inline(always)]
pub(crate) const fn tiles<const STONES: bool>(board: Board) -> Board {
    board & (no_stones::<STONES>(board) * 15)
}

/// Sum of the tile values of a board (its *age*, in part of the literature). Stones must be taken off
/// before, by [`Size::tiles`].
pub fn sum(board: Board) -> u32 {
    exps(board).map(Exp::tile).sum()
}

/// The largest tile of a board, [`Exp::EMPTY`] for the empty board. Stones must be taken off before, by
/// [`Size::tiles`].
pub fn max_exp(board: Board) -> Exp {
    exps(board).max().unwrap_or_default()
}

/// Whether one of a board's sixteen digits is `exp`; false for [`Exp::LAST`], which no digit stands
/// for.
#[inline(always)]
pub(crate) fn holds(board: Board, exp: Exp) -> bool {
    if exp == Exp::LAST {
        return false;
    }
    holds_digit(board, u64::from(exp.get()) * ONES)
}

/// Whether one of a board's sixteen digits is the digit that all of `digits` are.
#[inline(always)]
pub(super) fn holds_digit(board: Board, digits: u64) -> bool {
    // An equal digit becomes 0. If no digit is 0, the subtraction has no borrow, and no digit gains its
    // top bit.
    let x = board ^ digits;
    x.wrapping_sub(ONES) & !x & (ONES << 3) != 0
}

/// Number of empty cells of a board of `cells` cells.
#[inline(always)]
pub(crate) fn empty_cells(board: Board, cells: u32) -> u32 {
    cells - occupied(board).count_ones()
}

/// The tiles in all sixteen digits of a board, last cell first. Digits beyond the board's size are
/// empty cells.
pub(crate) fn exps(board: Board) -> impl DoubleEndedIterator<Item = Exp> + Clone {
    (0..16).map(move |cell| Exp::of_digit(board >> (4 * cell)))
}

/// A part: all canonical states, or afterstates, of one sum and one largest tile.
///
/// Parts are ordered by sum, then by largest tile, as the rows of a table are.
///
/// ```
/// use enum48::game::PartKey;
/// assert_eq!(PartKey::of(0x0132).to_string(), "sum 14, largest tile 8");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartKey {
    /// Sum of the tiles of every board.
    pub sum: u32,
    /// Largest tile of every board.
    pub max: Exp,
}

impl PartKey {
    /// The part that a board belongs to. Stones must be taken off before, by [`Size::tiles`].
    pub fn of(board: Board) -> Self {
        Self {
            sum: sum(board),
            max: max_exp(board),
        }
    }

    /// The parts of afterstates that a spawn turns into states of this part, each with the spawned
    /// tile. The spawned tile may itself be the largest.
    pub fn spawned_from(self) -> impl Iterator<Item = (Self, Exp)> {
        [Exp::TWO, Exp::FOUR].into_iter().flat_map(move |tile| {
            let sum = self.sum.checked_sub(tile.tile());
            let maxima = self
                .max
                .up_to()
                .filter(move |&max| max.max(tile) == self.max);
            maxima.filter_map(move |max| Some((Self { sum: sum?, max }, tile)))
        })
    }
}

impl fmt::Display for PartKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sum {}, largest tile {}", self.sum, self.max.tile())
    }
}

/// Rows and columns of a board, each from 2 to 4, how many of its cells hold stones, and where a move must
/// leave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    rows: u8,
    cols: u8,
    stones: u8,
    locks: Locks,
}

/// The reason for the longest side.
const ABOVE: &str = "a side is above 4, but a board is 16 cells of four bits in one 64-bit word, and its rows are \
                     looked up in a table of 65,536";

impl Size {
    /// A size, or [`InputError::Size`] unless both sides are from 2 to 4.
    ///
    /// ```
    /// use enum48::game::Size;
    /// assert_eq!(Size::new(4, 3)?.cells(), 12);
    /// assert!(Size::new(5, 5).is_err());
    /// # Ok::<(), enum48::Error>(())
    /// ```
    pub fn new(rows: u8, cols: u8) -> Result<Self, Error> {
        Self::of_sides(rows.into(), cols.into())
    }

    pub(super) fn of_sides(rows: u64, cols: u64) -> Result<Self, Error> {
        let what = match (rows.min(cols), rows.max(cols)) {
            (2.., ..=4) => {
                return Ok(Self {
                    rows: rows as u8,
                    cols: cols as u8,
                    stones: 0,
                    locks: Locks::NONE,
                });
            }
            (..2, _) => "a side is below 2",
            _ => ABOVE,
        };
        let size = format!("{rows}x{cols}");
        Err(InputError::Size { size, what }.into())
    }

    /// The size with this number of stones, or [`InputError::Stones`] unless two cells are left for
    /// tiles, and the stones fill a mask.
    ///
    /// ```
    /// use enum48::game::Size;
    /// assert_eq!(Size::new(4, 4)?.with_stones(8)?.to_string(), "free8");
    /// assert_eq!(Size::new(3, 3)?.with_stones(2)?.to_string(), "3x3free7");
    /// # Ok::<(), enum48::Error>(())
    /// ```
    pub fn with_stones(self, stones: u32) -> Result<Self, Error> {
        let (rows, cols) = (self.rows, self.cols);
        let most = u32::from(rows * cols) - 2;
        if stones < self.locks().stones() {
            let what = format!("a mask has {} cells for stones", self.locks().stones());
            return Err(InputError::Stones { stones, what }.into());
        }
        match u8::try_from(stones) {
            Ok(count) if stones <= most => Ok(Self {
                stones: count,
                ..self
            }),
            _ => Err(InputError::Stones {
                stones,
                what: format!("{rows}x{cols} has room for {most} beside two tiles"),
            }
            .into()),
        }
    }

    /// Number of rows.
    pub fn rows(self) -> u8 {
        self.rows
    }

    /// Number of columns.
    pub fn cols(self) -> u8 {
        self.cols
    }

    /// Number of stones.
    pub fn stones(self) -> u32 {
        self.stones.into()
    }

    /// Where a move must leave stones.
    pub(crate) fn locks(self) -> Locks {
        self.locks
    }

    pub(super) fn with_locks(self, locks: Locks) -> Self {
        Self { locks, ..self }
    }

    /// For each mask, the number of cells beside it, and of stones that may be in any of them. Without
    /// locks, all cells and stones.
    pub(crate) fn beside_masks(self) -> impl Iterator<Item = (usize, u32)> {
        let locked = self.locks.stones();
        let beside = ((self.cells() - locked) as usize, self.stones() - locked);
        std::iter::repeat_n(beside, self.locks.masks().len().max(1))
    }

    /// Number of cells, at most 16.
    pub fn cells(self) -> u32 {
        u32::from(self.rows) * u32::from(self.cols)
    }

    /// Number of cells without a stone.
    pub fn tile_cells(self) -> u32 {
        self.cells() - self.stones()
    }

    /// The exponent that stands for a stone, if there are stones.
    pub(crate) fn stone(self) -> Option<u8> {
        (self.stones > 0).then_some(STONE)
    }

    /// Number of stones on a board of this size.
    pub fn stones_of(self, board: Board) -> u32 {
        match self.stones {
            0 => 0,
            _ => 16 - no_stones::<true>(board).count_ones(),
        }
    }

    /// A board whose stones have become empty cells.
    #[inline]
    pub fn tiles(self, board: Board) -> Board {
        match self.stones {
            0 => board,
            _ => tiles::<true>(board),
        }
    }

    /// Number of symmetries: 8 for a square, 4 for another rectangle; fewer if locks have fewer.
    pub fn symmetries(self) -> u32 {
        let symmetries = self.locks.symmetries();
        if self.rows == self.cols {
            symmetries
        } else {
            symmetries / 2
        }
    }
}

/// The geometry of boards with `R` rows and `C` columns. The kernels are generic over both, so each
/// mask and each shift is a constant in the compiled code.
pub(crate) struct Shape<const R: usize, const C: usize>;

impl<const R: usize, const C: usize> Shape<R, C> {
    /// Number of cells; a board must fit 64 bits.
    pub(crate) const CELLS: usize = {
        assert!(R >= 2 && C >= 2 && R * C <= 16);
        R * C
    };

    /// Mask of the board's digits.
    pub(crate) const BOARD: u64 = u64::MAX >> (64 - 4 * Self::CELLS);

    /// A mask for each column.
    pub(crate) const COLUMNS: [u64; C] = Self::masks(1, 0, 0);

    /// A mask for each row.
    pub(crate) const ROWS: [u64; R] = Self::masks(0, 1, 0);

    /// A mask of the cells that a transposition moves by each number of digits, from -9 to 9.
    pub(crate) const DIAGONALS: [u64; 19] = Self::masks(1 - R as isize, C as isize - 1, 9);

    /// The masks of lines. The cell in row `r` and column `c` belongs to line
    /// `first + c * by_column + r * by_row`.
    const fn masks<const N: usize>(by_column: isize, by_row: isize, first: isize) -> [u64; N] {
        let mut masks = [0; N];
        let mut cell = 0;
        while cell < Self::CELLS {
            let line = first + (cell % C) as isize * by_column + (cell / C) as isize * by_row;
            masks[line as usize] |= Self::digit(cell);
            cell += 1;
        }
        masks
    }

    /// Mask of one cell. Cells are counted from the top left, row by row.
    pub(crate) const fn digit(cell: usize) -> u64 {
        15 << (4 * (Self::CELLS - 1 - cell))
    }
}

/// Shift left by `by` digits, or right if negative.
#[inline(always)]
pub(crate) const fn shift_digits(x: u64, by: i32) -> u64 {
    if by >= 0 {
        x << (4 * by)
    } else {
        x >> (-4 * by)
    }
}

/// Evaluate an expression in which the constants `R` and `C` are the rows and columns of a [`Size`].
macro_rules! for_size {
    ($size:expr, $value:expr) => {
        match ($size.rows(), $size.cols()) {
            (2, 2) => for_size!(2, 2, $value),
            (2, 3) => for_size!(2, 3, $value),
            (2, 4) => for_size!(2, 4, $value),
            (3, 2) => for_size!(3, 2, $value),
            (3, 3) => for_size!(3, 3, $value),
            (3, 4) => for_size!(3, 4, $value),
            (4, 2) => for_size!(4, 2, $value),
            (4, 3) => for_size!(4, 3, $value),
            _ => for_size!(4, 4, $value),
        }
    };
    ($rows:literal, $cols:literal, $value:expr) => {{
        const R: usize = $rows;
        const C: usize = $cols;
        $value
    }};
}

pub(crate) use for_size;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_board_reads_as_documented() {
        assert_eq!(sum(0x2310), 14);
        assert_eq!(max_exp(0x2310).tile(), 8);
        assert_eq!(sum(0x0102_0103_0004_000b), 2 + 4 + 2 + 8 + 16 + 2048);
        assert_eq!(sum(0xffff_ffff_ffff_ffff), 16 * 32768);
    }

    #[test]
    fn a_digit_is_found_in_every_cell() {
        let board = 0x022b_0130_2010_0000;
        assert!(!holds(board, Exp::LAST));
        for exp in (0..16).filter_map(Exp::new) {
            assert_eq!(holds(board, exp), exps(board).any(|found| found == exp));
            for cell in 0..16 {
                let (full, digit) = (0x5555_5555_5555_5555, u64::from(exp.get()));
                let board = full & !(15 << (4 * cell)) | digit << (4 * cell);
                assert!(holds(board, exp));
                assert!(exp.get() == 5 || !holds(full, exp));
            }
        }
    }

    #[test]
    fn stones_are_counted_and_taken_off() {
        let size: Size = "free8".parse().unwrap();
        let board = 0x01f2_223f_f4ff_fff4;
        assert_eq!(size.stones_of(board), 8);
        assert_eq!(size.tiles(board), 0x0102_2230_0400_0004);
        // Without stones, the digit is a tile.
        let plain: Size = "4".parse().unwrap();
        assert_eq!((plain.stones_of(board), plain.tiles(board)), (0, board));
    }

    #[test]
    fn a_spawn_leads_to_a_part_from_the_parts_listed() {
        let key = |sum, tile| PartKey {
            sum,
            max: Exp::of_tile(tile).unwrap(),
        };
        let from = |sum, tile| key(sum, tile).spawned_from().collect::<Vec<_>>();
        let (two, four) = (Exp::TWO, Exp::FOUR);
        assert_eq!(from(20, 8), [(key(18, 8), two), (key(16, 8), four)]);
        // A 4 may be the largest tile because it was spawned.
        let fours = [(key(6, 4), two), (key(4, 2), four), (key(4, 4), four)];
        assert_eq!(from(8, 4), fours);
        assert_eq!(from(6, 2), [(key(4, 2), two)]);
        assert_eq!(from(2, 4), [(key(0, 4), two)]);
    }
}
