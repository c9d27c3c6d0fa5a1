//! The canonical boards of a row.
//!
//! Key idea: most boards need no test. A board is canonical if its first two cells are less than
//! those that each of its other images begins with, which its corners and the cells beside them
//! tell (`begins`). Only boards with ties are compared with their images.

use std::mem;

use super::begins::{Begins, Others, Standing};
use super::boards::{BitRow, BoardBuffer, ROOM, extract, keep_canonical};
use super::half::Half;
use super::kernels::{BitLine, select};
use super::tables::Tables;
use crate::game::Board;

/// Finds canonical boards.
pub(crate) struct Canonical {
    boards: Box<BoardBuffer>,
    masks: Masks,
}

/// Memory for the masks of a row.
#[derive(Default)]
struct Masks {
    wanted: Vec<BitLine>,
    none: Vec<BitLine>,
    /// Halves below the row's, and halves above it, that make canonical boards with it.
    bottoms: Others,
    tops: Others,
}

impl Masks {
    fn resize(&mut self, lines: usize) {
        let Self {
            wanted,
            none,
            bottoms,
            tops,
        } = self;
        for mask in [
            wanted,
            none,
            &mut bottoms.sure,
            &mut bottoms.perhaps,
            &mut tops.sure,
            &mut tops.perhaps,
        ] {
            mask.resize(lines, BitLine::ZERO);
        }
    }
}

impl Canonical {
    pub(crate) fn new() -> Self {
        Self {
            boards: Box::new([0; ROOM]),
            masks: Masks::default(),
        }
    }

    /// Find the canonical ones of the boards of a row, but for those that have a bit in `dead`:
    /// boards with its half on top, and if asked for the same flipped. `half` has largest exponent
    /// `max`. Some boards at a time are given to `take`, all of one largest exponent, in no order.
    pub(crate) fn find(
        &mut self,
        (half, max): (Half, u8),
        row: &[BitLine],
        dead: Option<&[BitLine]>,
        columns: &Tables,
        flipped: bool,
        mut take: impl FnMut(u8, &[Board]),
    ) {
        let begins = Begins::of(half, columns.up_to.len() as u8);
        let upright = begins.standing != Standing::Never;
        if !(upright || flipped) {
            return;
        }
        let over = BitRow {
            half: u64::from(half.0) << 32,
            digits: &columns.bottoms,
            shift: 0,
        };
        let under = BitRow {
            half: u64::from(half.0.rotate_left(16)),
            digits: &columns.tops,
            shift: 32,
        };
        let mut masks = mem::take(&mut self.masks);
        masks.resize(row.len());
        let Masks {
            wanted,
            none,
            bottoms,
            tops,
        } = &mut masks;
        if upright {
            columns.orders.bottoms(&begins, bottoms);
        }
        if flipped {
            columns.orders.tops(&begins, tops);
        }
        for exp in max..columns.up_to.len() as u8 {
            let last = usize::from(exp) + 1 == columns.up_to.len();
            let bits = if exp == max && last && dead.is_none() {
                row
            } else {
                let within = columns.up_to[usize::from(exp)].as_slice();
                let below = if exp > max {
                    &columns.up_to[usize::from(exp) - 1]
                } else {
                    &*none
                };
                let others = [within, within, below, dead.unwrap_or(none)];
                select(wanted, row, others);
                wanted.as_slice()
            };
            if upright {
                self.among(bits, bottoms, over, |boards| take(exp, boards));
            }
            if flipped {
                self.among(bits, tops, under, |boards| take(exp, boards));
            }
        }
        self.masks = masks;
    }

    /// Find the canonical ones of the boards of a row that have a bit in `bits`.
    fn among(
        &mut self,
        bits: &[BitLine],
        others: &Others,
        row: BitRow,
        mut take: impl FnMut(&[Board]),
    ) {
        let boards = &mut self.boards;
        for_each(bits, &others.sure, row, boards, |boards| take(boards));
        for_each(bits, &others.perhaps, row, boards, |boards| {
            let kept = keep_canonical(boards);
            take(&boards[..kept]);
        });
    }
}

/// Make the boards of a row that have a bit in `bits` and in `mask`, some at a time.
fn for_each(
    bits: &[BitLine],
    mask: &[BitLine],
    row: BitRow,
    boards: &mut BoardBuffer,
    mut act: impl FnMut(&mut [Board]),
) {
    let mut line = 0;
    while line < bits.len() {
        let (lines, found) = extract(&bits[line..], &mask[line..], row.from(line), boards);
        line += lines;
        act(&mut boards[..found]);
    }
}
