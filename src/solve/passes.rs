//! The passes over the layers that are left to solve, and the memory of each, known before any
//! work.

use super::expand::MOST_GOALS;
use super::goal;
use super::memory::LayerMemory;
use super::rank::RankTables;
use crate::engine::Plan;
use crate::error::Result;
use crate::store::{Goal, Solution};

/// A pass over the layers, from the last to the first, for goals that are solved together.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The goals.
    pub goals: Vec<Goal>,
    /// Sum of the lowest solved layer; the layers below are left.
    pub solved_sum: u32,
    /// The most bytes that its layers take in memory at once.
    pub memory: u64,
}

/// The passes that finish these goals, in order. Goals that are solved down to one layer go
/// together, as far as they fit the memory of the plan. Nothing is written.
///
/// # Errors
///
/// The errors of [`Solution::reached`] and of [`goal()`](super::goal());
/// [`SolvingError::LayerMemory`](crate::SolvingError::Memory) if the layers do not fit the memory of the
/// plan.
pub fn passes(solution: &Solution, goals: &[Goal], plan: &Plan) -> Result<Vec<Pass>> {
    let run = solution.run();
    let mut left: Vec<(u32, Goal)> = Vec::new();
    for &goal in goals {
        goal::fits(run, goal)?;
        let solved = solution.reached(goal)?;
        if solved > 4 {
            left.push((solved, goal));
        }
    }
    left.sort_by_key(|&(solved, _)| solved);
    let tables = tables(solution);
    let mut passes = Vec::new();
    for alike in left.chunk_by(|(one, _), (other, _)| one == other) {
        let solved_sum = alike[0].0;
        let memory = LayerMemory::new(run, &tables, solved_sum + 2);
        for together in alike.chunks(memory.goals(plan, MOST_GOALS)?) {
            passes.push(Pass {
                goals: together.iter().map(|&(_, goal)| goal).collect(),
                solved_sum,
                memory: memory.bytes(together.len()),
            });
        }
    }
    Ok(passes)
}

/// The tables that all layers are ranked by.
pub(crate) fn tables(solution: &Solution) -> RankTables {
    let game = solution.run().game();
    // No state above the last afterstates leads to an afterstate.
    RankTables::new(game.size(), game.top(), solution.last_sum() + 4)
}
