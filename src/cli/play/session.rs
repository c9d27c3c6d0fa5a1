//! A game with undo.

use crate::game::{Direction, Game};
use crate::play::{Code, Luck, Position, Seed};

/// A game from a seed, with undo. Each move plays the game again from its start. So a move after an
/// undo brings the same tile as before.
pub(super) struct Session {
    pub(super) seed: Seed,
    /// The code of the game so far.
    pub(super) code: Code,
}

impl Session {
    /// A game at its start, with two tiles.
    pub(super) fn new(game: Game, seed: Seed) -> Self {
        let code = Code::new(game, Luck::Seed(seed), Vec::new());
        let code = code.expect("a seed starts every game");
        Self { seed, code }
    }

    /// The current board.
    pub(super) fn position(&self) -> &Position {
        self.code.end()
    }

    /// Move all tiles and, unless the move wins, spawn a tile. Does nothing and returns false if the
    /// move is not legal or the game is over.
    pub(super) fn slide(&mut self, direction: Direction) -> bool {
        let moves = [self.code.moves(), &[direction]].concat();
        let played = Code::new(self.code.game(), Luck::Seed(self.seed), moves);
        played.map(|code| self.code = code).is_ok()
    }

    /// Undo the last move; false if there is none.
    pub(super) fn undo(&mut self) -> bool {
        let Some((_, moves)) = self.code.moves().split_last() else {
            return false;
        };
        let played = Code::new(self.code.game(), Luck::Seed(self.seed), moves.to_vec());
        played.map(|code| self.code = code).is_ok()
    }
}
