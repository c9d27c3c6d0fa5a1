//! Games as codes.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use super::arrays::array;
use crate::error;
use crate::game::Board;
use crate::play::{Code, Position};

/// A game that was played: what replay() returns.
#[pyclass(frozen, module = "enum48", name = "Replay")]
pub(super) struct PyReplay {
    code: Code,
    boards: Vec<Board>,
    scores: Vec<u64>,
}

/// Play the game of a code by the rules alone, with none of the code that counts states. A code that
/// is false is a ValueError, which says what is wrong with which move.
///
/// >>> import enum48
/// >>> game = enum48.replay("w1.2x2-8.BD.1.w..W.10f0c486")
/// >>> game.moves, game.score, game.state
/// (['left'], 8, 'won')
/// >>> [hex(board) for board in game.boards]
/// ['0x2200', '0x3000']
#[pyfunction]
pub(super) fn replay(py: Python<'_>, code: &str) -> PyResult<PyReplay> {
    py.detach(|| {
        let code: Code = code.trim().parse()?;
        let mut replay = code.replay();
        let begin = replay.position().clone();
        let turns = replay.by_ref().map_while(error::Result::ok);
        let mut positions = vec![begin];
        positions.extend(turns.map(|turn| turn.position));
        Ok(PyReplay {
            boards: positions.iter().map(|at| at.board().unwrap_or(0)).collect(),
            scores: positions.iter().map(Position::score).collect(),
            code,
        })
    })
}

#[pymethods]
impl PyReplay {
    /// The code itself, as it is written.
    #[getter]
    fn code(&self) -> String {
        self.code.to_string()
    }

    /// Name of the game, such as "2x2-8".
    #[getter]
    fn game(&self) -> String {
        self.code.game().to_string()
    }

    /// The names of the moves' directions.
    #[getter]
    fn moves(&self) -> Vec<&'static str> {
        let moves = self.code.moves().iter();
        moves.map(|direction| direction.name()).collect()
    }

    /// The board at the start, and after each move and the tile that came up; 0 for one with a 65536, which
    /// no board can hold.
    #[getter]
    fn boards<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<Board>> {
        array(py, self.boards.clone())
    }

    /// The score at each of these boards.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.scores.clone().into_pyarray(py)
    }

    /// The score at the end of it.
    #[getter]
    fn score(&self) -> u64 {
        self.code.end().score()
    }

    /// How it ends: live, dead or won.
    #[getter]
    fn state(&self) -> String {
        self.code.end().status().to_string()
    }

    /// A copy, as for another process, plays the code again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let replay = py.import("enum48")?.getattr("replay")?;
        Ok((replay, (self.code(),)))
    }

    fn __repr__(&self) -> String {
        let (game, moves, state) = (self.game(), self.code.moves().len(), self.state());
        format!(
            "<enum48.Replay of {game}: {moves} moves, {} points, {state}>",
            self.score()
        )
    }
}
