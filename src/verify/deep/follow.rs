//! The boards that follow from others, by moves and spawns.

use super::super::line_moves::LineMoves;
use super::target::Target;
use crate::game::board::exps;
use crate::game::{Board, Exp, Game};
use crate::part::Kind;

/// Knows what follows from the boards of a game.
pub(super) struct Follow {
    game: Game,
    pub(super) moves: LineMoves,
}

impl Follow {
    pub(super) fn new(game: &Game) -> Self {
        Self {
            game: *game,
            moves: LineMoves::new(game),
        }
    }

    /// The canonical boards of a target that follow from boards of a source, with `tile` spawned, if
    /// one is.
    pub(super) fn boards(&self, target: Target, from: &[Board], tile: Option<Exp>) -> Vec<Board> {
        let mut boards = match target.from {
            Kind::States => self.moved(from),
            Kind::Afterstates => from.to_vec(),
        };
        if let Some(tile) = tile {
            boards = self.spawned(&boards, tile);
        }
        if target.moves_last() {
            boards = self.moved(&boards);
        }
        self.game.rules().canonicalise(&mut boards);
        boards
    }

    /// The canonical boards of a target that follow from no others: they are starts, or a move leads
    /// to them from one.
    pub(super) fn starts(&self, target: Target) -> Vec<Board> {
        let mut starts = self.game.starts(target.sum);
        match target.kind {
            Kind::States => {}
            Kind::Afterstates if target.moves_last() => starts = self.moved(&starts),
            // The states that they follow from have them.
            Kind::Afterstates => starts.clear(),
        }
        self.game.rules().canonicalise(&mut starts);
        starts
    }

    /// Boards after every move that does not win.
    fn moved(&self, boards: &[Board]) -> Vec<Board> {
        let mut moved = Vec::new();
        for &board in boards {
            self.moves.moves(board, &mut moved);
        }
        moved
    }

    /// Boards with a tile in every empty cell.
    fn spawned(&self, boards: &[Board], tile: Exp) -> Vec<Board> {
        let cells = self.game.size().cells();
        let mut spawned = Vec::new();
        for &board in boards {
            for (cell, exp) in (0..cells).zip(exps(board)) {
                if exp == Exp::EMPTY {
                    spawned.push(board | u64::from(tile.get()) << (4 * cell));
                }
            }
        }
        spawned
    }
}
