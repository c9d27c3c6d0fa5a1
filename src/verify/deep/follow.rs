//! The boards that follow from other boards, by moves and spawns.
//!
//! Key idea: a layer is made again from the boards that the run kept. A move leads from a state to
//! an afterstate of its own layer; a move and a spawn lead to a state of a later layer. If the
//! states were dropped, a spawn and a move lead from the afterstates of two layers to the
//! afterstates of a third.

use super::super::line_moves::LineMoves;
use crate::error::Result;
use crate::game::{Board, Exp, Game};
use crate::part::Kind;
use crate::store::Run;

/// The moves and spawns of a game.
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

    /// The canonical boards of a target that follow from boards of a source. If `tile` is given, it is
    /// spawned.
    pub(super) fn boards(
        &self,
        target: TargetLayer,
        from: &[Board],
        tile: Option<Exp>,
    ) -> Vec<Board> {
        let mut boards = match target.from {
            Kind::States => self.moved(from),
            Kind::Afterstates => from.to_vec(),
        };
        if let Some(tile) = tile {
            let spawns = |board| self.game.spawns(board, tile);
            boards = boards.into_iter().flat_map(spawns).collect();
        }
        if target.moves_last() {
            boards = self.moved(&boards);
        }
        self.game.rules().canonicalise(&mut boards);
        boards
    }

    /// The canonical boards of a target that follow from no other board: starts, or boards after a
    /// move of a start.
    pub(super) fn starts(&self, target: TargetLayer) -> Vec<Board> {
        let mut starts = self.game.starts(target.sum);
        match target.kind {
            Kind::States => {}
            Kind::Afterstates if target.moves_last() => starts = self.moved(&starts),
            // These afterstates follow from states, which include the starts.
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
}

/// The states or the afterstates of a layer.
#[derive(Clone, Copy)]
pub(super) struct TargetLayer {
    pub(super) kind: Kind,
    pub(super) sum: u32,
    /// The kind of boards from which this layer is made.
    pub(super) from: Kind,
}

impl TargetLayer {
    /// All targets of a run, in the order in which they follow from each other.
    pub(super) fn all(run: &Run) -> Result<Vec<Self>> {
        let kinds = [Kind::States, Kind::Afterstates];
        let whole = kinds.into_iter().find(|&kind| run.first_sum(kind) == 4);
        let from = whole.ok_or_else(|| run.gone(Kind::States, 4))?;
        // Nothing follows the last layer of a complete game: the next two layers must be empty.
        let end = run.sealed_sum() + if run.complete() { 4 } else { 0 };
        Ok((4..=end)
            .step_by(2)
            .flat_map(|sum| kinds.map(|kind| Self { kind, sum, from }))
            .filter(|target| target.sum >= run.first_sum(target.kind))
            .collect())
    }

    /// The sums of the source layers, each with the spawned tile, if there is one.
    pub(super) fn sources(self) -> Vec<(u32, Option<Exp>)> {
        match (self.from, self.kind) {
            (Kind::States, Kind::Afterstates) => vec![(self.sum, None)],
            _ => vec![
                (self.sum - 2, Some(Exp::TWO)),
                (self.sum - 4, Some(Exp::FOUR)),
            ],
        }
    }

    /// Whether a move comes after the spawn.
    pub(super) fn moves_last(self) -> bool {
        (self.from, self.kind) == (Kind::Afterstates, Kind::Afterstates)
    }
}
