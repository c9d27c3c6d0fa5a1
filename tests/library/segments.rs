//! Runs whose large parts are stored in several segments.

#![expect(clippy::disallowed_methods, reason = "the tests damage files by hand")]

use std::fs;
use std::path::Path;

use enum48::engine::{self, Engine, Plan, Silent};
use enum48::game::Objective;
use enum48::internals::open_in_segments;
use enum48::part::{Fingerprint, Kind};
use enum48::store::{Keep, Rounding, Run, SolutionStore, Store};
use enum48::verify::{deep, verify};
use enum48::{Error, Game, solve};
use tempfile::TempDir;

use crate::files::{files, in_memory};
use crate::look_up::every_board_is_found;
use crate::read::reader;
use crate::share::share;

/// Boards of a segment, the fewest allowed: one block of states. 4x4 to 16 has parts of a million.
const SEGMENT: u64 = 1 << 17;

/// Boards of a usual segment, more than any part has.
const WHOLE: u64 = 1 << 27;

/// The first layer in which a part of states has two segments is 34. In this layer, a part of
/// afterstates has two as well.
const LAST: u32 = 48;

/// A layer whose largest part of states has two segments.
const TWO: u32 = 36;

fn plan() -> Plan {
    Plan::new(1 << 30, 2).unwrap()
}

fn count(
    dir: &Path,
    keep: Keep,
    segment: u64,
    plan: &Plan,
    until: Option<u32>,
) -> Result<(), Error> {
    let game: Game = "4x4-16".parse().unwrap();
    let mut store = open_in_segments(dir, &game, keep, segment)?;
    engine::count(&mut store, plan, until, &mut Silent)
}

fn counted(keep: Keep, segment: u64, until: Option<u32>) -> TempDir {
    let place = in_memory();
    count(place.path(), keep, segment, &plan(), until).unwrap();
    place
}

/// Solves for the score. Returns the fingerprint and the number of files of values.
fn solved(dir: &Path) -> (Fingerprint, usize) {
    let mut store = SolutionStore::open(dir).unwrap();
    let run = store.solution().run();
    let goal = solve::goal(run, Objective::Score, Some(8), Rounding::Nearest).unwrap();
    solve::solve(&mut store, &[goal], &plan(), &mut Silent).unwrap();
    let fingerprint = store.solution().fingerprint(Objective::Score);
    (fingerprint, names(dir, ".values").len())
}

/// The names of the files that end with `ending`.
fn names(dir: &Path, ending: &str) -> Vec<String> {
    let names = files(dir).into_keys();
    names.filter(|name| name.ends_with(ending)).collect()
}

#[test]
fn every_board_in_segments_is_found_at_its_position() {
    let place = counted(Keep::Both, SEGMENT, Some(42));
    let reader = reader(Run::open(place.path()).unwrap());
    let parts = reader.run().parts(Kind::States);
    let parts = parts.map(|key| reader.part(Kind::States, key).unwrap().unwrap());
    // With more than four blocks, a batch uses all threads.
    assert!(parts.map(|part| part.blocks()).max() > Some(4));
    every_board_is_found(reader.run().clone());
}

#[test]
fn segments_hold_the_same_boards_and_values() {
    let whole = counted(Keep::Both, WHOLE, None);
    let cut = counted(Keep::Both, SEGMENT, None);
    let [run, other] = [&whole, &cut].map(|place| reader(Run::open(place.path()).unwrap()));
    assert_eq!(run.run().table(), other.run().table());
    for kind in [Kind::States, Kind::Afterstates] {
        let mut several = 0;
        for key in run.run().parts(kind) {
            let [one, cut] = [&run, &other].map(|run| run.part(kind, key).unwrap().unwrap());
            assert_eq!(one.states(), cut.states());
            assert_eq!(one.fingerprint(), cut.fingerprint());
            assert!(one.firsts().eq(cut.firsts()));
            several += one.states().saturating_sub(1) / SEGMENT;
        }
        let ending = format!(".{kind}");
        let more = names(cut.path(), &ending).len() - names(whole.path(), &ending).len();
        assert_eq!(more as u64, several);
        assert!(several > 3);
    }
    for sum in [46, 60, 62] {
        let [one, cut] = [&run, &other].map(|run| run.layer(sum).unwrap());
        assert!(one.map(Result::unwrap).eq(cut.map(Result::unwrap)), "{sum}");
    }
    drop((run, other));

    let (fingerprint, parts) = solved(whole.path());
    let (of_cut, files) = solved(cut.path());
    assert_eq!(of_cut, fingerprint);
    let afterstates = |place: &TempDir| names(place.path(), ".afterstates").len();
    assert_eq!([parts, files], [&whole, &cut].map(afterstates));

    let run = Run::open(cut.path()).unwrap();
    let whole = reader(run);
    let report = verify(&whole, &engine::pool(2).unwrap(), &mut Silent).unwrap();
    assert!(report.findings.is_empty() && report.remarks.is_empty());
    assert_eq!(
        report.solved[0].values,
        whole.run().table().totals().afterstates
    );
    drop(whole);

    let mut store = SolutionStore::open(cut.path()).unwrap();
    let name = names(cut.path(), "-0001.score.values").remove(0);
    fs::remove_file(cut.path().join(&name)).unwrap();
    let solution = store.solution();
    let reader = reader(solution.run().clone());
    let mut parts = solution.parts(Objective::Score);
    let missing = parts.find_map(|key| {
        let part = reader.part(Kind::Afterstates, key).unwrap().unwrap();
        solution.values(Objective::Score, &part).err()
    });
    let missing = missing.unwrap().to_string();
    assert!(missing.contains(&format!("{name}: missing")), "{missing}");
    drop((parts, reader));
    store.forget(&[Objective::Score]).unwrap();
    assert!(names(cut.path(), ".values").is_empty());
}

#[test]
fn deep_verification_agrees_with_segments() {
    let place = counted(Keep::Both, SEGMENT, Some(TWO));
    assert!(!names(place.path(), "-0001.states").is_empty());
    let run = Run::open(place.path()).unwrap();
    let found = deep::verify(
        &reader(run),
        &engine::pool(2).unwrap(),
        1 << 28,
        &mut Silent,
    )
    .unwrap();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn segments_do_not_depend_on_engine_threads_memory_or_stops() {
    for keep in share([Keep::All, Keep::Last, Keep::Both]) {
        let expected = counted(keep, SEGMENT, Some(LAST));
        let expected = files(expected.path());
        let lists = Plan::new(64 << 20, 3)
            .unwrap()
            .with_engine(Some(Engine::Lists));
        let place = in_memory();
        count(place.path(), keep, SEGMENT, &lists, Some(LAST)).unwrap();
        assert!(files(place.path()) == expected, "{keep}");
        let place = in_memory();
        let bits = Plan::new(1 << 30, 1)
            .unwrap()
            .with_engine(Some(Engine::Bits));
        let engines = [&bits, &lists];
        for (at, until) in [40, 44, 46, LAST].into_iter().enumerate() {
            count(place.path(), keep, SEGMENT, engines[at % 2], Some(until)).unwrap();
        }
        assert!(files(place.path()) == expected, "{keep}");
    }
}

#[test]
fn dropping_states_deletes_all_their_segments() {
    let both = counted(Keep::Both, SEGMENT, Some(LAST));
    let afterstates = counted(Keep::Afterstates, SEGMENT, Some(LAST));
    count(both.path(), Keep::Afterstates, SEGMENT, &plan(), Some(LAST)).unwrap();
    assert!(files(both.path()) == files(afterstates.path()));
}

#[test]
fn lost_swapped_and_stray_segments_are_reported_by_name() {
    let place = in_memory();
    count(place.path(), Keep::All, SEGMENT, &plan(), Some(TWO)).unwrap();
    let path = |number: u32, tile: u32| {
        let name = format!("sum-00036-max-000{tile:02}-{number:04}.states");
        place.path().join(name)
    };
    let wrong = || {
        let game: Game = "4x4-16".parse().unwrap();
        let opened = Store::open(place.path(), &game, None);
        let said = opened.err().map(|error| error.to_string());
        let run = Run::open(place.path()).unwrap();
        let report = verify(&reader(run), &engine::pool(2).unwrap(), &mut Silent).unwrap();
        let found = report.findings.iter().map(ToString::to_string);
        assert_eq!(
            found.collect::<Vec<_>>(),
            said.clone().into_iter().collect::<Vec<_>>()
        );
        said.unwrap_or_default()
    };
    let aside = place.path().join("aside");
    fs::rename(path(1, 8), &aside).unwrap();
    assert!(
        wrong().contains("max-00008-0001.states: missing"),
        "{}",
        wrong()
    );
    fs::rename(path(0, 8), path(1, 8)).unwrap();
    fs::rename(&aside, path(0, 8)).unwrap();
    assert!(
        wrong().contains("-0000.states: not the file"),
        "{}",
        wrong()
    );
    fs::rename(path(0, 8), &aside).unwrap();
    fs::rename(path(1, 8), path(0, 8)).unwrap();
    fs::rename(&aside, path(1, 8)).unwrap();
    assert_eq!(wrong(), "");
    // A killed commit may leave an unlisted segment. The next count deletes it.
    fs::copy(path(0, 8), path(77, 8)).unwrap();
    let run = Run::open(place.path()).unwrap();
    let report = verify(&reader(run), &engine::pool(2).unwrap(), &mut Silent).unwrap();
    assert!(report.remarks[0].contains("-0077.states: not named by a manifest"));
    count(place.path(), Keep::All, SEGMENT, &plan(), Some(TWO)).unwrap();
    assert!(!path(77, 8).exists());
}

#[test]
fn a_run_keeps_its_segment_size() {
    let place = counted(Keep::All, SEGMENT, Some(8));
    count(place.path(), Keep::All, WHOLE, &plan(), Some(TWO)).unwrap();
    assert!(!names(place.path(), "-0001.states").is_empty());
}
