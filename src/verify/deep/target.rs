//! What is to be made again, and from what.
//!
//! Key idea: the boards of a layer follow from whatever the run kept of every layer. A move leads from
//! a state to an afterstate of its own layer, a move and a spawn to a state of a later one. Where
//! the states were dropped, a spawn and a move lead from the afterstates of two layers to those of a
//! third, and no state needs to be there.

use crate::error::Result;
use crate::game::Exp;
use crate::part::Kind;
use crate::store::Run;

/// The states or the afterstates of a layer.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) kind: Kind,
    pub(super) sum: u32,
    /// What they are made from.
    pub(super) from: Kind,
}

impl Target {
    /// All that a run has, in the order in which they follow from each other.
    pub(super) fn all(run: &Run) -> Result<Vec<Self>> {
        let kinds = [Kind::States, Kind::Afterstates];
        let mut whole = kinds.into_iter().filter(|&kind| run.first_sum(kind) == 4);
        let from = whole.next().ok_or_else(|| run.gone(Kind::States, 4))?;
        // Nothing follows the last layer of a complete game: the next two layers are to be empty.
        let end = run.sealed_sum() + if run.complete() { 4 } else { 0 };
        let sums = (4..=end).step_by(2);
        let targets = sums.flat_map(|sum| kinds.map(|kind| Self { kind, sum, from }));
        Ok(targets
            .filter(|target| target.sum >= run.first_sum(target.kind))
            .collect())
    }

    /// The sums of the layers that it follows from, each with the tile that is spawned, if one is.
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
