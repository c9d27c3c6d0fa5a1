//! A game from a seed, with undo.

use crate::game::{Direction, Game};
use crate::play::{Chance, Code, Luck, Position, Seed, Status};

/// A seeded game with undo. Each board is kept with the state of the generator. So a move that is
/// made again after an undo brings the tile that it brought before, and the code stays true.
pub(super) struct Session {
    pub(super) seed: Seed,
    now: SavedState,
    past: Vec<(SavedState, Direction)>,
}

#[derive(Clone)]
struct SavedState {
    position: Position,
    chance: Chance,
}

impl SavedState {
    fn spawn(&mut self) {
        let spawn = self.chance.spawn(&self.position);
        self.position.place(spawn);
    }
}

impl Session {
    /// A game at its start, with two tiles.
    pub(super) fn new(game: Game, seed: Seed) -> Self {
        let mut now = SavedState {
            position: Position::new(game),
            chance: Chance::new(seed),
        };
        now.spawn();
        now.spawn();
        let past = Vec::new();
        Self { seed, now, past }
    }

    /// The current board.
    pub(super) fn position(&self) -> &Position {
        &self.now.position
    }

    /// Number of moves made.
    pub(super) fn moves(&self) -> usize {
        self.past.len()
    }

    /// Move all tiles and, unless the move wins, spawn a tile. Does nothing and returns false if the
    /// move is not legal or the game is over.
    pub(super) fn slide(&mut self, direction: Direction) -> bool {
        let before = self.now.clone();
        let live = before.position.status() == Status::Live;
        let moved = live && self.now.position.slide(direction);
        if moved {
            if self.now.position.status() != Status::Won {
                self.now.spawn();
            }
            self.past.push((before, direction));
        }
        moved
    }

    /// Undo the last move; false if there is none.
    pub(super) fn undo(&mut self) -> bool {
        let last = self.past.pop();
        last.map(|(before, _)| self.now = before).is_some()
    }

    /// The code of the game so far.
    pub(super) fn code(&self) -> Code {
        let moves = self.past.iter().map(|&(_, direction)| direction).collect();
        Code::new(self.now.position.game(), Luck::Seed(self.seed), moves)
            .expect("only legal moves were made")
    }
}
