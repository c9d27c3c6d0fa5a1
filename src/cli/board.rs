//! A board and its moves, as every subcommand tells them.
//!
//! [`BoardState`] is the verdict of the rules on a board, [`JudgedMoves`] the verdict of a solution on its
//! moves, and [`Adviser`] judges the positions of a game.

use std::fmt::{self, Display};

use serde::{Serialize, Serializer};

use crate::error::Result;
use crate::game::{Board, Direction, Game, Objective};
use crate::play::{Position, Status};
use crate::solve::{MoveValue, Values};
use crate::store::{Goal, Solution};

/// Memory of an adviser for decoded blocks.
const MEMORY: u64 = 64 << 20;

/// The rows of a board, indented, and an empty line.
pub(super) fn picture(board: &impl Display) -> String {
    let rows = format!("{board:#}");
    let rows = rows.lines().map(|row| format!("  {row}\n"));
    rows.chain(["\n".to_owned()]).collect()
}

/// Whether a board can be played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardState {
    Live,
    Dead,
    Won,
    /// No game has an empty board.
    Empty,
}

impl BoardState {
    pub(super) fn of(game: Game, board: Board) -> Self {
        match Position::on(game, board).status() {
            _ if board == 0 => Self::Empty,
            Status::Won => Self::Won,
            Status::Dead => Self::Dead,
            Status::Live => Self::Live,
        }
    }
}

impl Display for BoardState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Live => "live",
            Self::Dead => "dead",
            Self::Won => "won",
            Self::Empty => "empty",
        })
    }
}

impl Serialize for BoardState {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// The legal moves of a board with their values, in order of direction.
pub(super) struct JudgedMoves<'g> {
    goals: &'g [Goal],
    moves: Vec<MoveValue>,
}

impl<'g> JudgedMoves<'g> {
    /// Look the moves of a board up in `values`, which are of these goals.
    pub(super) fn new(values: &mut Values, goals: &'g [Goal], board: Board) -> Result<Self> {
        let moves = values.moves(board)?;
        Ok(Self { goals, moves })
    }

    pub(super) fn goals(&self) -> &'g [Goal] {
        self.goals
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &MoveValue> {
        self.moves.iter()
    }

    /// The move in a direction, if it is legal.
    pub(super) fn get(&self, direction: Direction) -> Option<&MoveValue> {
        self.iter().find(|of| of.direction == direction)
    }

    /// The moves that are best for a goal, given by its place; none on a board without a move.
    pub(super) fn best(&self, goal: usize) -> impl Iterator<Item = &MoveValue> {
        let most = self.iter().map(|of| of.units[goal]).max();
        self.iter().filter(move |of| Some(of.units[goal]) == most)
    }

    /// The names of the moves that are best for a goal.
    pub(super) fn best_names(&self, goal: usize) -> Vec<&'static str> {
        self.best(goal).map(|of| of.direction.name()).collect()
    }

    /// The difference between the best move for a goal and another move: exactly 0 for a best move.
    pub(super) fn loss(&self, goal: usize, of: &MoveValue) -> f64 {
        let best = self.best(goal).next().map_or(0, |best| best.units[goal]);
        self.goals[goal].number(best - of.units[goal])
    }
}

/// Judges the positions of a game by a solution.
pub(super) struct Adviser<'a> {
    goals: Vec<Goal>,
    values: Values<'a>,
}

impl<'a> Adviser<'a> {
    /// For some goals of a solution, at least one.
    pub(super) fn new(solution: &'a Solution, goals: Vec<Goal>) -> Result<Self> {
        Ok(Self {
            values: Values::new(solution, &goals, MEMORY)?,
            goals,
        })
    }

    /// The objectives of the goals, first the one that the best move is chosen for.
    pub(super) fn objectives(&self) -> impl Iterator<Item = Objective> {
        self.goals.iter().map(|goal| goal.objective)
    }

    /// The moves of a position; none if the game is over.
    pub(super) fn advise(&mut self, position: &Position) -> Result<JudgedMoves<'_>> {
        match position.board() {
            Some(board) if position.status() == Status::Live => {
                JudgedMoves::new(&mut self.values, &self.goals, board)
            }
            _ => Ok(JudgedMoves {
                goals: &self.goals,
                moves: Vec::new(),
            }),
        }
    }
}

/// The value of a position for each goal, under the best play.
pub(super) fn worth(position: &Position, judged: &JudgedMoves) -> Vec<f64> {
    let worth = judged.goals.iter().enumerate().map(|(at, goal)| {
        let best = judged.best(at).next().map(|best| best.numbers[at]);
        best.unwrap_or_else(|| match goal.objective {
            Objective::Score | Objective::Moves => 0.0,
            Objective::Tile(exp) => {
                let reached = position.tiles().any(|tile| tile >= exp.tile());
                u32::from(reached).into()
            }
        })
    });
    worth.collect()
}
