//! Halves and quarters of a board.
//!
//! A board is cut into its top and its bottom half, and the bottom half is read upside down: the
//! *outer* row of a half lies at the board's edge, the *inner* row at its middle. So a vertical flip
//! of the board swaps the halves, and the same tables serve both. A half is cut into two *quads*,
//! the right one read mirrored: each quad has its corner cell first, so that a horizontal flip of a
//! half swaps its quads. In these coordinates of the eight symmetries only the diagonal ones touch
//! the inside of a quad: they transpose it.

use crate::game::Board;

/// Cells of a quad: corner, its neighbour along the edge, its neighbour inward, and the one at the
/// board's middle; four bits each, the corner first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Quad(pub(crate) u16);

impl Quad {
    pub(crate) fn cells(self) -> [u8; 4] {
        let cell = |shift: u32| (self.0 >> shift & 15) as u8;
        [cell(12), cell(8), cell(4), cell(0)]
    }

    /// With the cells of each row swapped: between a quad and how it lies on the right of a half.
    #[inline]
    fn swapped(self) -> u16 {
        (self.0 & 0x0f0f) << 4 | self.0 >> 4 & 0x0f0f
    }

    /// Reflected at the diagonal through its corner.
    #[inline]
    pub(crate) fn transposed(self) -> Self {
        Self(self.0 & 0xf00f | (self.0 & 0x0f00) >> 4 | (self.0 & 0x00f0) << 4)
    }

    /// Half the sum of its tiles.
    pub(crate) fn weight(self) -> usize {
        weight(&self.cells())
    }

    /// Whether no cell is empty.
    pub(crate) fn full(self) -> bool {
        self.cells().iter().all(|&cell| cell > 0)
    }
}

/// Half the sum of tiles.
fn weight(cells: &[u8]) -> usize {
    let tiles = cells.iter().filter(|&&cell| cell > 0);
    tiles.map(|cell| 1 << (cell - 1)).sum()
}

/// Two rows of a board: the outer in the upper 16 bits, the inner in the lower; four bits a cell,
/// the left one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Half(pub(crate) u32);

impl Half {
    /// Of its left and its right quad.
    #[inline]
    pub(crate) fn of_quads(left: Quad, right: Quad) -> Self {
        let (left, right) = (u32::from(left.0), u32::from(right.swapped()));
        Self((left & 0xff00) << 16 | (right & 0xff00) << 8 | (left & 0xff) << 8 | right & 0xff)
    }

    /// The outer row, then the inner.
    pub(crate) fn cells(self) -> [u8; 8] {
        std::array::from_fn(|i| (self.0 >> (28 - 4 * i) & 15) as u8)
    }

    /// The left and the right quad.
    #[inline]
    pub(crate) fn quads(self) -> (Quad, Quad) {
        let left = (self.0 >> 16 & 0xff00 | self.0 >> 8 & 0xff) as u16;
        let right = (self.0 >> 8 & 0xff00 | self.0 & 0xff) as u16;
        (Quad(left), Quad(Quad(right).swapped()))
    }

    /// The board of a top and a bottom half.
    pub(crate) fn board(top: Self, bottom: Self) -> Board {
        u64::from(top.0) << 32 | u64::from(bottom.0.rotate_left(16))
    }

    /// The top and the bottom half of a board.
    pub(crate) fn of_board(board: Board) -> (Self, Self) {
        let (top, bottom) = ((board >> 32) as u32, board as u32);
        (Self(top), Self(bottom.rotate_left(16)))
    }

    /// Reflected left to right.
    #[inline]
    pub(crate) fn mirrored(self) -> Self {
        let (left, right) = self.quads();
        Self::of_quads(right, left)
    }

    /// Half the sum of its tiles.
    pub(crate) fn weight(self) -> usize {
        weight(&self.cells())
    }

    /// Whether no cell is empty.
    #[inline]
    pub(crate) fn full(self) -> bool {
        self.empty_cells() == 0
    }

    /// Number of empty cells.
    #[inline]
    pub(crate) fn empty_cells(self) -> u64 {
        let filled = (self.0 | self.0 >> 1 | self.0 >> 2 | self.0 >> 3) & 0x1111_1111;
        8 - u64::from(filled.count_ones())
    }

    /// Whether all tiles lie at the left end of their rows.
    pub(crate) fn left(self) -> bool {
        let gap = |row: &[u8]| row.windows(2).any(|pair| pair[0] == 0 && pair[1] > 0);
        !self.cells().chunks(4).any(gap)
    }

    /// Whether no tile can fall from the outer row into the inner.
    pub(crate) fn inward(self) -> bool {
        let [outer, inner] = [self.0 >> 16, self.0 & 0xffff];
        (0..4).all(|column| outer >> (4 * column) & 15 == 0 || inner >> (4 * column) & 15 > 0)
    }

    /// Whether no tile can fall from the inner row into the outer.
    pub(crate) fn outward(self) -> bool {
        Self(self.0.rotate_left(16)).inward()
    }

    /// Whether it can be what lies over a gap after all tiles fell towards the other half: no tile
    /// can fall from the outer row into the inner, and a column is empty.
    pub(crate) fn hollow(self) -> bool {
        let cells = self.cells();
        self.inward() && (0..4).any(|column| cells[column] == 0 && cells[4 + column] == 0)
    }

    /// Whether it can be what lies under a gap after all tiles fell towards its outer row: no tile
    /// can fall into that, and a cell is empty.
    pub(crate) fn short(self) -> bool {
        self.outward() && !self.full()
    }
}

/// Whether all tiles of a board lie at the left end of their rows.
#[inline]
pub(crate) fn at_left(board: Board) -> bool {
    let filled = (board | board >> 1 | board >> 2 | board >> 3) & 0x1111_1111_1111_1111;
    let gap_before = filled << 4 & !filled & 0x1110_1110_1110_1110;
    gap_before == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    #[test]
    fn halves_and_quads_make_up_a_board() {
        let board = 0x0123_4567_89ab_cdef;
        let (top, bottom) = Half::of_board(board);
        assert_eq!((top.0, bottom.0), (0x0123_4567, 0xcdef_89ab));
        assert_eq!(Half::board(top, bottom), board);
        assert_eq!(top.quads(), (Quad(0x0145), Quad(0x3276)));
        assert_eq!(bottom.quads(), (Quad(0xcd89), Quad(0xfeba)));
        for half in [top, bottom] {
            let (left, right) = half.quads();
            assert_eq!(Half::of_quads(left, right), half);
        }
        assert_eq!(top.mirrored().0, 0x3210_7654);
    }

    #[test]
    fn a_half_is_settled_as_a_move_would_leave_it() {
        for (half, left, inward, outward) in [
            (0x1200_3000, true, false, true),
            (0x0000_1230, true, true, false),
            (0x1020_1111, false, true, false),
            (0x1234_1234, true, true, true),
            (0x0000_0000, true, true, true),
        ] {
            let half = Half(half);
            assert_eq!(
                (half.left(), half.inward(), half.outward()),
                (left, inward, outward)
            );
        }
    }

    #[test]
    fn a_board_is_at_the_left_if_both_halves_are() {
        for board in
            (0..1 << 16).map(|mask: u64| (0..16).map(|cell| (mask >> cell & 1) << (4 * cell)).sum())
        {
            let (top, bottom) = Half::of_board(board);
            for board in [board, 8 * board] {
                assert_eq!(at_left(board), top.left() && bottom.left(), "{board:#x}");
            }
        }
    }

    /// The eight symmetries of a board in terms of quads.
    #[test]
    fn symmetries_permute_quads_and_transpose_them() {
        let game: Game = "4x4".parse().unwrap();
        let board = 0x0123_4567_89ab_cdef;
        let (top, bottom) = Half::of_board(board);
        let ((a, b), (c, d)) = (top.quads(), bottom.quads());
        let [e, f, g, h] = [a, b, c, d].map(Quad::transposed);
        let images = [(a, b, c, d), (b, a, d, c), (c, d, a, b), (d, c, b, a)];
        let diagonal = [(e, g, f, h), (g, e, h, f), (f, h, e, g), (h, f, g, e)];
        for (a, b, c, d) in images.into_iter().chain(diagonal) {
            let image = Half::board(Half::of_quads(a, b), Half::of_quads(c, d));
            assert_eq!(
                game.canonical(image).0,
                game.canonical(board).0,
                "{image:#x}"
            );
        }
    }
}
