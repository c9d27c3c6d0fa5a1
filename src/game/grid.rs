//! Boards as people write them: `0x2310` or `4 8 / 2 .`.

use std::fmt;

use serde::{Serialize, Serializer};

use super::board::{Board, Size, exps, for_size};
use super::exp::Exp;
use super::symmetry::images;
use crate::error::{Error, InputError, Result};

/// A board with its size, for printing and reading.
///
/// ```
/// use enum48::game::{Grid, Size};
/// let size = Size::new(2, 2)?;
/// let grid = Grid::parse("4 8 / 2 .", size)?;
/// assert_eq!(grid.board(), 0x2310);
/// assert_eq!(Grid::parse("0x2310", size)?.to_string(), "4 8 / 2 .");
/// assert_eq!(format!("{grid:#}"), "4 8\n2 .");
/// assert_eq!(format!("{grid:#x}"), "0x2310");
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    pub(super) board: Board,
    pub(super) size: Size,
    /// For each cell, row by row, the exponent of the tile that a stone stands for; 0 if there is none.
    pub(super) large: [u8; 16],
}

impl Grid {
    /// A board of `size`.
    ///
    /// # Errors
    ///
    /// [`InputError::Board`] if the board has tiles outside `size`, or another number of stones, or
    /// if they keep no mask.
    pub fn new(board: Board, size: Size) -> Result<Self> {
        let (grid, text) = (Self::of_digits(board, size)?, format!("{board:#x}"));
        grid.with_its_stones(&text)?.keeping_a_mask(&text)
    }

    /// A board of `size`, which may have other stones.
    fn of_digits(board: Board, size: Size) -> Result<Self> {
        let cells = 4 * size.cells();
        if cells < 64 && board >> cells != 0 {
            return Err(refused(
                &format!("{board:#x}"),
                size,
                "it has more digits than the board has cells",
            ));
        }
        let large = [0; 16];
        Ok(Self { board, size, large })
    }

    /// Refuse the board of a text unless it has the number of stones of its size.
    pub(super) fn with_its_stones(self, text: &str) -> Result<Self> {
        let (stones, expected) = (self.size.stones_of(self.board), self.size.stones());
        if stones != expected {
            let what = format!("its stones (x): expected {expected}, got {stones}");
            return Err(refused(text, self.size, &what));
        }
        Ok(self)
    }

    /// The board that a text stands for, if its stones keep a mask.
    pub(super) fn keeping_a_mask(self, text: &str) -> Result<Self> {
        let Self { board, size, large } = self;
        if !size.locks().keeps(board) {
            let masks = size.locks().masks();
            let masks: Vec<String> = masks.iter().map(|mask| format!("{mask:#x}")).collect();
            let masks = masks.join(" or of ");
            // The places of the cells turn like a board.
            let places = 0x0123_4567_89ab_cdef >> (64 - 4 * size.cells());
            let all = |board| for_size!(size, images::<R, C>(board)).into_iter();
            let turned = all(board).zip(all(places));
            let turned = turned.filter(|&(image, _)| size.locks().keeps(image));
            let turned = turned.map(|(board, places)| {
                let mut turned = Self {
                    board,
                    size,
                    ..self
                };
                for (cell, tile) in (0..size.cells()).rev().zip(&mut turned.large) {
                    *tile = large[(places >> (4 * cell) & 15) as usize];
                }
                format!(": turn it to {turned}")
            });
            let turned = turned.take(1).collect::<Vec<String>>();
            let turned = turned
                .first()
                .map_or(", even if it is turned", String::as_str);
            let what = format!("its stones (x): expected some in all cells of {masks}{turned}");
            return Err(refused(text, size, &what));
        }
        Ok(self)
    }

    /// Read a board: hexadecimal with `0x`, 16 hexadecimal digits, or tiles row by row, with `/` or a new
    /// line between rows, spaces, tabs or commas between tiles, `.`, `0` or `_` for an empty cell, and `x`
    /// for a stone.
    ///
    /// # Errors
    ///
    /// [`InputError::Board`], which names the expected form.
    pub fn parse(text: &str, size: Size) -> Result<Self> {
        let grid = Self::read(text, size)?.with_its_stones(text)?;
        grid.keeping_a_mask(text)
    }

    /// Read a board, which may have other stones than its size.
    pub(super) fn read(text: &str, size: Size) -> Result<Self> {
        let bad = |what: &str| refused(text, size, what);
        let trimmed = text.trim();
        if let Some(digits) = trimmed.strip_prefix("0x").or(trimmed.strip_prefix("0X")) {
            let hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let board = u64::from_str_radix(digits, 16).ok().filter(|_| hex);
            return Self::of_digits(
                board.ok_or_else(|| bad("0x must be followed by up to 16 hexadecimal digits"))?,
                size,
            );
        }
        if trimmed.len() > 1 && trimmed.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            // Tables of endgames name boards of 4x4 so.
            return match u64::from_str_radix(trimmed, 16) {
                Ok(_) if size.stones() == 0 && trimmed.contains(['f', 'F']) => Err(bad(
                    "a digit f without 0x is a wall or a stone in tables of endgames, not 32768",
                )),
                Ok(board) if trimmed.len() == 16 => Self::of_digits(board, size),
                _ => Err(bad("a hexadecimal board starts with 0x")),
            };
        }
        if trimmed.starts_with(['[', '{']) {
            return Err(bad("it looks like JSON"));
        }
        let mut board = 0;
        let mut cells = Vec::new();
        for row in trimmed.split(['/', '\n']) {
            let tiles = row.split([' ', ',', '\t']).filter(|tile| !tile.is_empty());
            cells.push(tiles.clone().count());
            for tile in tiles {
                let what = match size.stones() {
                    0 => "is neither a power of two from 2 to 32768 nor . for an empty cell",
                    _ => {
                        "is neither a power of two from 2 to 16384, nor . for an empty cell, nor x for a stone"
                    }
                };
                let digit = digit(tile, size).ok_or_else(|| bad(&format!("{tile:?} {what}")))?;
                board = board << 4 | u64::from(digit);
            }
        }
        let (rows, columns) = (usize::from(size.rows()), usize::from(size.cols()));
        if cells.len() != rows {
            let got = cells.len();
            return Err(bad(&format!(
                "expected {rows} rows with / between them, got {got}"
            )));
        }
        let wrong = (1..).zip(cells).find(|&(_, cells)| cells != columns);
        if let Some((row, got)) = wrong {
            return Err(bad(&format!(
                "expected {columns} cells in row {row}, got {got}"
            )));
        }
        let large = [0; 16];
        Ok(Self { board, size, large })
    }

    /// Another board of the same size, whose stones stand for no tiles.
    #[cfg(feature = "cli")]
    pub(crate) fn with_board(self, board: Board) -> Self {
        let large = [0; 16];
        Self {
            board,
            large,
            ..self
        }
    }

    /// The size of a board that is written row by row, with its stones; `None` for other texts.
    pub fn size_of(text: &str) -> Option<Size> {
        let mut rows = text.trim().split(['/', '\n']);
        let columns = rows.next()?.split([' ', ',', '\t']);
        let columns = columns.filter(|tile| !tile.is_empty()).count();
        let (rows, columns) = (1 + rows.count(), columns);
        let size = Size::new(rows.try_into().ok()?, columns.try_into().ok()?).ok()?;
        let cells = text.split(|sign: char| sign.is_whitespace() || sign == ',' || sign == '/');
        let stones = cells.filter(|&cell| cell == "x").count();
        size.with_stones(stones.try_into().ok()?).ok()
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The values of the tiles row by row. An empty cell has 0. A stone has the value of the tile that it
    /// stands for, or 1.
    pub fn tiles(&self) -> impl Iterator<Item = u32> {
        let outside = 16 - self.size.cells() as usize;
        let stone = self.size.stone();
        let value = move |(exp, large): (Exp, u8)| match Some(exp.get()) == stone {
            true => 1 << large,
            false => exp.tile(),
        };
        let cells = exps(self.board).rev().skip(outside);
        cells.zip(self.large).map(value)
    }
}

pub(super) fn refused(text: &str, size: Size, what: &str) -> Error {
    InputError::Board {
        text: text.to_owned(),
        what: what.to_owned(),
        size: size.to_string(),
    }
    .into()
}

/// The digit that a word stands for. A board has no digit for the tile 65536; with stones, no digit for
/// 32768.
fn digit(text: &str, size: Size) -> Option<u8> {
    match text {
        "." | "0" | "_" => Some(0),
        "x" => size.stone(),
        _ => {
            let exp = Exp::of_tile(text.parse().ok()?)?.get();
            (exp < size.stone().unwrap_or(16)).then_some(exp)
        }
    }
}

/// `4 8 / 2 .`; with `#`, a line for each row, with aligned columns.
impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, self.tiles(), self.size)
    }
}

/// The hexadecimal digits of the board, one for each cell, with leading zeros: `2310`, or with `#`
/// `0x2310`, which [`Grid::parse`] reads.
impl fmt::LowerHex for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = self.size.cells() as usize;
        f.pad_integral(true, "0x", &format!("{:0cells$x}", self.board))
    }
}

/// The text `0x2310`.
impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{self:#x}"))
    }
}

/// Write tiles in the form of [`Grid`], given their values; 0 is an empty cell, and 1 a stone.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    tiles: impl Iterator<Item = u32>,
    size: Size,
) -> fmt::Result {
    let tile = |value: u32| match value {
        0 => ".".to_owned(),
        1 => "x".to_owned(),
        value => value.to_string(),
    };
    let tiles: Vec<String> = tiles.map(tile).collect();
    let (width, between) = if f.alternate() {
        (tiles.iter().map(String::len).max().unwrap_or(1), "\n")
    } else {
        (1, " / ")
    };
    let row = |row: &[String]| {
        let tiles = row.iter().map(|tile| format!("{tile:>width$}"));
        tiles.collect::<Vec<_>>().join(" ")
    };
    let rows: Vec<String> = tiles.chunks(size.cols().into()).map(row).collect();
    f.write_str(&rows.join(between))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    fn size(text: &str) -> Size {
        text.parse().unwrap()
    }

    #[test]
    fn boards_are_read_as_they_are_printed() {
        let board = 0x022b_0130_2010_0000;
        let grid = Grid::new(board, size("4")).unwrap();
        assert_eq!(grid.to_string(), ". 4 4 2048 / . 2 8 . / 4 . 2 . / . . . .");
        assert_eq!(Grid::parse(&grid.to_string(), size("4")).unwrap(), grid);
        assert_eq!(Grid::parse(&format!("{grid:#}"), size("4")).unwrap(), grid);
        assert_eq!(
            format!("{grid:#}").lines().next(),
            Some("   .    4    4 2048")
        );
        let other = Grid::parse("2,4,8\n0 _ .", size("2x3")).unwrap();
        assert_eq!(other.board(), 0x0012_3000);
    }

    #[test]
    fn hexadecimal_has_a_digit_for_each_cell() {
        for (board, name, hex) in [(0x11, "2", "0x0011"), (0, "2x3", "0x000000")] {
            let grid = Grid::new(board, size(name)).unwrap();
            assert_eq!(format!("{grid:#x}"), hex);
            assert_eq!(format!("{grid:x}"), hex[2..]);
            assert_eq!(Grid::parse(hex, size(name)).unwrap(), grid);
        }
        let grid = Grid::new(0x2310, size("2")).unwrap();
        assert_eq!(format!("{grid:>8x}"), "    2310");
    }

    #[test]
    fn sixteen_digits_are_a_board_without_0x() {
        let board = 0x022b_0130_2010_0000;
        let grid = Grid::new(board, size("4")).unwrap();
        assert_eq!(Grid::parse("022B013020100000", size("4")).unwrap(), grid);
    }

    #[test]
    fn in_a_game_with_stones_a_digit_f_without_0x_is_a_stone() {
        let game: Game = "L3-64".parse().unwrap();
        // As a table of endgames names it, and with tiles of at least 64 for stones.
        for text in [
            "450031101fff5fff",
            "450031101FFF5FFF",
            "450031101ab75cde",
            "0x450031101ab75cde",
        ] {
            let grid = Grid::of_game(text, &game).unwrap();
            assert_eq!(grid.board(), 0x4500_3110_1fff_5fff, "{text}");
        }
        let grid = Grid::parse("450031101fff5fff", game.size()).unwrap();
        assert_eq!(grid.board(), 0x4500_3110_1fff_5fff);
        let small: Game = "2x2free3-16".parse().unwrap();
        let error = Grid::of_game("0x12fff", &small).unwrap_err().to_string();
        assert!(error.contains("it has more digits"), "{error}");
    }

    #[test]
    fn stones_are_read_as_they_are_printed() {
        let size = size("2x3free4");
        let grid = Grid::parse("x 2 . / 4 x 16", size).unwrap();
        assert_eq!(grid.board(), 0x00f1_02f4);
        assert_eq!(grid.to_string(), "x 2 . / 4 x 16");
        assert_eq!(Grid::parse("0xf102f4", size).unwrap(), grid);
        assert!(grid.tiles().eq([1, 2, 0, 4, 1, 16]));
        assert_eq!(Grid::size_of("x 2 . / 4 x 16"), Some(size));
        for (text, fault) in [
            ("x 2 . / 4 8 16", "its stones (x): expected 2, got 1"),
            ("0x010204", "its stones (x): expected 2, got 0"),
            ("x 2 . / 4 x 32768", "nor x for a stone"),
            ("x 2 . / 4 y 16", "nor x for a stone"),
        ] {
            let error = Grid::parse(text, size).unwrap_err().to_string();
            assert!(error.contains(fault), "{error}");
        }
        assert!(Grid::new(0x0001_0204, size).is_err());
    }

    #[test]
    fn malformed_boards_are_refused() {
        let (many, tile) = ("it has more digits", "is neither a power of two");
        let (digits, rows) = (
            "0x must be followed by",
            "expected 2 rows with / between them",
        );
        for (text, fault) in [
            ("", rows),
            ("0x", digits),
            ("0x12345", many),
            ("0x-1", digits),
            ("0x+1", digits),
            ("0xg", digits),
            ("hello", tile),
            ("2 4", rows),
            ("2,4,8,.", rows),
            ("2 4 / 8", "expected 2 cells in row 2, got 1"),
            ("2 4 / 8 3", "\"3\" is neither"),
            ("2 4 / 8 65536", tile),
            ("2 4 / 8 1", tile),
            ("2 4 / 8 -2", tile),
            ("2 4 8 / 2 . .", "expected 2 cells in row 1, got 3"),
            ("2 4 / 8 . / . .", rows),
            ("2310", "a hexadecimal board starts with 0x"),
            ("0000000000012310", many),
            (
                "000000000000231f",
                "a digit f without 0x is a wall or a stone",
            ),
            ("[[0,2],[4,8]]", "it looks like JSON"),
        ] {
            match Grid::parse(text, size("2")) {
                Err(Error::Input(InputError::Board { what, .. })) => {
                    assert!(what.contains(fault), "{text}: {what}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
