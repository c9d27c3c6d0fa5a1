//! The geometry of a board size, computed at compile time.
//!
//! The kernels are generic over rows and columns, so every mask and shift below is a constant in
//! the compiled code, and one source serves all nine sizes from 2x2 to 4x4.

/// A namespace for the constants of boards with `R` rows and `C` columns.
pub(crate) struct Shape<const R: usize, const C: usize>;

impl<const R: usize, const C: usize> Shape<R, C> {
    /// Number of cells; a board must fit 64 bits.
    pub(crate) const CELLS: usize = {
        assert!(R >= 2 && C >= 2 && R * C <= 16);
        R * C
    };

    /// Mask of all digits of the board.
    pub(crate) const BOARD: u64 = u64::MAX >> (64 - 4 * Self::CELLS);

    /// A mask for each column.
    pub(crate) const COLUMNS: [u64; C] = {
        let mut masks = [0; C];
        let mut cell = 0;
        while cell < Self::CELLS {
            masks[cell % C] |= Self::digit(cell);
            cell += 1;
        }
        masks
    };

    /// A mask for each row.
    pub(crate) const ROWS: [u64; R] = {
        let mut masks = [0; R];
        let mut cell = 0;
        while cell < Self::CELLS {
            masks[cell / C] |= Self::digit(cell);
            cell += 1;
        }
        masks
    };

    /// A mask for each diagonal of a square, starting at the lower left corner.
    pub(crate) const DIAGONALS: [u64; 7] = {
        let mut masks = [0; 7];
        let mut cell = 0;
        while cell < R * C {
            masks[cell % C + R - 1 - cell / C] |= Self::digit(cell);
            cell += 1;
        }
        masks
    };

    /// Mask of one cell; cells count from the top left along the rows.
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
