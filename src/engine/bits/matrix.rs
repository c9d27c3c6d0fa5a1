//! Bit matrices, their memory, and permutations of their columns.
//!
//! Key idea: the rows of a matrix lie far apart, and looking up the address of each small page
//! costs more than reading the row. So the memory asks the system for large pages. Each layer uses
//! the memory of the layer before it, so the loop over layers touches no new page.

use std::ops::{Deref, DerefMut, Range};
use std::sync::{Mutex, MutexGuard};

use super::kernels::{BitLine, LINE};
use super::packed_matrix::PackedMatrix;
use super::transpose::{BitTile, transpose};
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
    /// If the matrix has no bits, its content is undefined.
    has_bits: bool,
}

/// A matrix under construction.
pub(crate) struct NewMatrix<'a> {
    pub(crate) matrix: Matrix<&'a mut [BitLine]>,
    pub(crate) has_bits: bool,
}

/// Lock a matrix under construction.
pub(crate) fn lock<'m, 'a>(matrix: &'m Mutex<NewMatrix<'a>>) -> MutexGuard<'m, NewMatrix<'a>> {
    matrix.lock().expect("no thread panics")
}

impl Matrices {
    /// Lay out matrices without bits. A shape is a number of rows and a number of lines per row.
    pub(crate) fn lay_out(&mut self, shapes: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        self.places.clear();
        let mut end = 0;
        for (rows, width) in shapes {
            let lines = end..end + rows * width;
            end = lines.end;
            self.places.push(MatrixPlace {
                lines,
                width,
                has_bits: false,
            });
        }
        // With one more line, eight bytes can be read from any byte of the last row.
        self.lines.resize(end + 1)
    }

    /// Whether the matrix of a weight has bits.
    pub(crate) fn has_bits(&self, top: usize) -> bool {
        self.places.get(top).is_some_and(|place| place.has_bits)
    }

    /// The matrix of a weight. It must have bits.
    #[inline]
    pub(crate) fn of(&self, top: usize) -> Matrix<&[BitLine]> {
        let MatrixPlace { lines, width, .. } = &self.places[top];
        Matrix {
            lines: &self.lines[lines.start..lines.end + 1],
            width: *width,
        }
    }

    /// Pack the matrix of a weight.
    pub(crate) fn pack(&self, top: usize) -> Result<PackedMatrix> {
        let MatrixPlace {
            lines,
            width,
            has_bits,
        } = &self.places[top];
        if !has_bits {
            return Ok(PackedMatrix::default());
        }
        let rows = self.lines[lines.clone()].chunks_exact(*width);
        PackedMatrix::new(rows, &mut Vec::new())
    }

    /// Call `act`, which fills the matrices on any number of threads.
    pub(crate) fn fill<R>(&mut self, act: impl FnOnce(&[Mutex<NewMatrix>]) -> R) -> R {
        let mut rest = &mut self.lines[..];
        let mut matrices = Vec::new();
        for place in &self.places {
            let lines = rest.split_off_mut(..place.lines.len());
            let matrix = Matrix {
                lines: lines.expect("`lay_out` made room"),
                width: place.width,
            };
            matrices.push(Mutex::new(NewMatrix {
                matrix,
                has_bits: place.has_bits,
            }));
        }
        let result = act(&matrices);
        for (place, matrix) in self.places.iter_mut().zip(matrices) {
            place.has_bits = matrix.into_inner().expect("no thread panics").has_bits;
        }
        result
    }
}

/// Transpose a tile; call `act` with each of its 512 columns and the bits of the 64 rows.
#[inline(always)]
pub(crate) fn for_each_column(tile: &mut BitTile, mut act: impl FnMut(usize, u64)) {
    transpose(tile);
    for (column, words) in tile.iter().enumerate() {
        for (lane, &bits) in words.0.iter().enumerate() {
            act(64 * lane + column, bits);
        }
    }
}

/// Permutes the columns of rows.
///
/// Key idea: a permutation of columns is a permutation of rows between two transpositions.
#[derive(Default)]
pub(crate) struct Permuter {
    /// For each column a line: its bits in the rows.
    columns: Vec<BitLine>,
}

impl Permuter {
    /// Permute up to 512 rows of `width` lines. `row` finds a row in `all`. Calls `act` with `all`, the
    /// number of each row, the number of each line, and the permuted line. Each position gets the
    /// bit that was at `order[position]`.
    pub(crate) fn permute<A>(
        &mut self,
        order: &[u32],
        (rows, width): (usize, usize),
        all: &mut A,
        row: impl Fn(&A, usize) -> &[BitLine],
        mut act: impl FnMut(&mut A, usize, usize, BitLine),
    ) {
        self.columns.resize(width * LINE, BitLine::ZERO);
        let mut tile = [BitLine::ZERO; 64];
        for first in (0..rows).step_by(64) {
            for line in 0..width {
                for (at, to) in tile.iter_mut().enumerate() {
                    *to = if first + at < rows {
                        row(all, first + at)[line]
                    } else {
                        BitLine::ZERO
                    };
                }
                for_each_column(&mut tile, |column, bits| {
                    self.columns[line * LINE + column].0[first / 64] = bits;
                });
            }
        }
        for first in (0..rows).step_by(64) {
            for line in 0..width {
                for (column, to) in tile.iter_mut().enumerate() {
                    for (lane, bits) in to.0.iter_mut().enumerate() {
                        let from = order[line * LINE + lane * 64 + column];
                        *bits = self.columns[from as usize].0[first / 64];
                    }
                }
                transpose(&mut tile);
                for (at, &bits) in tile.iter().enumerate().take(rows - first) {
                    act(all, first + at, line, bits);
                }
            }
        }
    }
}
