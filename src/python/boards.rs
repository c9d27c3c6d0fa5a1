//! The rules of the game, for whole arrays of boards; and the replay of games from their codes.

use std::sync::atomic::{AtomicBool, Ordering};

use numpy::{Element, PyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rayon::prelude::*;

use super::arguments::{Boards, PyNumbers, ShapeArg, SpawnedArg, new_array, unsigned};
use super::threads::work_in_pool;
use crate::error::Result;
use crate::game::board::STONE;
use crate::game::{Board, Exp, Rules, Size};
use crate::play::{Code, OtherForm};
use crate::solve::potential;

/// With fewer boards, waking the threads of the pool takes longer than the work.
const FEW: usize = 1 << 15;

/// Boards of a task: they fit a core's caches.
const SLICE: usize = 1 << 12;

/// Fill an array with the shape of `boards` and the additional last `axes`. `act` computes the
/// numbers of a slice of boards.
fn map_boards<'py, T: Element>(
    boards: &Boards<'py>,
    size: Size,
    axes: &[usize],
    act: impl Fn(&[Board], &mut [T]) + Sync,
) -> PyNumbers<'py> {
    let given = boards.of(size)?;
    let numbers = axes.iter().product();
    let py = boards.py();
    boards.map_to(axes, |made| in_slices(py, given, 1, made, numbers, act))
}

/// Compute `numbers` numbers from each `width` given numbers. A large array is computed slice by
/// slice on all cores.
fn in_slices<Given: Sync, Made: Send>(
    py: Python<'_>,
    given: &[Given],
    width: usize,
    made: &mut [Made],
    numbers: usize,
    act: impl Fn(&[Given], &mut [Made]) + Sync,
) -> PyResult<()> {
    if given.len() / width < FEW {
        py.detach(|| act(given, made));
        return Ok(());
    }
    work_in_pool(py, |stop| {
        let made = made.par_chunks_mut(SLICE * numbers);
        let slices = given.par_chunks(SLICE * width).zip(made);
        slices.try_for_each(|(given, made)| {
            stop.check()?;
            act(given, made);
            Ok(())
        })
    })
}

/// The canonical image of each board: the least of its images under symmetry.
///
/// >>> import enum48
/// >>> hex(enum48.canonical(0x2310, "2x2"))
/// '0x132'
/// >>> enum48.canonical([0x2310, 0x0132, 0x2130], (2, 2))
/// array([306, 306, 306], dtype=uint64)
#[pyfunction]
pub(super) fn canonical<'py>(boards: Boards<'py>, shape: ShapeArg) -> PyNumbers<'py> {
    let rules = Rules(shape.0);
    map_boards(&boards, shape.0, &[], |boards, made| {
        made.copy_from_slice(boards);
        rules.canonicalise(made);
    })
}

/// The boards after a move up, right, down and left, along a last axis of four. An illegal move
/// gives 0. The boards are not canonical. A move that would make a 65536 counts as illegal, because
/// no board can hold this tile.
///
/// >>> import enum48
/// >>> [hex(board) for board in enum48.moves(0x2310, "2x2")]
/// ['0x0', '0x2301', '0x2013', '0x0']
#[pyfunction]
pub(super) fn moves<'py>(boards: Boards<'py>, shape: ShapeArg) -> PyNumbers<'py> {
    let rules = Rules(shape.0);
    map_boards(&boards, shape.0, &[4], |boards, made| {
        let mut slid = [(); 4].map(|()| [0; 256]);
        for (boards, made) in boards.chunks(256).zip(made.chunks_mut(4 * 256)) {
            let each = slid.each_mut().map(|slid| &mut slid[..boards.len()]);
            rules.slide(boards, Exp::LAST, each);
            for (at, made) in made.chunks_mut(4).enumerate() {
                made.copy_from_slice(&slid.each_ref().map(|slid| slid[at]));
            }
        }
    })
}

/// The boards after a spawn of a 2 or a 4, along a last axis with an entry for each cell, row by
/// row. An occupied cell gives 0. The boards are not canonical. In a game nine of ten spawned tiles
/// are 2s, and every empty cell is equally likely.
///
/// >>> import enum48
/// >>> [hex(board) for board in enum48.spawns(0x2010, "2x2", 4)]
/// ['0x0', '0x2210', '0x0', '0x2012']
#[pyfunction]
#[pyo3(signature = (boards, shape, tile=SpawnedArg(Exp::TWO)), text_signature = "(boards, shape, tile=2)")]
pub(super) fn spawns<'py>(
    boards: Boards<'py>,
    shape: ShapeArg,
    tile: SpawnedArg,
) -> PyNumbers<'py> {
    let (cells, exp) = (shape.0.cells(), u64::from(tile.0.get()));
    map_boards(&boards, shape.0, &[cells as usize], |boards, made| {
        for (&board, made) in boards.iter().zip(made.chunks_mut(cells as usize)) {
            for (cell, made) in (0..cells).rev().zip(made) {
                let empty = board >> (4 * cell) & 15 == 0;
                *made = if empty { board | exp << (4 * cell) } else { 0 };
            }
        }
    })
}

/// The score of the merges that made each board, if every spawned tile was a 2: (k - 1) 2^k for
/// each tile 2^k. The score of a move is the difference between the points after and before it.
/// A spawned 4 adds 4 to the points and scores nothing. So the score of a game is the points of its last
/// board, less 4 for each spawned 4.
///
/// >>> import enum48
/// >>> after = enum48.moves(0x2210, "2x2")
/// >>> [hex(board) for board in after]
/// ['0x0', '0x301', '0x2012', '0x3010']
/// >>> (enum48.points(after, "2x2") - enum48.points(0x2210, "2x2"))[after > 0].tolist()
/// [8, 0, 8]
#[pyfunction]
pub(super) fn points<'py>(boards: Boards<'py>, shape: ShapeArg) -> PyNumbers<'py> {
    map_boards(&boards, shape.0, &[], |boards, made| {
        for (&board, made) in boards.iter().zip(made) {
            *made = i64::from(potential(shape.0.tiles(board)));
        }
    })
}

/// The tiles of each board, along two last axes for rows and columns. An empty cell gives 0, and a stone
/// gives 1.
///
/// >>> import enum48
/// >>> enum48.cells(0x2310, "2x2").tolist()
/// [[4, 8], [2, 0]]
/// >>> enum48.cells([0x2310, 0x0132], "2x2").shape
/// (2, 2, 2)
/// >>> enum48.cells(0xf310, "2x2free3").tolist()
/// [[1, 8], [2, 0]]
#[pyfunction]
pub(super) fn cells<'py>(boards: Boards<'py>, shape: ShapeArg) -> PyNumbers<'py> {
    let (cells, stone) = (shape.0.cells(), shape.0.stone());
    let axes = [shape.0.rows(), shape.0.cols()].map(usize::from);
    map_boards(&boards, shape.0, &axes, |boards, made: &mut [u16]| {
        for (&board, made) in boards.iter().zip(made.chunks_mut(cells as usize)) {
            for (cell, made) in (0..cells).rev().zip(made) {
                let digit = (board >> (4 * cell) & 15) as u8;
                let is_stone = Some(digit) == stone;
                *made = if is_stone { 1 } else { (1 << digit) & !1 };
            }
        }
    })
}

/// The boards with the given tiles, and with stones for 1s: the inverse of cells(). The last two axes
/// are the rows and the columns, from 2 to 4 of each.
///
/// >>> import enum48
/// >>> hex(enum48.boards([[4, 8], [2, 0]]))
/// '0x2310'
/// >>> enum48.boards([[4, 8], [3, 0]])
/// Traceback (most recent call last):
/// ValueError: cells: 3: not a tile: expected 0, a power of two from 2 to 32768, or 1 for a stone
#[pyfunction]
pub(super) fn boards<'py>(cells: Bound<'py, PyAny>) -> PyNumbers<'py> {
    let py = cells.py();
    let tiles = unsigned(&cells, "cells")?;
    let (shape, tiles) = (tiles.shape(), tiles.as_slice()?);
    let Some((axes, &[rows, columns])) = shape.split_last_chunk() else {
        return Err(PyValueError::new_err(
            "cells: expected rows and columns as the last two axes, got fewer axes",
        ));
    };
    let size: Size = format!("{rows}x{columns}").parse()?;
    let cells = size.cells() as usize;
    let board = |tiles: &[u64]| {
        tiles
            .iter()
            .try_fold(0, |board, &tile| Some(board << 4 | digit(tile)?))
    };
    let invalid = AtomicBool::new(false);
    let array = new_array(py, axes, |made: &mut [Board]| {
        in_slices(py, tiles, cells, made, 1, |tiles, made| {
            for (tiles, made) in tiles.chunks(cells).zip(made) {
                match board(tiles) {
                    Some(board) => *made = board,
                    None => invalid.store(true, Ordering::Relaxed),
                }
            }
        })
    })?;
    // Search only if there is an invalid number, because the array may be large.
    let invalid = invalid.into_inner();
    match tiles.iter().find(|&&tile| invalid && digit(tile).is_none()) {
        None => array.get_item(PyTuple::empty(py)),
        Some(tile) => Err(PyValueError::new_err(format!(
            "cells: {tile}: not a tile: expected 0, a power of two from 2 to 32768, or 1 for a stone"
        ))),
    }
}

/// The digit that stands for a tile in a board, or for a stone.
fn digit(tile: u64) -> Option<u64> {
    match tile {
        0 => Some(0),
        1 => Some(STONE.into()),
        2..=32768 if tile.is_power_of_two() => Some(u64::from(tile.ilog2())),
        _ => None,
    }
}

/// A game that was played, as replay() returns it.
#[pyclass(frozen, module = "enum48", get_all, name = "Replay")]
pub(super) struct PyReplay {
    /// The code as text.
    code: String,
    /// The name of the game, such as "2x2-8".
    game: String,
    /// The names of the moves' directions.
    moves: Vec<&'static str>,
    /// The board at the start, and after each move and its spawn. A board with a 65536 is 0,
    /// because no number can hold this tile.
    boards: Py<PyArray1<Board>>,
    /// The score at each board of boards.
    scores: Py<PyArray1<i64>>,
    /// The score at the end of the game.
    score: u64,
    /// The state of the game at its end: live, dead or won.
    state: String,
}

/// Play the game of a code by the rules alone, without the code that counts states. An invalid code
/// is a ValueError, which names the first illegal move and the reason.
///
/// >>> import enum48
/// >>> game = enum48.replay("w1.2x2-8.BD.1.w..W.10f0c486")
/// >>> game.moves, game.score, game.state
/// (['left'], 8, 'won')
/// >>> [hex(board) for board in game.boards]
/// ['0x2200', '0x3000']
#[pyfunction]
pub(super) fn replay(py: Python<'_>, code: &str) -> PyResult<PyReplay> {
    let (code, positions) = py.detach(|| -> Result<_> {
        let code: Code = OtherForm::trimmed(code).parse()?;
        let replay = code.replay();
        let mut positions = vec![replay.position().clone()];
        positions.extend(replay.map_while(Result::ok).map(|turn| turn.position));
        Ok((code, positions))
    })?;
    let boards = positions.iter().map(|at| at.board().unwrap_or(0));
    let scores = positions.iter().map(|at| at.score().cast_signed());
    let end = &positions[positions.len() - 1];
    Ok(PyReplay {
        game: code.game().to_string(),
        moves: code.moves().iter().map(|way| way.name()).collect(),
        boards: PyArray1::from_iter(py, boards).unbind(),
        scores: PyArray1::from_iter(py, scores).unbind(),
        score: end.score(),
        state: end.status().to_string(),
        code: code.to_string(),
    })
}

#[pymethods]
impl PyReplay {
    /// Pickle as a call of replay(), so a copy replays the code.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let replay = py.import("enum48")?.getattr("replay")?;
        Ok((replay, (self.code.clone(),)))
    }

    fn __repr__(&self) -> String {
        let (game, moves, score, state) = (&self.game, self.moves.len(), self.score, &self.state);
        format!("<enum48.Replay of {game}: {moves} moves, {score} points, {state}>")
    }
}
