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
pub(crate) struct Beside {
    /// The stones in the fixed cells.
    fixed: Board,
    /// For steps of 1, 2, 4 and 8 cells, the cells that move, where they stand before the step.
    moved: [Board; 4],
    /// Cells that are not fixed.
    cells: u32,
    /// The size of the smaller boards.
    size: Size,
}

impl Beside {
    /// `None` if no cell of a board of this size is fixed.
    pub(crate) fn new(size: Size) -> Option<Self> {
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
                *moved |= ((below >> step & 1) * 15) << (4 * (cell as u64 - done));
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
            cells,
            size: smaller.ok()?,
        })
    }

    /// The size of the smaller boards.
    pub(super) fn size(&self) -> Size {
        self.size
    }

    /// Cells of a board that are not fixed.
    pub(crate) fn cells(&self) -> u32 {
        self.cells
    }

    /// Leave the fixed cells out of boards.
    pub(crate) fn leave_out(&self, boards: &mut [Board]) {
        leave_out(self, boards);
    }

    /// Put the fixed cells back.
    pub(crate) fn put_back(&self, boards: &mut [Board]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_fixed_cells_are_left_out_and_put_back() {
        let mut random = fastrand::Rng::with_seed(48);
        for (name, fixed, smaller) in [
            ("442", 0x00ff_ffff, "4x3"),
            ("L3", 0x0fff_0fff, "4x3"),
            ("444", 0xffff, "4x3"),
            ("4441", 0xfff, "4x4"),
            ("44", 0xffff_ffff, "4x2"),
            ("4432f", 0xf_00ff, "free15"),
            // The stones that its three masks have in common.
            ("t", 0x00ff_00ff, "4x3free10"),
            ("3x4free7lockf00f0000f00f", 0xf00f_0000_f00f, "4x2free7"),
        ] {
            let size: Size = name.parse().unwrap();
            let beside = Beside::new(size).unwrap();
            assert_eq!(beside.fixed, fixed, "{name}");
            assert_eq!(beside.size.to_string(), smaller, "{name}");
            for _ in 0..1000 {
                let board = random.u64(..) >> (64 - 4 * size.cells()) | fixed;
                let cells = (0..size.cells()).rev();
                let others = cells.filter(|cell| fixed >> (4 * cell) & 15 == 0);
                let expected = others.fold(0, |out, cell| out << 4 | board >> (4 * cell) & 15);
                let mut boards = [board];
                beside.leave_out(&mut boards);
                assert_eq!(boards, [expected], "{name} {board:#x}");
                beside.put_back(&mut boards);
                assert_eq!(boards, [board], "{name} {board:#x}");
            }
        }
        assert!(Beside::new("free8".parse().unwrap()).is_none());
    }
}
