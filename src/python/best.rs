//! What boards are worth, in a run that is solved.

use std::cmp::Reverse;
use std::ops::Range;

use pyo3::prelude::*;
use rayon::prelude::*;

use super::arrays::Boards;
use super::files::boards_of;
use super::pool::pool;
use crate::engine::Stop;
use crate::error::{Result, SolvingError};
use crate::game::{Board, Objective, PartKey};
use crate::machine::default_memory;
use crate::part::{Kind, Part, ValueDecoder};
use crate::play::{Position, Status};
use crate::solve::{self, BatchValues, StateValues, Values};
use crate::store::{Goal, Solution, room};

/// Boards whose moves are looked up at once, in their order: they take some 120 bytes each.
const AT_ONCE: usize = 1 << 21;

/// States whose values are looked up together: the more, the fewer blocks each thread decodes.
const TOGETHER: usize = 1 << 18;

/// What the moves of some boards are worth, as arrays of the shape of that of the boards: what
/// Run.best() returns.
#[pyclass(frozen, module = "enum48", get_all, name = "Best")]
pub(super) struct PyBest {
    /// The number of the best move: 0 up, 1 right, 2 down, 3 left, the first of equal ones. -1 where there
    /// is none, as the game has ended or never gets there.
    directions: Py<PyAny>,
    /// What is to be expected from the board on under the best play; nan where the game never gets there.
    values: Py<PyAny>,
    /// The same if a move is made first, with a last axis for the four moves; nan where one is not legal.
    moves: Py<PyAny>,
}

/// The same of one board.
#[derive(Clone, Copy)]
pub(super) struct BoardWorth {
    direction: i8,
    value: f64,
    moves: [f64; 4],
}

impl BoardWorth {
    const UNKNOWN: Self = Self {
        direction: -1,
        value: f64::NAN,
        moves: [f64::NAN; 4],
    };
}

impl PyBest {
    pub(super) fn new(py: Python<'_>, boards: &Boards<'_>, worth: &[BoardWorth]) -> PyResult<Self> {
        let directions = boards.answer(py, &[], |to| fill(to, worth.iter().map(|of| of.direction)));
        let values = boards.answer(py, &[], |to| fill(to, worth.iter().map(|of| of.value)));
        let moves = boards.answer(py, &[4], |to| {
            fill(to, worth.iter().flat_map(|of| of.moves))
        });
        Ok(Self {
            directions: directions?.unbind(),
            values: values?.unbind(),
            moves: moves?.unbind(),
        })
    }
}

fn fill<T>(to: &mut [T], numbers: impl Iterator<Item = T>) -> PyResult<()> {
    to.iter_mut()
        .zip(numbers)
        .for_each(|(to, number)| *to = number);
    Ok(())
}

#[pymethods]
impl PyBest {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let Self {
            directions,
            values,
            moves,
        } = self;
        let [directions, values, moves] =
            [directions, values, moves].map(|array| array.bind(py).repr());
        Ok(format!(
            "Best(directions={}, values={}, moves={})",
            directions?, values?, moves?
        ))
    }
}

/// The goal of an objective that a run is solved for; of the first one, if none is named.
pub(super) fn goal(solution: &Solution, objective: Option<&str>) -> PyResult<Goal> {
    let read = |text: &str| text.trim().to_ascii_lowercase().parse();
    let wanted: Option<Objective> = objective.map(read).transpose()?;
    Ok(solve::goals(solution, wanted.as_slice())?[0])
}

/// What each board of an array is worth.
pub(super) fn moves(
    solution: &Solution,
    goal: Goal,
    boards: &[Board],
    stop: &Stop,
) -> Result<Vec<BoardWorth>> {
    let mut values = BatchValues::new(solution, &[goal], default_memory(), pool()?)?;
    let mut found = room(boards.len(), "boards")?;
    for boards in boards.chunks(AT_ONCE) {
        let key = |&board: &Board| (PartKey::of(board), board);
        found.extend(values.each(boards, key, |values, &board| {
            stop.check()?;
            worth(values, board)
        })?);
    }
    Ok(found)
}

fn worth(values: &mut Values<'_>, board: Board) -> Result<BoardWorth> {
    if board == 0 || !values.reached(board)? {
        return Ok(BoardWorth::UNKNOWN);
    }
    let ended = BoardWorth {
        value: values.ended(board)[0],
        ..BoardWorth::UNKNOWN
    };
    if Position::on(*values.game(), board).status() != Status::Live {
        return Ok(ended);
    }
    let judged = values.moves(board)?;
    let best = judged
        .iter()
        .max_by_key(|of| (of.units[0], Reverse(of.direction as u8)));
    let Some(best) = best else {
        return Ok(ended);
    };
    let mut moves = [f64::NAN; 4];
    for of in &judged {
        moves[of.direction as usize] = of.numbers[0];
    }
    Ok(BoardWorth {
        direction: best.direction as i8,
        value: best.numbers[0],
        moves,
    })
}

/// Fill in the value of each board of these parts, one behind the other.
pub(super) fn values(
    solution: &Solution,
    goal: Goal,
    parts: &[Part],
    values: &mut [f64],
    stop: &Stop,
) -> Result<()> {
    let mut tasks = Vec::new();
    let mut rest = values;
    for part in parts {
        let (of_part, behind) = rest.split_at_mut(part.states() as usize);
        rest = behind;
        let together = TOGETHER / part.block_size() as usize;
        let firsts = (0..part.blocks()).step_by(together);
        for (first, values) in firsts.zip(of_part.chunks_mut(TOGETHER)) {
            tasks.push((part, first..part.blocks().min(first + together), values));
        }
    }
    pool()?.install(|| {
        tasks
            .into_par_iter()
            .try_for_each(|(part, blocks, values)| {
                stop.check()?;
                values.copy_from_slice(&match part.label().kind {
                    Kind::States => of_states(solution, goal, part, blocks),
                    Kind::Afterstates => of_afterstates(solution, goal, part, blocks),
                }?);
                Ok(())
            })
    })
}

/// The values of the states of some blocks.
fn of_states(
    solution: &Solution,
    goal: Goal,
    part: &Part,
    blocks: Range<usize>,
) -> Result<Vec<f64>> {
    let states = boards_of(part, blocks)?;
    StateValues::new(solution, &[goal])?.of(part.label().key, &states)
}

/// The values of the afterstates of some blocks.
fn of_afterstates(
    solution: &Solution,
    goal: Goal,
    part: &Part,
    blocks: Range<usize>,
) -> Result<Vec<f64>> {
    let column = solution.values(goal.objective, part.label().key)?;
    let not_solved = || SolvingError::NotSolved(solution.run().dir().to_owned());
    let column = column.ok_or_else(not_solved)?;
    column.expect_blocks_of(part)?;
    let (mut decoder, mut units) = (ValueDecoder::new()?, Vec::new());
    for block in blocks.clone() {
        column.read_block(block, &mut decoder, &mut units)?;
    }
    let boards = boards_of(part, blocks)?;
    let boards = boards.into_iter().zip(units);
    let numbers = boards.map(|(board, units)| solve::number(goal, board, units));
    Ok(numbers.collect())
}
