//! Witnesses for boards that no game reaches.

use enum48::Game;
use enum48::engine::{self, Plan, Silent};
use enum48::store::{Run, Store};
use enum48::witness::{Answer, Layers};

#[test]
fn a_board_that_no_game_reaches_has_no_witness() {
    let place = tempfile::tempdir().unwrap();
    let game: Game = "2x2".parse().unwrap();
    let mut store = Store::open(place.path(), &game, None).unwrap();
    let plan = Plan::new(64 << 20, 1).unwrap();
    engine::count(&mut store, &plan, None, &mut Silent).unwrap();
    drop(store);
    let run = Run::open(place.path()).unwrap();
    let mut layers = Layers::new(&run, 0).unwrap();
    let wrong = game.canonical(0x0014).0;
    assert!(matches!(
        layers.witness(wrong).unwrap(),
        Answer::Unreachable(_)
    ));
}
