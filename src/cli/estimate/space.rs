//! What a count takes in memory and on disk.

use std::ops::RangeInclusive;

use super::Range;
use super::forecast::AFTERSTATES;
use crate::engine::{Choice, Engine, FRONTIER_AFTER, Plan};
use crate::game::{Exp, Game};
use crate::part::Kind;
use crate::store::{Keep, Run};

/// Bytes of memory for each state of the largest layer as lists, and beside.
const LIST_STATE: f64 = 24.0;
const BESIDE: f64 = (12 << 20) as f64;

/// Bytes of memory for a board of a layer of bits that is listed, and more while it is sorted.
const LISTED: f64 = 4.0;
const SORTED: f64 = 20.0;

/// Bytes of a file beside its boards: header, index and footer.
const FRAME: f64 = 130.0;

/// With so many states, their files tell how many bits a state takes.
const ENOUGH: u64 = 10_000;

/// Bytes of memory to expect, where `largest` tells the states of the largest layer of some sums.
pub(super) fn memory(
    choice: &Choice,
    plan: &Plan,
    keep: Keep,
    seconds: f64,
    largest: impl Fn(RangeInclusive<u32>) -> f64,
) -> f64 {
    let stages = choice.stages().iter().map(|stage| {
        let states = largest(0..=stage.last);
        let frontier = keep.afterstates() || seconds > FRONTIER_AFTER.as_secs_f64();
        match stage.engine {
            Engine::Lists => LIST_STATE * states,
            Engine::Bits => {
                let listed = match (keep.states(), frontier) {
                    (true, _) => states,
                    (_, true) => AFTERSTATES * states,
                    _ => 0.0,
                };
                // The states of the last layer are always listed.
                let listed = listed.max(largest(choice.last()..=stage.last));
                let sorted = SORTED * listed.min(stage.plan.batch as f64);
                (plan.memory() - stage.plan.memory()) as f64 + LISTED * listed + sorted
            }
        }
    });
    BESIDE + stages.fold(0.0, f64::max)
}

/// Files of boards of one kind.
#[derive(Clone, Copy, Default)]
pub(super) struct KeptFiles {
    number: usize,
    pub(super) bytes: u64,
    /// Live states in them, or in the layers of the afterstates.
    pub(super) states: u64,
}

impl KeptFiles {
    /// The files of the layers up to `until`. Afterstates of the frontier do not count.
    pub(super) fn of(run: &Run, kind: Kind, until: Option<u32>) -> Self {
        if kind == Kind::Afterstates && !run.keep().afterstates() {
            return Self::default();
        }
        let parts = run.parts(kind);
        let parts = parts.filter(|key| until.is_none_or(|until| key.sum <= until));
        Self {
            number: parts.count(),
            bytes: run.bytes(kind, until),
            states: match kind {
                Kind::States => run.listed(kind, until),
                Kind::Afterstates => run.table().until(until).totals().live,
            },
        }
    }

    /// Bits to expect for each live state. In large layers of 4x4 a state takes less than in small
    /// ones, in large layers of small boards more. Later layers have more afterstates for each state:
    /// in the first seconds of 4x4 to 32 they take 0.85 bits, in all of it 1.44.
    pub(super) fn bits(&self, kind: Kind) -> Range {
        let (usual, change) = match kind {
            // As in 4x4 to 128 and in 3x3.
            Kind::States => (Range::new(3.1, 5.3), Range::new(0.7, 1.2)),
            // As in 4x4 to 16 and in 3x3.
            Kind::Afterstates => (Range::new(1.1, 4.5), Range::new(1.0, 2.0)),
        };
        if self.states < ENOUGH {
            return usual;
        }
        let bytes = self.bytes as f64 - self.number as f64 * FRAME;
        change.map(|change| change * bytes * 8.0 / self.states as f64)
    }
}

/// Bytes of the frames of a layer's files.
pub(super) fn frames(game: &Game, sum: u32) -> f64 {
    let tiles = game.top().up_to().map(Exp::tile);
    let fits = |&tile: &u32| tile <= sum && sum <= game.size().cells() * tile;
    tiles.filter(fits).count() as f64 * FRAME
}
