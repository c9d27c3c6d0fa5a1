//! The label of a part, in the header of its files.

use std::fmt;

use super::block::BLOCK;
use crate::game::{Exp, Game, PartKey};

/// Whether a part holds boards before or after the spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Boards with the player to move.
    States,
    /// Boards after a move, before the spawn.
    Afterstates,
}

impl Kind {
    /// Boards in every block but the last of a part of this kind. Large blocks make files of states
    /// small; small blocks let the next layers read afterstates in parallel.
    #[must_use]
    pub fn block(self) -> usize {
        match self {
            Self::States => BLOCK,
            Self::Afterstates => BLOCK / 8,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::States => "states",
            Self::Afterstates => "afterstates",
        })
    }
}

/// The kind, game, sum and largest tile of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// States or afterstates.
    pub kind: Kind,
    /// Rows of the boards.
    pub rows: u8,
    /// Columns of the boards.
    pub cols: u8,
    /// The winning tile, [`Exp::LAST`] if there is none.
    pub win: Exp,
    /// Sum and largest tile of every board.
    pub key: PartKey,
}

impl Label {
    /// The label of a part of a game.
    pub(crate) fn new(game: &Game, kind: Kind, key: PartKey) -> Self {
        Self {
            kind,
            rows: game.size().rows(),
            cols: game.size().cols(),
            win: game.win(),
            key,
        }
    }
}

/// `states of 3x3-1024, sum 164, largest tile 32`.
impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            rows,
            cols,
            win,
            key,
        } = *self;
        write!(f, "{kind} of {rows}x{cols}")?;
        if win < Exp::LAST {
            write!(f, "-{}", win.tile())?;
        }
        write!(f, ", {key}")
    }
}
