//! The Python module `enum48`: runs and boards as `numpy` arrays.
//!
//! `src/python/enum48/` is the package that Python imports; it hands on what is here, and says the
//! types. Nothing about the game is decided here: every function asks the rest of this crate, for
//! whole arrays at a time.
//!
//! Key idea: no board is ever a Python object. Arrays go in and out as memory, long work is done with
//! the interpreter free for others, in threads of its own, and ends when Ctrl-C is pressed
//! ([`background`]).

#![expect(
    clippy::needless_pass_by_value,
    clippy::doc_markdown,
    reason = "arguments come from Python, and docstrings are for its readers"
)]

mod arguments;
mod arrays;
mod background;
mod best;
mod blocks;
mod boards;
mod count;
mod error;
mod files;
mod pool;
mod progress;
mod replay;
mod run;
mod table;

use pyo3::prelude::*;

/// What `enum48/__init__.py` hands on.
#[pymodule]
mod _enum48 {
    #[pymodule_export]
    use super::best::PyBest;
    #[pymodule_export]
    use super::blocks::PyBlocks;
    #[pymodule_export]
    use super::boards::{boards, canonical, cells, moves, points, spawns};
    #[pymodule_export]
    use super::count::count;
    #[pymodule_export]
    use super::error::{DamagedError, Error};
    #[pymodule_export]
    use super::replay::{PyReplay, replay};
    #[pymodule_export]
    use super::run::{PyRun, open};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "its name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
