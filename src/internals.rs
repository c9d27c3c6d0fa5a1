//! Internals for the benches and the tests of this repository. They change without notice.

use crate::engine::{Plan, Workers};
use crate::error::Result;
use crate::game::LineTables;
use crate::read::Reader;
use crate::solve::{self, Payoff, SolvedLayer};
use crate::store::{Goal, Solution};

pub use crate::engine::bits::canonical::{DigitBuffer, ROOM, SharedHalf, extract, keep_canonical};
pub use crate::engine::bits::kernels::{
    BitLine, LINE, combine, count, count_masked, count_masked_twice, or, or_masked,
};
pub use crate::engine::bits::transpose::{BitTile, transpose};
pub use crate::engine::lists::sort::{Sorter, union, union_all};
pub use crate::game::rules::{Rules, rules};
pub use crate::part::block::{BLOCK, Block, Encoder};
pub use crate::part::contents::Contents;
pub use crate::part::planes::ValueEncoder;
pub use crate::part::writer::{PartWriter, Sealed};
pub use crate::solve::expand::{Expand, ExpandScratch};
pub use crate::solve::index::Index;
pub use crate::solve::rank::{RankTables, Ranking};

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
    let payoffs: Vec<Payoff> = goals.iter().map(|&goal| Payoff::new(goal)).collect();
    let tables = solve::tables(solution);
    let reader = Reader::new(solution.run().clone(), &plan);
    let from = (solution, &reader);
    let read = |sum| SolvedLayer::read(from, &payoffs, &tables, sum, &workers);
    let [twos, fours] = [read(sum + 2)?, read(sum + 4)?];
    let game = *solution.run().game();
    Ok(act(&Expand {
        game,
        lines: &LineTables::new(&game),
        payoffs: &payoffs,
        above: [&twos, &fours],
    }))
}
