//! Puts the bits of rows in another order.
//!
//! Key idea: a permutation of columns is one of rows, between two transpositions.

use super::kernels::{BitLine, LINE, transpose};

/// See the module.
#[derive(Default)]
pub(crate) struct Mirror {
    /// For each column a line: the bits of up to 512 rows.
    columns: Vec<BitLine>,
    rows: usize,
    width: usize,
}

impl Mirror {
    /// Take up to 512 rows of `width` lines.
    pub(crate) fn load<'a>(
        &mut self,
        rows: usize,
        width: usize,
        row: impl Fn(usize) -> &'a [BitLine],
    ) {
        (self.rows, self.width) = (rows, width);
        self.columns.resize(width * LINE, BitLine::ZERO);
        let mut tile = [BitLine::ZERO; 64];
        for first in (0..rows).step_by(64) {
            let word = first / 64;
            for line in 0..width {
                for (at, to) in tile.iter_mut().enumerate() {
                    *to = if first + at < rows {
                        row(first + at)[line]
                    } else {
                        BitLine::ZERO
                    };
                }
                transpose(&mut tile);
                for (column, from) in tile.iter().enumerate() {
                    for (lane, &bits) in from.0.iter().enumerate() {
                        self.columns[line * LINE + lane * 64 + column].0[word] = bits;
                    }
                }
            }
        }
    }

    /// Give the rows back, line by line, with the bit that was at `order[position]` at each
    /// position.
    pub(crate) fn store(&self, order: &[u32], mut line_of_row: impl FnMut(usize, usize, BitLine)) {
        let mut tile = [BitLine::ZERO; 64];
        for first in (0..self.rows).step_by(64) {
            let word = first / 64;
            for line in 0..self.width {
                for (column, to) in tile.iter_mut().enumerate() {
                    for (lane, bits) in to.0.iter_mut().enumerate() {
                        let from = order[line * LINE + lane * 64 + column];
                        *bits = self.columns[from as usize].0[word];
                    }
                }
                transpose(&mut tile);
                for (at, &bits) in tile.iter().enumerate().take(self.rows - first) {
                    line_of_row(first + at, line, bits);
                }
            }
        }
    }
}
