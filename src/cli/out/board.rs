//! A board and its moves, as every subcommand prints them.
//!
//! [`BoardState`] is the verdict of the rules on a board, [`JudgedMoves`] the verdict of a solution on
//! its moves.

use std::cmp::Reverse;
use std::fmt::{self, Display};

use serde::Serialize;

use crate::error::Result;
use crate::game::{Board, Direction, Exp, Game, Turned};
use crate::play::{Position, Status};
use crate::solve::{MoveValue, Values};
use crate::store::Goal;

/// Memory for decoded blocks while the positions of one game are judged.
pub(in crate::cli) const MEMORY: u64 = 64 << 20;

/// Width of the name of a move, and of a column of numbers.
pub(in crate::cli) const NAME: usize = 6;
pub(in crate::cli) const COLUMN: usize = 12;

/// The rows of a board, indented, and an empty line.
pub(in crate::cli) fn picture(board: &impl Display) -> String {
    let rows = format!("{board:#}").replace('\n', "\n  ");
    format!("  {rows}\n\n")
}

/// The verdict of the rules on a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::cli) enum BoardState {
    Live,
    Dead,
    Won,
    /// No game has a board without a tile.
    Empty,
    /// A tile is beyond the winning tile, or beyond all tiles that the cells have room for, see
    /// [`Game::top`].
    Impossible,
}

impl BoardState {
    pub(in crate::cli) fn of(game: Game, board: Board) -> Self {
        let largest = game.max_exp(board);
        match Position::on(game, board).status() {
            _ if largest == Exp::EMPTY => Self::Empty,
            // With target cells, the winning tile is at most the largest tile elsewhere.
            _ if largest > game.top().max(game.win())
                || u32::from(largest.get()) > game.size().tile_cells() + 1 =>
            {
                Self::Impossible
            }
            Status::Won => Self::Won,
            Status::Dead => Self::Dead,
            Status::Live => Self::Live,
        }
    }
}

impl Display for BoardState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The legal moves of a board with their values.
pub(in crate::cli) struct JudgedMoves {
    pub(in crate::cli) goals: Vec<Goal>,
    /// In order of direction; none if the game is over.
    pub(in crate::cli) moves: Vec<MoveValue>,
    /// The value of the board for each goal, under the best play.
    pub(in crate::cli) worth: Vec<f64>,
    /// The largest difference of values that errors alone can make, for each goal.
    margins: Vec<f64>,
}

impl JudgedMoves {
    /// Look up a board that the solution reached.
    pub(in crate::cli) fn new(values: &mut Values, board: Board) -> Result<Self> {
        let (moves, worth) = values.judge(board)?;
        Ok(Self::with(values, moves, worth))
    }

    /// Look up a board in its best orientation, as [`Values::judge_turned`] does.
    pub(in crate::cli) fn turned(
        values: &mut Values,
        board: Board,
    ) -> Result<Option<(Turned, Self)>> {
        let judged = values.judge_turned(board)?;
        Ok(judged.map(|(turned, moves, worth)| (turned, Self::with(values, moves, worth))))
    }

    fn with(values: &Values, moves: Vec<MoveValue>, worth: Vec<f64>) -> Self {
        let margin = |goal| 2.0 * values.solution().error(goal);
        Self {
            margins: values.goals().map(margin).collect(),
            goals: values.goals().collect(),
            moves,
            worth,
        }
    }

    /// Look up the position of a game.
    pub(in crate::cli) fn of(values: &mut Values, position: &Position) -> Result<Self> {
        let board = position.board();
        let board = board.expect("games with the tile 65536 are too large to be solved");
        Self::new(values, board)
    }

    /// The move in a direction, if it is legal.
    pub(in crate::cli) fn get(&self, direction: Direction) -> Option<&MoveValue> {
        self.moves.iter().find(|of| of.direction == direction)
    }

    /// The best moves for a goal, given by its index; the move with the greatest value comes first.
    pub(in crate::cli) fn best(&self, goal: usize) -> impl Iterator<Item = Direction> {
        let mut best: Vec<&MoveValue> = self.moves.iter().collect();
        best.retain(|of| self.loss(goal, of) == 0.0);
        best.sort_by_key(|of| Reverse(of.units[goal]));
        best.into_iter().map(|of| of.direction)
    }

    /// The names of the best moves for a goal.
    pub(in crate::cli) fn best_names(&self, goal: usize) -> Vec<&'static str> {
        self.best(goal).map(Direction::name).collect()
    }

    /// The difference between the best move for a goal and another move: exactly 0 for a best move.
    /// A move is a best move, too, if errors of values can explain the difference.
    pub(in crate::cli) fn loss(&self, goal: usize, of: &MoveValue) -> f64 {
        let best = self.moves.iter().map(|of| of.units[goal]).max();
        let lost = self.goals[goal].number(best.unwrap_or(0) - of.units[goal]);
        if lost > self.margins[goal] { lost } else { 0.0 }
    }
}
