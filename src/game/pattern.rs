//! The names of sizes: `3x3`, `free8`, `L3`.

use std::fmt;
use std::iter;
use std::str::FromStr;

use super::board::{Board, Size, for_size};
use super::locks::{Locks, MASKS};
use super::symmetry::images;
use crate::error::{Error, InputError, Result};

/// A name that players use on 4x4.
struct Pattern {
    name: &'static str,
    stones: u32,
    masks: &'static [Board],
    /// The digit f in each target cell; 0 if every cell is one.
    targets: Board,
}

const fn pattern(
    name: &'static str,
    stones: u32,
    masks: &'static [Board],
    targets: Board,
) -> Pattern {
    Pattern {
        name,
        stones,
        masks,
        targets,
    }
}

/// The names that players use, as game-difficulty/2048EndgameTablebase has them.
const PATTERNS: [Pattern; 14] = [
    pattern("L3", 6, &[0x0fff_0fff], 0),
    pattern("442", 6, &[0x00ff_ffff], 0x0f00_0000),
    pattern(
        "t",
        6,
        &[0xf0ff_f0ff, 0xf000_f0ff_00ff, 0xf000_f000_00ff_00ff],
        0x00ff_0f00_0f00,
    ),
    pattern("LL", 4, &[0x00ff_00ff], 0x00ff_0f00_0f00),
    pattern("444", 4, &[0xffff], 0x0ff0_0000),
    pattern("4431", 4, &[0x000f_0fff], 0x00f0_0000),
    pattern("4421", 5, &[0x00ff_0fff], 0x0f00_0000),
    pattern("4441", 3, &[0x0fff], 0x00ff_f000),
    pattern("4442", 2, &[0x00ff], 0x00ff_0f00),
    pattern("4432", 3, &[0x000f_00ff], 0x00f0_0000),
    pattern("4432f", 4, &[0x000f_00ff], 0x00f0_0000),
    pattern("4442f", 3, &[0x00ff], 0x00ff_ff00),
    pattern("4442ff", 4, &[0x00ff], 0x00ff_0fff_0f00),
    pattern("44", 8, &[0xffff_ffff], 0xffff_0000_0000),
];

/// What the number of free cells is.
const FREE: &str = "freeN leaves N cells beside stones, at least 2 and not all";

/// Whether a board has the digits 0 and f alone, and no digit outside a size.
fn is_cells(board: Board, size: Size) -> bool {
    let outside = board.checked_shr(4 * size.cells()).unwrap_or(0);
    outside == 0 && (0..16).all(|cell| matches!(board >> (4 * cell) & 15, 0 | 15))
}

impl Size {
    /// The size with these masks. Every move must keep one of them.
    ///
    /// # Errors
    ///
    /// [`InputError::Stones`] unless there are one to three masks, each with the same number of stones, and
    /// the size has as many stones, or more.
    ///
    /// ```
    /// use enum48::game::Size;
    /// let size: Size = "free10".parse()?;
    /// assert_eq!(size.with_masks(&[0x0fff_0fff])?.to_string(), "L3");
    /// assert_eq!(size.with_masks(&[0xffff])?.to_string(), "free10lockffff");
    /// # Ok::<(), enum48::Error>(())
    /// ```
    pub fn with_masks(self, masks: &[Board]) -> Result<Self> {
        let refused = |what: String| {
            let stones = self.stones();
            Err(InputError::Stones { stones, what }.into())
        };
        let mut sorted = masks.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) else {
            return refused("expected a mask".to_owned());
        };
        if sorted.len() > MASKS {
            return refused(format!(
                "expected up to {MASKS} masks, got {}",
                sorted.len()
            ));
        }
        if first == 0 || !sorted.iter().all(|&mask| is_cells(mask, self)) {
            return refused(
                "a mask has stones (x, or f in hexadecimal) and empty cells alone".to_owned(),
            );
        }
        let locked = first.count_ones() / 4;
        if sorted.iter().any(|mask| mask.count_ones() / 4 != locked) {
            return refused("all masks have the same number of stones".to_owned());
        }
        if locked > self.stones() {
            return refused(format!("a mask of {locked} cells needs as many stones"));
        }
        sorted.resize(MASKS, last);
        let masks = sorted.try_into().expect("it has the length");
        Ok(self.locked(masks, self.locks().targets))
    }

    /// The size where the winning tile wins only in the cells that are f in a board.
    ///
    /// # Errors
    ///
    /// [`InputError::Stones`] if the size has no stones, if there are no target cells or other digits, or for
    /// a target cell that belongs to every mask.
    ///
    /// ```
    /// use enum48::game::Size;
    /// let size: Size = "free10".parse()?;
    /// let size = size.with_masks(&[0xffffff])?.with_targets(0xf000000)?;
    /// assert_eq!(size.to_string(), "442");
    /// assert_eq!(size.with_targets(0xff000000)?.to_string(), "442atff000000");
    /// # Ok::<(), enum48::Error>(())
    /// ```
    pub fn with_targets(self, targets: Board) -> Result<Self> {
        let what = if self.stones() == 0 {
            "target cells need stones: give --stones"
        } else if targets == 0 || !is_cells(targets, self) {
            "target cells are given as x, or as f in hexadecimal, and the other cells as empty"
        } else if targets & self.locks().fixed() != 0 {
            "a target cell belongs to every mask, so a stone is always there: give other cells"
        } else {
            return Ok(self.locked(self.locks().masks, targets));
        };
        let what = what.to_owned();
        let stones = self.stones();
        Err(InputError::Stones { stones, what }.into())
    }

    /// The size with these locks.
    fn locked(self, masks: [Board; MASKS], targets: Board) -> Self {
        let all = |board: Board| for_size!(self, images::<R, C>(board));
        let mut symmetries = u8::MAX;
        let mut keep = |board: Board, is_image: &dyn Fn(&Board) -> bool| {
            for (symmetry, image) in all(board).iter().enumerate() {
                symmetries &= !(u8::from(!is_image(image)) << symmetry);
            }
        };
        for mask in masks {
            keep(mask, &|image| masks.contains(image));
        }
        if targets != Locks::NONE.targets {
            keep(targets, &|&image| image == targets);
        }
        self.with_locks(Locks {
            masks,
            targets,
            symmetries,
        })
    }

    /// The pattern that has these stones and masks, if there is one.
    fn pattern(self) -> Option<&'static Pattern> {
        if self.stones() == 0 {
            return None;
        }
        let masks = self.locks().masks();
        let is_named = |pattern: &&Pattern| {
            (self.cells(), self.stones()) == (16, pattern.stones) && masks == pattern.masks
        };
        PATTERNS.iter().find(is_named)
    }

    /// How far a game with target cells goes on beyond the sum of the start and the target, in numbers of
    /// tiles, as game-difficulty/2048EndgameTablebase has them.
    pub(super) fn extra(self) -> u32 {
        match self.pattern() {
            Some(Pattern { name: "444", .. }) => 60,
            None if self.locks().masks().is_empty() => 36,
            _ => 48,
        }
    }
}

/// `RxC`; with stones `RxCfreeN`, or `freeN` on 4x4, where N is the number of cells without a stone. Locks
/// have the name that players use, or follow as `lockMASK_MASK` in hexadecimal. Other target cells than those
/// of the name follow as `atCELLS`.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let targets = self.locks().targets();
        let at = |f: &mut fmt::Formatter<'_>| {
            targets.map_or(Ok(()), |targets| write!(f, "at{targets:x}"))
        };
        match self.pattern() {
            Some(Pattern {
                name, targets: own, ..
            }) if *own == targets.unwrap_or(0) => return f.write_str(name),
            Some(Pattern { name, .. }) if targets.is_some() => {
                f.write_str(name)?;
                return at(f);
            }
            _ => {}
        }
        let (rows, cols, stones) = (self.rows(), self.cols(), self.stones());
        if stones == 0 || (rows, cols) != (4, 4) {
            write!(f, "{rows}x{cols}")?;
        }
        if stones > 0 {
            write!(f, "free{}", self.tile_cells())?;
        }
        let masks = self.locks().masks();
        for (before, mask) in iter::once("lock").chain(iter::repeat("_")).zip(masks) {
            write!(f, "{before}{mask:x}")?;
        }
        at(f)
    }
}

/// `N` (a square) or `RxC`, with `freeN` after it for N cells beside the stones; or `freeN` alone on
/// 4x4. Masks may follow the stones, or a name stands for both. A capital X is accepted.
impl FromStr for Size {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |part: &str| {
            part.parse()
                .ok()
                .filter(|number: &u64| number.to_string() == part)
        };
        let bad = |what| InputError::Size {
            size: text.escape_debug().to_string(),
            what,
        };
        let plain = text.split_once(['x', 'X']);
        if let Some((Some(rows), Some(cols))) = plain.map(|(r, c)| (number(r), number(c))) {
            return Self::of_sides(rows, cols);
        }
        let hexadecimal = |digits: &str| {
            let cells = Board::from_str_radix(digits, 16).ok();
            cells.filter(|cells| format!("{cells:x}") == digits)
        };
        if let Some((size, targets)) = text.split_once("at") {
            let targets =
                hexadecimal(targets).ok_or_else(|| bad("at is followed by hexadecimal cells"))?;
            return size.parse::<Self>()?.with_targets(targets);
        }
        if let Some(pattern) = PATTERNS.iter().find(|pattern| pattern.name == text) {
            let size = Self::new(4, 4)?.with_stones(pattern.stones)?;
            let size = size.with_masks(pattern.masks)?;
            return match pattern.targets {
                0 => Ok(size),
                targets => size.with_targets(targets),
            };
        }
        let (text, locks) = match text.split_once("lock") {
            Some((size, masks)) => (size, Some(masks)),
            None => (text, None),
        };
        let side = |part| number(part).ok_or_else(|| bad("neither N nor RxC"));
        let (sides, free) = match text.split_once("free") {
            Some(("", free)) => ("4x4", Some(free)),
            Some((sides, free)) => (sides, Some(free)),
            None => (text, None),
        };
        let (rows, cols) = sides.split_once(['x', 'X']).unwrap_or((sides, sides));
        let size = Self::of_sides(side(rows)?, side(cols)?)?;
        let (free, locks) = match (free, locks) {
            (Some(free), locks) => (free, locks),
            (None, None) => return Ok(size),
            (None, Some(_)) => return Err(bad("lock needs stones, as in free10lockfff0fff").into()),
        };
        let cells = size.cells();
        let free = number(free).filter(|free| (2..cells.into()).contains(free));
        let free = free.ok_or_else(|| bad(FREE))?;
        let size = size.with_stones(cells - free as u32)?;
        let Some(locks) = locks else {
            return Ok(size);
        };
        let masks: Option<Vec<Board>> = locks.split('_').map(hexadecimal).collect();
        size.with_masks(&masks.ok_or_else(|| bad("lock is followed by hexadecimal masks"))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_refused() {
        assert_eq!("3".parse::<Size>().unwrap(), Size::new(3, 3).unwrap());
        assert_eq!("4x3".parse::<Size>().unwrap(), Size::new(4, 3).unwrap());
        assert_eq!("2x4".parse::<Size>().unwrap().to_string(), "2x4");
        assert_eq!("2X4".parse::<Size>().unwrap().to_string(), "2x4");
        for bad in [
            "", "1", "5", "1x9", "3x", "x3", "3x3x3", "33", "-3", "3 x 3", "٣", "4XX3",
        ] {
            assert!(bad.parse::<Size>().is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn sizes_with_stones_are_read_as_they_are_printed() {
        for (text, rows, cols, stones) in [
            ("free8", 4, 4, 8),
            ("free2", 4, 4, 14),
            ("free15", 4, 4, 1),
            ("3x3free7", 3, 3, 2),
            ("4x2free2", 4, 2, 6),
        ] {
            let size = Size::new(rows, cols).unwrap().with_stones(stones).unwrap();
            assert_eq!(size.to_string(), text);
            assert_eq!(text.parse::<Size>().unwrap(), size);
            assert_eq!(size.tile_cells() + stones, size.cells());
        }
        assert_eq!("4free8".parse::<Size>().unwrap().to_string(), "free8");
        for bad in [
            "free",
            "free1",
            "free16",
            "free08",
            "3x3free9",
            "3x3free1",
            "5x5free8",
            "freefree8",
        ] {
            assert!(bad.parse::<Size>().is_err(), "{bad:?} was taken");
        }
        let square = Size::new(4, 4).unwrap();
        assert_eq!(square.with_stones(0).unwrap(), square);
        for stones in [15, 16, 256, u32::MAX] {
            assert!(square.with_stones(stones).is_err(), "{stones}");
        }
    }

    #[test]
    fn a_board_keeps_a_mask_with_stones_in_all_its_cells() {
        let size: Size = "free10lockfff0fff_ffffff".parse().unwrap();
        for (board, keeps) in [
            (0x0001_0010_0fff_0fff, true),
            (0x0001_0010_1fff_1fff, true),
            (0x0001_0010_10ff_ffff, true),
            (0x0001_0010_f0ff_0fff, false),
            (0x0001_0010_0eff_0fff, false),
        ] {
            assert_eq!(size.locks().keeps(board), keeps, "{board:#x}");
        }
        assert!(Locks::NONE.keeps(0x1234));
    }

    #[test]
    fn only_symmetries_that_keep_the_masks_are_symmetries_of_the_game() {
        // A corner of two by three, a row, a corner of two by two, a border of a rectangle.
        for (name, symmetries) in [
            ("L3", 1),
            ("free12lockffff", 2),
            ("free12lockff00ff", 2),
            ("free12lockf00f00000000f00f", 8),
            ("3x4free8lockffff", 2),
            ("3x4free9lockfff", 1),
            ("3x4free10lockff0", 2),
            ("free8", 8),
            ("3x4free8", 4),
        ] {
            let size: Size = name.parse().unwrap();
            assert_eq!(size.symmetries(), symmetries, "{name}");
        }
    }

    /// The table of game-difficulty/2048EndgameTablebase (2026-05-02), by its numbers alone.
    #[test]
    fn the_names_of_players_have_their_stones_masks_and_target_cells() {
        for (name, stones, locked, targets, masks) in [
            ("L3", 6, 6, 0, 1),
            ("442", 6, 6, 1, 1),
            ("t", 6, 6, 4, 3),
            ("LL", 4, 4, 4, 1),
            ("444", 4, 4, 2, 1),
            ("4431", 4, 4, 1, 1),
            ("4421", 5, 5, 1, 1),
            ("4441", 3, 3, 3, 1),
            ("4442", 2, 2, 3, 1),
            ("4432", 3, 3, 1, 1),
            ("4432f", 4, 3, 1, 1),
            ("4442f", 3, 2, 4, 1),
            ("4442ff", 4, 2, 6, 1),
            ("44", 8, 8, 4, 1),
        ] {
            let size: Size = name.parse().unwrap();
            let cells = size.locks().targets().unwrap_or(0).count_ones() / 4;
            let found = (size.stones(), size.locks().stones(), cells);
            assert_eq!(found, (stones, locked, targets), "{name}");
            assert_eq!(size.locks().masks().len(), masks, "{name}");
            assert_eq!(size.to_string(), name);
        }
    }

    #[test]
    fn target_cells_are_read_as_they_are_printed_and_refused_with_a_reason() {
        for (text, printed, symmetries) in [
            ("442atf000000", "442", 1),
            ("442atff000000", "442atff000000", 1),
            ("free10lockffffff", "free10lockffffff", 1),
            ("3x3free5lockff0ffatf00000", "3x3free5lockff0ffatf00000", 1),
            (
                "3x3free5lockff0ffatf00f00000",
                "3x3free5lockff0ffatf00f00000",
                1,
            ),
            ("3x3free5atf0f000f0f", "3x3free5atf0f000f0f", 8),
        ] {
            let size: Size = text.parse().unwrap();
            assert_eq!(
                (size.to_string().as_str(), size.symmetries()),
                (printed, symmetries)
            );
            assert_eq!(printed.parse::<Size>().unwrap(), size);
        }
        for (bad, why) in [
            ("3x3atf", "target cells need stones"),
            ("442at0", "target cells are given as x"),
            ("442at12", "target cells are given as x"),
            ("2x2free2atf0000", "target cells are given as x"),
            ("442atf", "a target cell belongs to every mask"),
            ("442atF", "at is followed by hexadecimal cells"),
        ] {
            let error = bad.parse::<Size>().unwrap_err().to_string();
            assert!(error.contains(why), "{bad}: {error}");
        }
    }

    #[test]
    fn masks_are_read_as_they_are_printed_and_refused_with_a_reason() {
        for (text, printed) in [
            ("free10lockfff0fff", "L3"),
            ("free8lockfff0fff", "free8lockfff0fff"),
            ("free10lockffffff_fff0fff", "free10lockffffff_fff0fff"),
            ("3x3free6lockfff", "3x3free6lockfff"),
        ] {
            let size: Size = text.parse().unwrap();
            assert_eq!(size.to_string(), printed);
            assert_eq!(printed.parse::<Size>().unwrap(), size);
        }
        for bad in [
            "free10lock",
            "free10lock0",
            "free10lock1f",
            "free10lockF",
            "free10lock0f",
            "free10lockff_",
            "free10lockff_f",
            "free15lockff",
            "free10lockf_f0_f00_f000",
            "3x3free6lockf000000000",
            "lockfff",
            "4x4lockfff",
            "L4",
        ] {
            assert!(bad.parse::<Size>().is_err(), "{bad:?} was taken");
        }
    }
}
