//! Compares the engine of bits with the engine of lists: both give equal numbers and files.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use enum48::counts::Table;
use enum48::engine::{self, Engine, Plan, Progress, Silent, Stop};
use enum48::game::PartKey;
use enum48::internals::open_in_segments;
use enum48::part::{Kind, Stream};
use enum48::read::Lookup;
use enum48::read::Reader;
use enum48::store::{Keep, Run, Store};
use enum48::{Error, Game};

use crate::files::{files, in_memory};
use crate::read::reader;
use crate::share::share;

const MEMORY: u64 = 1 << 30;

fn plan(engine: Engine, memory: u64, threads: usize) -> Plan {
    Plan::new(memory, threads)
        .unwrap()
        .with_engine(Some(engine))
}

fn count(dir: &Path, game: &Game, keep: Keep, plan: &Plan, until: Option<u32>) -> Table {
    let mut store = Store::open(dir, game, Some(keep)).unwrap();
    engine::count(&mut store, plan, until, &mut Silent).unwrap();
    store.run().table()
}

/// Counts as bits and compares with a table of `results/tables/` that lists counted. Lists counted 4x4 to
/// 128 only up to sum 136.
fn agrees(name: &str, until: Option<u32>) {
    let game: Game = name.parse().unwrap();
    let place = in_memory();
    let plan = plan(Engine::Bits, MEMORY, 2);
    let found = count(place.path(), &game, Keep::Last, &plan, until);
    let counted =
        Table::read_csv(File::open(format!("results/tables/{name}.csv")).unwrap()).unwrap();
    let counted = counted.until(until);
    for (found, counted) in found.rows().iter().zip(counted.rows()) {
        assert_eq!(found, counted, "{name}");
    }
    assert_eq!(found.rows().len(), counted.rows().len(), "{name}");
}

#[test]
fn bits_give_the_tables_that_lists_gave() {
    let games = [
        ("4x4-8", None),
        ("4x4-16", None),
        ("4x4-32", None),
        ("4x4-64", Some(80)),
        ("4x4-128", Some(60)),
    ];
    for (name, until) in share(games) {
        agrees(name, until);
    }
}

#[test]
fn bits_and_lists_write_equal_files_for_any_threads() {
    let games = [
        ("4x4-8", None),
        ("4x4-16", Some(44)),
        ("4x4", Some(36)),
        ("free9-8", Some(14)),
        ("free5-16", None),
        ("free3", None),
    ];
    let keeps = [Keep::All, Keep::Last, Keep::Afterstates, Keep::Both];
    let cases = games
        .into_iter()
        .flat_map(|(name, until)| keeps.map(|keep| (name, until, keep)));
    for (name, until, keep) in share(cases) {
        let game: Game = name.parse().unwrap();
        let directory = |plan: &Plan| {
            let place = in_memory();
            count(place.path(), &game, keep, plan, until);
            files(place.path())
        };
        let expected = directory(&plan(Engine::Lists, MEMORY, 2));
        for threads in [1, 2, 5] {
            let found = directory(&plan(Engine::Bits, MEMORY, threads));
            assert!(found == expected, "{name} {keep:?} on {threads} threads");
        }
    }
}

#[test]
fn either_engine_resumes_a_count_of_the_other() {
    let game: Game = "4x4-8".parse().unwrap();
    let stops = [4, 6, 12, 14, 20, 36, 60, 70, 500].map(Some);
    let engines = [Engine::Bits, Engine::Lists];
    let keeps = [Keep::All, Keep::Last, Keep::Afterstates, Keep::Both];
    let cases = keeps
        .iter()
        .flat_map(|keep| [0, 1].map(|first| (*keep, first)));
    for (keep, first) in share(cases) {
        let [whole, place] = [(); 2].map(|()| in_memory());
        let lists = plan(Engine::Lists, MEMORY, 2);
        count(whole.path(), &game, keep, &lists, None);
        for (at, until) in stops.into_iter().enumerate() {
            let plan = plan(engines[(first + at) % 2], MEMORY, 2);
            count(place.path(), &game, keep, &plan, until);
        }
        assert!(files(place.path()) == files(whole.path()), "{keep:?}");
    }
}

/// Asks for a stop when the layer of a sum begins.
struct StopAt(u32, Stop);

impl Progress for StopAt {
    fn begin(&mut self, sum: u32) {
        if sum == self.0 {
            self.1.ask();
        }
    }
}

/// Count a game as bits until the layer of sum `at` begins.
fn stopped(dir: &Path, game: &Game, keep: Keep, at: u32) {
    let mut store = Store::open(dir, game, Some(keep)).unwrap();
    let stop = Stop::default();
    let plan = plan(Engine::Bits, MEMORY, 2).with_stop(stop.clone());
    let counted = engine::count(&mut store, &plan, None, &mut StopAt(at, stop));
    assert!(matches!(counted, Err(Error::Stopped)), "{counted:?}");
}

#[test]
fn a_stopped_count_leaves_matrices_and_either_engine_resumes_it() {
    for (name, keep) in [
        ("4x4-16", Keep::All),
        ("4x4-16", Keep::Last),
        ("free5-16", Keep::Last),
    ] {
        let game: Game = name.parse().unwrap();
        let whole = in_memory();
        let lists = plan(Engine::Lists, MEMORY, 2);
        count(whole.path(), &game, keep, &lists, Some(40));
        for engine in [Engine::Bits, Engine::Lists] {
            let place = in_memory();
            for at in [6, 8, 30] {
                stopped(place.path(), &game, keep, at);
                let names: Vec<String> = files(place.path()).into_keys().collect();
                let last = [at - 4, at - 2].map(|sum| format!("sum-{sum:05}.matrices"));
                for name in last.iter().filter(|name| *name != "sum-00002.matrices") {
                    assert!(names.contains(name), "{names:?}");
                }
                assert!(names.iter().all(|name| !name.ends_with(".afterstates")));
            }
            let plan = plan(engine, MEMORY, 1);
            count(place.path(), &game, keep, &plan, Some(40));
            assert!(
                files(place.path()) == files(whole.path()),
                "{name} {keep} {engine}"
            );
        }
    }
}

fn open(dir: &Path) -> Reader {
    reader(Run::open(dir).unwrap())
}

/// All boards of a run.
fn boards(reader: &Reader, kind: Kind) -> Vec<(PartKey, Vec<u64>)> {
    let parts = reader.run().parts(kind).map(|key| {
        let stream = Stream::new(reader.part(kind, key).unwrap().unwrap()).unwrap();
        (key, stream.map(|board| board.unwrap()).collect())
    });
    parts.collect()
}

#[test]
fn matrices_hold_the_boards_of_the_lists() {
    for (name, until) in [
        ("4x4-8", None),
        ("4x4-16", Some(40)),
        ("4x4", Some(30)),
        ("free5-16", None),
    ] {
        let game: Game = name.parse().unwrap();
        let [lists, matrices] = [Keep::Both, Keep::Matrices].map(|keep| {
            let place = in_memory();
            let plan = plan(Engine::Bits, MEMORY, 2);
            count(place.path(), &game, keep, &plan, until);
            (open(place.path()), place)
        });
        let names = files(matrices.1.path()).into_keys();
        let is_list = |name: &String| name.ends_with("states");
        assert!(!names.into_iter().any(|name| is_list(&name)), "{name}");
        let [lists, matrices] = [lists.0, matrices.0];
        let mut lookup = Lookup::new(&matrices, 0).unwrap();
        let (mut there, mut missing) = (0, 0);
        for kind in [Kind::States, Kind::Afterstates] {
            let expected = boards(&lists, kind);
            assert!(boards(&matrices, kind) == expected, "{name} {kind}");
            let all: Vec<u64> = expected
                .into_iter()
                .flat_map(|(_, boards)| boards)
                .collect();
            let there_is: HashSet<u64> = all.iter().copied().collect();
            // Boards with another tile in one place may be boards of the run or not.
            for &board in all.iter().step_by(all.len().div_ceil(300)) {
                for board in (0..64).step_by(12).map(|bit| board ^ 1 << bit) {
                    let sum = game.sum(board);
                    if sum < 4 || lists.run().has_layer(kind, sum).is_err() {
                        continue;
                    }
                    let expected = there_is.contains(&game.canonical(board));
                    let found = lookup.contains(kind, board).unwrap();
                    assert_eq!(found, expected, "{name} {kind} {board:#x}");
                    *(if found { &mut there } else { &mut missing }) += 1;
                }
            }
        }
        assert!(there > 20 && missing > 20, "{name}: {there} {missing}");
    }
}

#[test]
fn a_run_of_matrices_that_was_stopped_has_equal_files() {
    let game: Game = "4x4-16".parse().unwrap();
    let bits = plan(Engine::Bits, MEMORY, 2);
    let whole = in_memory();
    count(whole.path(), &game, Keep::Matrices, &bits, None);
    let place = in_memory();
    for at in [8, 30, 32] {
        stopped(place.path(), &game, Keep::Matrices, at);
    }
    count(place.path(), &game, Keep::Matrices, &bits, Some(50));
    count(place.path(), &game, Keep::Matrices, &bits, None);
    assert!(files(place.path()) == files(whole.path()));
}

#[test]
fn matrices_are_refused_where_there_are_none() {
    let place = in_memory();
    let said = |refused: Result<(), Error>| refused.unwrap_err().to_string();
    let open = |game: &str| {
        let game = game.parse().unwrap();
        Store::open(&place.path().join("run"), &game, Some(Keep::Matrices))
    };
    let refused = said(open("3x3-64").map(drop));
    assert_eq!(
        refused,
        "--keep matrices: for boards of 4x4, not of 3x3: give another --keep"
    );
    let mut store = open("4x4-64").unwrap();
    let mut count = |plan: &Plan| said(engine::count(&mut store, plan, None, &mut Silent));
    assert_eq!(
        count(&plan(Engine::Lists, MEMORY, 2)),
        "--keep matrices: only the engine bits makes matrices: leave out --engine lists"
    );
    let refused = count(&Plan::new(100 << 20, 2).unwrap());
    assert!(
        refused.starts_with("--keep matrices: the layer of sum ")
            && refused.ends_with("; --memory is 100M: give more --memory"),
        "{refused}"
    );
}

#[test]
fn layers_too_large_for_bits_are_counted_as_lists() {
    let game: Game = "4x4".parse().unwrap();
    let counted = |plan: &Plan| {
        let place = in_memory();
        count(place.path(), &game, Keep::All, plan, Some(40));
        files(place.path())
    };
    let small = Plan::new(40 << 20, 2).unwrap();
    let place = in_memory();
    let store = Store::open(place.path(), &game, None).unwrap();
    let choice = engine::Choice::new(store.run(), &small, Some(40)).unwrap();
    let text = choice.to_string();
    assert!(
        text.starts_with("bits to sum ") && text.ends_with(", then lists"),
        "{text}"
    );
    assert!(counted(&small) == counted(&plan(Engine::Lists, MEMORY, 2)));
}

#[test]
fn layers_that_stones_thin_out_are_counted_as_lists() {
    let plan = Plan::new(4 << 30, 2).unwrap();
    for (name, engine, why) in [
        ("free8-64", "bits", "matrices take up to "),
        ("free7-64", "lists", "bits are slower with over 8 stones"),
        ("L3-64", "lists", "bits count only boards without masks"),
    ] {
        let place = in_memory();
        let store = Store::open(place.path(), &name.parse().unwrap(), None).unwrap();
        let choice = engine::Choice::new(store.run(), &plan, None).unwrap();
        assert_eq!(choice.to_string(), engine, "{name}");
        assert!(choice.why().starts_with(why), "{name}: {}", choice.why());
    }
}

#[test]
fn bits_need_a_board_of_4x4_and_enough_memory() {
    for (name, memory, why) in [
        ("3x3-64", MEMORY, "for boards of 4x4, not of 3x3"),
        ("L3-64", MEMORY, "for boards without masks, not of L3"),
        (
            "free8-64until40",
            MEMORY,
            "for boards without a horizon, not of free8",
        ),
        ("4x4-64", 64 << 20, "needs"),
    ] {
        let game: Game = name.parse().unwrap();
        let place = in_memory();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let refused = engine::count(
            &mut store,
            &plan(Engine::Bits, memory, 2),
            None,
            &mut Silent,
        );
        let Err(Error::Engine(text)) = refused else {
            panic!("{name}: {refused:?}");
        };
        assert!(text.contains(why), "{text}");
        assert_eq!(store.run().sealed_sum(), 2, "nothing was counted");
    }
}

/// A manifest once kept the format of matrices, and was refused as damaged.
#[test]
fn only_an_empty_run_changes_its_form_or_its_segments() {
    let game: Game = "4x4-8".parse().unwrap();
    let bits = plan(Engine::Bits, MEMORY, 2);
    let place = in_memory();
    for (keep, segment) in [
        (Keep::All, 1 << 18),
        (Keep::Matrices, 1 << 17),
        (Keep::Both, 1 << 18),
        (Keep::Matrices, 1 << 18),
    ] {
        let store = open_in_segments(place.path(), &game, keep, segment);
        drop(store.unwrap());
        assert_eq!(Run::open(place.path()).unwrap().keep(), keep);
    }
    count(place.path(), &game, Keep::Matrices, &bits, Some(20));
    for keep in [Keep::Last, Keep::Both] {
        let refused = Store::open(place.path(), &game, Some(keep));
        assert!(matches!(refused, Err(Error::Keep(_))), "{keep}");
        assert_eq!(Run::open(place.path()).unwrap().keep(), Keep::Matrices);
    }
}
