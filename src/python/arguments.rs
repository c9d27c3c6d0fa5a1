//! Arguments from Python: single ones, and arrays of boards and of numbers, which are also results.
//! An error names the argument and the expected value.

use std::fmt::Display;
use std::path::{self, PathBuf};

use numpy::{
    Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyDict, PyTuple};

use crate::counts::{Column, Table};
use crate::game::{Board, Exp, Grid, Size};
use crate::machine;
use crate::part::Kind;
use crate::store::Keep;

/// No board has a larger sum of tiles.
const LARGEST_SUM: u32 = 16 * 32_768;

/// Defines a type for each kind of argument, with the function that reads it.
macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident($inner:ty) = $read:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name(pub(super) $inner);

        impl FromPyObject<'_, '_> for $name {
            type Error = PyErr;

            fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
                let read: fn(&Bound<'_, PyAny>) -> PyResult<$inner> = $read;
                read(&given).map(Self)
            }
        }
    )*};
}

arguments! {
    /// A directory, made absolute, as Python may change its working directory later.
    DirArg(PathBuf) = |given| given.extract().map(absolute);

    /// The shape of a board: `"3x4"`, `(3, 4)`, or `3` for a square; with 8 stones `"free8"` or `(4, 4, 8)`.
    ShapeArg(Size) = shape;

    /// The sum of a board's tiles.
    SumArg(u32) = |given| sum(given, "sum");

    /// The sum at which a count stops.
    UntilArg(u32) = |given| sum(given, "until");

    /// The largest tile of a board.
    MaxTileArg(Exp) = |given| whole(given, "max_tile", "a power of two", |tile| {
        Exp::of_tile(u32::try_from(tile).ok()?)
    });

    /// The tile of a spawn.
    SpawnedArg(Exp) = |given| whole(given, "tile", "2 or 4", |tile| match tile {
        2 => Some(Exp::TWO),
        4 => Some(Exp::FOUR),
        _ => None,
    });

    /// A number of states.
    NumberArg(u64) = |given| whole(given, "n", "a number from 0 to 2^64 - 1", Some);

    /// The seed of random numbers.
    SeedArg(u64) = |given| whole(given, "seed", "a number from 0 to 2^64 - 1", Some);

    /// States or afterstates.
    KindArg(Kind) = |given| text(given, "kind", |word| match word {
        "states" => Ok(Kind::States),
        "afterstates" => Ok(Kind::Afterstates),
        _ => Err("expected states or afterstates"),
    });

    /// The files that a run keeps.
    KeepArg(Keep) = |given| text(given, "keep", |word| {
        Keep::of_word(word).ok_or("expected all, last, afterstates, both or matrices")
    });

    /// A number of bytes: `"8G"`, in powers of 1024, or a number.
    MemoryArg(u64) = |given| text(given, "memory", machine::parse_size);

    /// A number of threads, lowered to the most that a job uses.
    ThreadsArg(usize) = |given| {
        let threads = text(given, "threads", machine::parse_threads)?;
        Ok(threads.min(machine::most_threads()))
    };
}

pub(super) fn absolute(dir: PathBuf) -> PathBuf {
    path::absolute(&dir).unwrap_or(dir)
}

fn shape(given: &Bound<'_, PyAny>) -> PyResult<Size> {
    if let Ok([rows, columns, stones]) = given.extract::<[i64; 3]>() {
        let size: Size = format!("{rows}x{columns}").parse()?;
        return Ok(size.with_stones(stones.try_into().unwrap_or(u32::MAX))?);
    }
    let text = match given.extract::<[i64; 2]>() {
        Ok([rows, columns]) => format!("{rows}x{columns}"),
        Err(_) => given.str()?.to_string(),
    };
    Ok(text.parse::<Size>()?)
}

fn sum(given: &Bound<'_, PyAny>, name: &str) -> PyResult<u32> {
    let expected = format!("a number from 0 to {LARGEST_SUM}");
    let read = |sum| u32::try_from(sum).ok().filter(|&sum| sum <= LARGEST_SUM);
    whole(given, name, &expected, read)
}

/// Read a whole number. The error has the `name` of the argument and the `expected` value.
fn whole<T>(
    given: &Bound<'_, PyAny>,
    name: &str,
    expected: &str,
    read: impl FnOnce(u64) -> Option<T>,
) -> PyResult<T> {
    let wrong = || format!("{name} {given}: expected {expected}");
    match given.extract() {
        Ok(number) => read(number).ok_or_else(|| PyValueError::new_err(wrong())),
        Err(error) if error.is_instance_of::<PyTypeError>(given.py()) => {
            Err(PyTypeError::new_err(wrong()))
        }
        Err(_) => Err(PyValueError::new_err(wrong())),
    }
}

/// Read a text. `name` is the name of the argument, for the error.
fn text<T, E: Display>(
    given: &Bound<'_, PyAny>,
    name: &str,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> PyResult<T> {
    let text = given.str()?.to_string();
    read(&text).map_err(|expected| PyValueError::new_err(format!("{name} {text}: {expected}")))
}

/// A number or an array of numbers, for Python.
pub(super) type PyNumbers<'py> = PyResult<Bound<'py, PyAny>>;

/// An array for Python.
pub(super) type PyArrayOf<'py, T> = PyResult<Bound<'py, PyArrayDyn<T>>>;

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
    if kind != "u" {
        let mut wrong = found.rich_compare(0, CompareOp::Lt)?;
        if kind != "i" {
            wrong = wrong.bitor(found.rich_compare(u64::MAX, CompareOp::Gt)?)?;
        }
        if numpy
            .call_method1(intern!(py, "any"), (wrong,))?
            .is_truthy()?
        {
            let wrong = format!("{name}: expected numbers from 0 to 2^64 - 1");
            return Err(PyValueError::new_err(wrong));
        }
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
) -> PyArrayOf<'py, T> {
    let numpy = py.import(intern!(py, "numpy"))?;
    let arguments = (PyTuple::new(py, shape)?, T::get_dtype(py));
    let array = numpy.call_method1(intern!(py, "zeros"), arguments)?;
    let array = array.cast_into::<PyArrayDyn<T>>()?;
    fill(array.readwrite().as_slice_mut()?)?;
    Ok(array)
}

/// The columns of a table by name, in a dict of arrays, or in a data frame of the library `frame`.
/// Counts are signed, as differences of unsigned ones wrap around. No count reaches 2^63.
pub(super) fn columns<'py>(
    py: Python<'py>,
    table: &Table,
    frame: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = PyDict::new(py);
    for column in Column::ALL {
        let numbers = table.rows().iter().map(|row| row.number(column));
        let numbers = match column {
            Column::Fingerprint => PyArray1::from_iter(py, numbers).into_any(),
            _ => PyArray1::from_iter(py, numbers.map(u64::cast_signed)).into_any(),
        };
        columns.set_item(column.name(), numbers)?;
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
