//! Compares looked-up boards with the boards of the parts, and looked-up values with the values of
//! the exact twin.

#![expect(clippy::disallowed_methods, reason = "a test damages a file by hand")]

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use enum48::engine::{self, Plan, Stop};
use enum48::game::sum;
use enum48::part::{Kind, Part, Stream};
use enum48::read::Lookup;
use enum48::solve::{self, Values};
use enum48::store::{Goal, Keep, Rounding, Run, Solution, SolutionStore, Store};
use enum48::{Error, Game};
use fastrand::Rng;
use tempfile::TempDir;

use crate::exact::{self, Solved};
use crate::files::in_memory;
use crate::plain::Plain;
use crate::read::reader;

fn plan() -> Plan {
    Plan::new(64 << 20, 2).unwrap()
}

/// A game counted in a new directory.
fn counted(game: &str, keep: Keep) -> TempDir {
    counted_until(game, None, keep)
}

fn counted_until(game: &str, until: Option<u32>, keep: Keep) -> TempDir {
    let place = in_memory();
    let mut store = Store::open(place.path(), &game.parse().unwrap(), Some(keep)).unwrap();
    engine::count(&mut store, &plan(), until, &mut engine::Silent).unwrap();
    place
}

#[test]
fn an_open_run_says_that_a_count_has_dropped_a_layer() {
    let place = counted_until("2x2-32", Some(12), Keep::Last);
    let reader = reader(Run::peek(place.path()).unwrap());
    let run = reader.run();
    assert!(reader.layer(12).unwrap().count() > 0);
    let frontier = run.parts(Kind::Afterstates).next().unwrap();
    let mut store = Store::open(place.path(), run.game(), None).unwrap();
    engine::count(&mut store, &plan(), Some(20), &mut engine::Silent).unwrap();
    for gone in [
        reader.layer(12).map(drop),
        reader.part(Kind::Afterstates, frontier).map(drop),
    ] {
        assert!(matches!(gone, Err(Error::Gone { .. })), "{gone:?}");
    }
}

/// Maximum number of boards of a part to look up in another orientation or changed.
const DISTURBED: usize = 5000;

/// A random image of a board. Half of the time, two of its cells are swapped first.
fn disturbed(random: &mut Rng, game: &Game, board: u64) -> u64 {
    let size = game.size();
    let plain = Plain::new(size.rows().into(), size.cols().into(), game.max());
    let mut cells = plain.cells(board);
    let [one, other] = [(); 2].map(|()| random.usize(..size.cells() as usize));
    if random.bool() {
        cells.swap(one, other);
    }
    let images: Vec<u64> = plain.images(&cells).collect();
    images[random.usize(..images.len())]
}

/// Looks boards up in one batch.
fn positions(lookup: &mut Lookup, kind: Kind, boards: &[u64]) -> Vec<Option<u64>> {
    let mut found = vec![Some(u64::MAX); boards.len()];
    let tell = |at, position| found[at] = position;
    let outcome = lookup.positions(kind, boards, &Stop::default(), tell);
    outcome.unwrap();
    found
}

/// Checks that look-ups find every board of a run at its position, singly and in batches, and find
/// no other board. One look-up has a large cache, the other has none.
pub(crate) fn every_board_is_found(run: impl Into<Arc<Run>>) {
    let reader = reader(run);
    let (run, game) = (reader.run(), reader.run().game());
    let mut random = Rng::with_seed(7);
    let [mut small, mut large] = [0, 1 << 30].map(|memory| Lookup::new(&reader, memory).unwrap());
    for kind in [Kind::States, Kind::Afterstates] {
        for key in run.parts(kind) {
            let part = reader.part(kind, key).unwrap().unwrap();
            let boards: Vec<u64> = Stream::new(part).unwrap().map(Result::unwrap).collect();
            for (board, at) in boards.iter().zip(0..) {
                assert_eq!(large.position(kind, *board).unwrap(), Some(at), "{board:x}");
            }
            // Turning drops a tile beyond the cells.
            if let Some(beyond) = 1_u64.checked_shl(4 * game.size().cells()) {
                let board = boards[0] | beyond;
                assert_eq!(large.position(kind, board).unwrap(), None, "{board:x}");
                assert!(!large.contains(kind, board).unwrap(), "{board:x}");
                assert_eq!(positions(&mut small, kind, &[board]), [None], "{board:x}");
            }
            let mut some: Vec<u64> = (0..2 + boards.len() / 64)
                .map(|_| random.u64(..boards.len() as u64 + 2))
                .collect();
            some.extend(0..boards.len() as u64);
            random.shuffle(&mut some);
            let board_of = |at: &u64| boards.get(*at as usize).copied();

            let mut read = vec![Some(u64::MAX); some.len()];
            let tell = |at, board| read[at] = board;
            let outcome = small.boards_at(kind, key, &some, &Stop::default(), tell);
            outcome.unwrap();
            assert!(read.iter().copied().eq(some.iter().map(board_of)));
            for at in &some[..some.len().min(20)] {
                assert_eq!(large.board_at(kind, key, *at).unwrap(), board_of(at));
            }

            let known = some.iter().filter_map(board_of);
            let asked: Vec<u64> = known
                .enumerate()
                .map(|(number, board)| {
                    if number < DISTURBED {
                        disturbed(&mut random, game, board)
                    } else {
                        board
                    }
                })
                .collect();
            let expected: Vec<Option<u64>> = asked
                .iter()
                .map(|board| {
                    let at = boards.binary_search(&game.canonical(*board)).ok()?;
                    Some(at as u64)
                })
                .collect();
            let found = positions(&mut small, kind, &asked);
            assert!(found == expected, "{kind} {key:?}");
            for (&board, expected) in asked.iter().zip(expected).take(20) {
                for lookup in [&mut small, &mut large] {
                    assert_eq!(lookup.position(kind, board).unwrap(), expected);
                    let is_there = expected.is_some();
                    assert_eq!(lookup.contains(kind, board).unwrap(), is_there);
                }
            }
        }
    }
}

#[test]
fn every_board_of_3x3_to_64_is_found_at_its_position() {
    let place = counted("3x3-64", Keep::Both);
    every_board_is_found(Run::open(place.path()).unwrap());
}

#[test]
fn a_batch_across_parts_equals_single_look_ups() {
    let place = counted("3x3-32", Keep::Both);
    let reader = reader(Run::open(place.path()).unwrap());
    let run = reader.run();
    let mut random = Rng::with_seed(3);
    let [mut small, mut large] = [0, 1 << 30].map(|memory| Lookup::new(&reader, memory).unwrap());
    for kind in [Kind::States, Kind::Afterstates] {
        let mut all = Vec::new();
        for key in run.parts(kind) {
            let part = reader.part(kind, key).unwrap().unwrap();
            all.extend(Stream::new(part).unwrap().map(Result::unwrap));
        }
        for asked in [0, 1, 7, 20_000] {
            let mut boards: Vec<u64> = (0..asked)
                .map(|_| {
                    let board = all[random.usize(..all.len())];
                    disturbed(&mut random, run.game(), board)
                })
                .collect();
            // Add boards of no part, and repeats.
            boards.extend([0, 0x9, 0x1_1111_1111]);
            boards.extend_from_within(..asked / 3);
            random.shuffle(&mut boards);
            let found = positions(&mut large, kind, &boards);
            for (board, found) in boards.iter().zip(&found) {
                assert_eq!(small.position(kind, *board).unwrap(), *found, "{board:x}");
            }
            assert!(found.iter().filter(|found| found.is_some()).count() >= asked / 3);
            assert!(found.iter().any(Option::is_none));
        }
    }
}

#[test]
fn damage_to_a_file_in_use_is_an_error_and_is_not_cached() {
    let place = counted_until("4x4-16", Some(36), Keep::All);
    let reader = reader(Run::open(place.path()).unwrap());
    // This file is too large to be read whole when it is opened.
    let path = place.path().join("sum-00036-max-00008.states");
    let board = Part::open(&path).unwrap().first(0);
    let sound = fs::read(&path).unwrap();
    let mut damaged = sound.clone();
    damaged[60] ^= 1; // in the payload of the first block

    let mut lookup = Lookup::new(&reader, 1 << 20).unwrap();
    for (bytes, what) in [
        (&damaged[..], "block 0: checksum differs"),
        (
            &sound[..50],
            "states: cannot read at byte 40: the file was cut",
        ),
        (&[], "states: cannot read at byte 40: the file was cut"),
        (&damaged, "block 0: checksum differs"),
    ] {
        fs::write(&path, bytes).unwrap();
        for _ in 0..2 {
            let error = lookup.position(Kind::States, board).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
            let batch = lookup.positions(Kind::States, &[board], &Stop::default(), |_, _| ());
            let error = batch.unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
    }
    // Boards of other parts are found before and after the file is restored.
    assert_eq!(lookup.position(Kind::States, 0x0011).unwrap(), Some(0));
    fs::write(&path, &sound).unwrap();
    assert_eq!(lookup.position(Kind::States, board).unwrap(), Some(0));
    assert_eq!(lookup.position(Kind::States, 0x0011).unwrap(), Some(0));
    // An open file can be read after it was deleted; later it is missing.
    if cfg!(unix) {
        let mut other = Lookup::new(&reader, 0).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(lookup.position(Kind::States, board).unwrap(), Some(0));
        let missing = other.position(Kind::States, board);
        assert!(matches!(missing, Err(Error::Missing(_))), "{missing:?}");
    }
}

#[test]
fn a_dropped_layer_and_a_stopped_batch_are_errors() {
    let place = counted("2x2-32", Keep::Last);
    let last = reader(Run::open(place.path()).unwrap());
    let mut lookup = Lookup::new(&last, 0).unwrap();
    for kind in [Kind::States, Kind::Afterstates] {
        let error = lookup.contains(kind, 0x0132).unwrap_err();
        assert!(matches!(error, Error::Gone { sum: 14, .. }), "{error}");
    }
    let stop = Stop::default();
    stop.ask();
    let place = counted("2x2-32", Keep::All);
    let whole = reader(Run::open(place.path()).unwrap());
    let mut lookup = Lookup::new(&whole, 0).unwrap();
    let stopped = lookup.positions(Kind::States, &[0x0132], &stop, |_, _| ());
    assert!(matches!(stopped, Err(Error::Stopped)));
}

/// A game counted and solved in a new directory.
fn solved(game: &str, objectives: &[&str]) -> (TempDir, Vec<Goal>) {
    let place = counted(game, Keep::Afterstates);
    let mut store = SolutionStore::open(place.path()).unwrap();
    let goals: Vec<Goal> = objectives
        .iter()
        .map(|objective| {
            let run = store.solution().run();
            solve::goal(run, objective.parse().unwrap(), None, Rounding::Nearest).unwrap()
        })
        .collect();
    solve::solve(&mut store, &goals, &plan(), &mut engine::Silent).unwrap();
    (place, goals)
}

/// All boards of this many cells with tiles up to 2^`top`.
fn boards(cells: u32, top: u64) -> impl Iterator<Item = u64> {
    (0..(top + 1).pow(cells)).map(move |number| {
        (0..cells).fold(0, |board, cell| {
            (board << 4) | (number / (top + 1).pow(cell) % (top + 1))
        })
    })
}

#[test]
fn moves_in_every_orientation_have_the_values_of_the_twin() {
    for (name, cols, win, objectives) in [
        ("2x2", 2, None, &["score", "moves", "8", "16", "32"][..]),
        ("2x2-32", 2, Some(32), &["score", "moves", "16", "32"]),
        ("2x3", 3, None, &["score", "128"]),
        ("2x3-32", 3, Some(32), &["32", "score"]),
    ] {
        let (place, goals) = solved(name, objectives);
        let solution = Solution::open(place.path()).unwrap();
        // With memory 0, the cache keeps no block for long.
        let memory = if cols == 2 { 0 } else { 1 << 30 };
        let mut values =
            Values::new(&solution, &reader(solution.run().clone()), &goals, memory).unwrap();
        for (at, goal) in goals.iter().enumerate() {
            let plain = Plain::new(2, cols, win);
            let exact = Solved::<f64>::new(Plain::new(2, cols, win), goal.objective.into());
            let mut moves = 0;
            for &state in exact.states().keys() {
                for image in plain.images(&plain.cells(state)) {
                    // The floating-point twin is within 1e-12 of the exact fractions.
                    let error = goal.error(sum(image), solution.last_sum()) + 1e-12;
                    let found = values.moves(image).unwrap();
                    let best = found.iter().map(|of| of.units[at]).max();
                    for of in &found {
                        let expected = exact.value_of_move(image, of.direction).unwrap();
                        let off = (of.numbers[at] - expected).abs();
                        assert!(off <= error, "{name} {image:x} {:?}: {off:e}", of.direction);
                        moves += 1;
                        if best == Some(of.units[at]) {
                            let value = exact.value_of_state(image);
                            assert!((value - expected).abs() <= 2.0 * error, "{name} {image:x}");
                        }
                    }
                    let legal = plain.moves(&plain.cells(image)).count();
                    assert_eq!(found.len(), legal, "{name} {image:x}");
                    if legal == 0 {
                        let value = exact.value_of_state(image);
                        assert_eq!(
                            values.judge(image).unwrap().1[at],
                            value,
                            "{name} {image:x}"
                        );
                    }
                }
            }
            assert!(moves > 500, "{name}: {moves}");
        }
    }
}

#[test]
fn reached_boards_are_states_and_won_boards_in_any_orientation() {
    for (name, cols, win, top) in [
        ("2x2", 2, None, 6),
        ("2x2-32", 2, Some(32), 6),
        ("2x3-16", 3, Some(16), 5),
        ("2x3", 3, None, 7),
    ] {
        let (place, goals) = solved(name, &["score"]);
        let solution = Solution::open(place.path()).unwrap();
        let mut values =
            Values::new(&solution, &reader(solution.run().clone()), &goals, 1 << 30).unwrap();
        let plain = Plain::new(2, cols, win);
        let exact = Solved::<f64>::new(Plain::new(2, cols, win), exact::Objective::Score);
        let states = exact.states().keys();
        let moves = states.flat_map(|&state| plain.moves(&plain.cells(state)).collect::<Vec<_>>());
        let won = moves.filter(|moved| moved.won);
        let won: HashSet<u64> = won.map(|moved| plain.canonical(&moved.after)).collect();
        let mut reached = 0;
        for board in boards(2 * cols as u32, top) {
            let canonical = plain.canonical(&plain.cells(board));
            let expected = exact.states().contains_key(&canonical) || won.contains(&canonical);
            assert_eq!(values.reached(board).unwrap(), expected, "{name} {board:x}");
            reached += u32::from(expected);
        }
        assert!(reached > 300, "{name}: {reached}");
    }
}
