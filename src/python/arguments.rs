//! Arguments from Python that are not arrays: each says its name and what was expected of it.

use std::path::{self, PathBuf};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::game::{Exp, Size};
use crate::machine;
use crate::part::Kind;
use crate::store;

/// More than the tiles of any board add up to.
const MOST: u32 = 16 * 32_768;

/// A directory, wherever Python goes to meanwhile.
pub(super) struct DirArg(pub(super) PathBuf);

/// The shape of a board: `"3x4"`, `(3, 4)`, or `3` for a square.
pub(super) struct ShapeArg(pub(super) Size);

/// The sum of a board's tiles.
pub(super) struct SumArg(pub(super) u32);

/// The sum at which a count stops.
pub(super) struct UntilArg(pub(super) u32);

/// The largest tile of a board.
pub(super) struct MaxTileArg(pub(super) Exp);

/// A tile that comes up.
pub(super) struct SpawnedArg(pub(super) u32);

/// A number of states.
pub(super) struct NumberArg(pub(super) u64);

/// Where random numbers begin.
pub(super) struct SeedArg(pub(super) u64);

/// Whether states or afterstates are meant.
#[derive(Clone, Copy)]
pub(super) struct KindArg(pub(super) Kind);

/// What a run keeps.
pub(super) struct KeepArg(pub(super) store::Keep);

/// A number of bytes: `"8G"`, in powers of 1024, or a number.
pub(super) struct MemoryArg(pub(super) u64);

/// A number of threads. More than the machine can use are not started.
pub(super) struct ThreadsArg(pub(super) usize);

impl DirArg {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self(path::absolute(&dir).unwrap_or(dir))
    }
}

impl FromPyObject<'_, '_> for DirArg {
    type Error = PyErr;

    fn extract(dir: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        dir.extract().map(Self::new)
    }
}

impl FromPyObject<'_, '_> for ShapeArg {
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

/// Read a whole number; `name` and what was `expected` are said if there is none.
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

/// Read a sum.
fn sum(given: &Bound<'_, PyAny>, name: &str) -> PyResult<u32> {
    let expected = format!("a number from 0 to {MOST}");
    let read = |sum| u32::try_from(sum).ok().filter(|&sum| sum <= MOST);
    whole(given, name, &expected, read)
}

impl FromPyObject<'_, '_> for SumArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        sum(&given, "sum").map(Self)
    }
}

impl FromPyObject<'_, '_> for UntilArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        sum(&given, "until").map(Self)
    }
}

impl FromPyObject<'_, '_> for MaxTileArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let read = |tile| Exp::of_tile(u32::try_from(tile).ok()?);
        whole(&given, "max_tile", "a power of two", read).map(Self)
    }
}

impl FromPyObject<'_, '_> for SpawnedArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let read = |tile| (tile == 2 || tile == 4).then_some(tile as u32);
        whole(&given, "tile", "one that comes up, 2 or 4", read).map(Self)
    }
}

impl FromPyObject<'_, '_> for NumberArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        whole(&given, "n", "a number from 0 to 2^64 - 1", Some).map(Self)
    }
}

impl FromPyObject<'_, '_> for SeedArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        whole(&given, "seed", "a number from 0 to 2^64 - 1", Some).map(Self)
    }
}

impl FromPyObject<'_, '_> for KindArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match given.str()?.to_string().as_str() {
            "states" => Ok(Self(Kind::States)),
            "afterstates" => Ok(Self(Kind::Afterstates)),
            other => Err(PyValueError::new_err(format!(
                "kind {other}: expected states or afterstates"
            ))),
        }
    }
}

impl FromPyObject<'_, '_> for KeepArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let word = given.str()?.to_string();
        let keep = store::Keep::of_word(&word).map(Self);
        keep.ok_or_else(|| {
            PyValueError::new_err(format!(
                "keep {word}: expected all, last, afterstates or both"
            ))
        })
    }
}

impl FromPyObject<'_, '_> for MemoryArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = given.str()?.to_string();
        let bytes = machine::parse_size(&text);
        bytes
            .map(Self)
            .map_err(|what| PyValueError::new_err(format!("memory {text}: {what}")))
    }
}

impl FromPyObject<'_, '_> for ThreadsArg {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = given.str()?.to_string();
        let threads = machine::parse_threads(&text);
        threads
            .map(|threads| Self(threads.min(machine::most_threads())))
            .map_err(|what| PyValueError::new_err(format!("threads {text}: {what}")))
    }
}
