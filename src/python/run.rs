//! A run, as Python sees it.

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use numpy::PyArrayDyn;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use super::arguments::{DirArg, KindArg, MaxTileArg, NumberArg, SeedArg, SumArg};
use super::arrays::{Boards, made};
use super::background::work;
use super::best::{self, PyBest, goal};
use super::blocks::PyBlocks;
use super::files::{boards_in, parts, places, read};
use super::pool::pool;
use super::table;
use crate::counts::Row;
use crate::engine::Stop;
use crate::error::{self, Error, SolvingError};
use crate::game::{Board, Exp, PartKey};
use crate::part::Kind;
use crate::store::{self, Lookup, Solution};
use crate::witness::{Answer, Layers};

/// What is meant where no kind is named.
const STATES: KindArg = KindArg(Kind::States);

/// Memory for blocks of files, where a game is looked for that ends in a board.
const WITNESS_MEMORY: u64 = 256 << 20;

/// Memory for blocks of files that a run keeps from one question to the next.
const LOOKUP_MEMORY: u64 = 64 << 20;

/// The place of a board that is in no file.
const NOWHERE: i64 = -1;

/// The states of a game, as far as they were counted, in a directory: what open() and count() return.
///
/// A state is a number, a board with one hexadecimal digit for each cell, row by row: 0 is an empty
/// cell and k the tile 2^k. A run lists the canonical states that have a legal move, by the sum of
/// their tiles (a layer) and their largest tile (a part), in order.
#[pyclass(frozen, module = "enum48", name = "Run")]
pub(super) struct PyRun {
    run: Arc<store::Run>,
    lookup: Mutex<Lookup<Arc<store::Run>>>,
    solution: OnceLock<Solution>,
}

/// Open the run in a directory, as far as it is counted now. It is read-only, and keeps nobody from
/// counting on.
///
/// >>> import enum48
/// >>> run = enum48.open("enum48-data/2x2-32")
/// >>> run.game, run.shape, run.max, run.complete, run.objectives
/// ('2x2-32', (2, 2), 32, True, ['score', '32'])
/// >>> run.sums[:3]
/// [4, 6, 8]
#[pyfunction]
pub(super) fn open(py: Python<'_>, dir: DirArg) -> PyResult<PyRun> {
    opened(py, &dir.0)
}

/// The same.
pub(super) fn opened(py: Python<'_>, dir: &Path) -> PyResult<PyRun> {
    let run = Arc::new(py.detach(|| store::Run::peek(dir))?);
    Ok(PyRun {
        lookup: Mutex::new(Lookup::new(run.clone(), LOOKUP_MEMORY)?),
        run,
        solution: OnceLock::new(),
    })
}

#[pymethods]
impl PyRun {
    /// Name of the game, such as "3x3-1024".
    #[getter]
    fn game(&self) -> String {
        self.run.game().to_string()
    }

    /// Rows and columns of its board.
    #[getter]
    fn shape(&self) -> (u8, u8) {
        let size = self.run.game().size();
        (size.rows(), size.cols())
    }

    /// The winning tile, or None.
    #[getter]
    fn max(&self) -> Option<u32> {
        self.run.game().max()
    }

    /// The directory of its files.
    #[getter]
    fn dir(&self) -> PathBuf {
        self.run.dir().to_owned()
    }

    /// Whether the last layer of the game is counted.
    #[getter]
    fn complete(&self) -> bool {
        self.run.complete()
    }

    /// What it keeps: "all" states, those of the "last" layer, the "afterstates" of all layers, or "both".
    #[getter]
    fn keep(&self) -> String {
        self.run.keep().to_string()
    }

    /// What it is solved for: any of "score", "moves" and tiles, such as "512".
    #[getter]
    fn objectives(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let solution = match py.detach(|| self.solved_or_not()) {
            Err(Error::Solving(
                SolvingError::NotSolved(_)
                | SolvingError::NotComplete { .. }
                | SolvingError::NoAfterstates { .. },
            )) => return Ok(Vec::new()),
            solution => solution?,
        };
        let goals = solution.goals();
        Ok(goals.map(|goal| goal.objective.to_string()).collect())
    }

    /// The sums of the layers whose states it has.
    #[getter]
    fn sums(&self) -> Vec<u32> {
        let mut sums: Vec<u32> = self.run.parts(Kind::States).map(|key| key.sum).collect();
        sums.dedup();
        sums
    }

    /// The table of its parts: a row for each sum and largest tile, as in layers.csv. A dict of arrays,
    /// or with frame="pandas" or "polars" a data frame of that library.
    ///
    /// >>> run.table()["live"][:5].tolist()
    /// [2, 0, 1, 2, 4]
    #[pyo3(signature = (frame=None))]
    fn table<'py>(&self, py: Python<'py>, frame: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        table::columns(py, &self.run.table(), frame)
    }

    /// The states of a sum with some largest tile, sorted; none if there are no such states. With
    /// kind="afterstates" those after a move, where the run keeps them.
    ///
    /// >>> [hex(board) for board in run.part(14, 8)]
    /// ['0x123', '0x132', '0x231', '0x1113']
    #[pyo3(signature = (sum, max_tile, kind=STATES), text_signature = "($self, sum, max_tile, kind='states')")]
    fn part<'py>(
        &self,
        py: Python<'py>,
        sum: SumArg,
        max_tile: MaxTileArg,
        kind: KindArg,
    ) -> PyResult<Bound<'py, PyArrayDyn<Board>>> {
        self.boards(py, sum.0, Some(max_tile.0), kind.0)
    }

    /// The states of a sum: those of its parts in order of largest tile, sorted in each. With
    /// kind="afterstates" those after a move, where the run keeps them.
    ///
    /// >>> [hex(board) for board in run.layer(36)]
    /// ['0x1144', '0x2343']
    #[pyo3(signature = (sum, kind=STATES), text_signature = "($self, sum, kind='states')")]
    fn layer<'py>(
        &self,
        py: Python<'py>,
        sum: SumArg,
        kind: KindArg,
    ) -> PyResult<Bound<'py, PyArrayDyn<Board>>> {
        self.boards(py, sum.0, None, kind.0)
    }

    /// An iterator over the states of the run, or of a sum, or of those with some largest tile, in arrays
    /// of up to 131,072: what does not fit in memory can be gone through so. A run that keeps only some
    /// layers, such as the last of its sums, has to be asked for a sum.
    ///
    /// >>> sum(len(boards) for boards in run.blocks())
    /// 57
    #[pyo3(signature = (sum=None, max_tile=None, kind=STATES), text_signature = "($self, sum=None, max_tile=None, kind='states')")]
    fn blocks(
        &self,
        sum: Option<SumArg>,
        max_tile: Option<MaxTileArg>,
        kind: KindArg,
    ) -> PyResult<PyBlocks> {
        let parts = self.keys(kind.0, sum, max_tile)?.collect();
        Ok(PyBlocks::new(self.run.clone(), kind.0, parts))
    }

    /// Whether a board is among the states of the run, whichever way round it lies.
    fn __contains__(&self, py: Python<'_>, board: Boards<'_>) -> PyResult<bool> {
        let board = board.one(self.run.game().size(), "in")?;
        let contains = |lookup: &mut Lookup<_>| lookup.contains(Kind::States, board);
        Ok(py.detach(|| self.look_up(contains))?)
    }

    /// How many states stand before each board in its part; -1 for a board that is not in the run.
    /// Boards may lie any way round.
    ///
    /// >>> run.position([0x2310, 0x0132, 0x9999]).tolist()
    /// [1, 1, -1]
    /// >>> 0x2310 in run
    /// True
    #[pyo3(signature = (boards, kind=STATES), text_signature = "($self, boards, kind='states')")]
    fn position<'py>(
        &self,
        py: Python<'py>,
        boards: Boards<'py>,
        kind: KindArg,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = boards.of(self.run.game().size())?;
        boards.answer(py, &[], |found: &mut [i64]| {
            let tell = |at, position: Option<u64>| {
                found[at] = position.map_or(NOWHERE, |position| position as i64);
            };
            self.look_up_many(py, |lookup, stop| {
                lookup.positions(kind.0, given, stop, tell)
            })
        })
    }

    /// The states at some positions of a part: position() backward.
    ///
    /// >>> hex(run.states_at(14, 8, 1))
    /// '0x132'
    #[pyo3(signature = (sum, max_tile, positions, kind=STATES), text_signature = "($self, sum, max_tile, positions, kind='states')")]
    fn states_at<'py>(
        &self,
        py: Python<'py>,
        sum: SumArg,
        max_tile: MaxTileArg,
        positions: Bound<'py, PyAny>,
        kind: KindArg,
    ) -> PyResult<Bound<'py, PyAny>> {
        let positions = Boards::named(&positions, "positions")?;
        let (SumArg(sum), MaxTileArg(max), kind) = (sum, max_tile, kind.0);
        let key = PartKey { sum, max };
        let part = py.detach(|| self.look_up(|lookup| lookup.part(kind, key)))?;
        let states = part.map_or(0, |part| part.states());
        let wanted = positions.boards();
        if let Some(beyond) = wanted.iter().find(|&&position| position >= states) {
            return Err(PyIndexError::new_err(format!(
                "position {beyond}: the part of sum {sum} and largest tile {} has {states} boards",
                max.tile()
            )));
        }
        positions.answer(py, &[], |found: &mut [Board]| {
            let tell = |at, board: Option<Board>| found[at] = board.unwrap_or_default();
            self.look_up_many(py, |lookup, stop| {
                lookup.boards_at(kind, key, wanted, stop, tell)
            })
        })
    }

    /// So many states, or all if there are not so many, each equally likely and none twice, in order of
    /// sum, largest tile and board; of all the run, or of a sum, or of those with some largest tile, as
    /// for blocks(). The same seed draws the same states, everywhere and always.
    ///
    /// >>> [hex(board) for board in run.sample(3)]
    /// ['0x122', '0x2223', '0x2234']
    #[pyo3(signature = (n, seed=SeedArg(0), *, sum=None, max_tile=None), text_signature = "($self, n, seed=0, *, sum=None, max_tile=None)")]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        n: NumberArg,
        seed: SeedArg,
        sum: Option<SumArg>,
        max_tile: Option<MaxTileArg>,
    ) -> PyResult<Bound<'py, PyArrayDyn<Board>>> {
        let keys: Vec<PartKey> = self.keys(Kind::States, sum, max_tile)?.collect();
        let table = self.run.table();
        let rows = table.rows().iter();
        let rows = rows.filter(|row| row.key().is_some_and(|key| keys.contains(&key)));
        let rows: Vec<Row> = rows.copied().collect();
        let count = n.0.min(rows.iter().map(|row| row.live).sum());
        made(py, &[count as usize], |mut boards| {
            work(py, |stop| {
                pool()?.install(|| {
                    for drawn in self.run.sample(&rows, count, seed.0, stop)? {
                        let (_, states) = drawn?;
                        let (here, later) = mem::take(&mut boards).split_at_mut(states.len());
                        here.copy_from_slice(&states);
                        boards = later;
                    }
                    Ok(())
                })
            })
        })
    }

    /// What is to be expected from each state of a sum on, under the best play for an objective: the
    /// score to come, the moves to come, or the chance of a tile. In the order of layer(sum); with
    /// kind="afterstates" in that of layer(sum, "afterstates").
    ///
    /// >>> run.values(36, 32).tolist()
    /// [1.0, 1.0]
    #[pyo3(signature = (sum, objective, kind=STATES), text_signature = "($self, sum, objective, kind='states')")]
    fn values<'py>(
        &self,
        py: Python<'py>,
        sum: SumArg,
        objective: Bound<'py, PyAny>,
        kind: KindArg,
    ) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let solution = self.solved(py)?;
        let goal = goal(solution, Some(&objective.str()?.to_string()))?;
        let parts = parts(&self.run, kind.0, sum.0, None)?;
        made(py, &[boards_in(&parts)?], |values| {
            work(py, |stop| {
                best::values(solution, goal, &parts, values, stop)
            })
        })
    }

    /// The best move on each board for an objective [the first that the run is solved for], and what each
    /// move is worth: see Best. Boards may lie any way round.
    ///
    /// >>> best = run.best(0x2310, "score")
    /// >>> int(best.directions), round(float(best.values), 4), best.moves.round(4).tolist()
    /// (1, 49.8986, [nan, 49.8986, 4.6686, nan])
    #[pyo3(signature = (boards, objective=None))]
    fn best(
        &self,
        py: Python<'_>,
        boards: Boards<'_>,
        objective: Option<Bound<'_, PyAny>>,
    ) -> PyResult<PyBest> {
        let solution = self.solved(py)?;
        let objective = objective.map(|objective| objective.str()).transpose()?;
        let objective = objective.map(|objective| objective.to_string());
        let goal = goal(solution, objective.as_deref())?;
        let given = boards.of(self.run.game().size())?;
        let found = work(py, |stop| best::moves(solution, goal, given, stop))?;
        PyBest::new(py, &boards, &found)
    }

    /// The code of a game that ends in exactly this board, for replay(); None if there is no such game.
    ///
    /// >>> run.witness(0x0132)
    /// 'w1.2x2-32.BF.2.I.DC.4032f05b'
    fn witness(&self, py: Python<'_>, board: Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let board = Boards::named(&board, "board")?.one(self.run.game().size(), "board")?;
        let answer = work(py, |_| {
            Layers::new(&self.run, WITNESS_MEMORY)?.witness(board)
        })?;
        Ok(match answer {
            Answer::Reached(code) => Some(code.to_string()),
            Answer::Unreachable(_) | Answer::Unknown => None,
        })
    }

    /// A copy, as for another process, opens the same directory.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        let open = py.import("enum48")?.getattr("open")?;
        Ok((open, (self.dir(),)))
    }

    fn __repr__(&self) -> String {
        let states = self.run.table().totals().live;
        let until = match self.run.sealed_sum() {
            _ if self.run.complete() => String::new(),
            ..4 => " without a layer yet".to_owned(),
            sum => format!(" up to sum {sum}"),
        };
        let dir = self.run.dir().display();
        format!(
            "<enum48.Run of {}{until} in {dir}: {states} live states>",
            self.game()
        )
    }
}

impl PyRun {
    /// Look boards up. Blocks are kept for the next look-up, unless another thread of
    /// Python is looking boards up, or was when this process was forked.
    fn look_up<T>(
        &self,
        ask: impl FnOnce(&mut Lookup<Arc<store::Run>>) -> error::Result<T>,
    ) -> error::Result<T> {
        match self.lookup.try_lock() {
            Ok(mut lookup) => ask(&mut lookup),
            Err(_) => ask(&mut Lookup::new(self.run.clone(), 0)?),
        }
    }

    /// Look boards up on all threads, while the interpreter is free.
    fn look_up_many(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut Lookup<Arc<store::Run>>, &Stop) -> error::Result<()> + Send,
    ) -> PyResult<()> {
        work(py, |stop| {
            pool()?.install(|| self.look_up(|lookup| ask(lookup, stop)))
        })
    }

    /// The boards of a layer, or of one of its parts.
    fn boards<'py>(
        &self,
        py: Python<'py>,
        sum: u32,
        max: Option<Exp>,
        kind: Kind,
    ) -> PyResult<Bound<'py, PyArrayDyn<Board>>> {
        let parts = parts(&self.run, kind, sum, max)?;
        made(py, &[boards_in(&parts)?], |boards| {
            work(py, |stop| read(&places(&parts), boards, stop))
        })
    }

    /// The parts of a layer, or of all, with some largest tile, or with any.
    fn keys(
        &self,
        kind: Kind,
        sum: Option<SumArg>,
        max: Option<MaxTileArg>,
    ) -> PyResult<impl Iterator<Item = PartKey>> {
        let sum = sum.map(|SumArg(sum)| sum);
        self.run.has_layer(kind, sum.unwrap_or(4))?;
        Ok(self.run.parts(kind).filter(move |key| {
            sum.is_none_or(|sum| key.sum == sum)
                && max.as_ref().is_none_or(|MaxTileArg(max)| key.max == *max)
        }))
    }

    fn solved(&self, py: Python<'_>) -> PyResult<&Solution> {
        Ok(py.detach(|| self.solved_or_not())?)
    }

    /// The solution. It is looked for until there is one.
    fn solved_or_not(&self) -> error::Result<&Solution> {
        if let Some(solution) = self.solution.get() {
            return Ok(solution);
        }
        let solution = Solution::peek(self.run.dir())?;
        solution.run().expect_game(self.run.game())?;
        if solution.aims().next().is_none() {
            return Err(SolvingError::NotSolved(self.run.dir().to_owned()).into());
        }
        Ok(self.solution.get_or_init(|| solution))
    }
}
