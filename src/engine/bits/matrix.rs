//! Bit matrices and their memory.
//!
//! Key idea: the rows of a matrix lie far apart, and looking up the address of each small page
//! costs more than reading the row. So the memory asks the system for large pages. Each layer uses
//! the memory of the layer before it, so the loop over layers touches no new page.

use std::ops::{Deref, DerefMut, Range};
use std::sync::{Mutex, MutexGuard};

use super::kernels::BitLine;
use super::packed_matrix::PackedMatrix;
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
        if self.pages.len() < len {
            self.pages = Pages::default();
            // Layers grow, and untouched pages take no memory.
            self.pages = Pages::new(len + len / 4)?;
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

/// A bit matrix. All rows have `width` lines, in memory of the matrix or of its owner.
#[derive(Default)]
pub(crate) struct Matrix<L> {
    lines: L,
    width: usize,
}

impl Matrix<LineMemory> {
    /// Change the shape; the content is undefined.
    pub(crate) fn reshape(&mut self, rows: usize, width: usize) -> Result<()> {
        self.width = width;
        self.lines.resize(rows * width)
    }
}

impl<L: Deref<Target = [BitLine]>> Matrix<L> {
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[BitLine] {
        &self.lines[row * self.width..(row + 1) * self.width]
    }

    /// All rows; none if the rows have no lines.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[BitLine]> {
        self.lines.chunks_exact(self.width.max(1))
    }
}

/// A matrix of [`Matrices`], followed by one more line.
impl Matrix<&[BitLine]> {
    /// The bytes of all rows, and the number of bytes of a row. Eight bytes can be read from any
    /// byte of a row.
    #[inline]
    pub(crate) fn bytes(&self) -> (&[u8], usize) {
        let bytes_of_row = self.width * size_of::<BitLine>();
        (bytemuck::cast_slice(self.lines), bytes_of_row)
    }
}

impl<L: DerefMut<Target = [BitLine]>> Matrix<L> {
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

/// The matrices of one kind, by weight of the top half, end to end in one memory.
#[derive(Default)]
pub(crate) struct Matrices {
    lines: LineMemory,
    places: Vec<MatrixPlace>,
}

struct MatrixPlace {
    lines: Range<usize>,
    width: usize,
}

/// A matrix of [`Matrices`] that threads fill.
pub(crate) type SharedMatrix<'a> = Mutex<Matrix<&'a mut [BitLine]>>;

/// Lock a matrix that threads fill.
pub(crate) fn lock<'m, 'a>(
    matrix: &'m SharedMatrix<'a>,
) -> MutexGuard<'m, Matrix<&'a mut [BitLine]>> {
    matrix.lock().expect("no thread panics")
}

impl Matrices {
    /// Lay out matrices; their content is undefined. A shape is a number of rows and a number of lines
    /// per row.
    pub(crate) fn lay_out(&mut self, shapes: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        self.places.clear();
        let mut end = 0;
        for (rows, width) in shapes {
            let lines = end..end + rows * width;
            end = lines.end;
            self.places.push(MatrixPlace { lines, width });
        }
        // With one more line, eight bytes can be read from any byte of the last row.
        self.lines.resize(end + 1)
    }

    /// Whether there is a matrix of a weight that has lines.
    pub(crate) fn has_lines(&self, top: usize) -> bool {
        let place = self.places.get(top);
        place.is_some_and(|place| !place.lines.is_empty())
    }

    /// The matrix of a weight.
    #[inline]
    pub(crate) fn of(&self, top: usize) -> Matrix<&[BitLine]> {
        let MatrixPlace { lines, width } = &self.places[top];
        Matrix {
            lines: &self.lines[lines.start..lines.end + 1],
            width: *width,
        }
    }

    /// Pack the matrix of a weight.
    pub(crate) fn pack(&self, top: usize) -> Result<PackedMatrix> {
        let MatrixPlace { lines, width } = &self.places[top];
        let rows = self.lines[lines.clone()].chunks_exact((*width).max(1));
        PackedMatrix::new(rows, &mut Vec::new())
    }

    /// Call `act`, which fills the matrices on any number of threads.
    pub(crate) fn fill<R>(&mut self, act: impl FnOnce(&[SharedMatrix]) -> R) -> R {
        let mut rest = &mut self.lines[..];
        let matrices = self.places.iter().map(|MatrixPlace { lines, width }| {
            let lines = rest.split_off_mut(..lines.len());
            Mutex::new(Matrix {
                lines: lines.expect("`lay_out` made room"),
                width: *width,
            })
        });
        act(&matrices.collect::<Vec<_>>())
    }
}
