//! The frontier: what the next layer follows from.

use crate::error::Result;
use crate::game::{Board, Exp, PartKey, max_exp};
use crate::part::{Kind, Part};
use crate::store::Run;

/// The afterstates of the last two sums, open for reading, and the starts of the next one. Nothing
/// else of the game so far is needed.
pub(crate) struct Frontier {
    /// Sum of the next layer.
    sum: u32,
    /// The parts of both sums, in order.
    parts: Vec<(PartKey, Part)>,
    starts: Vec<Board>,
}

impl Frontier {
    /// The frontier of the layer `sum`, which must be the next of `run`.
    pub(crate) fn open(run: &Run, sum: u32) -> Result<Self> {
        let mut parts = Vec::new();
        for before in [sum - 4, sum - 2] {
            for max in run.game().top().up_to() {
                let key = PartKey { sum: before, max };
                if let Some(part) = run.part(Kind::Afterstates, key)? {
                    parts.push((key, part));
                }
            }
        }
        Ok(Self {
            sum,
            parts,
            starts: run.game().starts(sum),
        })
    }

    /// The afterstates that states of a part come from, each with the tile to spawn.
    pub(crate) fn sources(&self, key: PartKey) -> Vec<(&Part, Exp)> {
        let open = |from| {
            let at = self.parts.binary_search_by_key(&from, |(key, _)| *key);
            at.ok().map(|at| &self.parts[at].1)
        };
        let sources = key.spawned_from();
        sources
            .filter_map(|(from, tile)| Some((open(from)?, tile)))
            .collect()
    }

    /// The afterstates of one of both sums.
    pub(crate) fn of_sum(&self, sum: u32) -> Vec<&Part> {
        let parts = self.parts.iter().filter(|(key, _)| key.sum == sum);
        parts.map(|(_, part)| part).collect()
    }

    /// The starts of a part.
    pub(crate) fn starts(&self, max: Exp) -> Vec<Board> {
        let starts = self.starts.iter().copied();
        starts.filter(|&board| max_exp(board) == max).collect()
    }

    /// Whether the part can have states.
    pub(crate) fn leads_to(&self, key: PartKey) -> bool {
        !self.starts(key.max).is_empty() || !self.sources(key).is_empty()
    }

    /// Whether a layer after the next follows from it, too: a 4 is spawned into the afterstates of
    /// the last sum.
    pub(crate) fn goes_on(&self) -> bool {
        self.parts.iter().any(|(key, _)| key.sum + 2 == self.sum)
    }
}
