//! The table of a run, as columns.

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::counts::{Column, Table};

/// The columns of a table by their names, as arrays, or as a frame of a library that is installed.
pub(super) fn columns<'py>(
    py: Python<'py>,
    table: &Table,
    frame: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = PyDict::new(py);
    for column in Column::ALL {
        let rows = table.rows().iter();
        let numbers: Vec<u64> = rows.map(|row| row.number(column)).collect();
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
