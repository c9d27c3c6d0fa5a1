//! Bit matrices and their memory.
//!
//! Key idea: the rows of a matrix lie far apart, and looking up the address of each small page
//! costs more than reading the row. So the memory asks the system for large pages. Matrices that
//! each pair needs are in a thread's scratch memory, so the loop over pairs touches no new page.

use std::ops::{Deref, DerefMut};

use super::kernels::BitLine;
use crate::error::Result;
use crate::pages::Pages;

/// Owned memory for lines, on large pages.
#[derive(Default)]
pub(crate) struct LineMemory {
    pages: Pages<BitLine>,
    len: usize,
}

impl LineMemory {
    /// Make room for `len` lines; their content is undefined.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) if the system gives no memory.
    pub(crate) fn resize(&mut self, len: usize) -> Result<()> {
        if len > 0 && self.pages.len() <= len {
            self.pages = Pages::default();
            // Layers grow, and untouched pages take no memory. One more line follows the last.
            self.pages = Pages::new(len + len / 4 + 1)?;
        }
        self.len = len;
        Ok(())
    }
}

impl Deref for LineMemory {
    type Target = [BitLine];

    fn deref(&self) -> &[BitLine] {
        &self.pages[..self.len]
    }
}

impl DerefMut for LineMemory {
    fn deref_mut(&mut self) -> &mut [BitLine] {
        &mut self.pages[..self.len]
    }
}

/// A bit matrix. All rows have `width` lines.
#[derive(Default)]
pub(crate) struct Matrix {
    lines: LineMemory,
    width: usize,
}

impl Matrix {
    /// A matrix without bits. A shape is a number of rows, and a number of lines per row.
    pub(crate) fn new((rows, width): (usize, usize)) -> Result<Self> {
        let mut new = Self::default();
        new.reshape(rows, width)?;
        Ok(new)
    }

    /// Change the shape; the content is undefined.
    pub(crate) fn reshape(&mut self, rows: usize, width: usize) -> Result<()> {
        self.width = width;
        self.lines.resize(rows * width)
    }

    /// Whether the matrix has lines.
    pub(crate) fn has_lines(&self) -> bool {
        self.lines.len > 0
    }

    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[BitLine] {
        &self.lines[row * self.width..(row + 1) * self.width]
    }

    /// All rows; none if the rows have no lines.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[BitLine]> {
        self.lines.chunks_exact(self.width.max(1))
    }

    /// The bytes of all rows, and the number of bytes of a row. Eight bytes can be read from any
    /// byte of a row.
    #[inline]
    pub(crate) fn bytes(&self) -> (&[u8], usize) {
        let lines = &self.lines.pages[..self.lines.len + 1];
        let bytes_of_row = self.width * size_of::<BitLine>();
        (bytemuck::must_cast_slice(lines), bytes_of_row)
    }

    #[inline]
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [BitLine] {
        &mut self.lines[row * self.width..(row + 1) * self.width]
    }

    /// All rows; none if the rows have no lines.
    pub(crate) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [BitLine]> {
        self.lines.chunks_exact_mut(self.width.max(1))
    }

    /// Set all bits to zero.
    pub(crate) fn clear(&mut self) {
        self.lines.fill(BitLine::ZERO);
    }
}
