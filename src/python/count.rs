//! The functions that return a run: count() and open().

use std::path::PathBuf;

use pyo3::prelude::*;

use super::arguments::{DirArg, KeepArg, MemoryArg, ThreadsArg, UntilArg, absolute};
use super::progress::ProgressLines;
use super::run::PyRun;
use super::threads::work;
use crate::engine::{self, Choice, Plan, Progress, Silent};
use crate::game::Game;
use crate::machine::{cores, default_memory};
use crate::store::{Run, Store};

/// Count a game, like the program enum48, and open the run. A count that was stopped is resumed.
///
/// game is the name of the game, such as "3x3-1024", or "4x3" without a winning tile. dir is the
/// directory for the files [default: enum48-data/ and the name]. until is the sum of the last
/// layer. keep says which files of each layer to keep: "all", "last", "afterstates", "both" or, for
/// 4x4, "matrices"; other files that the run kept are deleted. memory is the memory for data, such
/// as "8G" [default: half of the machine's]. threads is the number of threads [default: one for each
/// core; at most eight for each]. progress=True writes a line to stderr every ten seconds. After Ctrl-C
/// a second call resumes from the last layer that was written.
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
    dir: Option<DirArg>,
    until: Option<UntilArg>,
    keep: Option<KeepArg>,
    memory: Option<MemoryArg>,
    threads: Option<ThreadsArg>,
    progress: bool,
) -> PyResult<PyRun> {
    let game: Game = game.parse()?;
    let default_dir = || absolute(PathBuf::from(format!("enum48-data/{game}")));
    let dir = dir.map_or_else(default_dir, |dir| dir.0);
    let until = until.map(|until| until.0);
    let memory = memory.map_or_else(default_memory, |memory| memory.0);
    let threads = threads.map_or_else(cores, |threads| threads.0);
    work(py, |stop| {
        let plan = Plan::new(memory, threads)?.with_stop(stop.clone());
        let keep = keep.map(|keep| keep.0);
        // Opening drops files that `keep` does not cover. A refused count must leave them.
        Choice::new(&Run::to_open(&dir, &game, keep, None)?, &plan, until)?;
        let mut store = Store::open(&dir, &game, keep)?;
        let mut lines;
        let progress: &mut dyn Progress = if progress {
            lines = ProgressLines::new(&plan, &store, until)?;
            &mut lines
        } else {
            &mut Silent
        };
        engine::count(&mut store, &plan, until, progress)
    })?;
    PyRun::open(py, &dir)
}

/// Open the run in a directory, with the layers that are counted now. It is read-only, so a count
/// can go on in the directory.
///
/// >>> import enum48
/// >>> run = enum48.open("enum48-data/2x2-32")
/// >>> run.game, run.shape, run.max, run.complete, run.objectives
/// ('2x2-32', (2, 2), 32, True, ['score', '32'])
/// >>> run.sums[:3]
/// [4, 6, 8]
#[pyfunction]
pub(super) fn open(py: Python<'_>, dir: DirArg) -> PyResult<PyRun> {
    PyRun::open(py, &dir.0)
}
