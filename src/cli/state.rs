//! What the rules say of a board that somebody asks for.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::game::{Board, Game};
use crate::play::{Position, Status};

/// Whether a board can be played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Live,
    Dead,
    Won,
    /// No game has an empty board.
    Empty,
}

impl State {
    pub(super) fn of(game: Game, board: Board) -> Self {
        match Position::on(game, board).status() {
            _ if board == 0 => Self::Empty,
            Status::Won => Self::Won,
            Status::Dead => Self::Dead,
            Status::Live => Self::Live,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Live => "live",
            Self::Dead => "dead",
            Self::Won => "won",
            Self::Empty => "empty",
        })
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
