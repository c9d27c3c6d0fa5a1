//! Values that are looked up in files, beside those of the exact twin.

use std::collections::HashSet;

use enum48::engine::{self, Plan};
use enum48::game::{Objective, sum};
use enum48::solve::{self, Values};
use enum48::store::{Goal, Keep, Rounding, Solution, SolutionStore, Store};
use tempfile::TempDir;

use crate::exact::{self, Solved};
use crate::memory::in_memory;
use crate::plain::Plain;

/// A solved game in a directory of its own.
fn solved(game: &str, objectives: &[&str]) -> (TempDir, Vec<Goal>) {
    let place = in_memory();
    let plan = Plan::new(64 << 20, 2).unwrap();
    let keep = Some(Keep::Afterstates);
    let mut store = Store::open(place.path(), &game.parse().unwrap(), keep).unwrap();
    engine::count(&mut store, &plan, None, &mut engine::Silent).unwrap();
    drop(store);
    let mut store = SolutionStore::open(place.path()).unwrap();
    let goals: Vec<Goal> = objectives
        .iter()
        .map(|objective| {
            let run = store.solution().run();
            solve::goal(run, objective.parse().unwrap(), None, Rounding::Nearest).unwrap()
        })
        .collect();
    solve::solve(&mut store, &goals, &plan, &mut solve::Silent).unwrap();
    (place, goals)
}

fn twin(objective: Objective) -> exact::Objective {
    match objective {
        Objective::Score => exact::Objective::Score,
        Objective::Moves => exact::Objective::Moves,
        Objective::Tile(exp) => exact::Objective::Tile(exp.tile()),
    }
}

/// All boards of so many cells without a larger tile than 2^`top`.
fn boards(cells: u32, top: u64) -> impl Iterator<Item = u64> {
    (0..(top + 1).pow(cells)).map(move |number| {
        (0..cells).fold(0, |board, cell| {
            (board << 4) | (number / (top + 1).pow(cell) % (top + 1))
        })
    })
}

#[test]
fn the_moves_of_every_state_as_it_lies_are_worth_what_the_twin_says() {
    for (name, cols, win, objectives) in [
        ("2x2", 2, None, &["score", "moves", "8", "16", "32"][..]),
        ("2x2-32", 2, Some(32), &["score", "moves", "16", "32"]),
        ("2x3", 3, None, &["score", "128"]),
        ("2x3-32", 3, Some(32), &["32", "score"]),
    ] {
        let (place, goals) = solved(name, objectives);
        let solution = Solution::open(place.path()).unwrap();
        // On 2x2 no block is kept for long.
        let memory = if cols == 2 { 0 } else { 1 << 30 };
        let mut values = Values::new(&solution, &goals, memory).unwrap();
        for (at, goal) in goals.iter().enumerate() {
            let plain = Plain::new(2, cols, win);
            let exact = Solved::<f64>::new(Plain::new(2, cols, win), twin(goal.objective));
            let mut moves = 0;
            for &state in exact.states().keys() {
                for image in plain.images(&plain.cells(state)) {
                    // The twin is within 1e-12 of the fractions.
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
                        assert_eq!(values.ended(image)[at], value, "{name} {image:x}");
                    }
                }
            }
            assert!(moves > 500, "{name}: {moves}");
        }
    }
}

#[test]
fn a_board_is_reached_if_it_is_a_state_or_a_winning_move_makes_it_in_any_orientation() {
    for (name, cols, win, top) in [
        ("2x2", 2, None, 6),
        ("2x2-32", 2, Some(32), 6),
        ("2x3-16", 3, Some(16), 5),
        ("2x3", 3, None, 7),
    ] {
        let (place, goals) = solved(name, &["score"]);
        let solution = Solution::open(place.path()).unwrap();
        let mut values = Values::new(&solution, &goals, 1 << 30).unwrap();
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
