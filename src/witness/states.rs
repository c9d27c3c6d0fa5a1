//! The live states of a run, whether it kept them or only the afterstates that they follow from.

use super::is_start;
use super::predecessors::before_spawn;
use crate::error::{Error, Result};
use crate::game::{Board, sum};
use crate::part::Kind;
use crate::store::{Lookup, Run};

/// Tells which states a run reached.
pub(super) struct States<'a> {
    run: &'a Run,
    boards: Lookup<'a>,
}

impl<'a> States<'a> {
    /// Use about `memory` bytes for decoded blocks.
    pub(super) fn new(run: &'a Run, memory: u64) -> Result<Self> {
        let boards = Lookup::new(run, memory)?;
        Ok(Self { run, boards })
    }

    /// See that the states of a sum can be told: they are kept, or the afterstates before them are.
    pub(super) fn has_layer(&self, sum: u32) -> Result<()> {
        match self.run.has_layer(Kind::States, sum) {
            Err(Error::Gone { .. }) if self.has_afterstates_before(sum) => Ok(()),
            told => told,
        }
    }

    fn has_afterstates_before(&self, sum: u32) -> bool {
        self.run.first_sum(Kind::Afterstates) <= sum.saturating_sub(4).max(4)
    }

    /// Whether the run reached a canonical live board, of a layer that can be told.
    pub(super) fn contain(&mut self, board: Board) -> Result<bool> {
        if self.run.has_layer(Kind::States, sum(board)).is_ok() {
            return self.boards.contains(Kind::States, board);
        }
        let game = *self.run.game();
        if is_start(board) {
            return Ok(true);
        }
        for (_, afterstate) in before_spawn(game.size(), board) {
            let (afterstate, _) = game.canonical(afterstate);
            if self.boards.contains(Kind::Afterstates, afterstate)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
