//! Checks that each board belongs to its part.
//!
//! Key idea: almost every board is right, so a whole slice is checked without a branch. Only a
//! slice that fails is searched for the wrong board and the reason.

use super::board::{Board, ONES, PartKey, Shape, Size, no_stones, occupied, tiles};
use super::symmetry::{canonical, canonical_with};
use crate::wide::wide;

/// The faults that a board can have. Bit `i` of [`fault`] stands for the fault `i`.
const FAULTS: [&str; 7] = [
    "has tiles outside the board",
    "is not canonical",
    "has another sum",
    "has another largest tile",
    "has no empty cell",
    "has another number of stones",
    "has no stones in all cells of a mask",
];

/// The kernel of [`super::Rules::audit`].
pub(super) fn audit<const R: usize, const C: usize, const STONES: bool>(
    boards: &[Board],
    key: PartKey,
    size: Size,
    room: bool,
) -> Option<(Board, &'static str)> {
    if faults::<R, C, STONES>(boards, key, size, room) != 0 {
        return boards.iter().find_map(|&board| {
            let faults = fault::<R, C, STONES>(board, key, size, room);
            let first = faults.trailing_zeros() as usize;
            Some((board, *FAULTS.get(first)?))
        });
    }
    // With c cells for tiles, no board has more than c + 2 - q tiles of exponent q or more, for q >= 3
    // (proved in `laws`).
    // A board with more such tiles has a sum of at least (c + 3 - q) * 2^q, so few parts need this
    // check.
    let cells = Shape::<R, C>::CELLS as u32 - size.stones();
    for q in 3..=key.max.get() {
        let most = cells + 2 - u32::from(q);
        if (most + 1) << q <= key.sum && most_tiles_from::<STONES>(boards, q) > u64::from(most) {
            let is_full =
                |&&board: &&Board| tiles_from(tiles::<STONES>(board), q) > u64::from(most);
            let full = boards.iter().find(is_full)?;
            return Some((*full, "has more large tiles than play can make"));
        }
    }
    None
}

/// The faults of a board, as a bit for each of [`FAULTS`]; 0 if it has none.
#[inline(always)]
fn fault<const R: usize, const C: usize, const STONES: bool>(
    board: u64,
    key: PartKey,
    size: Size,
    room: bool,
) -> u64 {
    let tiles = tiles::<STONES>(board);
    let others = no_stones::<STONES>(board).count_ones();
    let canonical = match STONES {
        true => canonical_with::<R, C>(board, size.locks()),
        false => canonical::<R, C>(board),
    };
    let (mut sum, mut largest) = (0, 0);
    for cell in 0..Shape::<R, C>::CELLS {
        let exponent = tiles >> (4 * cell) & 15;
        // An empty cell adds 2^0, which the mask removes.
        sum += (1 << exponent) & !1;
        largest = exponent.max(largest);
    }
    u64::from(board & !Shape::<R, C>::BOARD != 0)
        | u64::from(canonical != board) << 1
        | u64::from(sum != u64::from(key.sum)) << 2
        | u64::from(largest != u64::from(key.max.get())) << 3
        | u64::from(room & (!occupied(board) & Shape::<R, C>::BOARD & ONES == 0)) << 4
        | u64::from(STONES & (others + size.stones() != 16)) << 5
        | u64::from(STONES & !size.locks().keeps(board)) << 6
}

wide! {
    fn faults<const R: usize, const C: usize, const STONES: bool>(
        boards: &[u64],
        key: PartKey,
        size: Size,
        room: bool,
    ) -> u64 {
        boards.iter().fold(0, |faults, &board| {
            faults | fault::<R, C, STONES>(board, key, size, room)
        })
    }
}

wide! {
    /// The greatest number of tiles of exponent `q` or more that one of the boards has.
    fn most_tiles_from<const STONES: bool>(boards: &[u64], q: u8) -> u64 {
        boards.iter().fold(0, |most, &board| most.max(tiles_from(tiles::<STONES>(board), q)))
    }
}

/// Number of tiles of exponent `q` or more. Each digit is compared with `q` bit by bit, from the
/// lowest bit.
#[inline(always)]
fn tiles_from(board: u64, q: u8) -> u64 {
    let mut reaches = ONES;
    for bit in 0..4 {
        let set = board >> bit & ONES;
        reaches = if q >> bit & 1 == 1 {
            set & reaches
        } else {
            set | reaches
        };
    }
    u64::from(reaches.count_ones())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Exp;

    fn key(sum: u32, tile: u32) -> PartKey {
        let max = Exp::of_tile(tile).unwrap();
        PartKey { sum, max }
    }

    fn size(text: &str) -> Size {
        text.parse().unwrap()
    }

    /// Audit a list with `board` in the middle of boards that fit.
    fn among(board: Board) -> Option<(Board, &'static str)> {
        let mut boards = vec![0x0132; 100];
        boards[60] = board;
        audit::<2, 2, false>(&boards, key(14, 8), size("2"), true)
    }

    #[test]
    fn a_board_that_does_not_fit_is_found_with_the_reason() {
        assert_eq!(among(0x0132), None);
        for (board, why) in [
            (0x2310, "is not canonical"),
            (0x0131, "has another sum"),
            (0x1_0132, "has tiles outside the board"),
            (0, "has another sum"),
        ] {
            assert_eq!(among(board), Some((board, why)));
        }
        // 4 4 / 4 2 has the sum, but no 8.
        assert_eq!(among(0x1222), Some((0x1222, "has another largest tile")));
        let full = audit::<2, 2, false>(&[0x1123], key(16, 8), size("2"), true);
        assert_eq!(full, Some((0x1123, "has no empty cell")));
        assert_eq!(
            audit::<2, 2, false>(&[0x1123], key(16, 8), size("2"), false),
            None
        );
    }

    #[test]
    fn boards_with_stones_are_audited_by_their_tiles() {
        let audit = |board, sum, tile, stones| {
            let size = size("2").with_stones(stones).unwrap();
            audit::<2, 2, true>(&[board], key(sum, tile), size, false).map(|(_, why)| why)
        };
        assert_eq!(audit(0x12ff, 6, 4, 2), None);
        assert_eq!(audit(0x12ff, 6, 4, 1), Some("has another number of stones"));
        assert_eq!(
            audit(0x123f, 14, 8, 2),
            Some("has another number of stones")
        );
        assert_eq!(audit(0x12ff, 8, 4, 2), Some("has another sum"));
        let locked =
            super::audit::<2, 2, true>(&[0x1ff2], key(6, 4), size("2x2free2lockff"), false);
        assert_eq!(
            locked,
            Some((0x1ff2, "has no stones in all cells of a mask"))
        );
        // On two cells there is at most one tile of 8 or more.
        let full = "has more large tiles than play can make";
        assert_eq!(audit(0x33ff, 16, 8, 2), Some(full));
    }

    #[test]
    fn more_large_tiles_than_play_can_make_are_found() {
        // On 2x2 at most three tiles from 8 up, two from 16 up, one 32.
        let audit = |boards: &[Board], sum, tile| {
            audit::<2, 2, false>(boards, key(sum, tile), size("2"), false)
        };
        let full = "has more large tiles than play can make";
        assert_eq!(audit(&[0x1345], 58, 32), None);
        assert_eq!(audit(&[0x3333], 32, 8), Some((0x3333, full)));
        assert_eq!(audit(&[0x1444], 50, 16), Some((0x1444, full)));
        assert_eq!(audit(&[0x1155], 68, 32), Some((0x1155, full)));
    }

    #[test]
    fn tiles_are_counted_from_every_exponent() {
        let board = 0xfedc_ba98_7654_3210;
        for q in 1..=15 {
            assert_eq!(tiles_from(board, q), u64::from(16 - q));
        }
    }
}
