//! Counting a game from Python.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::background::work;
use super::run::{Run, opened};
use crate::cli::{self, Reporter, cores, most_threads};
use crate::engine::{self, Choice, Plan, Progress, Silent};
use crate::game::Game;
use crate::store::{Keep, Store};

/// An argument that is a number of bytes: `"8G"`, in powers of 1024, or a number.
pub(super) struct Bytes(u64);

impl FromPyObject<'_, '_> for Bytes {
    type Error = PyErr;

    fn extract(bytes: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = bytes.str()?.to_string();
        match cli::bytes(&text) {
            Ok(bytes) => Ok(Self(bytes)),
            Err(what) => Err(PyValueError::new_err(format!("memory {text}: {what}"))),
        }
    }
}

/// An argument that is a number of threads. More than the machine can use are not started.
pub(super) struct Threads(usize);

impl FromPyObject<'_, '_> for Threads {
    type Error = PyErr;

    fn extract(threads: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = threads.str()?.to_string();
        match cli::threads(&text) {
            Ok(threads) => Ok(Self(threads.min(most_threads()))),
            Err(what) => Err(PyValueError::new_err(format!("threads {text}: {what}"))),
        }
    }
}

/// What to keep, by its name.
pub(super) struct Kept(Keep);

impl FromPyObject<'_, '_> for Kept {
    type Error = PyErr;

    fn extract(keep: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text: String = keep.extract()?;
        Ok(Self(match text.as_str() {
            "all" => Keep::All,
            "last" => Keep::Last,
            "afterstates" => Keep::Afterstates,
            "both" => Keep::Both,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "keep {text:?}: expected all, last, afterstates or both"
                )));
            }
        }))
    }
}

/// Count a game, as enum48 does, or go on where that was stopped, and open the run.
///
/// game is its name, such as "3x3-1024", or "4x3" without a winning tile; dir a directory for its files
/// [default: enum48-data/ and the name]; until the sum of the last layer; keep what to keep of each
/// layer: "all", "last", "afterstates" or "both"; memory a bound for data, such as "8G" [half of the
/// machine's]; threads [one for each core; up to eight for each are started]. With progress, it is shown
/// on stderr. After Ctrl-C the same call goes on from the last layer that was written.
///
/// >>> import enum48, tempfile
/// >>> with tempfile.TemporaryDirectory() as place:
/// ...     run = enum48.count("2x2-32", place)
/// ...     int(run.table()["live"].sum())
/// 57
#[pyfunction]
#[pyo3(signature = (game, dir=None, *, until=None, keep=None, memory=None, threads=None, progress=false))]
#[expect(clippy::too_many_arguments, reason = "they are named in Python")]
pub(super) fn count(
    py: Python<'_>,
    game: &str,
    dir: Option<PathBuf>,
    until: Option<u32>,
    keep: Option<Kept>,
    memory: Option<Bytes>,
    threads: Option<Threads>,
    progress: bool,
) -> PyResult<Run> {
    let game: Game = game.parse()?;
    let dir = dir.unwrap_or_else(|| Path::new("enum48-data").join(game.to_string()));
    let memory = memory.map_or_else(cli::default_memory, |Bytes(bytes)| bytes);
    let threads = threads.map_or_else(cores, |Threads(threads)| threads);
    work(py, |stop| {
        let plan = Plan::new(memory, threads)?.with_stop(stop.clone());
        let mut store = Store::open(&dir, &game, keep.map(|Kept(keep)| keep))?;
        let choice = Choice::new(store.run(), &plan, until)?;
        let mut reporter = progress.then(|| Reporter::new(&plan, &store, &choice, false));
        let silent: &mut dyn Progress = &mut Silent;
        let told = reporter.as_mut().map_or(silent, |reporter| reporter);
        let counted = engine::count(&mut store, &plan, until, told);
        reporter.map(Reporter::finish);
        counted
    })?;
    opened(py, &dir)
}
