//! Witnesses: for a board, a game that ends in it, or the reason why there is none.
//!
//! A count says how many states can be reached; a witness proves it of one, to anybody, by a game that
//! can be replayed ([`crate::play`]). It is found backward. A state came from an afterstate by a tile, the
//! afterstate from a state by a move; both steps can be listed, as a move treats lines alone. Key idea:
//! whatever is before a reached state on *some* way back was reached, too, so with the layers of a run at hand
//! the first predecessor found in them will do, and no step is ever taken back.
//!
//! Without them, the layered method runs backward: sum by sum, all predecessors of the boards at hand, down to a
//! start. There are too many to keep them all, so only some of each sum are kept; see `search` for which. If
//! none had to be dropped and there is no start among them, there is no game.
//!
//! Reading order: `back` (one step back), `layers` (with a run; `lookup` reads it), `search` (without), `refute` (what cannot be).

mod back;
mod layers;
mod lookup;
mod refute;
mod search;

use crate::error::Result;
use crate::game::board::{max_exponent, sum};
use crate::game::{Board, Direction, Game};
use crate::play::{Code, Luck, Spawn};
use back::{Back, Step};

pub use layers::Layers;
pub use search::{Search, Watch};

/// What is known of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A game ends in it.
    Reached(Box<Code>),
    /// None does, and why.
    Unreachable(String),
    /// None was found, and more may be had with a greater bound.
    Unknown,
}

/// Whether a board is one that a game can start with: two tiles, each a 2 or a 4.
fn is_start(board: Board) -> bool {
    let tiles = (0..16).map(|place| board >> (4 * place) & 15);
    let tiles: Vec<u64> = tiles.filter(|&tile| tile > 0).collect();
    matches!(tiles[..], [1 | 2, 1 | 2])
}

/// Whether a board is one that a move won.
fn won(game: &Game, board: Board) -> bool {
    max_exponent(board) >= game.win_exponent()
}

/// A game on its way back, from its last board to its start.
struct Trail<'a> {
    game: Game,
    back: &'a Back,
    board: Board,
    /// Moves, each with the tile that followed, the last one first.
    steps: Vec<(Direction, Option<Spawn>)>,
}

impl<'a> Trail<'a> {
    fn new(game: Game, back: &'a Back, board: Board) -> Self {
        Self {
            game,
            back,
            board,
            steps: Vec::new(),
        }
    }

    /// Go a step back, to the first board of those before whose canonical form `takes` takes; false if it takes
    /// none.
    fn step(&mut self, mut takes: impl FnMut(Board) -> Result<bool>) -> Result<bool> {
        for step in self.back.steps(self.board, won(&self.game, self.board)) {
            let Step {
                direction, spawn, ..
            } = step;
            let mut canonical = step.before.clone();
            self.game.rules().canonicalise(&mut canonical);
            for (board, canonical) in step.before.into_iter().zip(canonical) {
                if takes(canonical)? {
                    self.board = board;
                    self.steps.push((direction, spawn));
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The code of the game, if its board is a start.
    fn code(mut self) -> Result<Code> {
        self.steps.reverse();
        let start: Vec<Spawn> = back::spawns(self.game.size(), self.board)
            .map(|(spawn, _)| spawn)
            .collect();
        let luck = Luck::Spawns {
            start: [start[0], start[1]],
            then: self.steps.iter().filter_map(|(_, spawn)| *spawn).collect(),
        };
        let moves = self.steps.iter().map(|(direction, _)| *direction);
        Code::new(self.game, luck, moves.collect())
    }
}

/// Where a state would be: its layer and its part.
fn place(board: Board) -> (u32, u32) {
    (sum(board), 1 << max_exponent(board))
}
