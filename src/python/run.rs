//! A run, as Python sees it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use numpy::{IntoPyArray, PyArray1, PyArrayDyn};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use super::arrays::{Boards, array, made};
use super::background::work;
use super::best::{self, Best, goal};
use super::blocks::Blocks;
use super::files::{parts, places, read};
use super::find::{boards_at, positions};
use super::table;
use crate::counts::Row;
use crate::error::{self, SolvingError};
use crate::game::{Board, Exp, Grid, PartKey, sum};
use crate::part::Kind;
use crate::store::{self, Lookup, Solution};
use crate::witness::{Answer, Layers};

/// Memory for blocks of files, where a game is looked for that ends in a board.
const MEMORY: u64 = 256 << 20;

/// The states of a game, as far as they were counted, in a directory: what open() and count() return.
///
/// A state is a number, a board with one hexadecimal digit for each cell, row by row: 0 is an empty
/// cell and k the tile 2^k. A run lists the canonical states that have a legal move, by the sum of
/// their tiles (a layer) and their largest tile (a part), in order.
#[pyclass(frozen, module = "enum48")]
pub(super) struct Run {
    run: Arc<store::Run>,
    solution: OnceLock<Solution>,
}

/// Which boards of a run are meant.
fn wanted(kind: &str) -> PyResult<Kind> {
    match kind {
        "states" => Ok(Kind::States),
        "afterstates" => Ok(Kind::Afterstates),
        _ => Err(PyValueError::new_err(format!(
            "kind {kind:?}: expected states or afterstates"
        ))),
    }
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
pub(super) fn open(py: Python<'_>, dir: PathBuf) -> PyResult<Run> {
    opened(py, &dir)
}

/// The same.
pub(super) fn opened(py: Python<'_>, dir: &Path) -> PyResult<Run> {
    Ok(Run {
        run: Arc::new(py.detach(|| store::Run::peek(dir))?),
        solution: OnceLock::new(),
    })
}

#[pymethods]
impl Run {
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

    /// What it is solved for: any of "score", "moves" and tiles, such as "512".
    #[getter]
    fn objectives(&self) -> Vec<String> {
        let solution = self.solution();
        let goals = solution.iter().flat_map(|solution| solution.goals());
        goals.map(|goal| goal.objective.to_string()).collect()
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
    #[pyo3(signature = (sum, max_tile, kind="states"))]
    fn part<'py>(
        &self,
        py: Python<'py>,
        sum: u32,
        max_tile: u32,
        kind: &str,
    ) -> PyResult<Bound<'py, PyArrayDyn<Board>>> {
        self.boards(py, sum, Some(tile(max_tile)?), wanted(kind)?)
    }

    /// The states of a sum: those of its parts in order of largest tile, sorted in each. With
    /// kind="afterstates" those after a move, where the run keeps them.
    ///
    /// >>> [hex(board) for board in run.layer(36)]
    /// ['0x1144', '0x2343']
    #[pyo3(signature = (sum, kind="states"))]
    fn layer<'py>(
        &self,
        py: Python<'py>,
        sum: u32,
        kind: &str,
    ) -> PyResult<Bound<'py, PyArrayDyn<Board>>> {
        self.boards(py, sum, None, wanted(kind)?)
    }

    /// An iterator over the states of the run, or of a sum, or of those with some largest tile, in arrays
    /// of up to 131,072: what does not fit in memory can be gone through so.
    ///
    /// >>> sum(len(boards) for boards in run.blocks())
    /// 57
    #[pyo3(signature = (sum=None, max_tile=None, kind="states"))]
    fn blocks(&self, sum: Option<u32>, max_tile: Option<u32>, kind: &str) -> PyResult<Blocks> {
        let kind = wanted(kind)?;
        if let Some(sum) = sum {
            self.run.has_layer(kind, sum)?;
        }
        let max = max_tile.map(tile).transpose()?;
        let parts = self.run.parts(kind).filter(|key| {
            sum.is_none_or(|sum| key.sum == sum) && max.is_none_or(|max| key.max == max)
        });
        Ok(Blocks::new(self.run.clone(), kind, parts.collect()))
    }

    /// Whether a board is among the states of the run, whichever way round it lies.
    fn __contains__(&self, py: Python<'_>, board: Boards<'_>) -> PyResult<bool> {
        let &[board] = board.of(self.run.game().size())? else {
            return Err(PyValueError::new_err(
                "in: expected one board: for several there is position()",
            ));
        };
        let (canonical, _) = self.run.game().canonical(board);
        self.run.has_layer(Kind::States, sum(canonical))?;
        Ok(py.detach(|| Lookup::new(&self.run, 0)?.contains(Kind::States, canonical))?)
    }

    /// How many states stand before each board in its part; -1 for a board that is not in the run.
    /// Boards may lie any way round.
    ///
    /// >>> run.position([0x2310, 0x0132, 0x9999]).tolist()
    /// [1, 1, -1]
    /// >>> 0x2310 in run
    /// True
    #[pyo3(signature = (boards, kind="states"))]
    fn position<'py>(
        &self,
        py: Python<'py>,
        boards: Boards<'py>,
        kind: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (given, kind) = (boards.of(self.run.game().size())?, wanted(kind)?);
        boards.answer(py, &[], |found| {
            work(py, |stop| positions(&self.run, kind, given, found, stop))
        })
    }

    /// The states at some positions of a part: position() backward.
    ///
    /// >>> hex(run.states_at(14, 8, 1))
    /// '0x132'
    #[pyo3(signature = (sum, max_tile, positions, kind="states"))]
    fn states_at<'py>(
        &self,
        py: Python<'py>,
        sum: u32,
        max_tile: u32,
        positions: Bound<'py, PyAny>,
        kind: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let positions = Boards::named(&positions, "positions")?;
        let (max, kind) = (tile(max_tile)?, wanted(kind)?);
        self.run.has_layer(kind, sum)?;
        let part = self.run.part(kind, PartKey { sum, max })?;
        let states = part.as_ref().map_or(0, |part| part.states());
        let wanted = positions.boards();
        if let Some(beyond) = wanted.iter().find(|&&position| position >= states) {
            return Err(PyIndexError::new_err(format!(
                "position {beyond}: the part of sum {sum} and largest tile {max_tile} has {states} boards"
            )));
        }
        positions.answer(py, &[], |found| match &part {
            Some(part) => work(py, |stop| boards_at(part, wanted, found, stop)),
            None => Ok(()),
        })
    }

    /// So many states, or all if there are not so many, each equally likely and none twice, in order of
    /// sum, largest tile and board; of all the run, or of a sum, or of those with some largest tile. The
    /// same seed draws the same states, everywhere and always.
    ///
    /// >>> [hex(board) for board in run.sample(3)]
    /// ['0x122', '0x2223', '0x2234']
    #[pyo3(signature = (n, seed=0, *, sum=None, max_tile=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        n: u64,
        seed: u64,
        sum: Option<u32>,
        max_tile: Option<u32>,
    ) -> PyResult<Bound<'py, PyArray1<Board>>> {
        if let Some(sum) = sum {
            self.run.has_layer(Kind::States, sum)?;
        }
        let first = self.run.first_sum(Kind::States);
        let table = self.run.table();
        let rows = table.rows().iter().filter(|row| {
            row.live > 0
                && row.sum >= first
                && sum.is_none_or(|sum| row.sum == sum)
                && max_tile.is_none_or(|tile| row.max_tile == tile)
        });
        let rows: Vec<Row> = rows.copied().collect();
        let drawn = work(py, |stop| {
            let mut drawn = Vec::new();
            for of_part in self.run.sample(&rows, n, seed) {
                drawn.extend(of_part?.1);
                stop.check()?;
            }
            Ok(drawn)
        })?;
        Ok(array(py, drawn))
    }

    /// What is to be expected from each state of a sum on, under the best play for an objective: the
    /// score to come, the moves to come, or the chance of a tile. In the order of layer(sum); with
    /// kind="afterstates" in that of layer(sum, "afterstates").
    ///
    /// >>> run.values(36, 32).tolist()
    /// [1.0, 1.0]
    #[pyo3(signature = (sum, objective, kind="states"))]
    fn values<'py>(
        &self,
        py: Python<'py>,
        sum: u32,
        objective: Bound<'py, PyAny>,
        kind: &str,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let solution = self.solved(py)?;
        let goal = goal(solution, Some(&objective.str()?.to_string()))?;
        let kind = wanted(kind)?;
        self.run.has_layer(kind, sum)?;
        let values = work(py, |stop| match kind {
            Kind::States => best::of_states(solution, goal, sum, stop),
            Kind::Afterstates => best::of_afterstates(solution, goal, sum, stop),
        })?;
        Ok(values.into_pyarray(py))
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
    ) -> PyResult<Best> {
        let solution = self.solved(py)?;
        let objective = objective.map(|objective| objective.str()).transpose()?;
        let objective = objective.map(|objective| objective.to_string());
        let goal = goal(solution, objective.as_deref())?;
        let given = boards.of(self.run.game().size())?;
        let found = work(py, |stop| best::moves(solution, goal, given, stop))?;
        Best::new(py, &boards, &found)
    }

    /// The code of a game that ends in exactly this board, for replay(); None if there is no such game.
    ///
    /// >>> run.witness(0x0132)
    /// 'w1.2x2-32.BF.2.I.DC.4032f05b'
    fn witness(&self, py: Python<'_>, board: u64) -> PyResult<Option<String>> {
        let board = Grid::new(board, self.run.game().size())?.board();
        let answer = work(py, |_| Layers::new(&self.run, MEMORY)?.witness(board))?;
        Ok(match answer {
            Answer::Reached(code) => Some(code.to_string()),
            Answer::Unreachable(_) | Answer::Unknown => None,
        })
    }

    fn __repr__(&self) -> String {
        let states = self.run.table().totals().live;
        let until = if self.run.complete() {
            String::new()
        } else {
            format!(" up to sum {}", self.run.sealed_sum())
        };
        let dir = self.run.dir().display();
        format!(
            "<enum48.Run of {}{until} in {dir}: {states} live states>",
            self.game()
        )
    }
}

impl Run {
    /// The boards of a layer, or of one of its parts.
    fn boards<'py>(
        &self,
        py: Python<'py>,
        sum: u32,
        max: Option<Exp>,
        kind: Kind,
    ) -> PyResult<Bound<'py, PyArrayDyn<Board>>> {
        let parts = parts(&self.run, kind, sum, max)?;
        let count: u64 = parts.iter().map(|part| part.states()).sum();
        let count = usize::try_from(count)?;
        made(py, &[count], |boards| {
            work(py, |stop| read(&places(&parts), boards, stop))
        })
    }

    /// The solution, if there is one.
    fn solution(&self) -> Option<&Solution> {
        self.solved_or_not().ok()
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
        if solution.aims().next().is_none() {
            return Err(SolvingError::NotSolved(self.run.dir().to_owned()).into());
        }
        Ok(self.solution.get_or_init(|| solution))
    }
}

/// The exponent of a largest tile.
fn tile(tile: u32) -> PyResult<Exp> {
    let no_tile = || PyValueError::new_err(format!("max_tile {tile}: expected a power of two"));
    Exp::of_tile(tile).ok_or_else(no_tile)
}
