//! The class Run of the Python module.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};
use std::time::SystemTime;
use std::{fs, mem};

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::arguments::{
    Boards, KindArg, MaxTileArg, NumberArg, PyArrayOf, PyNumbers, SeedArg, SumArg, columns,
    new_array,
};
use super::blocks::{PyBest, PyBlocks, parts, read_parts, values};
use super::threads::{work, work_in_pool};
use crate::engine::Stop;
use crate::error::{self, Error, SolvingError};
use crate::game::{Board, Objective, PartKey};
use crate::machine;
use crate::part::Kind;
use crate::read::{Lookup, Reader};
use crate::solve;
use crate::store::{self, Goal, SOLUTION, Solution};
use crate::witness::{Answer, Layers};

/// The default of the argument `kind`.
const STATES: KindArg = KindArg(Kind::States);

/// Memory for decoded blocks during the search for a witness.
const WITNESS_MEMORY: u64 = 256 << 20;

/// Memory for decoded blocks that a run keeps from one look-up to the next.
const LOOKUP_MEMORY: u64 = 64 << 20;

/// The counted states of a game, in a directory, as open() and count() return them.
///
/// A state is a number with one hexadecimal digit for each cell of the board, row by row: 0 is an
/// empty cell and k is the tile 2^k. A run lists the canonical states that have a legal move. The
/// states of one sum are a layer, and the states of a layer with one largest tile are a part, which
/// is sorted.
#[pyclass(frozen, module = "enum48", name = "Run")]
pub(super) struct PyRun {
    run: Arc<store::Run>,
    reader: Reader,
    lookup: Mutex<Lookup>,
    solution: RwLock<Option<(SolutionState, Arc<Solution>)>>,
}

/// Time of modification and length of `solution.json`.
type SolutionState = (SystemTime, u64);

#[pymethods]
impl PyRun {
    /// The name of the game, such as "3x3-1024".
    #[getter]
    fn game(&self) -> String {
        self.run.game().to_string()
    }

    /// The rows and columns of the board; in a game with stones also their number. In a game with masks
    /// it is their name, such as "L3".
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let size = self.run.game().size();
        if !size.locks().is_none() {
            return Ok(PyString::new(py, &size.to_string()).into_any());
        }
        let stones = Some(size.stones()).filter(|&stones| stones > 0);
        let sides = [size.rows().into(), size.cols().into()];
        let shape = sides.into_iter().chain(stones).collect::<Vec<u32>>();
        Ok(PyTuple::new(py, shape)?.into_any())
    }

    /// The winning tile, or None.
    #[getter]
    fn max(&self) -> Option<u32> {
        self.run.game().max()
    }

    /// The directory of the run's files.
    #[getter]
    fn dir(&self) -> PathBuf {
        self.run.dir().to_owned()
    }

    /// Whether the last layer of the game is counted.
    #[getter]
    fn complete(&self) -> bool {
        self.run.complete()
    }

    /// The files that the run keeps: "all" states, the states of the "last" layer, the
    /// "afterstates" of all layers, "both" states and afterstates of all layers, or all layers as
    /// "matrices", from which a layer is listed when it is read.
    #[getter]
    fn keep(&self) -> String {
        self.run.keep().to_string()
    }

    /// The objectives that the run is solved for: "score", "moves", tiles such as "512", and "sure-512"
    /// for whether the tile can be forced, which has the values 0 and 1.
    #[getter]
    fn objectives(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let solution = self.solution(py)?;
        let goals = solution.iter().flat_map(|solution| solution.goals());
        Ok(goals.map(|goal| goal.objective.to_string()).collect())
    }

    /// The rate of spawned 4s that the values expect, such as "1/10"; None if no value depends on it.
    #[getter]
    fn four(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let four = self.solution(py)?.and_then(|solution| solution.four());
        Ok(four.map(|four| four.to_string()))
    }

    /// The sums of the layers whose states can be read.
    #[getter]
    fn sums(&self) -> Vec<u32> {
        let mut sums: Vec<u32> = self.run.parts(Kind::States).map(|key| key.sum).collect();
        sums.dedup();
        sums
    }

    /// The table of the parts, with a row for each sum and largest tile, as in layers.csv. It is a
    /// dict of arrays, or a data frame with frame="pandas" or frame="polars". Counts are int64, and
    /// fingerprints uint64.
    ///
    /// >>> run.table()["live"][:5].tolist()
    /// [2, 0, 1, 2, 4]
    #[pyo3(signature = (frame=None))]
    fn table<'py>(&self, py: Python<'py>, frame: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        columns(py, &self.run.table(), frame)
    }

    /// The states of a part, sorted; an empty array if the part has none. kind="afterstates" gives
    /// the afterstates, if the run keeps them.
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
    ) -> PyArrayOf<'py, Board> {
        let keys = self.keys(kind.0, Some(sum), Some(max_tile))?;
        read_parts(py, &self.reader, kind.0, &keys)
    }

    /// The states of a sum: part by part, in order of largest tile, each part sorted.
    /// kind="afterstates" gives the afterstates, if the run keeps them.
    ///
    /// >>> [hex(board) for board in run.layer(36)]
    /// ['0x1144', '0x2343']
    #[pyo3(signature = (sum, kind=STATES), text_signature = "($self, sum, kind='states')")]
    fn layer<'py>(&self, py: Python<'py>, sum: SumArg, kind: KindArg) -> PyArrayOf<'py, Board> {
        let keys = self.keys(kind.0, Some(sum), None)?;
        read_parts(py, &self.reader, kind.0, &keys)
    }

    /// An iterator over the states of the run, in arrays of up to 131,072 states, so that they need
    /// not fit in memory. sum and max_tile select parts. If the run does not keep all layers, sum
    /// is required. Only one thread at a time can use the iterator; others get a RuntimeError.
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
        let parts = self.keys(kind.0, sum, max_tile)?;
        Ok(PyBlocks::new(self.reader.clone(), kind.0, parts))
    }

    /// Whether a board, in any orientation, is a state of the run.
    fn __contains__(&self, py: Python<'_>, board: Boards<'_>) -> PyResult<bool> {
        let board = board.one(self.run.game().size(), "in")?;
        let contains = |lookup: &mut Lookup| lookup.contains(Kind::States, board);
        Ok(py.detach(|| self.look_up(contains))?)
    }

    /// The number of states before each board in its part; -1 for a board that is not in the run.
    /// Boards may have any orientation.
    ///
    /// >>> run.position([0x2310, 0x0132, 0x9999]).tolist()
    /// [1, 1, -1]
    /// >>> 0x2310 in run
    /// True
    #[pyo3(signature = (boards, kind=STATES), text_signature = "($self, boards, kind='states')")]
    fn position<'py>(&self, py: Python<'py>, boards: Boards<'py>, kind: KindArg) -> PyNumbers<'py> {
        let given = boards.of(self.run.game().size())?;
        boards.map_to(&[], |found: &mut [i64]| {
            let tell = |at, position: Option<u64>| {
                found[at] = position.map_or(-1, |position| position as i64);
            };
            self.look_up_many(py, |lookup, stop| {
                lookup.positions(kind.0, given, stop, tell)
            })
        })
    }

    /// The states at positions of a part: the inverse of position().
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
    ) -> PyNumbers<'py> {
        let positions = Boards::named(&positions, "positions")?;
        let (SumArg(sum), MaxTileArg(max), kind) = (sum, max_tile, kind.0);
        let key = PartKey { sum, max };
        let part = work(py, |stop| {
            self.look_up(|lookup| lookup.part(kind, key, stop))
        })?;
        let states = part.map_or(0, |part| part.states());
        let wanted = positions.numbers();
        if let Some(beyond) = wanted.iter().find(|&&position| position >= states) {
            return Err(PyIndexError::new_err(format!(
                "position {beyond}: the part of sum {sum} and largest tile {} has {states} boards",
                max.tile()
            )));
        }
        positions.map_to(&[], |found: &mut [Board]| {
            let tell = |at, board: Option<Board>| found[at] = board.unwrap_or_default();
            self.look_up_many(py, |lookup, stop| {
                lookup.boards_at(kind, key, wanted, stop, tell)
            })
        })
    }

    /// A random sample of n states without repeats, in order of sum, largest tile and board. All
    /// states are equally likely; if there are fewer than n, the sample has all. sum and max_tile
    /// select parts, as for blocks(). A seed draws equal states on every machine.
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
    ) -> PyArrayOf<'py, Board> {
        let keys = self.keys(Kind::States, sum, max_tile)?;
        let mut rows = self.run.table().rows().to_vec();
        rows.retain(|row| row.key().is_some_and(|key| keys.contains(&key)));
        let count = n.0.min(rows.iter().map(|row| row.live).sum());
        new_array(py, &[count as usize], |mut boards| {
            work_in_pool(py, |stop| {
                for drawn in self.reader.with_stop(stop).sample(&rows, count, seed.0)? {
                    let (_, states) = drawn?;
                    let (here, later) = mem::take(&mut boards).split_at_mut(states.len());
                    here.copy_from_slice(&states);
                    boards = later;
                }
                Ok(())
            })
        })
    }

    /// The value of each state of a sum under the best play for an objective: the expected score or
    /// number of moves to come, or the chance of a tile. The values are in the order of layer(sum,
    /// kind).
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
    ) -> PyArrayOf<'py, f64> {
        let (solution, goal) = self.solved_for(py, Some(&objective))?;
        let keys = self.keys(kind.0, Some(sum), None)?;
        let parts = parts(py, &self.reader, kind.0, &keys)?;
        values(py, (&solution, &self.reader), goal, parts)
    }

    /// The best move on each board and the value of each move, for an objective [default: the first
    /// that the run is solved for]. Boards may have any orientation. If the game has masks, each board is
    /// turned or mirrored to keep one; of several ways, in one that has a legal move, with the greatest
    /// value. In a game with stones, tiles of at least the winning tile are stones; with target cells, the
    /// largest of them.
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
        let (solution, goal) = self.solved_for(py, objective.as_ref())?;
        PyBest::new(py, (&solution, &self.reader), goal, &boards)
    }

    /// The code of a game that ends in exactly this board, for replay(); None if no game does.
    ///
    /// >>> run.witness(0x0132)
    /// 'w1.2x2-32.BF.2.I.DC.4032f05b'
    fn witness(&self, py: Python<'_>, board: Bound<'_, PyAny>) -> PyResult<Option<String>> {
        let board = Boards::named(&board, "board")?.one(self.run.game().size(), "board")?;
        let found = work(py, |stop| {
            let reader = self.reader.with_stop(stop);
            Layers::new(&reader, WITNESS_MEMORY)?.witness(board)
        })?;
        Ok(match found {
            Answer::Reached(code) => Some(code.to_string()),
            Answer::Unreachable(_) | Answer::Unknown => None,
        })
    }

    /// Pickle as a call of open(), so a copy opens the directory again.
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
    pub(super) fn open(py: Python<'_>, dir: &Path) -> PyResult<Self> {
        let run = py.detach(|| store::Run::peek(dir))?;
        let reader = Reader::new(run, &machine::plan()?);
        Ok(Self {
            lookup: Mutex::new(Lookup::new(&reader, LOOKUP_MEMORY)?),
            run: reader.run().clone(),
            reader,
            solution: RwLock::new(None),
        })
    }

    /// Look boards up. Blocks are kept for the next look-up, unless another Python thread holds the
    /// lock, or held it when this process was forked.
    fn look_up<T>(&self, ask: impl FnOnce(&mut Lookup) -> error::Result<T>) -> error::Result<T> {
        match self.lookup.try_lock() {
            Ok(mut lookup) => ask(&mut lookup),
            Err(_) => ask(&mut Lookup::new(&self.reader, 0)?),
        }
    }

    /// Look boards up on all cores, without the interpreter's lock.
    fn look_up_many(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut Lookup, &Stop) -> error::Result<()> + Send,
    ) -> PyResult<()> {
        work_in_pool(py, |stop| self.look_up(|lookup| ask(lookup, stop)))
    }

    /// The parts that `sum` and `max` select. An error if the run lacks the layer of `sum`, or any
    /// layer without `sum`.
    fn keys(
        &self,
        kind: Kind,
        sum: Option<SumArg>,
        max: Option<MaxTileArg>,
    ) -> PyResult<Vec<PartKey>> {
        let (sum, max) = (sum.map(|sum| sum.0), max.map(|max| max.0));
        self.run.has_layer(kind, sum.unwrap_or(4))?;
        let mut keys: Vec<PartKey> = self.run.parts(kind).collect();
        keys.retain(|key| {
            sum.is_none_or(|sum| key.sum == sum) && max.is_none_or(|max| key.max == max)
        });
        Ok(keys)
    }

    /// The solution; `None` if the run is not solved.
    fn solution(&self, py: Python<'_>) -> PyResult<Option<Arc<Solution>>> {
        match py.detach(|| self.find_solution()) {
            Err(Error::Solving(SolvingError::NotSolved(_) | SolvingError::NotSolvable { .. })) => {
                Ok(None)
            }
            solution => Ok(Some(solution?)),
        }
    }

    /// The solution, and the goal of an objective, or the first goal that the run is solved for.
    fn solved_for(
        &self,
        py: Python<'_>,
        objective: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Arc<Solution>, Goal)> {
        let solution = py.detach(|| self.find_solution())?;
        let mut wanted: Vec<Objective> = Vec::new();
        if let Some(objective) = objective {
            let text = objective.str()?.to_string();
            wanted.push(text.trim().to_ascii_lowercase().parse()?);
        }
        let goals = solve::goals(&solution, &wanted)?;
        Ok((solution, goals[0]))
    }

    /// The open solution, if `solution.json` has not changed since it was opened. Else open it again.
    fn find_solution(&self) -> error::Result<Arc<Solution>> {
        // The state comes first: if the solution changes meanwhile, the next call opens it again.
        let state = self.solution_state();
        // As in `look_up`, no call waits for a lock.
        if let Ok(open) = self.solution.try_read()
            && let Some((of, solution)) = &*open
            && Some(*of) == state
        {
            return Ok(solution.clone());
        }
        let solution = Solution::peek(self.run.dir())?;
        solution.run().expect_game(self.run.game())?;
        if solution.goals().next().is_none() {
            return Err(SolvingError::NotSolved(self.run.dir().to_owned()).into());
        }
        let solution = Arc::new(solution);
        if let (Some(state), Ok(mut open)) = (state, self.solution.try_write()) {
            *open = Some((state, solution.clone()));
        }
        Ok(solution)
    }

    /// The state of `solution.json`; `None` if there is no such file.
    fn solution_state(&self) -> Option<SolutionState> {
        let found = fs::metadata(self.run.dir().join(SOLUTION)).ok()?;
        Some((found.modified().ok()?, found.len()))
    }
}
