//! Compares the twin with published values. One source is `DomTheDeveloper/2048-undo`,
//! `paper/main.tex`, table "Strong solutions of the honest game" (2026). The other is
//! `jdleesmiller/twenty48`, `test/twenty48/layer_tranche_builder_test.rb` (2018).

use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::{Objective, Solved};
use crate::plain::Plain;

fn exact(cols: usize, objective: Objective) -> Solved<BigRational> {
    Solved::new(Plain::new(2, cols, None), objective)
}

fn percent(chance: f64) -> String {
    format!("{:.2}", 100.0 * chance)
}

#[test]
fn expected_scores_of_2x2_and_2x3_equal_the_published_scores() {
    for (cols, start, two_2s) in [(2, "66.96", "67.70"), (3, "480.26", "480.99")] {
        let solved = exact(cols, Objective::Score);
        assert_eq!(format!("{:.2}", solved.start().to_f64().unwrap()), start);
        let value = solved.start_two_2s().to_f64().unwrap();
        assert_eq!(format!("{value:.2}"), two_2s);
    }
}

#[test]
fn chances_of_2x2_and_2x3_equal_the_published_chances() {
    let published = [
        (2, 16, "96.25"),
        (2, 32, "8.29"),
        (3, 64, "93.93"),
        (3, 128, "5.70"),
    ];
    for (cols, tile, chance) in published {
        let value = exact(cols, Objective::Tile(tile)).start();
        assert_eq!(percent(value.to_f64().unwrap()), chance, "{tile}");
    }
}

#[test]
fn the_chance_of_winning_2x2_to_32_equals_the_published_chance() {
    let game = Plain::new(2, 2, Some(32));
    let won = Solved::<BigRational>::new(game, Objective::Tile(32)).start();
    // Lees-Miller's solver rounds, so the values are not equal.
    assert!((won.to_f64().unwrap() - 0.08288728907155415).abs() < 1e-16);
}

#[test]
fn the_expected_score_of_2x4_equals_the_published_score() {
    let solved = Solved::<f64>::new(Plain::new(2, 4, None), Objective::Score);
    assert_eq!(format!("{:.2}", solved.start()), "2641.87");
    assert_eq!(format!("{:.2}", solved.start_two_2s()), "2642.60");
}

#[test]
fn chances_of_2x4_equal_the_published_chances() {
    for (tile, chance) in [(256, "86.98"), (512, "2.46")] {
        // The game that ends at the tile has fewer states. Its chance is equal, as a test in
        // `values` shows.
        let game = Plain::new(2, 4, Some(tile));
        let solved = Solved::<f64>::new(game, Objective::Tile(tile));
        assert_eq!(percent(solved.start()), chance, "{tile}");
    }
}
