//! Checks the twin against values computed by hand, and against equalities that must hold.

use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use super::{Objective, Solved};
use crate::plain::Plain;

use Objective::{Moves, Score, Tile};

fn exact(cols: usize, win: Option<u32>, objective: Objective) -> Solved<BigRational> {
    Solved::new(Plain::new(2, cols, win), objective)
}

#[test]
fn the_last_moves_of_2x2_have_values_computed_by_hand() {
    // The afterstate 32 16 / 8 . is dead after any spawn.
    // In 32 16 / 4 4, the move makes an 8 and leaves 32 16 / 8 . So 32 16 / 4 . needs a spawned 4,
    // which has probability 1/10.
    // In 32 16 / 2 2, the move makes a 4 and leaves 32 16 / 4 .
    for (objective, after_8, two_4s, after_4, two_2s) in [
        (Score, "0", "8", "4/5", "24/5"),
        (Moves, "0", "1", "1/10", "11/10"),
        (Tile(32), "1", "1", "1", "1"),
        (Tile(64), "0", "0", "0", "0"),
    ] {
        let solved = exact(2, None, objective);
        assert_eq!(solved.value_of_afterstate(0x5430).to_string(), after_8);
        assert_eq!(solved.value_of_state(0x5422).to_string(), two_4s);
        assert_eq!(solved.value_of_afterstate(0x5420).to_string(), after_4);
        assert_eq!(solved.value_of_state(0x5411).to_string(), two_2s);
    }
}

#[test]
fn the_winning_move_scores_all_merges_and_ends_the_game() {
    for (objective, two_16s, two_pairs) in
        [(Score, "32", "40"), (Moves, "1", "1"), (Tile(32), "1", "1")]
    {
        let solved = exact(2, Some(32), objective);
        assert_eq!(solved.value_of_state(0x4412).to_string(), two_16s);
        assert_eq!(solved.value_of_state(0x4422).to_string(), two_pairs);
    }
}

#[test]
fn a_dead_board_is_worth_only_its_reached_tiles() {
    // 16 2 / 2 4 has no 8, but its 16 counts as reaching 8.
    for (objective, value) in [(Score, "0"), (Moves, "0"), (Tile(8), "1"), (Tile(32), "0")] {
        let solved = exact(2, None, objective);
        assert_eq!(solved.value_of_state(0x4112).to_string(), value);
    }
}

#[test]
fn the_values_of_2x2_equal_known_fractions() {
    for (objective, start, two_2s) in [
        (
            Score,
            "41852593410688287414496003/625000000000000000000000",
            "423101650492305816249503/6250000000000000000000",
        ),
        (
            Moves,
            "478417830757697959898489719/40000000000000000000000000",
            "4857147466505171763245219/400000000000000000000000",
        ),
        (Tile(16), "770009003/800000000", "7700903/8000000"),
        (
            Tile(32),
            "663098312572433/8000000000000000",
            "6631667660933/80000000000000",
        ),
        (Tile(64), "0", "0"),
    ] {
        let solved = exact(2, None, objective);
        assert_eq!(solved.start().to_string(), start);
        assert_eq!(solved.start_two_2s().to_string(), two_2s);
    }
}

#[test]
fn every_reachable_board_has_a_value() {
    // Live and dead states, and afterstates, from results/summaries.jsonl.
    for (cols, states, afterstates) in [(2, 110, 67), (3, 21752, 14883)] {
        let solved = Solved::<f64>::new(Plain::new(2, cols, None), Score);
        assert_eq!(solved.states().len(), states);
        assert_eq!(solved.afterstates().len(), afterstates);
    }
}

#[test]
fn boards_solved_without_symmetry_have_the_same_values() {
    for (cols, win, objective) in [
        (2, None, Score),
        (2, None, Moves),
        (2, None, Tile(16)),
        (3, Some(32), Score),
    ] {
        let solved = exact(cols, win, objective);
        let plain = Plain::new(2, cols, win).without_symmetry();
        let plain = Solved::<BigRational>::new(plain, objective);
        assert!(plain.states().len() > 3 * solved.states().len());
        for (&board, value) in plain.states() {
            assert_eq!(*value, solved.value_of_state(board), "{board:x}");
        }
        for (&board, value) in plain.afterstates() {
            assert_eq!(*value, solved.value_of_afterstate(board), "{board:x}");
        }
    }
}

#[test]
fn winning_is_as_likely_as_reaching_the_winning_tile() {
    for (cols, tile) in [(2, 8), (2, 16), (2, 32), (3, 32), (3, 64), (3, 128)] {
        let [won, reached] = [Some(tile), None].map(|win| exact(cols, win, Tile(tile)));
        assert!(!won.start().is_zero());
        for (&board, value) in won.states() {
            assert_eq!(*value, reached.value_of_state(board), "{board:x}");
        }
        for (&board, value) in won.afterstates() {
            assert_eq!(*value, reached.value_of_afterstate(board), "{board:x}");
        }
    }
}

#[test]
fn floating_point_is_within_1e_12_of_the_fractions() {
    let fractions = exact(3, None, Score);
    let floats = Solved::<f64>::new(Plain::new(2, 3, None), Score);
    for (&board, value) in fractions.states() {
        let error = value.to_f64().unwrap() - floats.value_of_state(board);
        assert!(error.abs() < 1e-12, "{board:x}: {error:e}");
    }
}
