//! The cells that no lock fixes, side by side.
//!
//! If all masks of a game have a cell, every board has a stone there. Without these cells a board is a
//! smaller board, and far fewer such boards are possible. The order of the boards stays.
//!
//! Key idea: a cell moves by as many cells as are left out below it. This number has four bits. So the cells
//! move in four steps, by 1, 2, 4 and 8 cells, each for all cells whose number has that bit. Henry S. Warren
//! tells why no cell meets another ("Hacker's Delight", section 7-4).

use super::board::{Board, Size};
use crate::wide::wide;

/// The way from a board to a smaller one without the fixed cells, and back.
pub(super) struct Beside {
    /// The stones in the fixed cells.
    fixed: Board,
    /// For steps of 1, 2, 4 and 8 cells, the cells that move, where they stand before the step.
    moved: [Board; 4],
    /// Cells of a board.
    cells: u32,
    /// The size of the smaller boards.
    size: Size,
}

impl Beside {
    /// `None` if no cell of a board of this size is fixed.
    pub(super) fn new(size: Size) -> Option<Self> {
        let fixed = size.locks().fixed();
        if fixed == 0 {
            return None;
        }
        let mut moved = [0; 4];
        let mut below = 0;
        for cell in 0..size.cells() {
            if fixed >> (4 * cell) & 15 != 0 {
                below += 1;
                continue;
            }
            for (step, moved) in moved.iter_mut().enumerate() {
                let done = below & ((1 << step) - 1);
                *moved |= (below >> step & 1) * 15 << (4 * (cell as u64 - done));
            }
        }
        let cells = size.cells() - below as u32;
        let sides = [(2, 2), (3, 2), (4, 2), (3, 3), (4, 3), (4, 4)];
        let fits = |&(rows, cols): &(u8, u8)| u32::from(rows * cols) >= cells;
        let (rows, cols) = sides.into_iter().find(fits)?;
        let smaller = Size::new(rows, cols)
            .and_then(|smaller| smaller.with_stones(size.stones() - below as u32));
        Some(Self {
            fixed,
            moved,
            cells: size.cells(),
            size: smaller.ok()?,
        })
    }

    /// The size of the smaller boards.
    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// The first cells of the smaller boards that are always empty.
    pub(super) fn needless(&self) -> usize {
        let fixed = self.fixed.count_ones() / 4;
        (self.size.cells() + fixed - self.cells) as usize
    }

    /// Leave the fixed cells out of boards.
    pub(super) fn leave_out(&self, boards: &mut [Board]) {
        leave_out(self, boards);
    }

    /// Put the fixed cells back.
    pub(super) fn put_back(&self, boards: &mut [Board]) {
        put_back(self, boards);
    }
}

wide! {
    fn leave_out(beside: &Beside, boards: &mut [Board]) {
        for board in boards {
            *board &= !beside.fixed;
            for (step, moved) in beside.moved.into_iter().enumerate() {
                let moving = *board & moved;
                *board = (*board ^ moving) | moving >> (4 << step);
            }
        }
    }
}

wide! {
    fn put_back(beside: &Beside, boards: &mut [Board]) {
        for board in boards {
            for (step, moved) in beside.moved.into_iter().enumerate().rev() {
                let moving = *board & moved >> (4 << step);
                *board = (*board ^ moving) | moving << (4 << step);
            }
            *board |= beside.fixed;
        }
    }
}
