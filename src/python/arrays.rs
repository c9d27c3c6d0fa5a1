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
    let mut found = numpy.call_method1(intern!(py, "asarray"), (given,))?;
    let dtype = found.getattr(intern!(py, "dtype"))?;
    let kind: String = dtype.getattr(intern!(py, "kind"))?.extract()?;
    match kind.as_str() {
        "u" | "i" => {}
        // A list of numbers, some of them beyond 2^63, is one of floats or of objects to numpy.
        "f" | "O" => found = integers(given, what)?,
        _ => {
            return Err(PyTypeError::new_err(format!(
                "{what}: expected whole numbers, got {dtype}"
            )));
        }
    }
    let any = |found: Bound<'py, PyAny>| {
        numpy
            .call_method1(intern!(py, "any"), (found,))?
            .is_truthy()
    };
    if kind != "u" && any(found.rich_compare(0, CompareOp::Lt)?)? {
        return Err(PyValueError::new_err(format!(
            "{what}: expected no negative numbers"
        )));
    }
    if kind != "u" && kind != "i" && any(found.rich_compare(u64::MAX, CompareOp::Gt)?)? {
        return Err(PyValueError::new_err(format!(
            "{what}: expected numbers below 2^64"
        )));
    }
    let arguments = (
        found,
        numpy.getattr(intern!(py, "uint64"))?,
        // In the order of C, aligned, and no subclass.
        intern!(py, "CAE"),
    );
    let array = numpy.call_method1(intern!(py, "require"), arguments)?;
    Ok(array.cast_into::<PyArrayDyn<u64>>()?.readonly())
}

/// An array of integers of Python, of what numpy does not take for whole numbers.
fn integers<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let object = py.import(intern!(py, "builtins"))?.getattr("object")?;
    let asarray = numpy.getattr(intern!(py, "asarray"))?;
    let index = py.import(intern!(py, "operator"))?.getattr("index")?;
    let of_each = numpy.call_method1(intern!(py, "frompyfunc"), (index, 1, 1))?;
    let objects = asarray.call1((given, &object))?;
    let integers = of_each.call1((objects,)).map_err(|error| {
        PyTypeError::new_err(format!(
            "{what}: expected whole numbers: {}",
            error.value(py)
        ))
    })?;
    asarray.call1((integers, object))
}

impl<'py> Boards<'py> {
    /// An argument of that name.
    pub(super) fn named(given: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        let array = unsigned(given, name)?;
        Ok(Self { array })
    }
}

impl Boards<'_> {
    pub(super) fn boards(&self) -> &[Board] {
        self.array.as_slice().expect("it was made contiguous")
    }

    /// The only one, of a size.
    pub(super) fn one(&self, size: Size, name: &str) -> PyResult<Board> {
        match self.of(size)? {
            &[board] => Ok(board),
            several => Err(PyValueError::new_err(format!(
                "{name}: expected one board, got {}",
                several.len()
            ))),
        }
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
