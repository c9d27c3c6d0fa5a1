//! The Python module `enum48`: runs and boards as `numpy` arrays.
//!
//! Python imports the package `src/python/enum48/`, which re-exports this module and declares its
//! types. Most functions call the rest of this crate, for whole arrays at a time.
//!
//! Key idea: no board is ever a Python object. Arrays are passed as memory. Long work runs in
//! threads of its own without the interpreter's lock, and Ctrl-C ends it ([`threads`]).

#![expect(
    clippy::needless_pass_by_value,
    clippy::doc_markdown,
    reason = "arguments come from Python, and docstrings are for its readers"
)]

mod arguments;
mod blocks;
mod boards;
mod count;
mod run;
mod threads;

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::error;

#[pymodule]
mod _enum48 {
    #[pymodule_export]
    use super::blocks::{PyBest, PyBlocks};
    #[pymodule_export]
    use super::boards::{PyReplay, boards, canonical, cells, moves, points, replay, spawns};
    #[pymodule_export]
    use super::count::{count, open};
    #[pymodule_export]
    use super::run::PyRun;
    #[pymodule_export]
    use super::{DamagedError, Error};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "its name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

create_exception!(
    enum48,
    Error,
    PyException,
    "The request cannot be done. The message is the program's."
);

create_exception!(
    enum48,
    DamagedError,
    Error,
    "A file of a run is missing or damaged."
);

impl From<error::Error> for PyErr {
    fn from(error: error::Error) -> Self {
        let message = error.to_string();
        match error {
            _ if error.is_damage() => DamagedError::new_err(message),
            error::Error::Input(_) => PyValueError::new_err(message),
            error::Error::NoMemory { .. } => PyMemoryError::new_err(message),
            _ => Error::new_err(message),
        }
    }
}
