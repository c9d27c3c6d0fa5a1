//! A game that is counted and solved, for the benches of solving.

use enum48::engine::{self, Engine, Plan};
use enum48::read::Reader;
use enum48::solve;
use enum48::store::{Keep, Rounding, Solution, SolutionStore, Store};
use tempfile::TempDir;

/// The files of a solved game.
pub(crate) struct Solved {
    pub(crate) solution: Solution,
    pub(crate) reader: Reader,
    _place: TempDir,
}

impl Solved {
    /// Count a game and solve it for these objectives: 3x3 to 128 for four takes about three
    /// seconds.
    pub(crate) fn new(game: &str, objectives: &[&str]) -> Self {
        let game = game.parse().expect("a game");
        let place = tempfile::tempdir().expect("a directory");
        let mut store = Store::open(place.path(), &game, Some(Keep::Both)).expect("a new run");
        let plan = Plan::new(64 << 20, 1)
            .expect("memory enough")
            .with_engine(Some(Engine::Lists));
        engine::count(&mut store, &plan, None, &mut engine::Silent).expect("a count");
        drop(store);

        let mut store = SolutionStore::open(place.path()).expect("a complete run");
        let goals: Vec<_> = objectives
            .iter()
            .map(|objective| {
                let objective = objective.parse().expect("an objective");
                let run = store.solution().run();
                solve::goal(run, objective, None, Rounding::Nearest).expect("a tile of the game")
            })
            .collect();
        solve::solve(&mut store, &goals, &plan, &mut engine::Silent).expect("it fits the memory");
        drop(store);

        let solution = Solution::open(place.path()).expect("it is solved");
        Self {
            reader: Reader::new(solution.run().clone(), &plan),
            solution,
            _place: place,
        }
    }
}
