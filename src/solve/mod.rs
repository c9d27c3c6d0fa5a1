//! Solves a counted game: computes the value of every afterstate by retrograde analysis.
//!
//! The values of a layer follow from the values of the two layers above it, as a spawn adds 2 or 4
//! to the sum and a move keeps it. So the layers of a complete run are solved from the last to the
//! first:
//!
//! ```text
//! V(afterstate) = mean over its empty cells of (1 - p) V(state with a 2 there) + p V(with a 4 there)
//! V(state)      = the greatest of reward + V(afterstate) over its moves; 0 if it has none
//! ```
//!
//! The rate p of spawned 4s is 1/10 unless the user gives another. Whether a tile can be forced is
//! the same recursion with the least value in place of the mean.
//!
//! Key idea: only afterstates have values in files. There are fewer afterstates than states, and
//! the value of a state is the value of its best move. A player needs only the values of the four
//! moves. The states between two layers are made on the fly (`expand`).
//!
//! ```text
//!   .afterstates of sum s        blocks                                    all threads
//!      |
//!      | Expand       spawn, move, canonical form
//!      |    Ranking   the rank of each reached board among all boards of its sum
//!      |    Index     its place in the layer of sum s+2 or s+4
//!      |    SolvedLayer   its value there; the greatest for each state
//!      |    Payoff    the mean of each afterstate, rounded once
//!      v
//!   FindValues        blocks of values: .values of sum s, one file for each part and goal
//!      |
//!      v
//!   Draft             the ranks of the afterstates, collected meanwhile
//!      |
//!      v
//!   SolvedLayer       with the values, read back from the files, for sums s-2 and s-4
//! ```
//!
//! Values are integers, and sums are exact, so the files do not depend on threads, memory or
//! interruptions.
//!
//! Reading order: `goal` (what can be solved, and the recursion in integers), `rank`,
//! `index`, `layer`, `expand`, `passes`, this file (the loop over layers); then `values`,
//! and `parts`, which read solutions.

pub(crate) mod expand;
mod goal;
pub(crate) mod index;
mod layer;
mod parts;
mod passes;
mod values;

use std::sync::Arc;

use rayon::prelude::*;

use crate::engine::{self, PartJob, PerThread, Pipeline, Plan, Workers};
use crate::error::Result;
use crate::game::rank::RankTables;
use crate::game::{LineTables, Objective, PartKey};
use crate::part::Kind;
use crate::progress::{FinishedLayer, Progress};
use crate::read::Reader;
use crate::store::{Goal, SolutionStore};

use expand::{BATCH, BlockSource, Buffers, Expand, FindValues};
pub(crate) use goal::Payoff;
#[cfg(feature = "cli")]
pub(crate) use goal::names;
pub use goal::number;
#[cfg(feature = "python")]
pub(crate) use goal::potential;
pub use goal::{goal, goals};
use layer::Draft;
pub(crate) use layer::{SolvedLayer, SolvedPart};
#[cfg(feature = "machine")]
pub(crate) use parts::BatchValues;
#[cfg(feature = "cli")]
pub(crate) use parts::SolvedBlock;
pub use parts::{PartSummary, StateValues, ValueSummary, parts};
pub(crate) use passes::tables;
pub use passes::{Pass, passes};
pub use values::{MoveValue, Start, Values};

/// Solve a run for these goals, down to the first layer. Continues where an earlier call stopped.
/// Solved layers are durable when the function returns, even with an error.
///
/// # Errors
///
/// Errors of the system; a second call resumes the work. Damaged files.
/// [`SolvingError::Absent`](crate::SolvingError::Absent) if an afterstate is missing from the
/// files; before any work, the errors of [`passes()`].
pub fn solve(
    store: &mut SolutionStore,
    goals: &[Goal],
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<()> {
    solve_goals(store, goals, false, plan, progress)
}

/// Like [`solve`], but if `again`, from the last layer on even if the goals are solved. Their values
/// are deleted after all afterstates are read and found sound.
///
/// # Errors
///
/// As for [`solve`].
pub(crate) fn solve_goals(
    store: &mut SolutionStore,
    goals: &[Goal],
    again: bool,
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<()> {
    let kept = if again { &[] } else { goals };
    // The check can take long, so goals are refused before it.
    passes(store.solution(), kept, plan)?;
    check(store, kept, plan)?;
    if again {
        let objectives: Vec<Objective> = goals.iter().map(|goal| goal.objective).collect();
        store.forget(&objectives)?;
    }
    let passes = passes(store.solution(), goals, plan)?;
    solve_passes(store, &passes, plan, progress)
}

/// Check every block of the afterstates and of these goals' values against its checksum.
fn check(store: &SolutionStore, goals: &[Goal], plan: &Plan) -> Result<()> {
    let solution = store.solution();
    let reader = Reader::new(solution.run().clone(), plan);
    let parts: Vec<PartKey> = solution.run().parts(Kind::Afterstates).collect();
    let check = |&key: &PartKey| {
        plan.stop.check()?;
        let Some(part) = reader.part(Kind::Afterstates, key)? else {
            return Ok(());
        };
        part.check_blocks()?;
        goals.iter().try_for_each(|goal| {
            let column = solution.values(goal.objective, &part)?;
            column.map_or(Ok(()), |column| column.check_blocks())
        })
    };
    let check_all = |parts: &[PartKey]| parts.par_iter().try_for_each(check);
    engine::pool(plan.threads())?.install(|| reader.groups(&parts).try_for_each(check_all))
}

/// Make passes until `progress` says to stop. The files of the run are not checked first, because a
/// check of many files takes long. After an error, the unfinished layer is deleted.
///
/// # Errors
///
/// As for [`solve`].
pub(crate) fn solve_passes(
    store: &mut SolutionStore,
    passes: &[Pass],
    plan: &Plan,
    progress: &mut dyn Progress,
) -> Result<()> {
    for &goal in passes.iter().flat_map(|pass| &pass.goals) {
        store.begin(goal)?;
    }
    let workers = Workers::start(plan)?;
    let solved = workers.install(|| {
        for pass in passes {
            // The pass and the unpacking of its layers share the memory of a plan.
            let run = store.solution().run().clone();
            let game = *run.game();
            let mut solver = Solver {
                lines: LineTables::new(&game),
                reader: &Reader::new(run, &plan.without(pass.memory)),
                store,
                pass,
                payoffs: Payoff::all(
                    &pass
                        .goals
                        .iter()
                        .map(|goal| goal.exact())
                        .collect::<Vec<_>>(),
                    &game,
                ),
                pipeline: Pipeline::new(BATCH * workers.threads(), &workers),
                buffers: Buffers::each(&workers)?,
            };
            if !solver.run(progress)? {
                break;
            }
        }
        Ok(())
    });
    store.end(solved)
}

/// The state of a pass.
struct Solver<'a> {
    store: &'a mut SolutionStore,
    reader: &'a Reader,
    pass: &'a Pass,
    payoffs: Vec<Payoff>,
    lines: LineTables,
    pipeline: Pipeline<'a, Vec<u32>>,
    buffers: PerThread<Buffers>,
}

impl Solver<'_> {
    /// Solve the layers that are left, until `progress` says to stop. Returns false if it did.
    fn run(&mut self, progress: &mut dyn Progress) -> Result<bool> {
        let mut sum = self.pass.solved_sum;
        progress.begin(sum - 2);
        let solution = self.store.solution();
        let tables = tables(solution);
        let read = |sum| {
            let from = (solution, self.reader);
            SolvedLayer::read(from, &self.payoffs, &tables, sum, self.pipeline.workers)
        };
        // The upper layer is read first, so that it is in memory while the lower layer is read, as
        // in the loop.
        let fours = read(sum + 2)?;
        let mut above = [read(sum)?, fours];
        loop {
            sum -= 2;
            let [twos, fours] = &above;
            let (draft, parts) = self.solve(&tables, sum, [twos, fours], progress)?;
            let stops = progress.stop();
            if sum == 4 || stops {
                return Ok(!stops);
            }
            progress.begin(sum - 2);
            // Only two layers are in memory at a time.
            let [twos, fours] = above;
            drop(fours);
            above = [
                draft.read(&parts, self.payoffs.len(), self.pipeline.workers)?,
                twos,
            ];
        }
    }

    /// Solve a layer, given the layers above it. Returns its draft and its parts, ready to be read.
    fn solve(
        &mut self,
        tables: &Arc<RankTables>,
        sum: u32,
        above: [&SolvedLayer; 2],
        progress: &mut dyn Progress,
    ) -> Result<(Draft, Vec<SolvedPart>)> {
        let parts = self.reader.parts_of(Kind::Afterstates, sum)?;
        let draft = Draft::new(tables, sum, parts.iter())?;
        let expand = Expand {
            game: *self.reader.run().game(),
            lines: &self.lines,
            payoffs: &self.payoffs,
            above,
        };
        let find = FindValues {
            expand: &expand,
            goals: &self.pass.goals,
            buffers: &self.buffers,
        };
        let mut jobs = Vec::new();
        let mut first = 0;
        for afterstates in parts {
            let (key, blocks) = (afterstates.label().key, afterstates.blocks());
            let goals = self.pass.goals.iter().flat_map(|goal| goal.written());
            let writers = goals.map(|goal| self.store.create(goal, &afterstates));
            let writers: Result<_> = writers.collect();
            let source = BlockSource {
                afterstates,
                first,
                draft: &draft,
            };
            let mut job = PartJob::new(key, source, find);
            job.write_to(writers?);
            jobs.push(job);
            first += blocks;
        }
        self.pipeline.build(&mut jobs, |counted| {
            progress.advance(counted.unique);
        })?;
        let mut finished = FinishedLayer {
            sum,
            last: sum == 4,
            ..FinishedLayer::default()
        };
        let mut solved = Vec::new();
        for job in jobs {
            finished.boards += job.source.afterstates.states();
            let goals = self.pass.goals.iter().flat_map(|goal| goal.written());
            for (goal, writer) in goals.zip(job.take_writers()) {
                finished.bytes += self.store.finish(goal, job.key, writer)?.bytes;
            }
            solved.push(job.source.afterstates);
        }
        self.store.seal(&self.pass.goals, sum)?;
        progress.end(&finished);
        let mut parts = Vec::new();
        for afterstates in solved {
            let part = SolvedPart::open(self.store.solution(), &self.payoffs, afterstates)?;
            parts.extend(part);
        }
        Ok((draft, parts))
    }
}
