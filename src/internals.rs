//! Internals for the benches and the tests of this repository. They change without notice.

use std::path::Path;

use crate::engine::{Plan, Workers};
use crate::error::Result;
use crate::game::{Game, LineTables};
use crate::read::Reader;
use crate::solve::{self, Payoff, SolvedLayer};
use crate::store::{Goal, Keep, Solution, Store};

pub use crate::engine::bits::canonical::{DigitBuffer, ROOM, SharedHalf, extract, keep_canonical};
pub use crate::engine::bits::kernels::{
    BitLine, LINE, combine, count, count_masked, count_masked_twice, or, or_masked,
};
pub use crate::engine::bits::transpose::{BitTile, transpose};
pub use crate::engine::lists::bitmap::Bitmap;
pub use crate::game::rank::{RankTables, Ranking};
pub use crate::game::rules::Rules;
pub use crate::part::block::{Block, Encoder};
pub use crate::part::contents::BLOCK;
pub use crate::part::contents::Contents;
pub use crate::part::planes::ValueEncoder;
pub use crate::part::writer::{PartWriter, Sealed};
pub use crate::solve::expand::{Expand, ExpandScratch};
pub use crate::solve::index::Index;

/// [`Store::open`]; a run without a counted layer gets `segment` boards, a multiple of 2^17, in
/// every file of a part but the last.
///
/// # Errors
///
/// As for [`Store::open`].
pub fn open_in_segments(dir: &Path, game: &Game, keep: Keep, segment: u64) -> Result<Store> {
    Store::open_in_segments(dir, game, Some(keep), segment)
}

/// Call `act` with an [`Expand`] for the afterstates of `sum`. The two layers above are read from a
/// solution.
///
/// # Errors
///
/// Damaged files; errors of the system.
pub fn expanding<R>(
    solution: &Solution,
    goals: &[Goal],
    sum: u32,
    act: impl FnOnce(&Expand<'_>) -> R,
) -> Result<R> {
    let plan = Plan::new(64 << 20, 1)?;
    let workers = Workers::start(&plan)?;
    let game = *solution.run().game();
    let payoffs = Payoff::all(goals, &game);
    let tables = solve::tables(solution);
    let reader = Reader::new(solution.run().clone(), &plan);
    let from = (solution, &reader);
    let read = |sum| SolvedLayer::read(from, &payoffs, &tables, sum, &workers);
    let [twos, fours] = [read(sum + 2)?, read(sum + 4)?];
    Ok(act(&Expand {
        game,
        lines: &LineTables::new(&game),
        payoffs: &payoffs,
        above: [&twos, &fours],
    }))
}
