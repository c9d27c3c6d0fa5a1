//! A task of a cluster: to sweep some pairs of a layer.
//!
//! Key idea: the states of a pair, and their moves, follow from the afterstates of two sums. So any machine
//! can sweep any pairs of a layer, given the files of these sums. Each pair has its own matrices of
//! afterstates, so the files of all tasks together are the matrices of the layer.

use std::ops::Range;
use std::sync::Arc;

use super::counts::PairCounts;
use super::memory::for_layer;
use super::sizes::Sizes;
use super::sweep::Sweep;
use super::tables::Halves;
use super::weights::Weights;
use crate::engine::plan::Plan;
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::game::Game;
use crate::part::{Block, MatrixFile};
use crate::store::Run;

/// Cut the pairs of the layer of a sum into at most `groups` groups of neighbours with about equal work.
/// Returns the weight of the first lighter half of each group, but 0 for the first group.
pub(crate) fn cut_pairs(game: &Game, sum: u32, groups: u64, plan: &Plan) -> Vec<usize> {
    let sizes = Sizes::new(game, sum, plan);
    let weight = sizes.weights.of_sum(sum);
    let tops = sizes.weights.tops(weight).filter(|top| *top <= weight / 2);
    let tops: Vec<usize> = tops.collect();
    let boards = |top| u128::from(sizes.all[top]) * u128::from(sizes.all[weight - top]);
    let all: u128 = tops.iter().copied().map(boards).sum();
    let groups = u128::from(groups);
    let (mut firsts, mut before) = (vec![0], 0);
    for top in tops {
        if before * groups >= all * firsts.len() as u128 {
            firsts.push(top);
        }
        before += boards(top);
    }
    firsts
}

/// Sweep some pairs of the layer of sum `sum`, and give the matrices of their afterstates to `append`, in
/// order. They are compressed at the plan's zstd level. `run` has the files of the sums before the layer,
/// except `unsealed`, the files of the last sum if it is not sealed. `lighter` has the weights of the
/// lighter halves of the pairs.
///
/// # Errors
///
/// [`Error::MatrixMemory`](crate::error::Error::MatrixMemory) if the plan has too little memory; damaged
/// files.
pub(crate) fn sweep_pairs(
    (run, sum): (&Run, u32),
    lighter: Range<usize>,
    unsealed: Option<&[MatrixFile]>,
    plan: &Plan,
    workers: &Workers,
    append: &mut dyn FnMut(&Block) -> Result<()>,
) -> Result<PairCounts> {
    let game = run.game();
    let weight = Weights::new(game, 0).of_sum(sum);
    let (plan, sizes) = for_layer(game, sum, sum, plan)?;
    let (first, end) = (lighter.start, lighter.end.min(weight / 2 + 1));
    // A spawn leads to a half from halves that are lighter by up to two.
    let halves = Halves::new(game, sum as usize / 2, |of| {
        (first..end + 2).contains(&(of + 2)) || (first..end + 2).contains(&(weight - of))
    });
    let halves = Arc::new(halves);
    let mut sweep = Sweep::new(game, sum, halves, workers, &plan);
    match unsealed {
        Some(files) => sweep.load_matrices(sum - 2, files)?,
        None => drop(sweep.load(sum - 2, run)?),
    }
    sweep.load(sum - 4, run)?;
    sweep.lighter = lighter;
    sweep.most_moves_down = sizes.most_moves_down(sum..=sum, plan.all_memory());
    let found = sweep.count(None, &mut |_| ())?;
    sweep.afterstates[0].write(&sweep.halves, plan.level, append)?;
    Ok(found)
}
