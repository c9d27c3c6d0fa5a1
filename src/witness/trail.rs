//! A game on its way back, step by step from its last board to its start.

use super::is_won;
use super::predecessors::{Predecessors, Step, before_spawn};
use crate::error::Result;
use crate::game::{Board, Direction, Game};
use crate::play::{Code, Luck, Spawn};

/// The end of a game, as far as it is known.
pub(super) struct Trail<'a> {
    game: Game,
    predecessors: &'a Predecessors,
    /// The first board so far.
    board: Board,
    /// Moves and the tiles spawned after them, the last step first.
    steps: Vec<(Direction, Option<Spawn>)>,
}

impl<'a> Trail<'a> {
    pub(super) fn new(game: Game, predecessors: &'a Predecessors, board: Board) -> Self {
        Self {
            game,
            predecessors,
            board,
            steps: Vec::new(),
        }
    }

    /// The board to go back from.
    pub(super) fn board(&self) -> Board {
        self.board
    }

    /// Go one step back, to the first predecessor whose canonical image `accepts`; false if there
    /// is none.
    pub(super) fn step(&mut self, mut accepts: impl FnMut(Board) -> Result<bool>) -> Result<bool> {
        let won = is_won(&self.game, self.board);
        for step in self.predecessors.steps(self.board, won) {
            let Step {
                direction,
                spawn,
                before,
            } = step;
            let mut canonical = before.clone();
            self.game.rules().canonicalise(&mut canonical);
            for (board, canonical) in before.into_iter().zip(canonical) {
                if accepts(canonical)? {
                    self.board = board;
                    self.steps.push((direction, spawn));
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The code of the game. The trail must have come to a start.
    pub(super) fn code(mut self) -> Result<Code> {
        self.steps.reverse();
        let spawns = before_spawn(self.game.size(), self.board);
        let start: Vec<Spawn> = spawns.map(|(spawn, _)| spawn).collect();
        let luck = Luck::Spawns {
            start: [start[0], start[1]],
            then: self.steps.iter().filter_map(|(_, spawn)| *spawn).collect(),
        };
        let moves = self.steps.iter().map(|(direction, _)| *direction);
        Code::new(self.game, luck, moves.collect())
    }

    /// The last step taken back.
    #[cfg(test)]
    pub(super) fn last_step(&self) -> Option<(Direction, Option<Spawn>)> {
        self.steps.last().copied()
    }
}
