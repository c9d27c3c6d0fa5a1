//! Games as codes, and their replay.

use numpy::PyArray1;
use pyo3::prelude::*;

use crate::error::Result;
use crate::game::Board;
use crate::play::{Code, Position};

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
    scores: Py<PyArray1<u64>>,
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
        let code: Code = code.trim().parse()?;
        let replay = code.replay();
        let mut positions = vec![replay.position().clone()];
        positions.extend(replay.map_while(Result::ok).map(|turn| turn.position));
        Ok((code, positions))
    })?;
    let boards = positions.iter().map(|at| at.board().unwrap_or(0));
    let scores = positions.iter().map(Position::score);
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
