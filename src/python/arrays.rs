//! Arrays of boards and of numbers, to and from Python.

use numpy::{
    Element, IntoPyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyDict, PyTuple};

use crate::counts::{Column, Table};
use crate::game::{Board, Grid, Size};

/// A number or an array of numbers, for Python.
pub(super) type PyNumbers<'py> = PyResult<Bound<'py, PyAny>>;

/// An argument of boards: an integer, or anything that `numpy` converts to an array of integers.
pub(super) struct Boards<'py> {
    array: PyReadonlyArrayDyn<'py, Board>,
}

impl<'py> FromPyObject<'_, 'py> for Boards<'py> {
    type Error = PyErr;

    fn extract(boards: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Self::named(&boards, "boards")
    }
}

impl<'py> Boards<'py> {
    /// Read an argument. `name` is its name, for errors.
    pub(super) fn named(given: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        let array = unsigned(given, name)?;
        Ok(Self { array })
    }

    pub(super) fn py(&self) -> Python<'py> {
        self.array.py()
    }

    /// The numbers, unchecked: they may not be boards.
    pub(super) fn numbers(&self) -> &[u64] {
        self.array.as_slice().expect("it was made contiguous")
    }

    /// The boards, if all are of this size.
    pub(super) fn of(&self, size: Size) -> PyResult<&[Board]> {
        let boards = self.numbers();
        let outside = u64::MAX.checked_shl(4 * size.cells()).unwrap_or(0);
        if boards.iter().fold(0, |all, board| all | board) & outside != 0 {
            boards
                .iter()
                .try_for_each(|&board| Grid::new(board, size).map(drop))?;
        }
        Ok(boards)
    }

    /// The board, if there is exactly one and it is of this size.
    pub(super) fn one(&self, size: Size, name: &str) -> PyResult<Board> {
        match self.of(size)? {
            &[board] => Ok(board),
            several => Err(PyValueError::new_err(format!(
                "{name}: expected one board, got {}",
                several.len()
            ))),
        }
    }

    /// An array with the shape of the argument and the additional last `axes`. It is filled board
    /// by board. Like numpy's own functions, it returns a number for a single board without axes.
    pub(super) fn map_to<T: Element>(
        &self,
        axes: &[usize],
        fill: impl FnOnce(&mut [T]) -> PyResult<()>,
    ) -> PyNumbers<'py> {
        let py = self.py();
        let array = new_array(py, &[self.array.shape(), axes].concat(), fill)?;
        array.get_item(PyTuple::empty(py))
    }
}

/// Convert whole numbers of any type to an array of unsigned numbers. `name` is the name of the
/// argument, for errors.
pub(super) fn unsigned<'py>(
    given: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, u64>> {
    let py = given.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let mut found = numpy.call_method1(intern!(py, "asarray"), (given,))?;
    let dtype = found.getattr(intern!(py, "dtype"))?;
    let kind: String = dtype.getattr(intern!(py, "kind"))?.extract()?;
    match kind.as_str() {
        "u" | "i" => {}
        // numpy converts a list with numbers beyond 2^63 to floats or objects.
        "f" | "O" => found = python_integers(given, name)?,
        _ => {
            return Err(PyTypeError::new_err(format!(
                "{name}: expected whole numbers, got {dtype}"
            )));
        }
    }
    let refuse = |wrong: Bound<'py, PyAny>, expected: &str| {
        let any = numpy.call_method1(intern!(py, "any"), (wrong,))?;
        if any.is_truthy()? {
            return Err(PyValueError::new_err(format!(
                "{name}: expected {expected}"
            )));
        }
        Ok(())
    };
    if kind != "u" {
        refuse(found.rich_compare(0, CompareOp::Lt)?, "no negative numbers")?;
    }
    if kind == "f" || kind == "O" {
        let beyond = found.rich_compare(u64::MAX, CompareOp::Gt)?;
        refuse(beyond, "numbers below 2^64")?;
    }
    let arguments = (
        found,
        numpy.getattr(intern!(py, "uint64"))?,
        // In C order, aligned, and no subclass of an array.
        intern!(py, "CAE"),
    );
    let array = numpy.call_method1(intern!(py, "require"), arguments)?;
    Ok(array.cast_into::<PyArrayDyn<u64>>()?.readonly())
}

/// Convert to an array of Python's integers, if numpy does not convert to whole numbers by itself.
fn python_integers<'py>(given: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let object = py.import(intern!(py, "builtins"))?.getattr("object")?;
    let asarray = numpy.getattr(intern!(py, "asarray"))?;
    let index = py.import(intern!(py, "operator"))?.getattr("index")?;
    let each_index = numpy.call_method1(intern!(py, "frompyfunc"), (index, 1, 1))?;
    let objects = asarray.call1((given, &object))?;
    let integers = each_index.call1((objects,)).map_err(|error| {
        let cause = error.value(py);
        PyTypeError::new_err(format!("{name}: expected whole numbers: {cause}"))
    })?;
    asarray.call1((integers, object))
}

/// A new array of a shape, filled by `fill`. numpy allocates the memory, on large pages if the
/// system has them.
pub(super) fn new_array<'py, T: Element>(
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

/// The columns of a table by name, in a dict of arrays, or in a data frame of the library `frame`.
pub(super) fn columns<'py>(
    py: Python<'py>,
    table: &Table,
    frame: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = PyDict::new(py);
    for column in Column::ALL {
        let numbers: Vec<u64> = table.rows().iter().map(|row| row.number(column)).collect();
        columns.set_item(column.name(), numbers.into_pyarray(py))?;
    }
    match frame {
        None => Ok(columns.into_any()),
        Some(library @ ("pandas" | "polars")) => {
            py.import(library)?.getattr("DataFrame")?.call1((columns,))
        }
        Some(other) => Err(PyValueError::new_err(format!(
            "frame {other:?}: expected pandas or polars"
        ))),
    }
}
