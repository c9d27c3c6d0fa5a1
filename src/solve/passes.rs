//! The passes over the layers that are left to solve, and the memory that each pass takes.
//!
//! The memory is computed before any work. Memory holds two layers at a time, and the ranks of the
//! layer that is solved and then read. Only the number of records of an index is not known in
//! advance; it is at most one for each afterstate. Large layers of 3x3 had one record for 10
//! afterstates, and large layers of 4x4 to 32 had one for 7. The estimate is one for 2 afterstates.

use std::path::Path;
use std::sync::Arc;

use super::expand::MOST_GOALS;
use super::index::{BOARDS_OF_RECORD, BYTES, Index, MOST_BOARDS};
use crate::engine::{Plan, for_layer, least_bound};
use crate::error::{Result, SolvingError};
use crate::game::rank::RankTables;
use crate::store::{self, Goal, Run, Solution};

/// A pass over the layers, from the last to the first, for goals that are solved together.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The goals.
    pub goals: Vec<Goal>,
    /// Sum of the lowest solved layer; the layers below are left.
    pub solved_sum: u32,
    /// Afterstates of the layers that are left.
    pub afterstates: u64,
    /// The most bytes that layers of the pass take in memory at once.
    pub memory: u64,
}

/// The passes that finish these goals, in order. Goals with an equal lowest solved layer share a
/// pass if they fit the memory of the plan. If the run keeps matrices, each layer must also be unpacked in
/// the memory that the pass leaves. A goal that is named twice is solved once. Nothing is written.
///
/// # Errors
///
/// The errors of [`Solution::reached`] and of [`goal()`](super::goal()); [`SolvingError::Goal`] if
/// goals are of one objective but differ, or are of several rates of 4s;
/// [`SolvingError::NotSolvable`] if a layer has too many afterstates to number them;
/// [`SolvingError::Memory`] if the layers do not fit the memory of the plan.
pub fn passes(solution: &Solution, goals: &[Goal], plan: &Plan) -> Result<Vec<Pass>> {
    let run = solution.run();
    let mut left: Vec<(u32, Goal)> = Vec::new();
    for (at, &goal) in goals.iter().enumerate() {
        store::fits(run, goal)?;
        let clashes = |other: &&Goal| {
            let rates = other.rate().zip(goal.rate());
            other.objective == goal.objective && **other != goal
                || rates.is_some_and(|(one, two)| one != two)
        };
        if let Some(other) = goals[..at].iter().find(clashes) {
            let name = |goal: &Goal| format!("{}:{}", goal.objective, goal.fraction);
            let (one, two) = (name(other), name(&goal));
            return Err(SolvingError::Goal(format!(
                "{one} and {two} cannot be solved together: expected one goal for each objective, and one rate of 4s"
            ))
            .into());
        }
        let solved = solution.reached(goal)?;
        if solved > 4 && !left.contains(&(solved, goal)) {
            left.push((solved, goal));
        }
    }
    left.sort_by_key(|&(solved, _)| solved);
    let tables = tables(solution);
    let mut passes = Vec::new();
    for alike in left.chunk_by(|(one, _), (other, _)| one == other) {
        let solved_sum = alike[0].0;
        let memory = LayerMemory::new(run, &tables, solved_sum + 2)?;
        let left = memory.layers.iter().filter(|layer| layer.sum < solved_sum);
        let afterstates = left.map(|layer| layer.afterstates).sum();
        for together in alike.chunks(memory.goals(plan)?) {
            passes.push(Pass {
                goals: together.iter().map(|&(_, goal)| goal).collect(),
                solved_sum,
                afterstates,
                memory: memory.peak(together.len()),
            });
        }
    }
    Ok(passes)
}

/// The tables for the ranks of all layers.
pub(crate) fn tables(solution: &Solution) -> Arc<RankTables> {
    let game = solution.run().game();
    // No state above the last afterstates leads to an afterstate.
    RankTables::new(game.size(), game.top(), solution.last_sum() + 4)
}

/// A layer of at most `FEW` afterstates is assumed to have a record for each afterstate.
const FEW: u64 = 1 << 16;

/// The memory that the layers of a run take.
struct LayerMemory<'a> {
    run: &'a Run,
    /// From the lowest sum on.
    layers: Vec<LayerSize>,
}

/// The size of a layer in memory, known before the layer is read.
struct LayerSize {
    sum: u32,
    afterstates: u64,
    /// Bytes of the groups of its index.
    groups: u64,
    /// An upper estimate of the bytes of its index's records.
    records: u64,
}

impl<'a> LayerMemory<'a> {
    /// The memory for the layers of a run up to sum `last`.
    ///
    /// # Errors
    ///
    /// As for [`check_number`].
    fn new(run: &'a Run, tables: &Arc<RankTables>, last: u32) -> Result<Self> {
        let layers = (4..=last).step_by(2).map(|sum| {
            let afterstates = run.rows(sum).iter().map(|row| row.afterstates).sum();
            check_number(run.dir(), sum, afterstates)?;
            let boards = tables.boards(sum);
            let records = if afterstates <= FEW {
                afterstates
            } else {
                afterstates / BOARDS_OF_RECORD
            };
            Ok(LayerSize {
                sum,
                afterstates,
                groups: Index::groups(boards) * BYTES,
                records: records * BYTES,
            })
        });
        let layers = layers.collect::<Result<_>>()?;
        Ok(Self { run, layers })
    }

    /// The peak of memory for `goals` goals, in bytes.
    fn peak(&self, goals: usize) -> u64 {
        let values = |layer: &LayerSize| layer.afterstates * (goals * size_of::<u32>()) as u64;
        // Bytes of a layer after it is read.
        let read = |layer: &LayerSize| layer.groups + layer.records + values(layer);
        let above = |at: usize| self.layers.get(at).map_or(0, read);
        let peaks = self.layers.iter().enumerate().map(|(at, layer)| {
            let ranks = layer.afterstates * size_of::<u64>() as u64;
            let solving = layer.groups + ranks + above(at + 1) + above(at + 2);
            let reading = ranks + read(layer) + above(at + 1);
            solving.max(reading)
        });
        peaks.max().unwrap_or_default()
    }

    /// The sums of the layers that are unpacked from matrices.
    fn unpacked(&self) -> impl Iterator<Item = u32> {
        let matrices = self.run.keep().matrices();
        let layers = self.layers.iter();
        let layers = layers.filter(move |layer| matrices && layer.afterstates > 0);
        layers.map(|layer| layer.sum)
    }

    /// The greatest number of goals, up to [`MOST_GOALS`], that fit the memory of a plan together.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Memory`] if one goal does not fit.
    fn goals(&self, plan: &Plan) -> Result<usize> {
        let game = self.run.game();
        let fits = |&goals: &usize| {
            let peak = self.peak(goals);
            let beside = plan.without(peak);
            let mut unpacked = self.unpacked();
            peak <= plan.memory() && unpacked.all(|sum| for_layer(game, sum, sum, &beside).is_ok())
        };
        (1..=MOST_GOALS).rev().find(fits).ok_or_else(|| {
            let peak = self.peak(1);
            let beside = plan.without(peak);
            let needs = self
                .unpacked()
                .map(|sum| least_bound(game, &(sum..=sum), sum, &beside));
            let bytes = peak.saturating_add(needs.max().unwrap_or_default());
            SolvingError::Memory {
                given: plan.memory_text(),
                least: format!("{}M", bytes.div_ceil(1 << 20)),
            }
            .into()
        })
    }
}

/// Check that each afterstate of a layer of the run in `dir` can get a number of its own.
///
/// # Errors
///
/// [`SolvingError::NotSolvable`] for more than [`MOST_BOARDS`] afterstates.
fn check_number(dir: &Path, sum: u32, afterstates: u64) -> Result<()> {
    if afterstates <= MOST_BOARDS {
        return Ok(());
    }
    Err(SolvingError::NotSolvable {
        path: dir.to_owned(),
        why: format!(
            "the layer of sum {sum} has {afterstates} afterstates, and the solver can number {MOST_BOARDS}: solve a game to a smaller tile"
        ),
    }
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::count;
    use crate::error::Error;
    use crate::game::Objective;
    use crate::progress::Silent;
    use crate::solve::{goal, solve};
    use crate::store::{Keep, Rounding, SolutionStore, Store};

    #[test]
    fn a_layer_in_matrices_is_unpacked_in_the_memory_that_a_pass_leaves() {
        let place = tempfile::tempdir().unwrap();
        let plan = |memory| Plan::new(memory, 1).unwrap();
        let game = "4x4-8".parse().unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Matrices)).unwrap();
        count(&mut store, &plan(64 << 20), None, &mut Silent).unwrap();
        drop(store);
        let store = SolutionStore::open(place.path()).unwrap();
        let run = store.solution().run();
        let goals = [goal(run, Objective::Score, None, Rounding::default()).unwrap()];
        // The layers of a pass fit, but no matrices beside them.
        let small = plan(24 << 20);
        let refused = passes(store.solution(), &goals, &small);
        let Err(Error::Solving(SolvingError::Memory { least, .. })) = refused else {
            panic!("{refused:?}");
        };
        let least: u64 = least.trim_end_matches('M').parse().unwrap();
        let enough = plan(least << 20);
        let mut store = store;
        let peak = passes(store.solution(), &goals, &enough).unwrap()[0].memory;
        assert!((1..1 << 20).contains(&peak), "{peak}");
        solve(&mut store, &goals, &enough, &mut Silent).unwrap();
    }

    #[test]
    fn goals_that_cannot_be_solved_together_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let plan = Plan::new(64 << 20, 1).unwrap();
        let game = "2x2".parse().unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Afterstates)).unwrap();
        count(&mut store, &plan, None, &mut Silent).unwrap();
        drop(store);
        let store = SolutionStore::open(place.path()).unwrap();
        let of = |objective, bits| {
            goal(store.solution().run(), objective, bits, Rounding::default()).unwrap()
        };
        let score = of(Objective::Score, None);
        let passes =
            |goals: &[Goal]| passes(store.solution(), goals, &plan).map(|passes| passes.len());
        assert_eq!(
            passes(&[score, of(Objective::Moves, None), score]).unwrap(),
            1
        );
        let other_rate = of(Objective::Moves, None).with_four("1/5".parse().unwrap());
        for other in [of(Objective::Score, Some(8)), other_rate] {
            let said = passes(&[score, other]).unwrap_err().to_string();
            assert!(said.contains("cannot be solved together"), "{said}");
        }
    }

    #[test]
    fn a_layer_with_more_afterstates_than_numbers_is_refused() {
        let check = |afterstates| check_number(Path::new("run"), 6, afterstates);
        check(u64::from(u32::MAX)).unwrap();
        let error = check(1 << 32);
        let message = "run: cannot be solved: the layer of sum 6 has 4294967296 afterstates, ";
        assert!(error.unwrap_err().to_string().starts_with(message));
    }
}
