//! Bit matrices.

use std::ops::{Deref, DerefMut, Range};
use std::sync::Mutex;

use super::kernels::BitLine;
use super::lines::LineMemory;
use crate::error::Result;

/// A bit matrix: rows of equally many lines, in memory of its own or somewhere else.
#[derive(Default)]
pub(crate) struct Matrix<L> {
    lines: L,
    width: usize,
}

impl Matrix<LineMemory> {
    /// Give it another shape; what is in it is left over from before.
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

    /// Bytes of all rows, and how many each has; eight bytes can be read from any byte of a row.
    #[inline]
    pub(crate) fn bytes(&self) -> (&[u8], usize) {
        (
            bytemuck::cast_slice(&self.lines),
            self.width * size_of::<BitLine>(),
        )
    }
}

impl<L: DerefMut<Target = [BitLine]>> Matrix<L> {
    #[inline]
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [BitLine] {
        &mut self.lines[row * self.width..(row + 1) * self.width]
    }

    /// All rows; none if they have no lines.
    pub(crate) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [BitLine]> {
        self.lines.chunks_exact_mut(self.width.max(1))
    }

    /// Make all bits zero.
    pub(crate) fn clear(&mut self) {
        self.lines.fill(BitLine::ZERO);
    }
}

/// Matrices of one kind, by the weight of the top half, end to end in one memory.
#[derive(Default)]
pub(crate) struct Matrices {
    lines: LineMemory,
    /// Where each lies, and the width of its rows.
    shapes: Vec<(Range<usize>, usize)>,
    /// Whether each has bits; what is in the others is left over from before.
    any: Vec<bool>,
}

/// One of them, to be made.
pub(crate) struct Made<'a> {
    pub(crate) matrix: Matrix<&'a mut [BitLine]>,
    /// Whether it has bits, once it is made.
    pub(crate) any: bool,
}

impl Matrices {
    /// Lay out matrices of so many rows and lines a row, none of which has bits.
    pub(crate) fn lay_out(&mut self, shapes: impl Iterator<Item = (usize, usize)>) -> Result<()> {
        self.shapes.clear();
        let mut end = 0;
        for (rows, width) in shapes {
            self.shapes.push((end..end + rows * width, width));
            end += rows * width;
        }
        // One line more, so that eight bytes can be read from any byte of the last row.
        self.any.clear();
        self.any.resize(self.shapes.len(), false);
        self.lines.resize(end + 1)
    }

    /// Whether one has bits.
    pub(crate) fn any(&self, top: usize) -> bool {
        self.any.get(top).is_some_and(|&any| any)
    }

    /// Whether none has bits.
    pub(crate) fn is_empty(&self) -> bool {
        !self.any.contains(&true)
    }

    /// One that has bits.
    #[inline]
    pub(crate) fn of(&self, top: usize) -> Matrix<&[BitLine]> {
        let (range, width) = &self.shapes[top];
        Matrix {
            lines: &self.lines[range.start..range.end + 1],
            width: *width,
        }
    }

    /// Have them made, by any number of threads.
    pub(crate) fn make<R>(&mut self, act: impl FnOnce(&[Mutex<Made>]) -> R) -> R {
        let mut rest = &mut self.lines[..];
        let mut made = Vec::new();
        for (range, width) in &self.shapes {
            let (lines, others) = rest.split_at_mut(range.len());
            rest = others;
            let matrix = Matrix {
                lines,
                width: *width,
            };
            made.push(Mutex::new(Made { matrix, any: false }));
        }
        let done = act(&made);
        let any = made
            .into_iter()
            .map(|made| made.into_inner().expect("no thread panics").any);
        self.any = any.collect();
        done
    }
}
