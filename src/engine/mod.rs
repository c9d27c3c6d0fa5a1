//! The sweep: one layer after another, each a map and a reduce.
//!
//! With S(s) the states and A(s) the afterstates of sum s, in canonical form:
//!
//! ```text
//! S(s) = starts(s)  +  spawn 2 into A(s-2)  +  spawn 4 into A(s-4)
//! A(s) = all legal moves of S(s), winning ones dropped but noted
//! ```
//!
//! ```text
//!  sum s-4      sum s-2                      sum s
//!  A(s-4) ------------------- spawn 4 -----> S(s) --- move ---> A(s)
//!               A(s-2) ------ spawn 2 ------/                     \---> s+2, s+4
//! ```
//!
//! Key idea: going through afterstates keeps the work small. A state has about 3.5 legal moves, but
//! there are only about 0.23 different afterstates for each state, and each afterstate is spawned
//! into once for a 2 and once for a 4.
//!
//! Within a layer the parts (largest tile 2, 4, 8, ...) go in order, because a merge makes a tile at
//! most one step larger. For one part:
//!
//! 1. *map*: every thread takes blocks of the afterstate files, spawns, canonicalises, and drops the
//!    candidates into buckets by key range ([`candidates`]);
//! 2. *reduce*: range by range, sort and drop duplicates, which gives the part's states in order;
//!    count them; encode them into blocks of the part file; and while they are still in the cache,
//!    move them, which fills the buckets of the afterstates ([`reduce`]);
//! 3. reduce the afterstates in the same way.
//!
//! States are never read back: the next layers need only the afterstates. Memory is bounded by
//! [`plan`]; nothing that is written depends on it, on the number of threads, or on where a run was
//! stopped.

mod candidates;
mod crew;
mod filter;
mod lot;
mod plan;
mod progress;
mod ranges;
mod reduce;
mod sketch;
mod sweep;

use crate::error::{Error, Result};
use crate::game::Game;
use crate::store::Store;

pub use plan::{LEVEL, Plan};
pub use progress::{Progress, Silent, Step};
use sweep::Sweep;

/// Count a game in its directory: from the last sealed layer on, to the last layer of the game or
/// to the one of sum `until`. What is sealed is durable when this returns, also if with an error.
///
/// # Errors
///
/// Whatever the system refuses; the directory then holds all layers before, and the same call goes
/// on from there.
pub fn count(
    game: &Game,
    store: &mut Store,
    plan: &Plan,
    until: Option<u32>,
    progress: &mut dyn Progress,
) -> Result<()> {
    let stop = last_sum(game, until)?;
    let mut sweep = Sweep::new(game, store, plan)?;
    while !store.complete() && store.sealed_sum() < stop {
        let sum = store.sealed_sum() + 2;
        progress.begin(sum);
        match sweep.layer(sum, store, progress) {
            Ok(layer) => {
                store.seal(&layer)?;
                progress.seal(&layer);
            }
            Err(error) => {
                // The error that stopped the layer is the one to report.
                let _ = store.abandon();
                return Err(error);
            }
        }
    }
    store.commit()
}

/// The greatest sum that a count of `game` until `until` counts: layers have even sums.
///
/// # Errors
///
/// [`Error::Until`] for a sum below the first layer, [`Error::Endless`] where boards would come up that
/// hold a tile beyond their digits.
pub fn last_sum(game: &Game, until: Option<u32>) -> Result<u32> {
    let endless = game.size().cells() == 16 && game.max().is_none();
    match until {
        Some(sum) if sum < 4 => Err(Error::Until(sum)),
        Some(sum) if endless && sum >= 65536 => Err(Error::Endless),
        None if endless => Err(Error::Endless),
        Some(sum) => Ok(sum / 2 * 2),
        None => Ok(u32::MAX),
    }
}
