//! A bit matrix: rows of lines.

use super::kernels::Line;

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
        // One line more, so that eight bytes can be read from any byte of the last row.
        self.lines.resize(rows * width + 1, Line::ZERO);
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

    /// Bytes of all rows, and how many each has.
    #[inline]
    pub(crate) fn bytes(&self) -> (&[u8], usize) {
        (
            bytemuck::cast_slice(&self.lines),
            self.width * size_of::<Line>(),
        )
    }

    /// Whether it has no rows, or empty ones.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.len() <= 1
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.lines.iter().all(|line| *line == Line::ZERO)
    }
}
