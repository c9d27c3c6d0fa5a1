//! What states and afterstates take on disk.

use crate::cli::forecast::Range;
use crate::game::{Exp, Game};
use crate::part::Kind;
use crate::store::Run;

/// Bytes of a file beside its boards: header, index and footer.
const FRAME: f64 = 130.0;

/// With so many states their files tell how many bits a state takes...
const ENOUGH: u64 = 10_000;

/// ...up to such factors. In large layers of 4x4 a state takes less than in small ones, in those of
/// small boards more.
const CHANGE: Range = Range {
    low: 0.7,
    high: 1.2,
};

/// Bits of a state if no files tell: those of 4x4 to 128 and of 3x3.
const BITS: Range = Range {
    low: 3.1,
    high: 5.3,
};

/// The same of afterstates. Later layers have more of them for each state: in the first seconds of
/// 4x4 to 32 they take 0.85 bits, in all of it 1.44.
const AFTERSTATE_CHANGE: Range = Range {
    low: 1.0,
    high: 2.0,
};

/// Bits of the afterstates for each state: those of 4x4 to 16 and of 3x3.
const AFTERSTATE_BITS: Range = Range {
    low: 1.1,
    high: 4.5,
};

/// The files of a run, of states or of afterstates.
#[derive(Clone, Copy)]
pub(super) struct Files {
    kind: Kind,
    number: usize,
    pub(super) bytes: u64,
    /// Live states in them, or in the layers that the afterstates are of.
    pub(super) states: u64,
}

impl Files {
    /// Those of the layers up to `until`; none of afterstates that are not kept.
    pub(super) fn of(run: &Run, kind: Kind, until: Option<u32>) -> Self {
        if kind == Kind::Afterstates && !run.keep().afterstates() {
            return Self {
                kind,
                number: 0,
                bytes: 0,
                states: 0,
            };
        }
        let parts = run.parts(kind);
        let parts = parts.filter(|key| until.is_none_or(|until| key.sum <= until));
        Self {
            kind,
            number: parts.count(),
            bytes: run.bytes(kind, until),
            states: match kind {
                Kind::States => run.listed(kind, until),
                Kind::Afterstates => run.table().until(until).totals().live,
            },
        }
    }

    /// Bits to expect for each state.
    pub(super) fn bits(&self) -> Range {
        let (usual, change) = match self.kind {
            Kind::States => (BITS, CHANGE),
            Kind::Afterstates => (AFTERSTATE_BITS, AFTERSTATE_CHANGE),
        };
        if self.states < ENOUGH {
            return usual;
        }
        let bytes = self.bytes as f64 - self.number as f64 * FRAME;
        change * (bytes * 8.0 / self.states as f64)
    }
}

/// Bytes of the frames of a layer's files.
pub(super) fn frames(game: &Game, sum: u32) -> f64 {
    let tiles = game.top().up_to().map(Exp::tile);
    let fits = |&tile: &u32| tile <= sum && sum <= game.size().cells() * tile;
    tiles.filter(fits).count() as f64 * FRAME
}
