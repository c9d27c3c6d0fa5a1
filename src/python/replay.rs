//! Games as codes, and their replay.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::error::Result;
use crate::game::Board;
use crate::play::{Code, Position};

/// A game that was played, as replay() returns it.
#[pyclass(frozen, module = "enum48", name = "Replay")]
pub(super) struct PyReplay {
    code: Code,
    boards: Vec<Board>,
    scores: Vec<u64>,
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
    py.detach(|| {
        let code: Code = code.trim().parse()?;
        let mut replay = code.replay();
        let begin = replay.position().clone();
        let turns = replay.by_ref().map_while(Result::ok);
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
    /// The code as text.
    #[getter]
    fn code(&self) -> String {
        self.code.to_string()
    }

    /// The name of the game, such as "2x2-8".
    #[getter]
    fn game(&self) -> String {
        self.code.game().to_string()
    }

    /// The names of the moves' directions.
    #[getter]
    fn moves(&self) -> Vec<&'static str> {
        self.code
            .moves()
            .iter()
            .map(|direction| direction.name())
            .collect()
    }

    /// The board at the start, and after each move and its spawn. A board with a 65536 is 0,
    /// because no number can hold this tile.
    #[getter]
    fn boards<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<Board>> {
        self.boards.clone().into_pyarray(py)
    }

    /// The score at each board of boards.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.scores.clone().into_pyarray(py)
    }

    /// The score at the end of the game.
    #[getter]
    fn score(&self) -> u64 {
        self.code.end().score()
    }

    /// The state of the game at its end: live, dead or won.
    #[getter]
    fn state(&self) -> String {
        self.code.end().status().to_string()
    }

    /// Pickle as a call of replay(), so a copy replays the code.
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
