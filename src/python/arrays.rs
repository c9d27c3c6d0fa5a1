//! Arrays of boards, as they come from Python and go there.

use std::sync::Arc;

use numpy::{
    Element, IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::PyTuple;
use rayon::ThreadPool;

use super::pool::pool;
use crate::error::Result;
use crate::game::{Board, Grid, Size};

/// Boards for which it does not pay to wake up other threads.
const FEW: usize = 1 << 15;

/// Boards of a task of a thread: they fit its caches.
pub(super) const SLICE: usize = 1 << 12;

/// An argument that is the shape of a board: `"3x4"`, `(3, 4)`, or `3` for a square.
pub(super) struct Shape(pub(super) Size);

impl FromPyObject<'_, '_> for Shape {
    type Error = PyErr;

    fn extract(shape: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = if let Ok([rows, columns]) = shape.extract::<[i64; 2]>() {
            format!("{rows}x{columns}")
        } else {
            shape.str()?.to_string()
        };
        Ok(Self(text.parse::<Size>()?))
    }
}

/// An argument that is boards: an integer, or anything that `numpy` makes an array of integers of, of
/// any shape.
pub(super) struct Boards<'py> {
    array: PyReadonlyArrayDyn<'py, Board>,
}

impl<'py> FromPyObject<'_, 'py> for Boards<'py> {
    type Error = PyErr;

    fn extract(boards: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Self::named(&boards, "boards")
    }
}

/// An array of unsigned numbers, whatever whole numbers it is made of; `what` names it.
pub(super) fn unsigned<'py>(
    given: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, u64>> {
    let py = given.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let found = numpy.call_method1(intern!(py, "asarray"), (given,))?;
    let kind: String = found
        .getattr(intern!(py, "dtype"))?
        .getattr("kind")?
        .extract()?;
    let any = |found: Bound<'py, PyAny>| found.call_method0("any")?.is_truthy();
    // A list of integers, some beyond 2^63, is one of floats to numpy.
    if kind == "f" && any(found.rem(1)?)? || !["u", "i", "f", "O"].contains(&kind.as_str()) {
        return Err(PyTypeError::new_err(format!(
            "{what}: expected whole numbers, got {}",
            found.getattr("dtype")?
        )));
    }
    if kind != "u" && any(found.rich_compare(0, CompareOp::Lt)?)? {
        return Err(PyValueError::new_err(format!(
            "{what}: expected no negative numbers"
        )));
    }
    let arguments = (
        given,
        numpy.getattr(intern!(py, "uint64"))?,
        intern!(py, "C"),
    );
    let array = numpy.call_method1(intern!(py, "asarray"), arguments)?;
    Ok(array.cast_into::<PyArrayDyn<u64>>()?.readonly())
}

impl<'py> Boards<'py> {
    /// An argument of that name.
    pub(super) fn named(given: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        let array = unsigned(given, name)?;
        Ok(Self { array })
    }
}

impl Boards<'_> {
    /// The boards.
    pub(super) fn boards(&self) -> &[Board] {
        self.array.as_slice().expect("it was made contiguous")
    }

    /// See that they are boards of a size, and return them.
    pub(super) fn of(&self, size: Size) -> PyResult<&[Board]> {
        let boards = self.boards();
        let outside = u64::MAX.checked_shl(4 * size.cells()).unwrap_or(0);
        if boards.iter().fold(0, |all, board| all | board) & outside != 0 {
            boards
                .iter()
                .try_for_each(|&board| Grid::new(board, size).map(drop))?;
        }
        Ok(boards)
    }

    /// An array of the shape of that of the boards, and of some more axes, filled with numbers for the
    /// first board, then the next; for one board without an axis a number, as in numpy's own functions.
    pub(super) fn answer<'py, T: Element>(
        &self,
        py: Python<'py>,
        axes: &[usize],
        fill: impl FnOnce(&mut [T]) -> PyResult<()>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = made(py, &[self.array.shape(), axes].concat(), fill)?;
        array.get_item(PyTuple::empty(py))
    }
}

/// A new array of some shape, filled. It is numpy's memory, which is on large pages where the system has
/// them.
pub(super) fn made<'py, T: Element>(
    py: Python<'py>,
    shape: &[usize],
    fill: impl FnOnce(&mut [T]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let numpy = py.import(intern!(py, "numpy"))?;
    let arguments = (PyTuple::new(py, shape)?, T::get_dtype(py));
    let array = numpy.call_method1(intern!(py, "zeros"), arguments)?;
    let array = array.cast_into::<PyArrayDyn<T>>()?;
    fill(array.readwrite().as_slice_mut()?)?;
    Ok(array)
}

/// Boards as an array.
pub(super) fn array(py: Python<'_>, boards: Vec<Board>) -> Bound<'_, PyArray1<Board>> {
    boards.into_pyarray(py)
}

/// The threads for so many boards; none if one is enough.
pub(super) fn pool_for(boards: usize) -> Result<Option<Arc<ThreadPool>>> {
    if boards < FEW {
        return Ok(None);
    }
    pool().map(Some)
}
