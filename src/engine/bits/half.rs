//! Halves and quads of a board.
//!
//! A board is cut into its top half and its bottom half. The bottom half is read upside down: the
//! *outer* row of a half lies at the edge of the board, the *inner* row at the middle. So a
//! vertical flip of the board swaps the halves, and one set of tables serves both.
//!
//! A half is cut into two *quads*. The right quad is read mirrored, so each quad begins with a
//! corner of the board. A horizontal flip swaps the quads of each half. Of the eight symmetries
//! only the diagonal ones change the inside of a quad: they transpose it.

use crate::game::{Board, STONE, line};

/// Four cells of four bits each: the corner, its neighbour along the edge, its neighbour inward,
/// and the cell at the middle of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Quad(pub(crate) u16);

impl Quad {
    pub(crate) fn cells(self) -> [u8; 4] {
        std::array::from_fn(|i| (self.0 >> (12 - 4 * i) & 15) as u8)
    }

    /// Swap the cells of each row. A quad on the right of a half is stored in this order.
    #[inline]
    fn swapped(self) -> u16 {
        (self.0 & 0x0f0f) << 4 | self.0 >> 4 & 0x0f0f
    }

    /// The reflection at the diagonal through the corner.
    #[inline]
    pub(crate) fn transposed(self) -> Self {
        Self(self.0 & 0xf00f | (self.0 & 0x0f00) >> 4 | (self.0 & 0x00f0) << 4)
    }

    /// Whether no cell is empty.
    pub(crate) fn is_full(self) -> bool {
        self.cells().iter().all(|&cell| cell > 0)
    }
}

/// Whether two cells have tiles that merge when they meet. In halves the digit 15 is a stone: no memory
/// holds the tables of halves with a tile 32768.
pub(super) fn merge(a: u8, b: u8) -> bool {
    a == b && a > 0 && a != STONE
}

/// Two rows of a board: the outer row in the upper 16 bits, the inner row in the lower. A cell has
/// four bits, the left cell first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Half(pub(crate) u32);

impl Half {
    #[inline]
    pub(crate) fn of_quads(left: Quad, right: Quad) -> Self {
        let (left, right) = (u32::from(left.0), u32::from(right.swapped()));
        Self((left & 0xff00) << 16 | (right & 0xff00) << 8 | (left & 0xff) << 8 | right & 0xff)
    }

    /// The outer row, then the inner row.
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

    pub(crate) fn board(top: Self, bottom: Self) -> Board {
        u64::from(top.0) << 32 | u64::from(bottom.0.rotate_left(16))
    }

    /// The top and the bottom half of a board.
    pub(crate) fn of_board(board: Board) -> (Self, Self) {
        let (top, bottom) = ((board >> 32) as u32, board as u32);
        (Self(top), Self(bottom.rotate_left(16)))
    }

    /// The reflection left to right.
    #[inline]
    pub(crate) fn mirrored(self) -> Self {
        let (left, right) = self.quads();
        Self::of_quads(right, left)
    }

    /// The half after a move to the left. `None` if the move makes a tile whose exponent is not
    /// below `exponents`: the winning tile.
    pub(crate) fn moved_left(self, exponents: u8) -> Option<Self> {
        let [outer, inner] = [self.0 >> 16, self.0 & 0xffff].map(|row| {
            let mut tiles = line::unpack(row as u16, 4);
            line::slide(&mut tiles, Some(STONE));
            line::pack(&tiles).map(u32::from)
        });
        let moved = Self(outer? << 16 | inner?);
        (moved.max_exp() < exponents).then_some(moved)
    }

    /// The largest exponent of a tile.
    pub(crate) fn max_exp(self) -> u8 {
        // One more than an exponent; 0 for a stone.
        let cells = self.cells().map(|exp| (exp + 1) & 15);
        cells.into_iter().fold(0, u8::max).saturating_sub(1)
    }

    /// Whether no cell is empty.
    #[inline]
    pub(crate) fn is_full(self) -> bool {
        self.empty_cells() == 0
    }

    /// Number of empty cells.
    #[inline]
    pub(crate) fn empty_cells(self) -> u64 {
        let filled = (self.0 | self.0 >> 1 | self.0 >> 2 | self.0 >> 3) & 0x1111_1111;
        8 - u64::from(filled.count_ones())
    }

    /// Whether a move to the left leads to this half.
    pub(crate) fn is_moved(self) -> bool {
        self.cells().chunks(4).all(is_moved_row)
    }

    /// Whether each row is full or empty.
    pub(crate) fn has_whole_rows(self) -> bool {
        self.cells().chunks(4).all(is_whole_row)
    }

    /// Whether a move down onto a full half can leave this half: no tile can fall inward, and a
    /// column of four tiles has no equal neighbours.
    pub(crate) fn is_fallen(self) -> bool {
        let cells = self.cells();
        self.is_inward() && (0..4).all(|at| !merge(cells[at], cells[4 + at]))
    }

    /// Whether no tile can fall from the outer row into the inner row.
    pub(crate) fn is_inward(self) -> bool {
        let [outer, inner] = [self.0 >> 16, self.0 & 0xffff];
        (0..4).all(|column| outer >> (4 * column) & 15 == 0 || inner >> (4 * column) & 15 > 0)
    }

    /// Whether the half can lie over a gap after all tiles fell towards the other half: no tile can
    /// fall inward, and a column is empty.
    pub(crate) fn is_hollow(self) -> bool {
        let cells = self.cells();
        self.is_inward() && (0..4).any(|column| cells[column] == 0 && cells[4 + column] == 0)
    }

    /// Whether the half can lie under a gap after all tiles fell towards its outer row: no tile can
    /// fall outward, and a cell is empty.
    pub(crate) fn is_short(self) -> bool {
        Self(self.0.rotate_left(16)).is_inward() && !self.is_full()
    }
}

/// Whether a move to the left leads to a row.
///
/// All tiles lie at the left end. Of two equal neighbours one was merged, so they are not 2s, and the
/// row has an empty cell; or both are stones.
pub(crate) fn is_moved_row(row: &[u8]) -> bool {
    row.windows(2).all(|pair| {
        if pair[0] == pair[1] {
            pair[0] == 0 || pair[0] > 1 && row[3] == 0 || pair[0] == STONE
        } else {
            pair[0] > 0
        }
    })
}

/// Whether a row is full or empty.
pub(crate) fn is_whole_row(row: &[u8]) -> bool {
    row.iter().all(|&cell| (cell > 0) == (row[0] > 0))
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
    use super::super::weights::Weights;
    use super::*;
    use crate::game::{Game, Moved};
    use std::collections::HashSet;

    #[test]
    fn a_board_splits_into_halves_and_quads() {
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
    fn the_picture_of_the_module_is_true() {
        let game: Game = "4x4".parse().unwrap();
        let weight = |half: Half| Weights::new(&game, 40).of(&half.cells());
        let (top, bottom) = Half::of_board(0x1000_2100_4000_0035);
        assert_eq!((top.0, bottom.0), (0x1000_2100, 0x0035_4000));
        assert_eq!((weight(top), weight(bottom)), (4, 28));
        let moved = Half::moved_left;
        assert_eq!(moved(top, 8), Some(top));
        assert_eq!(moved(bottom, 8), Some(Half(0x3500_4000)));
        assert_eq!(moved(Half(0x4400_0000), 5), None, "the move wins");
        let moves = game.moves(0x1000_2100_4000_0035);
        assert!(moves.contains(&Moved::To(0x1000_2100_4000_3500)), "left");
        let up = 0x1135_2000_4000_0000;
        assert!(moves.contains(&Moved::To(up)));
        let (top, bottom) = Half::of_board(up);
        assert_eq!((weight(top), weight(bottom)), (24, 8));
    }

    #[test]
    fn in_inward_and_short_halves_no_tile_can_fall() {
        for (half, inward, short) in [
            (0x1200_3000, false, true),
            (0x0000_1230, true, false),
            (0x1020_1111, true, false),
            (0x1234_1234, true, false),
            (0x0000_0000, true, true),
        ] {
            let half = Half(half);
            assert_eq!((half.is_inward(), half.is_short()), (inward, short));
        }
    }

    #[test]
    fn a_half_is_moved_or_fallen_if_some_move_leads_to_it() {
        let digits = [0, 1, 2, 3, 4, 5, u32::from(STONE)];
        let rows: Vec<[u32; 4]> = (0..7usize.pow(4))
            .map(|row| [343, 49, 7, 1].map(|place| digits[row / place % 7]))
            .collect();
        let pack = |row: &[u32; 4]| row.iter().fold(0, |packed, cell| packed << 4 | cell);
        let moved: HashSet<u32> = rows
            .iter()
            .filter_map(|row| Half(pack(row) << 16).moved_left(16))
            .map(|half| half.0 >> 16)
            .collect();
        for row in &rows {
            let is = moved.contains(&pack(row));
            assert_eq!(Half(pack(row)).is_moved(), is, "{row:?}");
            assert_eq!(Half(pack(row) << 16).is_moved(), is, "{row:?}");
            let whole = row.iter().all(|&cell| cell > 0) || *row == [0; 4];
            assert_eq!(Half(pack(row)).has_whole_rows(), whole, "{row:?}");
        }
        // A column that moved down is a row that moved left: its first two cells are full.
        for top in (0..49).map(|column| [column / 7, column % 7].map(|at| digits[at])) {
            let column =
                |below: usize| [digits[1 + below / 6], digits[1 + below % 6], top[1], top[0]];
            let is = (0..36).any(|below| moved.contains(&pack(&column(below))));
            for shift in [0, 4, 8, 12] {
                let half = Half(top[0] << 16 << shift | top[1] << shift);
                assert_eq!(half.is_fallen(), is, "{half:x?}");
            }
        }
    }

    #[test]
    fn a_board_is_at_the_left_if_no_tile_follows_a_gap() {
        for board in
            (0..1 << 16).map(|mask: u64| (0..16).map(|cell| (mask >> cell & 1) << (4 * cell)).sum())
        {
            let (top, bottom) = Half::of_board(board);
            let cells = [top.cells(), bottom.cells()].concat();
            let gap = |row: &[u8]| row.windows(2).any(|pair| pair[0] == 0 && pair[1] > 0);
            for board in [board, 8 * board] {
                assert_eq!(at_left(board), !cells.chunks(4).any(gap), "{board:#x}");
            }
        }
    }

    #[test]
    fn the_eight_symmetries_permute_and_transpose_quads() {
        let game: Game = "4x4".parse().unwrap();
        let board = 0x0123_4567_89ab_cdef;
        let (top, bottom) = Half::of_board(board);
        let ((a, b), (c, d)) = (top.quads(), bottom.quads());
        let [e, f, g, h] = [a, b, c, d].map(Quad::transposed);
        let images = [(a, b, c, d), (b, a, d, c), (c, d, a, b), (d, c, b, a)];
        let diagonal = [(e, g, f, h), (g, e, h, f), (f, h, e, g), (h, f, g, e)];
        for (a, b, c, d) in images.into_iter().chain(diagonal) {
            let image = Half::board(Half::of_quads(a, b), Half::of_quads(c, d));
            assert_eq!(game.canonical(image), game.canonical(board), "{image:#x}");
        }
    }
}
