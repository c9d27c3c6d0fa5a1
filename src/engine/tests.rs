//! Whole counts: every plan and every interruption gives equal files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use super::*;
use crate::error::Error;
use crate::game::{Board, Game};
use crate::part::{Kind, Part, Stream};
use crate::store::{Keep, Lookup};

/// Names and bytes of all files of a directory.
type DirFiles = BTreeMap<String, Vec<u8>>;

fn files(dir: &Path) -> DirFiles {
    let file = |entry: io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        (name.to_owned(), fs::read(&path).unwrap())
    };
    fs::read_dir(dir).unwrap().map(file).collect()
}

const EVERY: [Keep; 4] = [Keep::All, Keep::Last, Keep::Afterstates, Keep::Both];

fn game(size: &str, max: u32) -> Game {
    Game::new(size.parse().unwrap(), Some(max)).unwrap()
}

fn plan(memory: u64, threads: usize) -> Plan {
    Plan::new(memory, threads).unwrap()
}

/// The files after a count that stops at each of `stops` and is resumed.
fn directory(game: &Game, plan: &Plan, stops: &[Option<u32>], keep: Keep) -> DirFiles {
    counted(game, plan, stops, keep, &mut Silent)
}

fn counted(
    game: &Game,
    plan: &Plan,
    stops: &[Option<u32>],
    keep: Keep,
    progress: &mut dyn Progress,
) -> DirFiles {
    let place = tempfile::tempdir().unwrap();
    for &until in stops {
        let mut store = Store::open(place.path(), game, Some(keep)).unwrap();
        count(&mut store, plan, until, progress).unwrap();
    }
    files(place.path())
}

/// Adds up the cuts of all layers, and records the most ranges of a layer.
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

/// The files after a count under a plan that is too small for the game.
fn squeezed(game: &Game, plan: &Plan, until: Option<u32>) -> DirFiles {
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
    let expected = directory(&game, &plan(1 << 30, 2), &[None], Keep::All);
    assert!(expected.len() > 100, "{} files", expected.len());
    for threads in [1, 7] {
        let plan = plan(1 << 30, threads);
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
fn any_plan_gives_equal_files_of_large_parts() {
    // The fullest layers of 4x4 to 16 have over a million states, ten blocks.
    let game = game("4", 16);
    let expected = directory(&game, &plan(4 << 30, 2), &[Some(46)], Keep::All);
    let plan = plan(32 << 20, 2);
    assert!(directory(&game, &plan, &[Some(46)], Keep::All) == expected);
    assert!(squeezed(&game, &Plan::tiny(3), Some(46)) == expected);
}

/// Ends a count after `layers` layers, and records the most states that were reported in a layer.
#[derive(Default)]
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
fn a_stop_of_progress_and_until_end_a_count_with_equal_files() {
    let plan = plan(256 << 20, 2);
    for engine in [Engine::Lists, Engine::Bits] {
        let plan = plan.clone().with_engine(Some(engine));
        let game = game("4", 16);
        let mut progress = StopAfter {
            layers: 10,
            ..StopAfter::default()
        };
        let stopped = counted(&game, &plan, &[None], Keep::All, &mut progress);
        let expected = directory(&game, &plan, &[Some(22)], Keep::All);
        assert!(stopped == expected, "{engine}");
    }
}

#[test]
fn both_engines_report_progress_within_a_layer() {
    let plan = plan(256 << 20, 2);
    for engine in [Engine::Lists, Engine::Bits] {
        let plan = plan.clone().with_engine(Some(engine));
        let mut progress = StopAfter {
            layers: u32::MAX,
            ..StopAfter::default()
        };
        let game = game("4", 16);
        counted(&game, &plan, &[Some(54)], Keep::Last, &mut progress);
        // The last layer has 1.5 million states.
        assert!(progress.found > 10_000, "{engine}: {}", progress.found);
    }
}

#[test]
fn stopping_and_resuming_changes_no_byte() {
    let game = game("3", 64);
    let plan = plan(64 << 20, 2);
    for keep in EVERY {
        let directory = |stops: &[Option<u32>]| directory(&game, &plan, stops, keep);
        let whole = directory(&[None]);
        let stops = [4, 7, 8, 40, 20, 90].map(Some);
        assert!(
            directory(&[&stops[..], &[None, None]].concat()) == whole,
            "{keep}"
        );
        let part = directory(&[Some(60)]);
        assert!(directory(&[Some(30), Some(60)]) == part, "{keep}");
        assert!(part != whole);
    }
}

#[test]
fn the_published_totals_of_2x2_are_found() {
    // Lees-Miller, 2017: 59 states with the win and the loss. Several sources agree on the game
    // without a winning tile: 110 states, 36 of them dead, and 67 afterstates.
    let plan = plan(64 << 20, 1);
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
        let ample = plan(1 << 30, 2);
        let expected = directory(&game, &ample, &[None], keep);
        for threads in [1, 3] {
            let plan = Plan::tiny(threads);
            let found = directory(&game, &plan, &[None], keep);
            assert!(found == expected, "{plan:?}");
        }
    }
}

/// The files of a directory whose names end with `ending`.
fn ending(files: &DirFiles, ending: &str) -> DirFiles {
    let mut files = files.clone();
    files.retain(|name, _| name.ends_with(ending));
    files
}

#[test]
fn keeping_more_changes_no_count_and_no_file() {
    let plan = plan(256 << 20, 2);
    for (game, until) in [(game("3", 64), None), (game("4", 16), Some(30))] {
        let directory = |keep| directory(&game, &plan, &[until], keep);
        let [all, last, afterstates, both] = EVERY.map(directory);
        for other in [&last, &afterstates, &both] {
            assert_eq!(other["layers.csv"], all["layers.csv"], "{game}");
        }
        for (one, other) in [(&both, &all), (&afterstates, &last)] {
            assert!(ending(one, ".states") == ending(other, ".states"), "{game}");
        }
        let kept = ending(&both, ".afterstates");
        assert!(ending(&afterstates, ".afterstates") == kept, "{game}");
        // The kept files include the frontier of a stopped count.
        let frontier = ending(&all, ".afterstates");
        assert_eq!(frontier.is_empty(), until.is_none(), "{game}");
        let mut files = frontier.iter();
        assert!(files.all(|(name, bytes)| kept[name] == *bytes), "{game}");
    }
}

#[test]
fn kept_afterstates_match_the_counts_of_the_table() {
    let plan = plan(256 << 20, 2);
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
fn keep_last_keeps_only_the_last_layer_and_the_frontier() {
    let game = game("3", 64);
    let plan = plan(64 << 20, 2);
    let files = |until| directory(&game, &plan, &[until], Keep::Last);
    let sums = |kind: &str, files: &DirFiles| {
        let names = ending(files, kind).into_keys();
        let mut sums: Vec<u32> = names.map(|name| name[4..9].parse().unwrap()).collect();
        sums.dedup();
        sums
    };
    let stopped = files(Some(60));
    assert_eq!(sums(".states", &stopped), [60]);
    assert_eq!(sums(".afterstates", &stopped), [58, 60]);
    let complete = files(None);
    assert_eq!(sums(".states", &complete).len(), 1);
    assert!(sums(".afterstates", &complete).is_empty());
}

#[test]
fn a_run_that_dropped_layers_cannot_keep_all() {
    let game = game("2", 32);
    let place = tempfile::tempdir().unwrap();
    let plan = plan(64 << 20, 1);
    let mut store = Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
    count(&mut store, &plan, Some(20), &mut Silent).unwrap();
    drop(store);
    let refused = Store::open(place.path(), &game, Some(Keep::All));
    assert!(matches!(refused, Err(Error::Dropped { below: 20, .. })));
    assert!(Store::open(place.path(), &game, None).is_ok());
}

/// The files of a count that keeps `from` up to sum `until`, if given, and then `to`; `None` if the
/// change is refused.
fn changed(from: Keep, to: Keep, until: Option<u32>) -> Option<DirFiles> {
    let game = game("2", 32);
    let plan = plan(64 << 20, 1);
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
fn a_run_can_keep_less_at_any_time_but_more_only_before_the_first_drop() {
    let game = game("2", 32);
    let plan = plan(64 << 20, 1);
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

#[test]
fn look_ups_keep_few_files_open() {
    let place = tempfile::tempdir().unwrap();
    let mut store = Store::open(place.path(), &"4x4-16".parse().unwrap(), None).unwrap();
    let plan = Plan::new(64 << 20, 2).unwrap();
    count(&mut store, &plan, Some(40), &mut Silent).unwrap();
    let run = store.run();
    let parts: Vec<Part> = run
        .parts(Kind::States)
        .map(|key| run.part(Kind::States, key).unwrap().unwrap())
        .collect();
    let boards: Vec<Board> = parts.iter().map(|part| part.first(0)).collect();
    let large: u64 = parts.iter().map(Part::open_files).sum();
    assert!(large > 5, "{large}");
    drop(parts);
    let mut lookup = Lookup::with_files(run, 0, 3).unwrap();
    let found = |_, position| assert_eq!(position, Some(0));
    for board in &boards {
        assert!(lookup.contains(Kind::States, *board).unwrap());
    }
    let answered = lookup.positions(Kind::States, &boards, &Stop::default(), found);
    answered.unwrap();
    if cfg!(target_os = "linux") {
        let dir = place.path().canonicalize().unwrap();
        let open = fs::read_dir("/proc/self/fd").unwrap();
        let open = open.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
        let states = |file: &PathBuf| file.extension().is_some_and(|end| end == "states");
        let of_run = open.filter(|file| file.starts_with(&dir) && states(file));
        let number = of_run.count();
        assert!((1..=3).contains(&number), "{number}");
    }
}

/// Asks a stop while the layer of a sum is counted.
struct AskAt(u32, Stop);

impl Progress for AskAt {
    fn begin(&mut self, sum: u32) {
        if sum == self.0 {
            self.1.ask();
        }
    }
}

#[test]
fn bits_seal_the_counted_layers_when_they_are_asked_to_stop() {
    for keep in [Keep::All, Keep::Last, Keep::Matrices] {
        let bits = plan(1 << 30, 2).with_engine(Some(Engine::Bits));
        let expected = directory(&game("4", 16), &bits, &[Some(26)], keep);
        // A frontier after each layer is written one layer late.
        for frontier_after in [bits.frontier_after, Duration::ZERO] {
            let mut plan = bits.clone();
            plan.frontier_after = frontier_after;
            assert!(stopped_and_resumed(&plan, keep) == expected, "{keep}");
        }
    }
}

/// The files of a count that was stopped some times.
fn stopped_and_resumed(plan: &Plan, keep: Keep) -> DirFiles {
    let game = game("4", 16);
    let place = tempfile::tempdir().unwrap();
    let open = || Store::open(place.path(), &game, Some(keep)).unwrap();
    let sealed = || Run::peek(place.path()).unwrap().sealed_sum();
    for sum in [4, 6, 24] {
        let stop = Stop::default();
        let plan = plan.clone().with_stop(stop.clone());
        let stopped = count(&mut open(), &plan, Some(26), &mut AskAt(sum, stop));
        assert!(matches!(stopped, Err(Error::Stopped)), "{keep} {sum}");
        assert_eq!(sealed(), sum - 2, "{keep}");
        let mut names = files(place.path()).into_keys();
        assert!(!names.any(|name| name.ends_with(".tmp")), "{keep} {sum}");
    }
    count(&mut open(), plan, Some(26), &mut Silent).unwrap();
    files(place.path())
}

#[test]
fn bits_that_write_a_frontier_after_each_layer_are_one_layer_ahead() {
    let game = game("4", 16);
    let mut plan = plan(1 << 30, 2).with_engine(Some(Engine::Bits));
    plan.frontier_after = Duration::ZERO;
    let expected = directory(&game, &plan, &[Some(30)], Keep::Last);
    let place = tempfile::tempdir().unwrap();
    let open = || Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
    let mut seals = Vec::new();
    // The layer ahead is lost, as by a kill.
    for least in [2, 14, 20] {
        let go_on = |run: &Run| run.sealed_sum() <= least;
        let mut store = open();
        count_while(&mut store, &plan, Some(30), &mut Silent, go_on).unwrap();
        seals.push(store.run().sealed_sum());
    }
    assert_eq!(seals, [4, 16, 22]);
    // A stop at the end of a layer seals the layer.
    let mut progress = StopIn(26, Vec::new());
    let mut store = open();
    count(&mut store, &plan, Some(30), &mut progress).unwrap();
    assert_eq!((store.run().sealed_sum(), progress.1), (26, vec![24, 26]));
    drop(store);
    count(&mut open(), &plan, Some(30), &mut Silent).unwrap();
    assert!(files(place.path()) == expected);
}

/// Stops when the layer of a sum begins, and counts the layers.
struct StopIn(u32, Vec<u32>);

impl Progress for StopIn {
    fn begin(&mut self, sum: u32) {
        self.1.push(sum);
    }

    fn stop(&mut self) -> bool {
        self.1.last() == Some(&self.0)
    }
}

#[test]
fn a_complete_run_of_states_gets_the_afterstates_that_a_count_keeps() {
    for (name, stop) in [("2x2-32", 20), ("2x3", 90), ("3x3-32", 40)] {
        let game: Game = name.parse().unwrap();
        for keep in [Keep::Both, Keep::Afterstates] {
            let plan = Plan::tiny(2);
            let expected = directory(&game, &plan, &[None], keep);
            let place = tempfile::tempdir().unwrap();
            let open = |keep| Store::open(place.path(), &game, keep).unwrap();
            count(&mut open(Some(Keep::All)), &plan, None, &mut Silent).unwrap();
            let states = files(place.path());
            // Another choice, or none, makes nothing.
            count(&mut open(None), &plan, None, &mut Silent).unwrap();
            assert!(files(place.path()) == states, "{name}");

            let mut progress = StopIn(stop, Vec::new());
            count(&mut open(Some(keep)), &plan, None, &mut progress).unwrap();
            assert!(progress.1.is_sorted_by(|later, sum| later > sum) && progress.1.len() > 5);
            let run = Run::peek(place.path()).unwrap();
            assert_eq!(
                (run.keep(), run.first_sum(Kind::Afterstates)),
                (Keep::All, stop)
            );
            let mut progress = StopIn(0, Vec::new());
            count(&mut open(Some(keep)), &plan, None, &mut progress).unwrap();
            assert_eq!(progress.1.first(), Some(&(stop - 2)), "{name} {keep}");
            assert!(files(place.path()) == expected, "{name} {keep}");
        }
    }
}

#[test]
fn afterstates_that_were_begun_are_dropped_with_the_states() {
    let game: Game = "2x2-32".parse().unwrap();
    let plan = Plan::tiny(1);
    let place = tempfile::tempdir().unwrap();
    let open = |keep| Store::open(place.path(), &game, Some(keep)).unwrap();
    count(&mut open(Keep::All), &plan, None, &mut Silent).unwrap();
    count(
        &mut open(Keep::Both),
        &plan,
        None,
        &mut StopIn(20, Vec::new()),
    )
    .unwrap();
    count(&mut open(Keep::Last), &plan, None, &mut Silent).unwrap();
    assert!(files(place.path()) == directory(&game, &plan, &[None], Keep::Last));
}
