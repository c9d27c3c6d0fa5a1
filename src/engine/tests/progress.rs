//! Counts tell their progress, and stop when they are asked to.

use super::*;

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
            let plan = bits.clone().with_frontier_after(frontier_after);
            assert!(stopped_and_resumed(&plan, keep) == expected, "{keep}");
        }
    }
}

#[test]
fn lists_seal_the_small_layers_when_they_are_asked_to_stop() {
    let lists = plan(1 << 30, 2).with_engine(Some(Engine::Lists));
    for keep in EVERY {
        let expected = directory(&game("4", 16), &lists, &[Some(26)], keep);
        assert!(stopped_and_resumed(&lists, keep) == expected, "{keep}");
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
    let plan = plan(1 << 30, 2)
        .with_engine(Some(Engine::Bits))
        .with_frontier_after(Duration::ZERO);
    let expected = directory(&game, &plan, &[Some(30)], Keep::Last);
    let place = tempfile::tempdir().unwrap();
    let open = || Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
    let mut seals = Vec::new();
    // The layer ahead is lost, as by a kill.
    for least in [2, 14, 20] {
        let go_on = |run: &Run| run.sealed_sum() <= least;
        let mut store = open();
        let choice = Choice::new(store.run(), &plan, Some(30)).unwrap();
        count_while(&mut store, &plan, &choice, &mut Silent, go_on).unwrap();
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

#[test]
fn a_count_with_nothing_to_count_changes_no_file() {
    let game = game("4", 16);
    let place = tempfile::tempdir().unwrap();
    let mut store = Store::open(place.path(), &game, Some(Keep::Last)).unwrap();
    let ample = plan(256 << 20, 1);
    let choice = Choice::new(store.run(), &ample, Some(40)).unwrap();
    let mut progress = StopIn(32, Vec::new());
    let go_on = |run: &Run| run.sealed_sum() < 32;
    count_while(&mut store, &ample, &choice, &mut progress, go_on).unwrap();
    let before = files(place.path());
    assert!(before.contains_key("sum-00032.matrices"));
    // In so little memory the matrices cannot be listed.
    count(&mut store, &plan(24 << 20, 1), Some(20), &mut Silent).unwrap();
    drop(store);
    assert!(files(place.path()) == before);
}
