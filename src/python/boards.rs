//! The rules, for whole arrays of boards.

use std::sync::atomic::{AtomicBool, Ordering};

use numpy::{Element, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rayon::prelude::*;

use super::arguments::{ShapeArg, SpawnedArg};
use super::arrays::{Boards, SLICE, made, pool_for, unsigned};
use super::background::work;
use crate::game::rules::{Rules, rules};
use crate::game::{Board, Exp, Size};
use crate::solve::potential;

/// An array of numbers, of the shape of that of the boards and some more axes, that are made of each
/// board by itself; `act` does so for some boards.
fn each<'py, T: Element>(
    py: Python<'py>,
    boards: &Boards<'py>,
    size: Size,
    axes: &[usize],
    act: impl Fn(&[Board], &mut [T]) + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let given = boards.of(size)?;
    let numbers = axes.iter().product();
    boards.answer(py, axes, |made| in_slices(py, given, 1, made, numbers, act))
}

/// Make so many `numbers` of every `width` that are given, some at once, and many on all cores.
fn in_slices<Given: Sync, Made: Send>(
    py: Python<'_>,
    given: &[Given],
    width: usize,
    made: &mut [Made],
    numbers: usize,
    act: impl Fn(&[Given], &mut [Made]) + Sync,
) -> PyResult<()> {
    let Some(pool) = pool_for(given.len() / width)? else {
        py.detach(|| act(given, made));
        return Ok(());
    };
    work(py, |stop| {
        let made = made.par_chunks_mut(SLICE * numbers);
        let slices = given.par_chunks(SLICE * width).zip(made);
        pool.install(|| {
            slices.try_for_each(|(given, made)| {
                stop.check()?;
                act(given, made);
                Ok(())
            })
        })
    })
}

/// The canonical image of each board: the least of its images under the symmetries of the board.
///
/// >>> import enum48
/// >>> hex(enum48.canonical(0x2310, "2x2"))
/// '0x132'
/// >>> enum48.canonical([0x2310, 0x0132, 0x2130], (2, 2))
/// array([306, 306, 306], dtype=uint64)
#[pyfunction]
pub(super) fn canonical<'py>(
    py: Python<'py>,
    boards: Boards<'py>,
    shape: ShapeArg,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = rules(shape.0);
    each(py, &boards, shape.0, &[], |boards, made| {
        made.copy_from_slice(boards);
        rules.canonicalise(made);
    })
}

/// The boards after a move up, right, down and left, along a last axis of four; 0 where a move is not
/// legal. They are not canonical; points() tells what each gained. A move that would make a 65536,
/// which no board can hold, counts as not legal.
///
/// >>> import enum48
/// >>> [hex(board) for board in enum48.moves(0x2310, "2x2")]
/// ['0x0', '0x2301', '0x2013', '0x0']
#[pyfunction]
pub(super) fn moves<'py>(
    py: Python<'py>,
    boards: Boards<'py>,
    shape: ShapeArg,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = rules(shape.0);
    each(py, &boards, shape.0, &[4], |boards, made| {
        slide(rules, boards, made);
    })
}

fn slide(rules: &dyn Rules, boards: &[Board], made: &mut [Board]) {
    let mut slid = [(); 4].map(|()| [0; 256]);
    for (boards, made) in boards.chunks(256).zip(made.chunks_mut(4 * 256)) {
        let each = slid.each_mut().map(|slid| &mut slid[..boards.len()]);
        rules.slide(boards, Exp::LAST, each);
        for (at, made) in made.chunks_mut(4).enumerate() {
            made.copy_from_slice(&[slid[0][at], slid[1][at], slid[2][at], slid[3][at]]);
        }
    }
}

/// The boards after a 2 or a 4 comes up, along a last axis with an entry for each cell, row by row; 0
/// where the cell is taken. They are not canonical. In a game a 2 comes up nine times out of ten, and
/// every empty cell is equally likely.
///
/// >>> import enum48
/// >>> [hex(board) for board in enum48.spawns(0x2010, "2x2", 4)]
/// ['0x0', '0x2210', '0x0', '0x2012']
#[pyfunction]
#[pyo3(signature = (boards, shape, tile=SpawnedArg(2)), text_signature = "(boards, shape, tile=2)")]
pub(super) fn spawns<'py>(
    py: Python<'py>,
    boards: Boards<'py>,
    shape: ShapeArg,
    tile: SpawnedArg,
) -> PyResult<Bound<'py, PyAny>> {
    let (cells, exp) = (shape.0.cells(), u64::from(tile.0 / 2));
    each(py, &boards, shape.0, &[cells as usize], |boards, made| {
        for (&board, made) in boards.iter().zip(made.chunks_mut(cells as usize)) {
            for (cell, made) in (0..cells).rev().zip(made) {
                let empty = board >> (4 * cell) & 15 == 0;
                *made = if empty { board | exp << (4 * cell) } else { 0 };
            }
        }
    })
}

/// What each board scored on the way, if every tile came up as a 2: a tile 2^k is worth (k - 1) 2^k. So
/// what a move gains is the difference.
///
/// >>> import enum48
/// >>> after = enum48.moves(0x2210, "2x2")
/// >>> [hex(board) for board in after]
/// ['0x0', '0x301', '0x2012', '0x3010']
/// >>> (enum48.points(after, "2x2") - enum48.points(0x2210, "2x2"))[after > 0].tolist()
/// [8, 0, 8]
#[pyfunction]
pub(super) fn points<'py>(
    py: Python<'py>,
    boards: Boards<'py>,
    shape: ShapeArg,
) -> PyResult<Bound<'py, PyAny>> {
    each(py, &boards, shape.0, &[], |boards, made| {
        for (&board, made) in boards.iter().zip(made) {
            *made = i64::from(potential(board));
        }
    })
}

/// The tiles of each board, along two last axes of its rows and columns, 0 where a cell is empty.
///
/// >>> import enum48
/// >>> enum48.cells(0x2310, "2x2").tolist()
/// [[4, 8], [2, 0]]
/// >>> enum48.cells([0x2310, 0x0132], "2x2").shape
/// (2, 2, 2)
#[pyfunction]
pub(super) fn cells<'py>(
    py: Python<'py>,
    boards: Boards<'py>,
    shape: ShapeArg,
) -> PyResult<Bound<'py, PyAny>> {
    let cells = shape.0.cells();
    let axes = [shape.0.rows(), shape.0.cols()].map(usize::from);
    each(py, &boards, shape.0, &axes, |boards, made| {
        for (&board, made) in boards.iter().zip(made.chunks_mut(cells as usize)) {
            for (cell, made) in (0..cells).rev().zip(made) {
                *made = (1u16 << (board >> (4 * cell) & 15)) & !1;
            }
        }
    })
}

/// The boards of which these are the tiles: cells() backward. The last two axes are rows and columns,
/// from 2 to 4 of each.
///
/// >>> import enum48
/// >>> hex(enum48.boards([[4, 8], [2, 0]]))
/// '0x2310'
/// >>> enum48.boards([[4, 8], [3, 0]])
/// Traceback (most recent call last):
/// ValueError: cells: 3: not a tile: expected 0 or a power of two from 2 to 32768
#[pyfunction]
pub(super) fn boards<'py>(
    py: Python<'py>,
    cells: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
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
        let mut digits = tiles.iter().map(|&tile| digit(tile));
        digits.try_fold(0, |board, digit| Some(board << 4 | digit?))
    };
    let wrong = AtomicBool::new(false);
    let array = made(py, axes, |made: &mut [Board]| {
        in_slices(py, tiles, cells, made, 1, |tiles, made| {
            for (tiles, made) in tiles.chunks(cells).zip(made) {
                match board(tiles) {
                    Some(board) => *made = board,
                    None => wrong.store(true, Ordering::Relaxed),
                }
            }
        })
    })?;
    if wrong.into_inner() {
        return Err(no_tile(tiles));
    }
    array.get_item(PyTuple::empty(py))
}

fn no_tile(tiles: &[u64]) -> PyErr {
    let wrong = tiles.iter().find(|&&tile| digit(tile).is_none());
    let wrong = wrong.copied().unwrap_or_default();
    PyValueError::new_err(format!(
        "cells: {wrong}: not a tile: expected 0 or a power of two from 2 to 32768"
    ))
}

/// The digit of a board that stands for a tile.
fn digit(tile: u64) -> Option<u64> {
    match tile {
        0 => Some(0),
        2..=32768 if tile.is_power_of_two() => Some(u64::from(tile.ilog2())),
        _ => None,
    }
}
