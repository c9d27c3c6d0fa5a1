//! Compares every value of small games with the exact twin.

use enum48::Game;
use enum48::game::{PartKey, Size};
use enum48::solve::Values;
use enum48::store::{Goal, Rounding, Solution};
use num_rational::BigRational;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};

use super::{Counted, values};
use crate::exact::{Objective, Solved};
use crate::plain::{Plain, tiles};
use crate::read::reader;
use crate::share::exhaustive;

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
    name.parse::<enum48::game::Objective>().unwrap().into()
}

/// The score for making the tiles of a board out of 2s. The files add this score to the expected
/// score of an afterstate.
fn potential(game: &Plain, objective: Objective, board: u64) -> u32 {
    match objective {
        Objective::Score => {
            let cells = game.cells(board);
            tiles(&cells)
                .map(|exp| u32::from(exp - 1) * (1 << exp))
                .sum()
        }
        Objective::Moves | Objective::Tile(_) | Objective::Sure(_) => 0,
    }
}

fn fraction(goal: Goal, value: u32) -> BigRational {
    let one = BigRational::from_u64(1 << goal.fraction).unwrap();
    BigRational::from_u32(value).unwrap() / one
}

/// Compare all values of a game for an objective with the twin.
fn values_are_within_their_bounds(
    solution: &Solution,
    plain: &Plain,
    wanted: &str,
    twin: &Solved<BigRational>,
) {
    let goal = solution.goal(wanted.parse().unwrap()).unwrap();
    let found = values(solution, goal.objective);
    assert_eq!(found.len(), twin.afterstates().len());
    for (board, value) in found {
        let before = potential(plain, objective(wanted), board);
        let before = BigRational::from_u32(before).unwrap();
        let above = fraction(goal, value) - before - twin.value_of_afterstate(board);
        let sum = solution.run().game().sum(board);
        let bound = goal.error(sum, solution.last_sum());
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

/// Compare the values of the starts for an objective with the twin.
fn starts_are_within_their_bounds(solution: &Solution, wanted: &str, twin: &Solved<BigRational>) {
    let goal = solution.goal(wanted.parse().unwrap()).unwrap();
    let start = Values::new(solution, &reader(solution.run().clone()), &[goal], 0)
        .unwrap()
        .start()
        .unwrap()[0];
    let bound = solution.error(goal) + 1e-12;
    let expected = [twin.start(), twin.start_two_2s()];
    for (expected, found) in expected.iter().zip([start.all, start.two_2s]) {
        let off = expected.to_f64().unwrap() - found;
        let four = solution.four().unwrap();
        assert!(off.abs() <= bound, "{wanted} {four}: {off:e}");
    }
}

#[test]
fn every_value_of_2x2_and_2x3_is_within_its_error_bound() {
    for (cols, win, names) in GAMES {
        let plain = Plain::new(2, cols, win);
        let runs = ROUNDINGS.map(|rounding| Counted::solved(&name(cols, win), names, rounding));
        let few: Vec<String> = names.iter().map(|name| format!("{name}:6")).collect();
        let few: Vec<&str> = few.iter().map(String::as_str).collect();
        let rounded = ROUNDINGS.map(|rounding| Counted::solved(&name(cols, win), &few, rounding));
        for wanted in names {
            let twin = Solved::<BigRational>::new(Plain::new(2, cols, win), objective(wanted));
            for run in runs.iter().chain(&rounded) {
                values_are_within_their_bounds(&run.solution(), &plain, wanted, &twin);
            }
            // The first run rounds to the nearest value.
            starts_are_within_their_bounds(&runs[0].solution(), wanted, &twin);
        }
    }
}

/// Rates of spawned 4s, with the weights of 2s and 4s.
const RATES: [(&str, [(u8, u32); 2]); 3] = [
    ("0", [(1, 1), (2, 0)]),
    ("3/7", [(1, 4), (2, 3)]),
    ("1", [(1, 0), (2, 1)]),
];

#[test]
fn every_value_at_other_rates_of_4s_is_within_its_error_bound() {
    // Exact fractions of 2x3 without a winning tile take seconds at each rate.
    let games = GAMES.iter().filter(|game| (game.0, game.1) != (3, None));
    for &(cols, win, names) in games {
        let plain = Plain::new(2, cols, win);
        for (four, tiles) in RATES {
            let at_rate = names.iter().map(|name| format!("{name}@{four}"));
            // Whether a tile can be forced depends on no rate.
            let at_rate: Vec<String> = at_rate.chain(["sure-8".to_owned()]).collect();
            let at_rate: Vec<&str> = at_rate.iter().map(String::as_str).collect();
            let run = Counted::solved(&name(cols, win), &at_rate, Rounding::Nearest);
            let solution = run.solution();
            assert_eq!(solution.four().unwrap().to_string(), four);
            for wanted in names {
                let plain_again = Plain::new(2, cols, win);
                let twin = Solved::<BigRational>::at_rate(plain_again, objective(wanted), tiles);
                values_are_within_their_bounds(&solution, &plain, wanted, &twin);
                starts_are_within_their_bounds(&solution, wanted, &twin);
            }
        }
    }
}

#[test]
fn every_value_of_a_game_with_stones_is_within_its_error_bound() {
    for ([rows, cols, stones], mask, win) in [
        ([2, 2, 1], 0, 16),
        ([2, 3, 2], 0, 32),
        ([3, 2, 3], 0, 16),
        ([3, 3, 5], 0, 16),
        ([4, 4, 13], 0, 8),
        ([2, 3, 2], 0b000_011, 16),
        ([3, 3, 3], 0b000_001_011, 16),
    ] {
        let names = ["score", "moves", "8", &win.to_string()];
        let plain = || Plain::new(rows, cols, Some(win)).with_stones(stones);
        let game = || match mask {
            0 => plain(),
            mask => plain().with_masks(&[mask]),
        };
        let size = Size::new(rows as u8, cols as u8).unwrap();
        let mut size = size.with_stones(stones as u32).unwrap();
        if mask != 0 {
            let board = u64::from_str_radix(&format!("{mask:b}").replace('1', "f"), 16);
            size = size.with_masks(&[board.unwrap()]).unwrap();
        }
        let name = Game::new(size, Some(win)).unwrap().to_string();
        let runs = ROUNDINGS.map(|rounding| Counted::solved(&name, &names, rounding));
        for wanted in names {
            let twin = Solved::<BigRational>::new(game(), objective(wanted));
            for run in &runs {
                values_are_within_their_bounds(&run.solution(), &game(), wanted, &twin);
            }
            starts_are_within_their_bounds(&runs[0].solution(), wanted, &twin);
        }
    }
}

#[test]
fn every_value_of_a_game_with_target_cells_is_within_its_error_bound() {
    for ([rows, cols, stones], masks, targets, win, horizon, name) in [
        (
            [2, 3, 2],
            &[0b000_011][..],
            0b000_100,
            16,
            60,
            "2x3free4lockffatf00-16until60",
        ),
        (
            [3, 3, 4],
            &[0b000_011_011],
            0b000_100_000,
            16,
            44,
            "3x3free5lockff0ffatf00000-16until44",
        ),
        (
            [3, 3, 5],
            &[],
            0b000_101_000,
            8,
            30,
            "3x3free4atf0f000-8until30",
        ),
        ([2, 3, 1], &[], 0, 32, 40, "2x3free5-32until40"),
    ] {
        let game = || {
            let game = Plain::new(rows, cols, Some(win)).with_stones(stones);
            let game = match masks {
                [] => game,
                masks => game.with_masks(masks),
            };
            game.with_targets(targets, horizon)
        };
        let names = ["score", "moves", "8", &win.to_string()];
        let names = if win == 8 { &names[1..] } else { &names[..] };
        let runs = ROUNDINGS.map(|rounding| Counted::solved(name, names, rounding));
        for wanted in names {
            let twin = Solved::<BigRational>::new(game(), objective(wanted));
            for run in &runs {
                values_are_within_their_bounds(&run.solution(), &game(), wanted, &twin);
            }
            starts_are_within_their_bounds(&runs[0].solution(), wanted, &twin);
        }
    }
}

/// Numbers of an independent program, which was written from the rules alone. It has tables of rows and
/// a hash set for each layer, and agrees with the native engine of game-difficulty/2048EndgameTablebase
/// (2026-05-02) on 200 random positions of free8-64.
#[test]
fn endgames_have_the_numbers_of_an_independent_program() {
    let mut games = vec![
        (
            "free6-16",
            [1_190_212, 182_458, 858_218],
            [0.960736821335779, 0.961776048758450],
        ),
        (
            "free6-64",
            [4_103_433, 1_783_003, 4_004_868],
            [0.094980618008848, 0.094061534562523],
        ),
    ];
    if exhaustive() {
        games.push((
            "free7-32",
            [23_750_399, 4_335_998, 18_574_855],
            [0.950009505332045, 0.951888528279903],
        ));
        games.push((
            "L3-64",
            [16_772_727, 517_345, 8_153_639],
            [0.768126328767031, 0.773297893114722],
        ));
        games.push((
            "442-64",
            [19_882_752, 537_044, 9_058_347],
            [0.820714162299712, 0.828226750142225],
        ));
    }
    for (name, counts, chances) in games {
        let (_, tile) = name.split_once('-').unwrap();
        let run = Counted::solved(name, &[tile], Rounding::Nearest);
        let solution = run.solution();
        let totals = solution.run().table().totals();
        assert_eq!([totals.live, totals.dead, totals.afterstates], counts);
        let goal = solution.goal(tile.parse().unwrap()).unwrap();
        let reader = reader(solution.run().clone());
        let mut values = Values::new(&solution, &reader, &[goal], 0).unwrap();
        let start = values.start().unwrap()[0];
        for (found, expected) in [start.all, start.two_2s].into_iter().zip(chances) {
            assert!((found - expected).abs() <= solution.error(goal), "{name}");
        }
    }
}

#[test]
fn a_tile_can_be_forced_where_a_minimax_forces_it() {
    let mut games = vec![
        (2, None, &[4u32, 8, 16, 32][..]),
        (2, Some(16), &[8, 16]),
        (3, None, &[16, 32, 64]),
        (3, Some(64), &[16, 32, 64]),
        (4, Some(32), &[16, 32]),
    ];
    if exhaustive() {
        games.extend([(3, None, &[8, 128][..]), (4, None, &[32, 64, 128, 256])]);
    }
    for (cols, win, tiles) in games {
        let names: Vec<String> = tiles.iter().map(|tile| format!("sure-{tile}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let run = Counted::solved(&name(cols, win), &names, Rounding::Nearest);
        let solution = run.solution();
        for (&tile, wanted) in tiles.iter().zip(&names) {
            let twin = Solved::<f64>::new(Plain::new(2, cols, win), Objective::Sure(tile));
            let goal = solution.goal(wanted.parse().unwrap()).unwrap();
            assert_eq!(solution.error(goal), 0.0);
            let found = values(&solution, goal.objective);
            assert_eq!(found.len(), twin.afterstates().len());
            for (board, value) in found {
                assert_eq!(
                    f64::from(value),
                    twin.value_of_afterstate(board),
                    "{wanted} {board:#x}"
                );
            }
            let mut values = Values::new(
                &solution,
                &reader(solution.run().clone()),
                &[goal],
                64 << 20,
            )
            .unwrap();
            let mut states: Vec<_> = twin.states().iter().collect();
            states.sort_by_key(|&(&state, _)| (PartKey::of(state), state));
            for (&state, &value) in states {
                let best = values.moves(state).unwrap();
                let best = best.iter().map(|made| made.numbers[0]);
                let best = best
                    .reduce(f64::max)
                    .unwrap_or_else(|| values.judge(state).unwrap().1[0]);
                assert_eq!(best, value, "{wanted} {state:#x}");
            }
            let start = values.start().unwrap()[0];
            assert_eq!(start.all, twin.start());
            assert_eq!(start.two_2s, twin.start_two_2s());
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
        // The number of afterstates in results/tables/3x3-32.csv.
        assert_eq!(all, 53_289);
        assert!(apart > 1_000, "only {apart} were ever rounded");
        let twin = Solved::<f64>::new(Plain::new(3, 3, Some(32)), objective(wanted));
        let starts = [&down, &up].map(|solution| {
            let goal = solution.goal(wanted.parse().unwrap()).unwrap();
            Values::new(solution, &reader(solution.run().clone()), &[goal], 0)
                .unwrap()
                .start()
                .unwrap()[0]
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
        let starts = Values::new(&solution, &reader(solution.run().clone()), &goals, 0)
            .unwrap()
            .start()
            .unwrap();
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
    let start = Values::new(&solution, &reader(solution.run().clone()), &[goal], 0)
        .unwrap()
        .start()
        .unwrap()[0];
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
