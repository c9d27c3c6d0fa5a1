//! The boards of a run and their values: whole parts, an iterator over blocks, and the best moves.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;
use std::{mem, vec};

use numpy::Element;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use rayon::prelude::*;

use super::arguments::{Boards, PyArrayOf, new_array};
use super::threads::{pool, work, work_in_pool};
use crate::engine::Stop;
use crate::error::{Result, SolvingError};
use crate::game::board::STONE;
use crate::game::{Board, Game, PartKey};
use crate::machine::{cores, default_memory};
use crate::part::{Decoder, Kind, Part};
use crate::read::{Reader, room};
use crate::solve::{self, BatchValues, MoveValue, StateValues, Values};
use crate::store::{Goal, Solution};

/// Blocks that are read at once, for each core.
const AHEAD: usize = 4;

/// Some neighbouring blocks of a part.
type BlockPlace = (Part, Range<usize>);

/// Open parts. A layer in matrices is unpacked first, without the interpreter's lock. Ctrl-C ends
/// that.
pub(super) fn parts(
    py: Python<'_>,
    reader: &Reader,
    kind: Kind,
    keys: &[PartKey],
) -> PyResult<Vec<Part>> {
    work(py, |stop| {
        let reader = reader.with_stop(stop);
        let open = |&key: &PartKey| reader.part(kind, key).transpose();
        keys.iter().filter_map(open).collect()
    })
}

/// The blocks of a part in order, `together` at a time.
pub(super) fn places(part: Part, together: usize) -> impl Iterator<Item = BlockPlace> {
    let blocks = part.blocks();
    let firsts = (0..blocks).step_by(together);
    firsts.map(move |first| (part.clone(), first..blocks.min(first + together)))
}

/// The number of boards in some blocks.
fn size_of_blocks((part, blocks): &BlockPlace) -> usize {
    let size = part.block_size();
    let end = part.states().min(blocks.end as u64 * size);
    (end - blocks.start as u64 * size) as usize
}

/// Fill an array with a number for each board of some blocks, on all cores. `act` computes the numbers
/// of neighbouring blocks, given their boards.
pub(super) fn map_blocks<'py, T: Element>(
    py: Python<'py>,
    places: &[BlockPlace],
    act: impl Fn(&BlockPlace, &[Board], &mut [T], &Stop) -> Result<()> + Sync,
) -> PyArrayOf<'py, T> {
    let count = places.iter().map(size_of_blocks).sum();
    new_array(py, &[count], |mut rest| {
        work_in_pool(py, |stop| {
            let mut tasks = Vec::new();
            for place in places {
                let (numbers, later) = mem::take(&mut rest).split_at_mut(size_of_blocks(place));
                tasks.push((place, numbers));
                rest = later;
            }
            let tasks = tasks.into_par_iter();
            let buffers = || (None, Vec::new());
            tasks.try_for_each_init(buffers, |(decoder, boards), (place, numbers)| {
                stop.check()?;
                boards.clear();
                for block in place.1.clone() {
                    place.0.read_block(block, Decoder::of(decoder)?, boards)?;
                }
                act(place, boards, numbers, stop)
            })
        })
    })
}

/// Read the boards of [`parts`] into one array, on all cores.
pub(super) fn read_parts<'py>(
    py: Python<'py>,
    reader: &Reader,
    kind: Kind,
    keys: &[PartKey],
) -> PyArrayOf<'py, Board> {
    let parts = parts(py, reader, kind, keys)?.into_iter();
    let places: Vec<BlockPlace> = parts.flat_map(|part| places(part, 1)).collect();
    read(py, &places)
}

/// Read blocks into one array, on all cores.
fn read<'py>(py: Python<'py>, places: &[BlockPlace]) -> PyArrayOf<'py, Board> {
    map_blocks(py, places, |_, from, to, _| {
        to.copy_from_slice(from);
        Ok(())
    })
}

/// An iterator over the boards of parts, block by block, as Run.blocks returns it. Nobody waits for
/// it: while a thread reads, other threads and forked processes get a RuntimeError.
#[pyclass(module = "enum48", name = "Blocks")]
pub(super) struct PyBlocks {
    reader: Reader,
    kind: Kind,
    /// The parts to open.
    parts: vec::IntoIter<PartKey>,
    /// The blocks to read, of open parts.
    places: VecDeque<BlockPlace>,
    /// The arrays of blocks that are read. They are views of one large array, which is on large
    /// pages.
    read: VecDeque<Py<PyAny>>,
}

impl PyBlocks {
    /// An iterator over the boards of these parts, in order.
    pub(super) fn new(reader: Reader, kind: Kind, parts: Vec<PartKey>) -> Self {
        Self {
            reader,
            kind,
            parts: parts.into_iter(),
            places: VecDeque::new(),
            read: VecDeque::new(),
        }
    }

    /// Take the next blocks to read, and open their parts.
    fn take(&mut self, stop: &Stop) -> Result<Vec<BlockPlace>> {
        let count = AHEAD * cores();
        while self.places.len() < count
            && let Some(key) = self.parts.next()
        {
            let part = self.reader.with_stop(stop).part(self.kind, key)?;
            let places = part.into_iter().flat_map(|part| places(part, 1));
            self.places.extend(places);
        }
        let count = count.min(self.places.len());
        Ok(self.places.drain(..count).collect())
    }

    /// Drop the blocks to read.
    fn clear(&mut self) {
        self.parts = Vec::new().into_iter();
        self.places.clear();
    }

    /// Read the next blocks. Returns whether there were any.
    fn read_more(&mut self, py: Python<'_>) -> PyResult<bool> {
        let places = work(py, |stop| self.take(stop))?;
        let boards = read(py, &places)?;
        let mut begin = 0;
        for place in &places {
            let end = begin + size_of_blocks(place) as isize;
            let view = boards.get_item(PySlice::new(py, begin, end, 1))?;
            self.read.push_back(view.unbind());
            begin = end;
        }
        Ok(!places.is_empty())
    }
}

#[pymethods]
impl PyBlocks {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        loop {
            if let Some(boards) = self.read.pop_front() {
                return Ok(Some(boards));
            }
            // After an error the iterator is empty, like a generator. It never skips a block that
            // could not be read.
            let read = self.read_more(py);
            if !read.inspect_err(|_| self.clear())? {
                return Ok(None);
            }
        }
    }
}

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

/// The best move of a board, its value, and the values of its moves, as in [`PyBest`].
type BoardWorth = (i8, f64, [f64; 4]);

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
            let given = with_stones(solution.run().game(), given)?;
            moves((solution, &reader.with_stop(stop)), goal, &given)
        })?;
        let directions = worth.iter().map(|worth| worth.0);
        let values = worth.iter().map(|worth| worth.1);
        let moves = worth.iter().flat_map(|worth| worth.2);
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

/// Boards with stones in the place of their large tiles, if they lack stones, as the command `best` reads
/// them. A board with two equal large tiles becomes 0, which no game reaches: they could merge.
fn with_stones<'a>(game: &Game, boards: &'a [Board]) -> Result<Cow<'a, [Board]>> {
    let size = game.size();
    let Some(target) = game.max().filter(|_| size.stones() > 0) else {
        return Ok(boards.into());
    };
    let target = target.ilog2();
    let digits =
        |board: Board| (0..size.cells()).map(move |cell| (4 * cell, board >> (4 * cell) & 15));
    let mut turned = room(boards.len(), "boards")?;
    turned.extend(boards.iter().map(|&board| {
        let stones = size.stones_of(board);
        if stones >= size.stones() {
            return board;
        }
        let all = digits(board).fold(0, |all, (_, digit)| all | 1 << digit);
        let large = all & !(1 << STONE) & (u32::MAX << target);
        let least = game.least_stone(size.stones() - stones, large);
        let least = least.unwrap_or(target).into();
        let (mut turned, mut seen) = (board, 0);
        for (shift, digit) in digits(board) {
            if digit < least || digit == u64::from(STONE) {
                continue;
            }
            if seen >> digit & 1 == 1 {
                return 0;
            }
            seen |= 1 << digit;
            turned |= u64::from(STONE) << shift;
        }
        turned
    }));
    Ok(turned.into())
}

fn moves(
    (solution, reader): (&Solution, &Reader),
    goal: Goal,
    boards: &[Board],
) -> Result<Vec<BoardWorth>> {
    let mut values = BatchValues::new(solution, reader, &[goal], default_memory(), pool()?)?;
    let mut found = room(boards.len(), "boards")?;
    for boards in boards.chunks(AT_ONCE) {
        let key = |&board: &Board| (solution.run().game().part_of(board), board);
        found.extend(values.each(boards, key, |values, &board| {
            reader.stop().check()?;
            worth(values, board)
        })?);
    }
    Ok(found)
}

fn worth(values: &mut Values<'_>, board: Board) -> Result<BoardWorth> {
    let mut numbers = [f64::NAN; 4];
    let judged = match board {
        0 => None,
        board => values.judge_turned(board)?,
    };
    let Some((_, moves, worth)) = judged else {
        return Ok((-1, f64::NAN, numbers));
    };
    for of in &moves {
        numbers[of.direction as usize] = of.numbers[0];
    }
    let order = |of: &&MoveValue| (of.units[0], Reverse(of.direction as u8));
    let best = moves.iter().max_by_key(order);
    let direction = best.map_or(-1, |best| best.direction as i8);
    Ok((direction, worth[0], numbers))
}

/// The values of all boards of some parts, in order.
pub(super) fn values<'py>(
    py: Python<'py>,
    (solution, reader): (&Solution, &Reader),
    goal: Goal,
    parts: Vec<Part>,
) -> PyArrayOf<'py, f64> {
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
                let (mut decoder, mut units) = (Decoder::new()?, Vec::new());
                for block in blocks.clone() {
                    column.read_block(block, &mut decoder, &mut units)?;
                }
                let number =
                    |(&board, units)| solve::number(goal, solution.run().game(), board, units);
                boards.iter().zip(units).map(number).collect()
            }
        });
        Ok(())
    })
}
