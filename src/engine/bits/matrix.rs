//! A bit matrix: rows of lines.

use super::kernels::{Line, words};

/// Rows of equally many lines.
#[derive(Default)]
pub(crate) struct Matrix {
    lines: Vec<Line>,
    width: usize,
}

impl Matrix {
    /// Make this a matrix of zeros, in the same memory if it is large enough.
    pub(crate) fn reset(&mut self, rows: usize, width: usize) {
        self.lines.clear();
        self.lines.resize(rows * width, Line::ZERO);
        self.width = width;
    }

    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[Line] {
        &self.lines[row * self.width..(row + 1) * self.width]
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [Line] {
        &mut self.lines[row * self.width..(row + 1) * self.width]
    }

    /// The bits from `at` on, up to 64, in the lowest bits of a word.
    #[inline]
    pub(crate) fn field(&self, row: usize, at: u32, bits: u32) -> u64 {
        let words = words(&self.lines);
        let (word, shift) = (row * self.width * 8 + at as usize / 64, at % 64);
        let mut field = words[word] >> shift;
        if shift + bits > 64 {
            field |= words[word + 1] << (64 - shift);
        }
        field & (u64::MAX >> (64 - bits))
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.lines.iter().all(|line| *line == Line::ZERO)
    }
}
