//! The values of boards and moves in a solved run.

use std::cmp::Reverse;

use numpy::PyArrayDyn;
use pyo3::prelude::*;

use super::arguments::Boards;
use super::blocks::{map_blocks, places};
use super::threads::{pool, work};
use crate::error::{Result, SolvingError};
use crate::game::{Board, PartKey};
use crate::machine::default_memory;
use crate::part::{Kind, Part, ValueDecoder};
use crate::play::{Position, Status};
use crate::read::{Reader, room};
use crate::solve::{self, BatchValues, MoveValue, StateValues, Values};
use crate::store::{Goal, Solution};

/// Boards of a batch. Each takes about 120 bytes.
const AT_ONCE: usize = 1 << 21;

/// States whose values are looked up together, in whole blocks. With more states, threads decode fewer
/// blocks.
const TOGETHER: usize = 1 << 18;

/// The best moves and the values of boards, as Run.best() returns them: arrays with the shape of
/// the array of boards.
#[pyclass(frozen, module = "enum48", get_all, name = "Best")]
pub(super) struct PyBest {
    /// The best move: 0 up, 1 right, 2 down, 3 left, or the first of several equal ones; -1 if the
    /// game has ended or never reaches the board.
    directions: Py<PyAny>,
    /// The expectation under the best play; nan if the game never reaches the board.
    values: Py<PyAny>,
    /// The expectation after each move, along a last axis of four; nan for an illegal move.
    moves: Py<PyAny>,
}

/// The values of one board and its moves.
#[derive(Clone, Copy)]
struct BoardWorth {
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
    /// Look up the best moves and values of boards.
    pub(super) fn new(
        py: Python<'_>,
        (solution, reader): (&Solution, &Reader),
        goal: Goal,
        boards: &Boards<'_>,
    ) -> PyResult<Self> {
        let given = boards.of(solution.run().game().size())?;
        let worth = work(py, |stop| {
            moves((solution, &reader.with_stop(stop)), goal, given)
        })?;
        let directions = worth.iter().map(|worth| worth.direction);
        let values = worth.iter().map(|worth| worth.value);
        let moves = worth.iter().flat_map(|worth| worth.moves);
        Ok(Self {
            directions: boards.map_to(&[], |to| fill(to, directions))?.unbind(),
            values: boards.map_to(&[], |to| fill(to, values))?.unbind(),
            moves: boards.map_to(&[4], |to| fill(to, moves))?.unbind(),
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
        let arrays = [&self.directions, &self.values, &self.moves];
        let [directions, values, moves] = arrays.map(|array| array.bind(py).repr());
        Ok(format!(
            "Best(directions={}, values={}, moves={})",
            directions?, values?, moves?
        ))
    }
}

fn moves(
    (solution, reader): (&Solution, &Reader),
    goal: Goal,
    boards: &[Board],
) -> Result<Vec<BoardWorth>> {
    let mut values = BatchValues::new(solution, reader, &[goal], default_memory(), pool()?)?;
    let mut found = room(boards.len(), "boards")?;
    for boards in boards.chunks(AT_ONCE) {
        let key = |&board: &Board| (PartKey::of(board), board);
        found.extend(values.each(boards, key, |values, &board| {
            reader.stop().check()?;
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
    let order = |of: &&MoveValue| (of.units[0], Reverse(of.direction as u8));
    let Some(best) = judged.iter().max_by_key(order) else {
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

/// The values of all boards of some parts, in order.
pub(super) fn values<'py>(
    py: Python<'py>,
    (solution, reader): (&Solution, &Reader),
    goal: Goal,
    parts: Vec<Part>,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let places = parts.into_iter().flat_map(|part| {
        let together = TOGETHER / part.block_size() as usize;
        places(part, together.max(1))
    });
    let places: Vec<_> = places.collect();
    map_blocks(py, &places, |(part, blocks), boards, values, stop| {
        values.copy_from_slice(&match part.label().kind {
            Kind::States => {
                let reader = reader.with_stop(stop);
                let mut values = StateValues::new(solution, &reader, &[goal])?;
                values.of(part.label().key, boards)?
            }
            Kind::Afterstates => {
                let Some(column) = solution.values(goal.objective, part)? else {
                    return Err(SolvingError::NotSolved(solution.run().dir().to_owned()).into());
                };
                let (mut decoder, mut units) = (ValueDecoder::new()?, Vec::new());
                for block in blocks.clone() {
                    column.read_block(block, &mut decoder, &mut units)?;
                }
                let number = |(&board, units)| solve::number(goal, board, units);
                boards.iter().zip(units).map(number).collect()
            }
        });
        Ok(())
    })
}
