//! The names of sizes: `3x3`, `free8`, `L3`.

use std::fmt;
use std::iter;
use std::str::FromStr;

use super::board::{Board, Size, for_size};
use super::locks::{Locks, MASKS};
use super::symmetry::images;
use crate::error::{Error, InputError, Result};

/// The names that players use on 4x4: the number of stones, and the masks.
const PATTERNS: [(&str, u32, &[Board]); 1] = [("L3", 6, &[0x0fff_0fff])];

impl Size {
    /// The size with these masks, of which a move must keep one.
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
        let outside = last.checked_shr(4 * self.cells()).unwrap_or(0);
        let is_mask = |mask: &Board| (0..16).all(|cell| matches!(mask >> (4 * cell) & 15, 0 | 15));
        if first == 0 || outside != 0 || !sorted.iter().all(is_mask) {
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
        let mut symmetries = u8::MAX;
        for &mask in &sorted {
            for (symmetry, image) in for_size!(self, images::<R, C>(mask))
                .into_iter()
                .enumerate()
            {
                symmetries &= !(u8::from(!sorted.contains(&image)) << symmetry);
            }
        }
        sorted.resize(MASKS, last);
        let masks = sorted.try_into().expect("it has the length");
        Ok(self.with_locks(Locks { masks, symmetries }))
    }

    /// The name that players use for these stones and masks, if there is one.
    pub(super) fn pattern(self) -> Option<&'static str> {
        let masks = self.locks().masks();
        let is_named = |&&(_, stones, named): &&(&str, u32, &[Board])| {
            (self.cells(), self.stones()) == (16, stones) && masks == named
        };
        PATTERNS.iter().find(is_named).map(|(name, ..)| *name)
    }
}

/// `RxC`; with stones `RxCfreeN`, or `freeN` on 4x4, where N is the number of cells without a stone. Locks
/// have the name that players use, or follow as `lockMASK_MASK` in hexadecimal.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.pattern() {
            return f.write_str(name);
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
        Ok(())
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
        if let Some((_, stones, masks)) = PATTERNS.iter().find(|(name, ..)| *name == text) {
            let size = Self::new(4, 4)?.with_stones(*stones)?;
            return size.with_masks(masks);
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
        let free = free.ok_or_else(|| bad("freeN leaves N cells beside stones, at least 2"))?;
        let size = size.with_stones(cells - free as u32)?;
        let Some(locks) = locks else {
            return Ok(size);
        };
        let mask = |digits: &str| {
            let mask = Board::from_str_radix(digits, 16).ok();
            mask.filter(|mask| format!("{mask:x}") == digits)
        };
        let masks: Option<Vec<Board>> = locks.split('_').map(mask).collect();
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
