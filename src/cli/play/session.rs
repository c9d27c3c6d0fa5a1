//! A game that is being played, with undo.

use crate::game::{Direction, Game};
use crate::play::{Chance, Code, Luck, Position, Seed, Status};

/// A seeded game. Each board is kept with the state of the generator, so that the same moves bring
/// the same tiles after an undo, and the code stays true.
pub(super) struct Session {
    seed: Seed,
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
        let position = Position::new(game);
        let chance = Chance::new(seed);
        let mut now = SavedState { position, chance };
        now.spawn();
        now.spawn();
        let past = Vec::new();
        Self { seed, now, past }
    }

    pub(super) fn seed(&self) -> Seed {
        self.seed
    }

    /// The current board.
    pub(super) fn position(&self) -> &Position {
        &self.now.position
    }

    /// Number of moves made.
    pub(super) fn moves(&self) -> usize {
        self.past.len()
    }

    /// Move all tiles and, unless that wins, spawn one. Does nothing and returns false if the move
    /// is not legal or the game is over.
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
        let undone = last.is_some();
        if let Some((before, _)) = last {
            self.now = before;
        }
        undone
    }

    /// The code of the game so far.
    pub(super) fn code(&self) -> Code {
        let moves = self.past.iter().map(|&(_, direction)| direction).collect();
        Code::new(self.now.position.game(), Luck::Seed(self.seed), moves)
            .expect("only legal moves were made")
    }
}

#[cfg(test)]
mod tests {
    use super::Direction::{Down, Left, Right, Up};
    use super::*;

    fn session(game: &str, seed: u64) -> Session {
        Session::new(game.parse().unwrap(), Seed(seed))
    }

    // A second program made the codes, as in `play::code`.
    #[test]
    fn a_won_game_has_its_code_and_continues_only_after_undo() {
        let mut game = session("2x2-16", 5);
        for direction in [Up, Left, Left, Left, Up, Left, Up] {
            assert!(game.slide(direction));
        }
        assert_eq!(game.position().to_string(), "16 4 / . .");
        assert_eq!(game.code().to_string(), "s1.2x2-16.5.7.PzA.W.8619cce7");
        assert!(
            Direction::ALL
                .iter()
                .all(|&direction| !game.slide(direction))
        );
        assert_eq!(game.moves(), 7);
        assert!(game.undo() && game.slide(Down));
    }

    #[test]
    fn undo_leads_back_to_the_start_and_the_same_moves_bring_the_same_tiles() {
        let code: Code = "s1.3x3.0.31.-/t/v97/7/g.1385f34a".parse().unwrap();
        let mut game = session("3x3", 0);
        let mut boards = vec![game.position().clone()];
        for &direction in code.moves() {
            assert!(game.slide(direction));
            boards.push(game.position().clone());
        }
        assert_eq!(game.position().to_string(), "4 2 4 / 16 4 2 / 32 8 4");
        for board in boards.iter().rev().skip(1) {
            assert!(game.undo());
            assert_eq!(game.position(), board);
        }
        assert!(!game.undo());
        assert_eq!((game.moves(), game.position().score()), (0, 0));
        for (&direction, board) in code.moves().iter().zip(&boards[1..]) {
            assert!(game.slide(direction));
            assert_eq!(game.position(), board);
        }
        assert_eq!(game.code(), code);
    }

    #[test]
    fn a_move_that_changes_nothing_is_not_made() {
        let mut game = session("2x2-16", 5);
        assert_eq!(game.position().to_string(), ". . / 4 2");
        assert!(!game.slide(Down) && !game.slide(Right) && !game.undo());
        assert_eq!(game.code().moves(), []);
    }
}
