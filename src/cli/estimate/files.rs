//! What states take on disk.

use crate::cli::forecast::Range;
use crate::game::{Exp, Game};
use crate::part::Kind;
use crate::store::Run;

/// Bytes of a file beside its states: header, index and footer.
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

/// The files of states of a run.
#[derive(Clone, Copy)]
pub(super) struct Files {
    number: usize,
    pub(super) bytes: u64,
    pub(super) states: u64,
}

impl Files {
    /// Those of the layers up to `until`.
    pub(super) fn of(run: &Run, until: Option<u32>) -> Self {
        let parts = run.parts(Kind::States);
        let parts = parts.filter(|key| until.is_none_or(|until| key.sum <= until));
        Self {
            number: parts.count(),
            bytes: run.bytes(until),
            states: run.listed(until),
        }
    }

    /// Bits to expect of a state.
    pub(super) fn bits(&self) -> Range {
        if self.states < ENOUGH {
            return BITS;
        }
        let bytes = self.bytes as f64 - self.number as f64 * FRAME;
        CHANGE * (bytes * 8.0 / self.states as f64)
    }
}

/// Bytes of the frames of a layer's files.
pub(super) fn frames(game: &Game, sum: u32) -> f64 {
    let tiles = game.top().up_to().map(Exp::tile);
    let fits = |&tile: &u32| tile <= sum && sum <= game.size().cells() * tile;
    tiles.filter(fits).count() as f64 * FRAME
}
