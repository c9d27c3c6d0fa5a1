//! Counts of one game: a stop, a later start and the files that a run keeps change no other byte.

use std::collections::BTreeMap;
use std::fs;

use enum48::engine::{self, Engine, Plan, Progress, Silent, Stop};
use enum48::store::{Keep, Run, Store};
use enum48::{Error, Game};

use crate::files::{files, in_memory};

/// Names and bytes of all files of a directory.
type DirFiles = BTreeMap<String, Vec<u8>>;

const EVERY: [Keep; 4] = [Keep::All, Keep::Last, Keep::Afterstates, Keep::Both];

fn plan(engine: Engine) -> Plan {
    let plan = Plan::new(256 << 20, 2).unwrap();
    plan.with_engine(Some(engine))
}

/// The files after a count that ends at each of `ends` and goes on.
fn directory(game: &str, plan: &Plan, keep: Keep, ends: &[Option<u32>]) -> DirFiles {
    counted(game, plan, keep, ends, &mut Silent)
}

fn counted(
    game: &str,
    plan: &Plan,
    keep: Keep,
    ends: &[Option<u32>],
    progress: &mut dyn Progress,
) -> DirFiles {
    let (place, game) = (in_memory(), game.parse().unwrap());
    for &until in ends {
        let mut store = Store::open(place.path(), &game, Some(keep)).unwrap();
        engine::count(&mut store, plan, until, progress).unwrap();
    }
    files(place.path())
}

/// The files of a directory whose names end with `ending`.
fn ending(files: &DirFiles, ending: &str) -> DirFiles {
    let mut files = files.clone();
    files.retain(|name, _| name.ends_with(ending));
    files
}

#[test]
fn ending_and_going_on_changes_no_byte() {
    let plan = plan(Engine::Lists);
    for keep in EVERY {
        let directory = |ends: &[Option<u32>]| directory("3x3-64", &plan, keep, ends);
        let whole = directory(&[None]);
        let ends = [4, 7, 8, 40, 20, 90].map(Some);
        let found = directory(&[&ends[..], &[None, None]].concat());
        assert!(found == whole, "{keep}");
        let part = directory(&[Some(60)]);
        assert!(directory(&[Some(30), Some(60)]) == part, "{keep}");
        assert!(part != whole);
    }
}

/// Asks for a stop when the layer of a sum begins.
struct AskAt(u32, Stop);

impl Progress for AskAt {
    fn begin(&mut self, sum: u32) {
        if sum == self.0 {
            self.1.ask();
        }
    }
}

#[test]
fn a_stop_seals_the_layers_before_it_and_changes_no_byte() {
    let game: Game = "4x4-16".parse().unwrap();
    let bits = [Keep::All, Keep::Last, Keep::Matrices].map(|keep| (Engine::Bits, keep));
    let lists = EVERY.map(|keep| (Engine::Lists, keep));
    for (engine, keep) in bits.into_iter().chain(lists) {
        let plan = plan(engine);
        let place = in_memory();
        let open = || Store::open(place.path(), &game, Some(keep)).unwrap();
        for sum in [4, 6, 24] {
            let stop = Stop::default();
            let plan = plan.clone().with_stop(stop.clone());
            let stopped = engine::count(&mut open(), &plan, Some(26), &mut AskAt(sum, stop));
            assert!(matches!(stopped, Err(Error::Stopped)), "{engine} {keep}");
            let sealed = Run::peek(place.path()).unwrap().sealed_sum();
            // A small layer of lists is not interrupted.
            let kept = match engine {
                Engine::Lists => sum,
                _ => sum - 2,
            };
            assert_eq!(sealed, kept, "{engine} {keep}");
            let unfinished = ending(&files(place.path()), ".tmp");
            assert!(unfinished.is_empty(), "{engine} {keep} {sum}");
        }
        engine::count(&mut open(), &plan, Some(26), &mut Silent).unwrap();
        let expected = directory("4x4-16", &plan, keep, &[Some(26)]);
        assert!(files(place.path()) == expected, "{engine} {keep}");
    }
}

/// Ends a count after `layers` layers, and records the most states that were reported in a layer.
struct EndAfter {
    layers: u32,
    of_layer: u64,
    most: u64,
}

impl EndAfter {
    fn layers(layers: u32) -> Self {
        let (of_layer, most) = (0, 0);
        Self {
            layers,
            of_layer,
            most,
        }
    }
}

impl Progress for EndAfter {
    fn begin(&mut self, _: u32) {
        self.layers -= 1;
        self.of_layer = 0;
    }

    fn advance(&mut self, boards: u64) {
        self.of_layer += boards;
        self.most = self.most.max(self.of_layer);
    }

    fn stop(&mut self) -> bool {
        self.layers == 0
    }
}

#[test]
fn progress_and_until_end_a_count_with_equal_files() {
    for plan in [Engine::Lists, Engine::Bits].map(plan) {
        let mut progress = EndAfter::layers(10);
        let ended = counted("4x4-16", &plan, Keep::All, &[None], &mut progress);
        let expected = directory("4x4-16", &plan, Keep::All, &[Some(22)]);
        assert!(ended == expected, "{plan:?}");
    }
}

#[test]
fn both_engines_report_progress_within_a_layer() {
    for plan in [Engine::Lists, Engine::Bits].map(plan) {
        let mut progress = EndAfter::layers(u32::MAX);
        counted("4x4-16", &plan, Keep::Last, &[Some(46)], &mut progress);
        // The last layer has 893,000 states.
        assert!(progress.most > 10_000, "{plan:?}: {}", progress.most);
    }
}

#[test]
fn keeping_more_changes_no_count_and_no_file() {
    let plan = Plan::new(256 << 20, 2).unwrap();
    for (game, until) in [("3x3-64", None), ("4x4-16", Some(30))] {
        let directory = |keep| directory(game, &plan, keep, &[until]);
        let [all, last, afterstates, both] = EVERY.map(directory);
        for other in [&last, &afterstates, &both] {
            assert_eq!(other["layers.csv"], all["layers.csv"], "{game}");
        }
        for (one, other) in [(&both, &all), (&afterstates, &last)] {
            assert!(ending(one, ".states") == ending(other, ".states"), "{game}");
        }
        let kept = ending(&both, ".afterstates");
        assert!(ending(&afterstates, ".afterstates") == kept, "{game}");
        // The kept files include the frontier of a count that ended early.
        let frontier = ending(&all, ".afterstates");
        assert_eq!(frontier.is_empty(), until.is_none(), "{game}");
        let mut files = frontier.iter();
        assert!(files.all(|(name, bytes)| kept[name] == *bytes), "{game}");
    }
}

#[test]
fn keep_last_keeps_only_the_last_layer_and_the_frontier() {
    let files = |until| directory("3x3-64", &plan(Engine::Lists), Keep::Last, &[until]);
    let sums = |kind: &str, files: &DirFiles| {
        let names = ending(files, kind).into_keys();
        let mut sums: Vec<u32> = names.map(|name| name[4..9].parse().unwrap()).collect();
        sums.dedup();
        sums
    };
    let early = files(Some(60));
    assert_eq!(sums(".states", &early), [60]);
    assert_eq!(sums(".afterstates", &early), [58, 60]);
    let complete = files(None);
    assert_eq!(sums(".states", &complete).len(), 1);
    assert!(sums(".afterstates", &complete).is_empty());
}

/// The files of a count that keeps `from` up to sum `until`, if given, and then `to`; `None` if the
/// change is refused.
fn changed(from: Keep, to: Keep, until: Option<u32>) -> Option<DirFiles> {
    let game: Game = "2x2-32".parse().unwrap();
    let plan = plan(Engine::Lists);
    let place = in_memory();
    let mut store = Store::open(place.path(), &game, Some(from)).unwrap();
    if until.is_some() {
        engine::count(&mut store, &plan, until, &mut Silent).unwrap();
    }
    drop(store);
    let before = files(place.path());
    match Store::open(place.path(), &game, Some(to)) {
        Ok(mut store) => {
            engine::count(&mut store, &plan, None, &mut Silent).unwrap();
            Some(files(place.path()))
        }
        Err(Error::Keep(_)) => {
            assert!(files(place.path()) == before, "{from} to {to}");
            None
        }
        Err(error) => panic!("{from} to {to}: {error}"),
    }
}

#[test]
fn a_run_can_keep_less_at_any_time_but_more_only_before_the_first_drop() {
    let lists = plan(Engine::Lists);
    for from in EVERY {
        for to in EVERY {
            let expected = directory("2x2-32", &lists, to, &[None]);
            let less = (from.states() || !to.states()) && (from.afterstates() || !to.afterstates());
            let found = changed(from, to, Some(20));
            assert_eq!(found.is_some(), less, "{from} to {to}");
            let equal = found.is_none_or(|found| found == expected);
            assert!(equal, "{from} to {to}");
            // Up to sum 4 nothing is dropped.
            for until in [None, Some(4)] {
                let found = changed(from, to, until);
                assert!(found.unwrap() == expected, "{from} to {to}, {until:?}");
            }
        }
    }
}

#[test]
fn the_form_of_a_frontier_does_not_change_the_first_sum_of_an_error() {
    let game: Game = "4x4-16".parse().unwrap();
    let place = in_memory();
    let open = |keep| Store::open(place.path(), &game, keep);
    let stop = Stop::default();
    let plan = plan(Engine::Bits);
    let (until, mut ask) = (Some(30), AskAt(18, stop.clone()));
    let stopping = plan.clone().with_stop(stop);
    let mut store = open(Some(Keep::All)).unwrap();
    engine::count(&mut store, &stopping, until, &mut ask).unwrap_err();
    drop(store);
    for form in ["matrices", "afterstates"] {
        let refused = open(Some(Keep::Both));
        let said = refused.err().unwrap().to_string();
        assert!(
            said.contains("of the layers below sum 14"),
            "{form}: {said}"
        );
        assert!(!ending(&files(place.path()), form).is_empty(), "{form}");
        engine::count(&mut open(None).unwrap(), &plan, Some(16), &mut Silent).unwrap();
    }
}

/// Ends a count after the layer of a sum, and records the sums of the layers.
struct EndAt(u32, Vec<u32>);

impl Progress for EndAt {
    fn begin(&mut self, sum: u32) {
        self.1.push(sum);
    }

    fn stop(&mut self) -> bool {
        self.1.last() == Some(&self.0)
    }
}

#[test]
fn a_complete_run_of_states_is_counted_again_for_its_afterstates() {
    for (name, stop) in [("2x2-32", 20), ("2x3", 90), ("3x3-32", 40)] {
        let game: Game = name.parse().unwrap();
        for keep in [Keep::Both, Keep::Afterstates] {
            let plan = plan(Engine::Lists);
            let expected = directory(name, &plan, keep, &[None]);
            let place = in_memory();
            let open = |keep| Store::open(place.path(), &game, keep).unwrap();
            engine::count(&mut open(Some(Keep::All)), &plan, None, &mut Silent).unwrap();
            let states = files(place.path());

            // A second count that ends half way changes no file of the run.
            let mut progress = EndAt(stop, Vec::new());
            engine::count(&mut open(Some(keep)), &plan, None, &mut progress).unwrap();
            assert_eq!(progress.1.first(), Some(&4));
            engine::count(&mut open(None), &plan, None, &mut Silent).unwrap();
            let read = |name| fs::read(place.path().join(name)).unwrap();
            let mut kept = states.iter();
            assert!(
                kept.all(|(name, bytes)| read(name) == *bytes),
                "{name} {keep}"
            );

            let mut progress = EndAt(0, Vec::new());
            engine::count(&mut open(Some(keep)), &plan, None, &mut progress).unwrap();
            assert_eq!(progress.1.first(), Some(&(stop + 2)), "{name} {keep}");
            assert!(files(place.path()) == expected, "{name} {keep}");
        }
    }
}
