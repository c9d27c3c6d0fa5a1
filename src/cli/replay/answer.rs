//! The answer to a code: for people, for scripts, as JSON.

use std::fmt;
use std::io::{self, Write};

use serde::Serialize;

use crate::error::{Error, Result};
use crate::game::Grid;
use crate::play::{Code, Turn};

/// A true code, and the end of its game. The keys of its JSON are a contract.
#[derive(Serialize)]
pub(super) struct Played {
    valid: bool,
    code: String,
    game: String,
    rows: u8,
    cols: u8,
    max: Option<u32>,
    moves: usize,
    score: u64,
    sum: u32,
    max_tile: u32,
    state: String,
    /// In hexadecimal; null if it has the tile 65536, which has no digit.
    board: Option<String>,
    cells: Vec<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<Step>>,
}

/// A false code.
#[derive(Serialize)]
pub(super) struct Refused<'a> {
    valid: bool,
    code: &'a str,
    error: String,
}

/// A move.
#[derive(Serialize)]
struct Step {
    r#move: u64,
    direction: &'static str,
    gained: u64,
    spawn: Option<Tile>,
    cells: Vec<u32>,
}

/// A spawned tile.
#[derive(Serialize)]
struct Tile {
    row: u8,
    column: u8,
    tile: u8,
}

impl Played {
    /// Replay a code, and keep every step if wanted.
    pub(super) fn new(code: &Code, steps: bool) -> Self {
        let (game, end) = (code.game(), code.end());
        let size = game.size();
        let cells: Vec<u32> = end.tiles().collect();
        let grid = |board| Grid::new(board, size).expect("a position fits its board");
        let replay = code.replay();
        Self {
            valid: true,
            code: code.to_string(),
            game: game.to_string(),
            rows: size.rows(),
            cols: size.cols(),
            max: game.max(),
            moves: code.moves().len(),
            score: end.score(),
            sum: cells.iter().sum(),
            max_tile: cells.iter().copied().max().unwrap_or(0),
            state: end.status().to_string(),
            board: end.board().map(|board| format!("{:#x}", grid(board))),
            cells,
            start: steps.then(|| replay.position().tiles().collect()),
            steps: steps.then(|| replay.map_while(Result::ok).map(Step::from).collect()),
        }
    }

    /// Print it for people.
    pub(super) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "game       {}", self.game)?;
        writeln!(out, "moves      {}", self.moves)?;
        writeln!(out, "score      {}", self.score)?;
        writeln!(
            out,
            "sum        {}, largest tile {}",
            self.sum, self.max_tile
        )?;
        if let Some(board) = &self.board {
            writeln!(out, "board      {board}")?;
        }
        writeln!(out, "state      {}", self.state)
    }
}

/// One line, for scripts.
impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.board.as_deref().unwrap_or("-");
        let (game, moves, score, state) = (&self.game, self.moves, self.score, &self.state);
        write!(
            f,
            "game={game} moves={moves} score={score} state={state} board={board}"
        )
    }
}

impl<'a> Refused<'a> {
    /// A code and what is wrong with it.
    pub(super) fn new(code: &'a str, error: &Error) -> Self {
        Self {
            valid: false,
            code,
            error: error.to_string(),
        }
    }
}

impl From<Turn> for Step {
    fn from(turn: Turn) -> Self {
        let cols = turn.position.game().size().cols();
        Self {
            r#move: turn.number,
            direction: turn.direction.name(),
            gained: turn.gained,
            spawn: turn.spawn.map(|spawn| Tile {
                row: spawn.cell / cols + 1,
                column: spawn.cell % cols + 1,
                tile: spawn.tile,
            }),
            cells: turn.position.tiles().collect(),
        }
    }
}
