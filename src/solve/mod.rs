//! Solves a counted game: the value of every afterstate, by retrograde analysis.
//!
//! A layer's values follow from those of the two layers above it, as a spawn adds 2 or 4 to the sum
//! and a move keeps it. So the layers of a complete run are gone through from the last to the first:
//!
//! ```text
//! V(afterstate) = mean over its empty cells of 0.9 V(state with a 2 there) + 0.1 V(with a 4 there)
//! V(state)      = the greatest of reward + V(afterstate) over its moves; 0 if it has none
//! ```
//!
//! Key idea: only afterstates have values in files. There are several times fewer of them than of
//! states, the value of a state is that of its best move, and a player at the board needs just
//! those of the four moves. The states between two layers are made on the fly (`expand`).
//!
//! ```text
//!   .afterstates of sum s        blocks                                    all threads
//!      |
//!      | Expand       spawn, move, canonical form
//!      |    Ranking   the number of each board reached among all of its sum
//!      |    Index     its place in the layer, of sum s+2 or s+4
//!      |    Layer     its value there; the greatest of each state
//!      |    Payoff    the mean of each afterstate, rounded once
//!      v
//!   Builder           blocks of values: .values of sum s, one file for each part and goal
//!      |
//!      v
//!   Layer             read back from there, for sums s-2 and s-4
//! ```
//!
//! Values are integers, and no sum of them is rounded on the way, so the files do not depend on
//! threads, memory or interruptions.
//!
//! Reading order: `payoff` (the recursion in integers), `rank`, `index`, `layer`, `expand`,
//! `columns`, `memory`, this file (the loop over layers), `progress`; then `values`,
//! `states` and `parts`, which read what is solved.

mod columns;
pub(crate) mod expand;
pub(crate) mod index;
mod layer;
mod memory;
mod parts;
mod payoff;
mod progress;
pub(crate) mod rank;
mod states;
mod values;

use crate::engine::{Plan, Workers};
use crate::error::Result;
use crate::game::{Game, Objective, PartKey};
use crate::part::Kind;
use crate::store::{Goal, Solution, SolutionStore};

use columns::{Builder, Job};
use expand::{Expand, MOST_GOALS};
use layer::{Layer, SolvedPart};
use memory::Memory;
pub use parts::{PartWorth, Worth, parts};
pub(crate) use payoff::Payoff;
pub use payoff::{goal, number};
pub use progress::{Progress, Silent};
use rank::RankTables;
pub use states::StateValues;
pub use values::{MoveValue, Start, Values};

/// Solve a run for these goals, from where that was stopped down to the first layer. What is solved
/// is durable when this returns, also if it returns an error.
///
/// # Errors
///
/// Whatever the system refuses; the same call goes on from there. What is wrong with a file.
/// [`Error::Absent`](crate::Error::Absent) if an afterstate is in no file that must be in one;
/// [`Error::Layers`](crate::Error::Layers) if the layers do not fit the memory of the plan; before
/// anything is done, the errors of [`goal`].
pub fn solve(
    store: &mut SolutionStore,
    goals: &[Goal],
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<()> {
    let run = store.solution().run();
    goals.iter().try_for_each(|&goal| payoff::fits(run, goal))?;
    for &goal in goals {
        store.aim(goal)?;
    }
    let workers = Workers::start(plan)?;
    workers.install(|| {
        let objectives: Vec<Objective> = goals.iter().map(|goal| goal.objective).collect();
        store.check_blocks(&objectives)?;
        for pass in passes(store, goals, plan)? {
            let solved = Pass::new(store, pass, &workers).and_then(|mut pass| pass.run(progress));
            if let Err(error) = solved {
                // The error that ended the pass is the one to report.
                let _ = store.abandon();
                return Err(error);
            }
        }
        store.close()
    })
}

/// The goals that are not reached yet, those together that are solved down to the same layer and
/// fit the memory of the plan.
fn passes(store: &SolutionStore, goals: &[Goal], plan: &Plan) -> Result<Vec<Vec<Goal>>> {
    let solution = store.solution();
    let solved = |goal: &Goal| solution.solved_sum(goal.objective).unwrap_or_default();
    let mut left: Vec<Goal> = goals
        .iter()
        .copied()
        .filter(|goal| solved(goal) > 4)
        .collect();
    left.sort_by_key(solved);
    let Some(last) = left.last().map(solved) else {
        return Ok(Vec::new());
    };
    let together = Memory::new(solution.run(), &tables(solution), last).goals(plan, MOST_GOALS)?;
    let passes = left.chunk_by(|one, other| solved(one) == solved(other));
    let passes = passes.flat_map(|pass| pass.chunks(together));
    Ok(passes.map(<[Goal]>::to_vec).collect())
}

/// The tables that all layers are ranked by.
pub(crate) fn tables(solution: &Solution) -> RankTables {
    let game = solution.run().game();
    // Of the states above the last afterstates none leads to an afterstate.
    RankTables::new(game.size(), game.top(), solution.last_sum() + 4)
}

/// Read a solved layer.
pub(crate) fn read<'t>(
    solution: &Solution,
    objectives: &[Objective],
    tables: &'t RankTables,
    sum: u32,
    workers: &Workers,
) -> Result<Layer<'t>> {
    let game = solution.run().game();
    let mut parts = Vec::new();
    for key in keys(game, sum) {
        parts.extend(SolvedPart::open(solution, objectives, key)?);
    }
    Layer::read(tables, game, sum, objectives.len(), &parts, workers)
}

/// A pass over the layers, from last to first, for goals that are solved together.
struct Pass<'a> {
    store: &'a mut SolutionStore,
    goals: Vec<Goal>,
    objectives: Vec<Objective>,
    payoffs: Vec<Payoff>,
    workers: &'a Workers,
    builder: Builder<'a>,
}

impl<'a> Pass<'a> {
    fn new(store: &'a mut SolutionStore, goals: Vec<Goal>, workers: &'a Workers) -> Result<Self> {
        Ok(Self {
            objectives: goals.iter().map(|goal| goal.objective).collect(),
            payoffs: goals.iter().map(|&goal| Payoff::new(goal)).collect(),
            goals,
            builder: Builder::new(workers)?,
            workers,
            store,
        })
    }

    /// Solve all layers that are left.
    fn run(&mut self, progress: &mut dyn Progress) -> Result<()> {
        let solution = self.store.solution();
        let solved = solution.solved_sum(self.objectives[0]);
        let mut sum = solved.expect("the store has taken up the goals");
        let run = solution.run();
        let table = run.table();
        let left = table.rows().iter().filter(|row| row.sum < sum);
        progress.begin(&self.goals, left.map(|row| row.afterstates).sum());
        let tables = tables(solution);
        let mut above = [self.read(&tables, sum)?, self.read(&tables, sum + 2)?];
        while sum > 4 && !progress.stop() {
            sum -= 2;
            let [twos, fours] = &above;
            self.solve(sum, [twos, fours], progress)?;
            // Only two layers are in memory at a time.
            let [twos, fours] = above;
            drop(fours);
            above = [self.read(&tables, sum)?, twos];
        }
        Ok(())
    }

    /// Solve a layer, given those above it.
    fn solve(&mut self, sum: u32, above: [&Layer; 2], progress: &mut dyn Progress) -> Result<()> {
        let run = self.store.solution().run();
        let game = *run.game();
        let mut jobs = Vec::new();
        let keys: Vec<PartKey> = keys(&game, sum).collect();
        for &key in &keys {
            if let Some(afterstates) = run.part(Kind::Afterstates, key)? {
                let writers = self.goals.iter().map(|&goal| self.store.create(goal, key));
                jobs.push(Job {
                    afterstates,
                    writers: writers.collect::<Result<_>>()?,
                });
            }
        }
        let expand = Expand {
            game,
            payoffs: &self.payoffs,
            above,
        };
        let report = |afterstates| progress.step(sum, afterstates);
        self.builder.build(&expand, &mut jobs, report)?;
        let mut bytes = 0;
        for Job {
            afterstates,
            writers,
        } in jobs
        {
            let key = afterstates.label().key;
            for (&objective, writer) in self.objectives.iter().zip(writers) {
                bytes += self.store.finish(objective, key, writer)?.bytes;
            }
        }
        self.store.seal(&self.objectives, sum)?;
        progress.end(sum, bytes);
        Ok(())
    }

    /// Read a solved layer.
    fn read<'t>(&self, tables: &'t RankTables, sum: u32) -> Result<Layer<'t>> {
        let solution = self.store.solution();
        read(solution, &self.objectives, tables, sum, self.workers)
    }
}

/// The parts of a layer.
fn keys(game: &Game, sum: u32) -> impl Iterator<Item = PartKey> {
    game.top().up_to().map(move |max| PartKey { sum, max })
}
