//! Whole counts: equal bytes under any plan, wherever a count is stopped.

use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::game::Game;
use crate::part::{Kind, Stream};
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

const EVERY: [Keep; 4] = [Keep::All, Keep::Last, Keep::Afterstates, Keep::Both];

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
    counted(game, plan, stops, keep, &mut Silent)
}

fn counted(
    game: &Game,
    plan: &Plan,
    stops: &[Option<u32>],
    keep: Keep,
    progress: &mut dyn Progress,
) -> BTreeMap<String, Vec<u8>> {
    let place = tempfile::tempdir().unwrap();
    for &until in stops {
        let mut store = Store::open(place.path(), game, Some(keep)).unwrap();
        count(&mut store, plan, until, progress).unwrap();
    }
    files(place.path())
}

/// Adds up the cuts of all layers, and remembers the most ranges of a layer.
#[derive(Default)]
struct Watched {
    cuts: Cuts,
    most_ranges: u64,
}

impl Progress for Watched {
    fn end(&mut self, layer: &FinishedLayer) {
        self.cuts += layer.cuts;
        self.most_ranges = self.most_ranges.max(layer.cuts.ranges);
    }
}

/// The directory after a count under a plan that is too small for the game.
fn squeezed(game: &Game, plan: &Plan, until: Option<u32>) -> BTreeMap<String, Vec<u8>> {
    let mut watched = Watched::default();
    let files = counted(game, plan, &[until], Keep::All, &mut watched);
    let Watched { cuts, most_ranges } = watched;
    assert!(cuts.spilled > 100_000, "{cuts:?} under {plan:?}");
    assert!(cuts.splits > 20, "{cuts:?} under {plan:?}");
    assert!(most_ranges > 30, "{most_ranges} under {plan:?}");
    files
}

#[test]
fn threads_and_memory_change_no_byte() {
    let game = game("3", 128);
    let expected = directory(&game, &Plan::new(1 << 30, 2).unwrap(), &[None], Keep::All);
    assert!(expected.len() > 100, "{} files", expected.len());
    for threads in [1, 7] {
        let plan = Plan::new(1 << 30, threads).unwrap();
        let found = directory(&game, &plan, &[None], Keep::All);
        assert!(found == expected, "{plan:?}");
    }
    // With more threads, most candidates would fit in memory.
    for threads in [1, 2, 3] {
        let plan = Plan::tiny(threads);
        assert!(squeezed(&game, &plan, None) == expected, "{plan:?}");
    }
}

#[test]
fn any_plan_gives_equal_large_parts_of_many_blocks_and_batches() {
    // The fullest layers of 4x4 to 16 have over a million states, ten blocks.
    let game = game("4", 16);
    let expected = directory(
        &game,
        &Plan::new(4 << 30, 2).unwrap(),
        &[Some(46)],
        Keep::All,
    );
    let plan = Plan::new(32 << 20, 2).unwrap();
    assert!(directory(&game, &plan, &[Some(46)], Keep::All) == expected);
    assert!(squeezed(&game, &Plan::tiny(3), Some(46)) == expected);
}

/// Ends a count after so many layers, and remembers the most states that were found within a layer.
struct StopAfter {
    layers: u32,
    of_layer: u64,
    found: u64,
}

impl Progress for StopAfter {
    fn begin(&mut self, _: u32) {
        self.layers -= 1;
        self.of_layer = 0;
    }
    fn advance(&mut self, boards: u64) {
        self.of_layer += boards;
        self.found = self.found.max(self.of_layer);
    }
    fn stop(&mut self) -> bool {
        self.layers == 0
    }
}

#[test]
fn progress_stop_and_until_end_a_count_alike() {
    let plan = Plan::new(256 << 20, 2).unwrap();
    for engine in [Engine::Lists, Engine::Bits] {
        let plan = plan.clone().with_engine(Some(engine));
        let game = game("4", 16);
        let mut progress = StopAfter {
            layers: 10,
            of_layer: 0,
            found: 0,
        };
        let stopped = counted(&game, &plan, &[None], Keep::All, &mut progress);
        let expected = directory(&game, &plan, &[Some(22)], Keep::All);
        assert!(stopped == expected, "{engine}");
    }
}

#[test]
fn both_engines_report_progress_within_a_layer() {
    let plan = Plan::new(256 << 20, 2).unwrap();
    for engine in [Engine::Lists, Engine::Bits] {
        let plan = plan.clone().with_engine(Some(engine));
        let mut progress = StopAfter {
            layers: u32::MAX,
            of_layer: 0,
            found: 0,
        };
        counted(
            &game("4", 16),
            &plan,
            &[Some(54)],
            Keep::Last,
            &mut progress,
        );
        // The last layer has 1.5 million states.
        assert!(progress.found > 10_000, "{engine}: {}", progress.found);
    }
}

#[test]
fn stopping_and_going_on_changes_no_byte() {
    let game = game("3", 64);
    let plan = Plan::new(64 << 20, 2).unwrap();
    for keep in EVERY {
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
fn the_published_totals_of_2x2_are_found() {
    // Lees-Miller, 2017: 59 with the win and the loss; several: 110 states, 36 dead, 67
    // afterstates.
    let plan = Plan::new(64 << 20, 1).unwrap();
    let totals = |max| {
        let game = Game::new("2".parse().unwrap(), max).unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        count(&mut store, &plan, None, &mut Silent).unwrap();
        assert!(store.run().complete());
        store.run().table().totals()
    };
    assert_eq!(totals(Some(32)).total(), 59);
    let all = totals(None);
    assert_eq!(
        (all.states(), all.dead, all.labeled, all.afterstates),
        (110, 36, 662, 67)
    );
}

#[test]
fn any_plan_keeps_equal_afterstates() {
    let game = game("3", 128);
    for keep in [Keep::Afterstates, Keep::Both] {
        let ample = Plan::new(1 << 30, 2).unwrap();
        let expected = directory(&game, &ample, &[None], keep);
        for threads in [1, 3] {
            let plan = Plan::tiny(threads);
            assert!(
                directory(&game, &plan, &[None], keep) == expected,
                "{plan:?}"
            );
        }
    }
}

/// The files of a directory whose names end with `ending`.
fn ending(files: &BTreeMap<String, Vec<u8>>, ending: &str) -> BTreeMap<String, Vec<u8>> {
    let files = files.iter().filter(|(name, _)| name.ends_with(ending));
    let files = files.map(|(name, bytes)| (name.clone(), bytes.clone()));
    files.collect()
}

#[test]
fn keeping_more_changes_no_count_and_no_file() {
    let plan = Plan::new(256 << 20, 2).unwrap();
    for (game, until) in [(game("3", 64), None), (game("4", 16), Some(30))] {
        let directory = |keep| directory(&game, &plan, &[until], keep);
        let [all, last, afterstates, both] = EVERY.map(directory);
        for other in [&last, &afterstates, &both] {
            assert_eq!(other["layers.csv"], all["layers.csv"], "{game}");
        }
        assert!(
            ending(&both, ".states") == ending(&all, ".states"),
            "{game}"
        );
        assert!(
            ending(&afterstates, ".states") == ending(&last, ".states"),
            "{game}"
        );
        let kept = ending(&both, ".afterstates");
        assert!(ending(&afterstates, ".afterstates") == kept, "{game}");
        // They include the frontier of a stopped count, byte for byte.
        let frontier = ending(&all, ".afterstates");
        assert_eq!(frontier.is_empty(), until.is_none(), "{game}");
        assert!(
            frontier.iter().all(|(name, bytes)| kept[name] == *bytes),
            "{game}"
        );
    }
}

#[test]
fn kept_afterstates_match_the_counts_of_the_table() {
    let plan = Plan::new(256 << 20, 2).unwrap();
    for (game, until) in [(game("3", 64), None), (game("4", 16), Some(40))] {
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Afterstates)).unwrap();
        count(&mut store, &plan, until, &mut Silent).unwrap();
        let run = store.run();
        let mut parts = run.parts(Kind::Afterstates);
        for row in run.table().rows().iter().filter(|row| row.afterstates > 0) {
            let key = row.key().unwrap();
            assert_eq!(parts.next(), Some(key), "{game}");
            let part = run.part(Kind::Afterstates, key).unwrap().unwrap();
            let boards = Stream::new(part).unwrap().map(Result::unwrap);
            assert_eq!(boards.count() as u64, row.afterstates, "{game} {key:?}");
        }
        assert_eq!(parts.next(), None, "{game}");
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
fn a_run_that_dropped_layers_cannot_keep_all() {
    let game = game("2", 32);
    let place = tempfile::tempdir().unwrap();
    let plan = Plan::new(64 << 20, 1).unwrap();
    let mut store = Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
    count(&mut store, &plan, Some(20), &mut Silent).unwrap();
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

/// The directory of a count that keeps `from` up to `until`, if given, and `to` from then on;
/// `None` if the change is refused.
fn changed(from: Keep, to: Keep, until: Option<u32>) -> Option<BTreeMap<String, Vec<u8>>> {
    let game = game("2", 32);
    let plan = Plan::new(64 << 20, 1).unwrap();
    let place = tempfile::tempdir().unwrap();
    let mut store = Store::open(place.path(), &game, Some(from)).unwrap();
    if until.is_some() {
        count(&mut store, &plan, until, &mut Silent).unwrap();
    }
    drop(store);
    let before = files(place.path());
    match Store::open(place.path(), &game, Some(to)) {
        Ok(mut store) => {
            count(&mut store, &plan, None, &mut Silent).unwrap();
            Some(files(place.path()))
        }
        Err(Error::Dropped { .. }) => {
            assert!(files(place.path()) == before, "{from} to {to}");
            None
        }
        Err(error) => panic!("{from} to {to}: {error}"),
    }
}

#[test]
fn a_run_can_keep_less_any_time_and_more_before_the_first_drop() {
    let game = game("2", 32);
    let plan = Plan::new(64 << 20, 1).unwrap();
    for from in EVERY {
        for to in EVERY {
            let expected = directory(&game, &plan, &[None], to);
            let less = (from.states() || !to.states()) && (from.afterstates() || !to.afterstates());
            let found = changed(from, to, Some(20));
            assert_eq!(found.is_some(), less, "{from} to {to}");
            assert!(
                found.is_none_or(|found| found == expected),
                "{from} to {to}"
            );
            // Up to sum 4 nothing is dropped.
            for until in [None, Some(4)] {
                let found = changed(from, to, until);
                assert!(found.unwrap() == expected, "{from} to {to}, {until:?}");
            }
        }
    }
}
