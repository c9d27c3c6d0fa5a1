//! Errors, as Python has them.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::error;

create_exception!(
    enum48,
    Error,
    PyException,
    "What cannot be done, in the words of the program."
);

create_exception!(
    enum48,
    DamagedError,
    Error,
    "A file of a run is missing, or not as it was written."
);

impl From<error::Error> for PyErr {
    fn from(error: error::Error) -> Self {
        let said = error.to_string();
        match error {
            _ if error.is_damage() => DamagedError::new_err(said),
            error::Error::Size(_)
            | error::Error::Max(_)
            | error::Error::Game(_)
            | error::Error::Objective(_)
            | error::Error::Board { .. }
            | error::Error::Code { .. }
            | error::Error::Until(_) => PyValueError::new_err(said),
            error::Error::NoMemory { .. } => PyMemoryError::new_err(said),
            _ => Error::new_err(said),
        }
    }
}
