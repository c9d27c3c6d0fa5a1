//! Counting a game from Python.

use std::path::Path;

use pyo3::prelude::*;

use super::arguments::{DirArg, KeepArg, MemoryArg, ThreadsArg, UntilArg};
use super::background::work;
use super::progress::ProgressLines;
use super::run::{PyRun, opened};
use crate::engine::{self, Plan, Progress, Silent};
use crate::game::Game;
use crate::machine::{cores, default_memory};
use crate::store::Store;

/// Count a game, as enum48 does, or go on where that was stopped, and open the run.
///
/// game is its name, such as "3x3-1024", or "4x3" without a winning tile; dir a directory for its files
/// [default: enum48-data/ and the name]; until the sum of the last layer; keep what to keep of each
/// layer: "all", "last", "afterstates" or "both", and what a run kept beside that is deleted; memory a
/// bound for data, such as "8G" [half of the machine's]; threads [one for each core; up to eight for
/// each are started]. With progress, a line on stderr tells every ten seconds how far the count is. After Ctrl-C the same call goes on from the
/// last layer that was written.
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
    let usual = || DirArg::new(Path::new("enum48-data").join(game.to_string()));
    let DirArg(dir) = dir.unwrap_or_else(usual);
    let until = until.map(|UntilArg(sum)| sum);
    let memory = memory.map_or_else(default_memory, |MemoryArg(bytes)| bytes);
    let threads = threads.map_or_else(cores, |ThreadsArg(threads)| threads);
    work(py, |stop| {
        let plan = Plan::new(memory, threads)?.with_stop(stop.clone());
        let mut store = Store::open(&dir, &game, keep.map(|KeepArg(keep)| keep))?;
        let mut lines;
        let told: &mut dyn Progress = if progress {
            lines = ProgressLines::new(&plan, &store, until)?;
            &mut lines
        } else {
            &mut Silent
        };
        engine::count(&mut store, &plan, until, told)
    })?;
    opened(py, &dir)
}
