//! Arguments from Python that are not arrays. An error names the argument and the expected value.

use std::fmt::Display;
use std::path::{self, PathBuf};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::game::{Exp, Size};
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

    /// The shape of a board: `"3x4"`, `(3, 4)`, or `3` for a square.
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
