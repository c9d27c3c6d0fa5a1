//! Witnesses: for a board, a game that ends in it, or the reason why there is none.
//!
//! A count gives the number of reachable states; a witness proves that one state is reachable, by a
//! game that can be replayed ([`crate::play`]). It is found backward: a state came from an
//! afterstate by a spawn, and the afterstate from a state by a move. The predecessors of both steps
//! can be listed, because a move treats each line on its own. Key idea: if a board on *some* way
//! back is itself reachable, a game leads through it. So with the layers of a run, the first
//! predecessor found in them will do, and no step is ever undone.
//!
//! Without a run, this is a beam search, layer by layer and backward: all predecessors of the
//! boards of one sum, then of the next lower sum, down to a start. There are too many to keep, so
//! only some boards of each sum are kept (`beam` says which). If no board had to be dropped and no
//! start was found, no game ends in the target.
//!
//! Reading order: `predecessors` (one step back), `trail` (a game on its way back), `layers` (with a
//! run), `search` and `beam` (without), `refute` (boards that need no search).

mod beam;
mod layers;
mod predecessors;
mod refute;
mod search;
mod trail;

use crate::game::board::exps;
use crate::game::{Board, Exp, Game, max_exp};
use crate::play::Code;

pub use layers::Layers;
pub(crate) use layers::is_spawned;
pub(crate) use predecessors::Predecessors;
pub use search::Search;

/// Whether a board can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes: this game ends in the board.
    Reached(Box<Code>),
    /// No, for this reason.
    Unreachable(String),
    /// No game was found, but a search with more memory might find one.
    Unknown,
}

/// Whether a game can start with this board: two tiles, each a 2 or a 4.
fn is_start(board: Board) -> bool {
    let tiles: Vec<Exp> = exps(board).filter(|&exp| exp != Exp::EMPTY).collect();
    matches!(tiles[..], [Exp::TWO | Exp::FOUR, Exp::TWO | Exp::FOUR])
}

/// Whether the game is won on this board.
fn is_won(game: &Game, board: Board) -> bool {
    max_exp(board) >= game.win()
}
