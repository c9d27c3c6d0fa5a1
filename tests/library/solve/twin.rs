//! Compares every value of small games with the exact twin.

use enum48::game::{Direction, sum};
use enum48::solve::Values;
use enum48::store::{Goal, Rounding};
use num_rational::BigRational;
use num_traits::{FromPrimitive, Signed, Zero};

use super::{Counted, values};
use crate::exact::{Objective, Solved};
use crate::plain::Plain;

const ROUNDINGS: [Rounding; 3] = [Rounding::Nearest, Rounding::Down, Rounding::Up];

/// Games on boards of 2 rows: columns, winning tile, and objectives.
const GAMES: [(usize, Option<u32>, &[&str]); 6] = [
    (2, None, &["score", "moves", "16", "32"]),
    (2, Some(8), &["score", "moves", "4", "8"]),
    (2, Some(32), &["score", "moves", "16", "32"]),
    (3, None, &["score", "moves", "64", "128"]),
    (3, Some(16), &["score", "moves", "16"]),
    (3, Some(64), &["score", "moves", "32", "64"]),
];

fn name(cols: usize, win: Option<u32>) -> String {
    let win = win.map_or(String::new(), |tile| format!("-{tile}"));
    format!("2x{cols}{win}")
}

fn objective(name: &str) -> Objective {
    match name {
        "score" => Objective::Score,
        "moves" => Objective::Moves,
        tile => Objective::Tile(tile.parse().unwrap()),
    }
}

/// The score for making the tiles of a board out of 2s. The files add this score to the expected
/// score of an afterstate.
fn potential(game: &Plain, objective: Objective, board: u64) -> u32 {
    match objective {
        Objective::Score => {
            let cells = game.cells(board).into_iter();
            let tiles = cells.filter(|&exp| exp > 0);
            tiles.map(|exp| u32::from(exp - 1) * (1 << exp)).sum()
        }
        Objective::Moves | Objective::Tile(_) => 0,
    }
}

fn fraction(goal: Goal, value: u32) -> BigRational {
    let one = BigRational::from_u64(1 << goal.fraction).unwrap();
    BigRational::from_u32(value).unwrap() / one
}

#[test]
fn every_value_of_2x2_and_2x3_is_within_its_error_bound() {
    for (cols, win, names) in GAMES {
        let plain = Plain::new(2, cols, win);
        let runs = ROUNDINGS.map(|rounding| Counted::solved(&name(cols, win), names, rounding));
        for wanted in names {
            let twin = Solved::<BigRational>::new(Plain::new(2, cols, win), objective(wanted));
            for run in &runs {
                let solution = run.solution();
                let goal = solution.goal(wanted.parse().unwrap()).unwrap();
                let found = values(&solution, goal.objective);
                assert_eq!(found.len(), twin.afterstates().len());
                for (board, value) in found {
                    let before = potential(&plain, objective(wanted), board);
                    let before = BigRational::from_u32(before).unwrap();
                    let above = fraction(goal, value) - before - twin.value_of_afterstate(board);
                    let bound = goal.error(sum(board), solution.last_sum());
                    let bound = BigRational::from_float(bound).unwrap();
                    let what = format!("{wanted} {:?} {board:#x}: {above}", goal.rounding);
                    assert!(above.abs() <= bound, "{what}");
                    match goal.rounding {
                        Rounding::Nearest => {}
                        Rounding::Down => assert!(above <= BigRational::zero(), "{what}"),
                        Rounding::Up => assert!(above >= BigRational::zero(), "{what}"),
                    }
                }
            }
        }
    }
}

#[test]
fn all_moves_and_the_start_have_the_values_of_the_twin() {
    for (cols, win, names) in GAMES {
        let run = Counted::solved(&name(cols, win), names, Rounding::Nearest);
        let solution = run.solution();
        for wanted in names {
            let goal = solution.goal(wanted.parse().unwrap()).unwrap();
            let bound = goal.error(4, solution.last_sum()) + 1e-12;
            let twin = Solved::<f64>::new(Plain::new(2, cols, win), objective(wanted));
            let mut found = Values::new(&solution, &[goal], 1 << 20).unwrap();
            for &state in twin.states().keys() {
                let moves = found.moves(state).unwrap();
                for direction in Direction::ALL {
                    let expected = twin.value_of_move(state, direction);
                    let made = moves.iter().find(|made| made.direction == direction);
                    let off = match (expected, made) {
                        (Some(expected), Some(made)) => (made.numbers[0] - expected).abs(),
                        (None, None) => 0.0,
                        other => panic!("{state:#x} {direction:?}: {other:?}"),
                    };
                    assert!(off <= bound, "{wanted} {state:#x} {direction:?}: {off}");
                }
            }
            let start = found.start().unwrap()[0];
            assert!((start.all - twin.start()).abs() <= bound);
            assert!((start.two_2s - twin.start_two_2s()).abs() <= bound);
        }
    }
}

#[test]
fn rounding_down_and_up_encloses_every_value_of_3x3_to_32() {
    let names = ["score", "32"];
    let runs = ROUNDINGS.map(|rounding| Counted::solved("3x3-32", &names, rounding));
    let [nearest, down, up] = runs.each_ref().map(Counted::solution);
    for wanted in names {
        let of = |solution| values(solution, wanted.parse().unwrap());
        let (floor, ceiling) = (of(&down), of(&up));
        let (mut all, mut apart) = (0, 0);
        for ((middle, floor), ceiling) in of(&nearest).into_iter().zip(floor).zip(ceiling) {
            assert!(floor.0 == middle.0 && middle.0 == ceiling.0);
            assert!(floor.1 <= middle.1 && middle.1 <= ceiling.1);
            all += 1;
            apart += u32::from(floor.1 < ceiling.1);
        }
        // The number of afterstates in results/3x3-32.csv.
        assert_eq!(all, 53_289);
        assert!(apart > 1_000, "only {apart} were ever rounded");
        let twin = Solved::<f64>::new(Plain::new(3, 3, Some(32)), objective(wanted));
        let starts = [&down, &up].map(|solution| {
            let goal = solution.goal(wanted.parse().unwrap()).unwrap();
            Values::new(solution, &[goal], 0).unwrap().start().unwrap()[0]
        });
        // The floating-point twin also has an error.
        let encloses =
            |value: f64, [low, high]: [f64; 2]| low <= value + 1e-9 && value <= high + 1e-9;
        assert!(encloses(twin.start(), starts.map(|start| start.all)));
        assert!(encloses(
            twin.start_two_2s(),
            starts.map(|start| start.two_2s)
        ));
    }
}

#[test]
fn solved_values_equal_the_published_values() {
    // From DomTheDeveloper/2048-undo, paper/main.tex: scores from any start and from two 2s, and
    // chances of tiles in percent.
    for (name, start, two_2s, chances) in [
        ("2x2", "66.96", "67.70", [("16", "96.25"), ("32", "8.29")]),
        (
            "2x3",
            "480.26",
            "480.99",
            [("64", "93.93"), ("128", "5.70")],
        ),
        (
            "2x4",
            "2641.87",
            "2642.60",
            [("256", "86.98"), ("512", "2.46")],
        ),
    ] {
        let names = ["score", chances[0].0, chances[1].0];
        let run = Counted::solved(name, &names, Rounding::Nearest);
        let solution = run.solution();
        let goals = names.map(|name| solution.goal(name.parse().unwrap()).unwrap());
        let starts = Values::new(&solution, &goals, 0).unwrap().start().unwrap();
        assert_eq!(format!("{:.2}", starts[0].all), start);
        assert_eq!(format!("{:.2}", starts[0].two_2s), two_2s);
        for (start, (tile, chance)) in starts[1..].iter().zip(chances) {
            assert_eq!(format!("{:.2}", 100.0 * start.all), chance, "{name} {tile}");
        }
    }
    // From jdleesmiller/twenty48, test/twenty48/layer_tranche_builder_test.rb.
    let run = Counted::solved("2x2-32", &["32"], Rounding::Nearest);
    let solution = run.solution();
    let goal = solution.goals().next().unwrap();
    let start = Values::new(&solution, &[goal], 0).unwrap().start().unwrap()[0];
    let off = start.all - 0.082_887_289_071_554_15;
    assert!(off.abs() <= goal.error(4, solution.last_sum()), "{off:e}");
}

#[test]
fn the_error_bound_is_half_a_unit_per_layer() {
    let run = Counted::solved("2x2", &["score"], Rounding::Nearest);
    let solution = run.solution();
    let goal = solution.goals().next().unwrap();
    // Afterstates have the sums 4 to 56. Each of these 27 layers adds an error of half of 2^-24.
    assert_eq!(solution.last_sum(), 56);
    assert_eq!(goal.fraction, 24);
    let unit = 1.0 / f64::from(1 << 24);
    assert!((goal.error(4, 56) - 27.0 * unit / 2.0).abs() < 1e-15);
    let floor = Goal {
        rounding: Rounding::Down,
        ..goal
    };
    assert!((floor.error(4, 56) - 27.0 * unit).abs() < 1e-15);
}
