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
//! there are only about 0.3 different afterstates for each state, and each afterstate is spawned
//! into once for a 2 and once for a 4.
//!
//! Within a layer the parts (largest tile 2, 4, 8, ...) go in order, because a merge makes a tile at
//! most one step larger. For one part:
//!
//! 1. *map*: every thread takes blocks of the afterstate files, spawns, canonicalises, and drops the
//!    candidates into buckets by range of rank (`candidates.rs`);
//! 2. *reduce*: range by range, sort and drop duplicates, which gives the part's states in order;
//!    count them; encode them into blocks of the part file; and while they are still in the cache,
//!    move them, which fills the buckets of the afterstates (`reduce.rs`);
//! 3. reduce the afterstates in the same way.
//!
//! States are never read back: the next layers need only the afterstates. Memory is bounded by
//! [`Plan`]; nothing that is written depends on it, on the number of threads, or on where a run was
//! stopped.

mod candidates;
mod chunk;
mod crew;
mod filter;
mod lot;
mod packed;
mod plan;
mod progress;
mod ranges;
mod reduce;
mod sketch;
mod stretch;
mod supplies;
mod sweep;
mod turns;
mod unit;

use crate::error::{Error, Result};
use crate::game::Game;
use crate::laws::Laws;
use crate::store::{Layer, Store};

pub use crew::pool;
pub use plan::{LEVEL, Plan};
pub use progress::{Progress, Silent, Step};
use sweep::Sweep;

/// Count a game in its directory: from the last sealed layer on, to the last layer of the game or
/// to the one of sum `until`. Before that, every block that is in the directory is checked, so that no
/// count is built on damaged files or ends beside them. What is sealed is durable when this returns, also if with an error.
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
    sweep.settle(|| store.check_blocks())?;
    let laws = Laws::new(game, stop);
    while !store.complete() && store.sealed_sum() < stop {
        let sum = store.sealed_sum() + 2;
        progress.begin(sum);
        let counted = sweep.layer(sum, store, progress);
        let obeying = counted.and_then(|layer| obeys(&laws, store, layer));
        let sealed = obeying.and_then(|layer| sweep.settle(|| store.seal(&layer)).map(|()| layer));
        match sealed {
            Ok(layer) => progress.seal(&layer),
            Err(error) => {
                // The error that stopped it is the one to report.
                let _ = sweep.settle(|| store.abandon());
                return Err(error);
            }
        }
    }
    sweep.settle(|| store.close())
}

/// The layer, unless its counts break a law.
fn obeys(laws: &Laws, store: &Store, mut layer: Layer) -> Result<Layer> {
    layer.rows.retain(|row| !row.is_empty());
    let before = [layer.sum - 2, layer.sum - 4].map(|sum| store.layer(sum));
    laws.layer(layer.sum, true, |sum| match layer.sum - sum {
        0 => &layer.rows,
        2 => &before[0],
        _ => &before[1],
    })?;
    Ok(layer)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use crate::store::Keep;

    /// Names and bytes of all files of a directory.
    fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
        entries
            .map(|entry| {
                (
                    entry.file_name().into_string().unwrap(),
                    fs::read(entry.path()).unwrap(),
                )
            })
            .collect()
    }

    fn game(size: &str, max: u32) -> Game {
        Game::new(size.parse().unwrap(), Some(max)).unwrap()
    }

    /// The directory after a count that stops at each of `stops` and is begun again.
    fn directory(
        game: &Game,
        plan: &Plan,
        stops: &[Option<u32>],
        keep: Keep,
    ) -> BTreeMap<String, Vec<u8>> {
        let place = tempfile::tempdir().unwrap();
        for &until in stops {
            let mut store = Store::open(place.path(), game, Some(keep)).unwrap();
            count(game, &mut store, plan, until, &mut Silent).unwrap();
        }
        files(place.path())
    }

    #[test]
    fn threads_and_memory_change_no_byte() {
        let game = game("3", 128);
        let expected = directory(&game, &Plan::new(1 << 30, 2).unwrap(), &[None], Keep::All);
        assert!(expected.len() > 100, "{} files", expected.len());
        let plans = [
            Plan::new(1 << 30, 1).unwrap(),
            Plan::new(1 << 30, 7).unwrap(),
            Plan::tiny(1),
            Plan::tiny(2),
            Plan::tiny(7),
        ];
        for plan in plans {
            assert!(
                directory(&game, &plan, &[None], Keep::All) == expected,
                "{plan:?}"
            );
        }
    }

    #[test]
    fn large_parts_of_many_blocks_and_waves_are_the_same_under_any_plan() {
        // The fullest layers of 4x4 to 16 have over a million states, ten blocks.
        let game = game("4", 16);
        let expected = directory(
            &game,
            &Plan::new(4 << 30, 2).unwrap(),
            &[Some(46)],
            Keep::All,
        );
        for plan in [Plan::new(32 << 20, 2).unwrap(), Plan::tiny(3)] {
            assert!(
                directory(&game, &plan, &[Some(46)], Keep::All) == expected,
                "{plan:?}"
            );
        }
    }

    #[test]
    fn stopping_and_going_on_changes_no_byte() {
        let game = game("3", 64);
        let plan = Plan::new(64 << 20, 2).unwrap();
        for keep in [Keep::All, Keep::Last] {
            let expected = directory(&game, &plan, &[None], keep);
            let stops = [
                Some(4),
                Some(7),
                Some(8),
                Some(40),
                Some(20),
                Some(90),
                None,
                None,
            ];
            assert!(
                directory(&game, &plan, &stops, keep) == expected,
                "{keep:?}"
            );
            let part = directory(&game, &plan, &[Some(60)], keep);
            assert!(
                directory(&game, &plan, &[Some(30), Some(60)], keep) == part,
                "{keep:?}"
            );
            assert!(part != expected);
        }
    }

    #[test]
    fn keeping_the_last_layer_keeps_no_more() {
        let game = game("3", 64);
        let plan = Plan::new(64 << 20, 2).unwrap();
        let names = |until| {
            directory(&game, &plan, &[until], Keep::Last)
                .into_keys()
                .collect::<Vec<_>>()
        };
        let sums = |kind: &str, names: &[String]| {
            let of_kind = names.iter().filter(|name| name.ends_with(kind));
            let mut sums: Vec<u32> = of_kind.map(|name| name[4..9].parse().unwrap()).collect();
            sums.dedup();
            sums
        };
        let stopped = names(Some(60));
        assert_eq!(sums(".states", &stopped), [60]);
        assert_eq!(sums(".afterstates", &stopped), [58, 60]);
        let complete = names(None);
        assert_eq!(sums(".states", &complete).len(), 1);
        assert!(sums(".afterstates", &complete).is_empty());
    }

    #[test]
    fn layers_once_dropped_are_not_promised_again() {
        let game = game("2", 32);
        let place = tempfile::tempdir().unwrap();
        let plan = Plan::new(64 << 20, 1).unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
        count(&game, &mut store, &plan, Some(20), &mut Silent).unwrap();
        drop(store);
        let refused = Store::open(place.path(), &game, Some(Keep::All))
            .err()
            .unwrap();
        assert!(
            matches!(refused, Error::Dropped { below: 20, .. }),
            "{refused}"
        );
        assert!(
            Store::open(place.path(), &game, None).is_ok(),
            "goes on as it was begun"
        );
    }

    #[test]
    fn the_published_totals_of_2x2_are_found() {
        // Lees-Miller, 2017: 59 with the win and the loss; several: 110 states, 36 dead, 67 afterstates.
        let plan = Plan::new(64 << 20, 1).unwrap();
        let totals = |max| {
            let game = Game::new("2".parse().unwrap(), max).unwrap();
            let place = tempfile::tempdir().unwrap();
            let mut store = Store::open(place.path(), &game, None).unwrap();
            count(&game, &mut store, &plan, None, &mut Silent).unwrap();
            assert!(store.complete());
            store.table().totals()
        };
        assert_eq!(totals(Some(32)).total(), 59);
        let all = totals(None);
        assert_eq!(
            (all.states(), all.dead, all.labeled, all.afterstates),
            (110, 36, 662, 67)
        );
    }

    #[test]
    fn ends_are_refused_where_boards_would_not_fit() {
        let endless = Game::new("4".parse().unwrap(), None).unwrap();
        assert!(matches!(last_sum(&endless, None), Err(Error::Endless)));
        assert!(matches!(
            last_sum(&endless, Some(65536)),
            Err(Error::Endless)
        ));
        assert_eq!(last_sum(&endless, Some(65535)).unwrap(), 65534);
        assert!(matches!(
            last_sum(&game("2", 32), Some(3)),
            Err(Error::Until(3))
        ));
        assert_eq!(last_sum(&game("4", 65536), None).unwrap(), u32::MAX);
    }
}
