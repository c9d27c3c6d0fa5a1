//! Witnesses in a run that is wrong.

use enum48::Game;
use enum48::engine::{self, Plan, Silent};
use enum48::game::Board;
use enum48::store::{Archive, Store};
use enum48::witness::{Answer, Layers};

fn canonical(game: &Game, board: Board) -> Board {
    let mut canonical = [board];
    game.rules().canonicalise(&mut canonical);
    canonical[0]
}

#[test]
fn a_state_that_a_run_should_not_have_is_found_out() {
    // A count with a state too many: written by the library, as a wrong program would.
    let place = tempfile::tempdir().unwrap();
    let game: Game = "2x2".parse().unwrap();
    let mut store = Store::open(place.path(), &game, None).unwrap();
    let plan = Plan::new(64 << 20, 1).unwrap();
    engine::count(&game, &mut store, &plan, None, &mut Silent).unwrap();
    drop(store);
    let archive = Archive::open(place.path()).unwrap();
    let mut layers = Layers::new(&archive, 0).unwrap();
    let wrong = canonical(&game, 0x0014);
    assert!(matches!(
        layers.witness(wrong).unwrap(),
        Answer::Unreachable(_)
    ));
}
