//! The functions that return a run: count() and open(). The progress of a count is lines of
//! `key=value` on stderr.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use super::arguments::{DirArg, KeepArg, MemoryArg, ThreadsArg, UntilArg, absolute};
use super::run::PyRun;
use super::threads::work;
use crate::engine::{self, Choice, Plan, Silent};
use crate::error::Result;
use crate::estimate::{Forecast, Pace};
use crate::game::Game;
use crate::machine::{anonymous_memory, cores, default_memory};
use crate::progress::{FinishedLayer, Progress};
use crate::store::{Run, Store};

/// Time between two lines.
const EVERY: Duration = Duration::from_secs(10);

/// Count a game, like the program enum48, and open the run. A count that was stopped is resumed.
///
/// game is the name of the game, such as "3x3-1024", "4x3" without a winning tile, or "free8-128" for
/// 4x4 with stones that leave 8 cells. dir is the directory for the files [default: enum48-data/ and
/// the name]. until is the sum of the last layer. keep says which files of each layer to keep: "all",
/// "last", "afterstates", "both" or, for 4x4, "matrices"; other files that the run kept are deleted.
/// memory is the memory for data, such as "8G" [default: half of the machine's]. threads is the number
/// of threads [default: one for each core; at most eight for each]. progress=True writes a line to
/// stderr every ten seconds. After Ctrl-C a second call resumes from the last layer that was written.
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
        Choice::new(&Run::to_open(&dir, &game, keep)?, &plan, until)?;
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

/// Writes a line now and then. The program's log has these keys, and more.
struct ProgressLines {
    forecast: Forecast,
    pace: Pace,
    last_line: Option<Instant>,
    /// Sum of the current layer.
    sum: u32,
}

impl ProgressLines {
    /// Write first where the count of `store` continues.
    fn new(plan: &Plan, store: &Store, until: Option<u32>) -> Result<Self> {
        for note in store.notes() {
            say(note);
        }
        let run = store.run();
        let (game, dir, sum) = (run.game(), run.dir().display(), run.sealed_sum());
        let (threads, memory) = (plan.threads(), plan.memory());
        let begun = match sum {
            2 => "not begun".to_owned(),
            sum => format!("counted up to sum {sum}"),
        };
        say(format_args!(
            "{game} in {dir}: {begun}, threads={threads} memory={memory}"
        ));
        let choice = Choice::new(run, plan, until)?;
        Ok(Self {
            forecast: Forecast::new(run, &choice, run.keep()),
            pace: Pace::new(run.table().totals().states()),
            last_line: None,
            sum,
        })
    }

    fn due(&self) -> bool {
        let waited = self
            .last_line
            .map_or(self.pace.elapsed(), |line| line.elapsed());
        waited >= EVERY
    }

    /// Write a line. `what` says whether `states` are a whole `layer`, or `found` in it so far.
    fn line(&mut self, what: &str, states: u64, took: Duration) {
        let remaining = self.pace.remaining().map_or(String::new(), |remaining| {
            let (done, seconds) = (remaining.done, remaining.seconds);
            format!(" done={done:.4} left_sec={seconds:.0}")
        });
        say(format_args!(
            "sum={} {what}={states} states={} memory={} layer_sec={:.3} sec={:.3}{remaining}",
            self.sum,
            self.pace.done(),
            anonymous_memory().unwrap_or(0),
            took.as_secs_f64(),
            self.pace.elapsed().as_secs_f64()
        ));
        self.last_line = Some(Instant::now());
    }
}

impl Progress for ProgressLines {
    fn begin(&mut self, sum: u32) {
        self.sum = sum;
        self.pace.begin_layer();
    }

    fn advance(&mut self, boards: u64) {
        self.pace.advance(boards);
        if self.due() {
            self.line("found", self.pace.of_layer, self.pace.layer_elapsed());
        }
    }

    fn end(&mut self, layer: &FinishedLayer) {
        let took = self.pace.layer_elapsed();
        let work = self.forecast.count(layer);
        let left = || self.forecast.left();
        self.pace.end_layer(work, layer.boards, left);
        let last = layer.last || layer.sum >= self.forecast.last_sum();
        if last || self.last_line.is_none() || self.due() {
            self.line("layer", layer.boards, took);
        }
    }
}

/// A count continues if stderr cannot be written.
fn say(text: impl Display) {
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}
