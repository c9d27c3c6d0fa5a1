//! Tests of solving: against the exact twin, by playing games, and with damaged files.

mod bytes;
mod damage;
mod parts;
mod play;
mod twin;

use std::path::Path;

use enum48::engine::{self, Plan, Progress, Silent};
use enum48::game::Objective;
use enum48::part::{Decoder, Kind};
use enum48::solve;
use enum48::store::{Goal, Keep, Rounding, Solution, SolutionStore, Store};
use enum48::{Error, Game};
use tempfile::TempDir;

use crate::files::in_memory;
use crate::read::reader;

/// A run to solve.
struct Counted {
    place: TempDir,
}

impl Counted {
    /// Counts a game and keeps its afterstates.
    fn new(name: &str) -> Self {
        let place = in_memory();
        let game: Game = name.parse().unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Afterstates)).unwrap();
        engine::count(&mut store, &plan(2), None, &mut Silent).unwrap();
        drop(store);
        Self { place }
    }

    /// Counts a game and solves it for these objectives.
    fn solved(name: &str, objectives: &[&str], rounding: Rounding) -> Self {
        let counted = Self::new(name);
        counted.solve(objectives, rounding, &plan(2)).unwrap();
        counted
    }

    fn dir(&self) -> &Path {
        self.place.path()
    }

    fn solve(&self, objectives: &[&str], rounding: Rounding, plan: &Plan) -> Result<(), Error> {
        self.solve_watched(objectives, rounding, plan, &mut Silent)
    }

    fn solve_watched(
        &self,
        objectives: &[&str],
        rounding: Rounding,
        plan: &Plan,
        progress: &mut dyn Progress,
    ) -> Result<(), Error> {
        let mut store = SolutionStore::open(self.dir())?;
        let run = store.solution().run();
        // An objective may have bits and a rate of 4s, as in `score:8@1/5`.
        let goal = |name: &&str| {
            let (name, four) = name.split_once('@').unwrap_or((*name, "1/10"));
            let (name, bits) = match name.split_once(':') {
                Some((name, bits)) => (name, Some(bits.parse().unwrap())),
                None => (name, None),
            };
            let goal = solve::goal(run, name.parse()?, bits, rounding)?;
            Ok(goal.with_four(four.parse()?))
        };
        let goals: Vec<Goal> = objectives.iter().map(goal).collect::<Result<_, Error>>()?;
        solve::solve(&mut store, &goals, plan, progress)
    }

    fn solution(&self) -> Solution {
        Solution::open(self.dir()).unwrap()
    }
}

fn plan(threads: usize) -> Plan {
    Plan::new(128 << 20, threads).unwrap()
}

/// All afterstates with their values, part by part.
fn values(solution: &Solution, objective: Objective) -> Vec<(u64, u32)> {
    let (mut all, reader) = (Vec::new(), reader(solution.run().clone()));
    for key in solution.parts(objective) {
        let part = reader.part(Kind::Afterstates, key).unwrap().unwrap();
        let column = solution.values(objective, &part).unwrap().unwrap();
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for block in 0..part.blocks() {
            part.read_block(block, &mut Decoder::new().unwrap(), &mut keys)
                .unwrap();
            column
                .read_block(block, &mut Decoder::new().unwrap(), &mut values)
                .unwrap();
        }
        all.extend(keys.into_iter().zip(values));
    }
    all
}
