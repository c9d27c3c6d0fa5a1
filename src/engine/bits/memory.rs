//! The division of a plan's memory between matrices and everything else.
//!
//! Key idea: the moves down of a batch take whatever memory they get, and less memory for them means
//! more batches. A quarter turn takes more steps in less memory, too. So the division halves both
//! shares until the matrices fit.

use std::ops::RangeInclusive;

use super::sizes::Sizes;
use crate::engine::plan::{Plan, memory_text};
use crate::error::{Error, Result};
use crate::game::Game;

/// The plans for a game: each has half as much memory for moves down and for turns as the plan before
/// it. So it has more batches and more steps, which take more time.
fn plans(plan: &Plan) -> impl Iterator<Item = Plan> {
    (0..5).map(|halving| {
        let mut plan = plan.clone();
        plan.moves_down >>= halving;
        plan.turn >>= halving;
        plan
    })
}

/// Find the plan whose matrices fit, for the layers with sums from `first` to `end`. Returns the sizes
/// for the layers that fit, with this plan, and the first sum that does not fit.
pub(crate) fn fit(game: &Game, first: u32, end: u32, plan: &Plan) -> (Sizes, Option<u32>) {
    let mut sizes = Sizes::new(game, end, plan);
    let mut beyond = None;
    for plan in plans(plan) {
        sizes.plan = plan;
        let mut most = 0;
        let too_large = |sum: &u32| {
            // The tables up to the last layer are made before the first layer.
            most = most.max(sizes.beside_tables(*sum));
            let bytes = sizes.tables(*sum).saturating_add(most);
            sizes.plan.beside(bytes, Sizes::parts(game)).is_none()
        };
        beyond = (first..=end).step_by(2).find(too_large);
        if beyond.is_none() {
            break;
        }
    }
    sizes.end = beyond.map_or(end, |sum| sum - 2);
    (sizes, beyond)
}

/// Divide the memory of a plan for the layers of some sums, with tables for all layers up to sum
/// `end`. Returns the plan for everything but matrices, unless there is too little memory, and the
/// sizes.
fn divide(game: &Game, sums: &RangeInclusive<u32>, end: u32, plan: &Plan) -> (Option<Plan>, Sizes) {
    let mut sizes = Sizes::new(game, end, plan);
    let beside = plans(plan).find_map(|plan| {
        sizes.plan = plan.clone();
        plan.beside(sizes.bytes(sums.clone()), Sizes::parts(game))
    });
    (beside, sizes)
}

/// Divide the memory of a plan for the layer of one sum, with tables for all layers up to sum `end`.
/// Returns the plan for everything but matrices, and the sizes.
///
/// # Errors
///
/// [`Error::MatrixMemory`] if the plan has too little memory.
pub(crate) fn for_layer(game: &Game, sum: u32, end: u32, plan: &Plan) -> Result<(Plan, Sizes)> {
    match divide(game, &(sum..=sum), end, plan) {
        (Some(beside), sizes) => Ok((beside, sizes)),
        (None, _) => Err(Error::MatrixMemory {
            sum,
            needed: memory_text(least_bound(game, &(sum..=sum), end, plan)),
            given: plan.memory_text(),
        }),
    }
}

/// A bound, in whole MiB, under which the matrices of the layers of some sums fit, with tables for all
/// layers up to sum `end`. It is about the least above the plan's. A larger bound has larger turns, so
/// the need is computed again under each bound.
pub(crate) fn least_bound(game: &Game, sums: &RangeInclusive<u32>, end: u32, plan: &Plan) -> u64 {
    const MIB: u64 = 1 << 20;
    const MOST: u64 = (u64::MAX >> 1) & !(MIB - 1);
    let whole = |bytes: u64| bytes.min(MOST).next_multiple_of(MIB);
    let mut bound = whole(plan.memory().max(plan.least()));
    while let Ok(plan) = Plan::new(bound, plan.threads()) {
        let (beside, sizes) = divide(game, sums, end, &plan);
        let need = whole(sizes.bytes(sums.clone()).saturating_add(plan.least()));
        if beside.is_some() || bound == MOST {
            break;
        }
        bound = need.max(bound + MIB);
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(bytes: u64) -> Plan {
        Plan::new(bytes, 2).unwrap()
    }

    #[test]
    fn the_bound_that_a_refusal_names_suffices() {
        for (name, sum, mib) in [
            ("4x4-16", 28, 40),
            ("4x4-128", 216, 100),
            ("4x4-128", 216, 3000),
            ("4x4-2048", 376, 12_000),
        ] {
            let game: Game = name.parse().unwrap();
            let bound = least_bound(&game, &(sum..=sum), sum, &plan(mib << 20));
            assert!(
                for_layer(&game, sum, sum, &plan(bound)).is_ok(),
                "{name} {bound}"
            );
        }
        // Halves of this weight have no tables.
        let game: Game = "4x4-4096".parse().unwrap();
        assert!(least_bound(&game, &(8194..=8194), 8194, &plan(1 << 46)) > 1 << 62);
    }

    #[test]
    fn no_layer_of_a_plan_takes_more_than_the_bound() {
        for (name, first, until, gib) in [
            ("4x4-64", 120, u32::MAX, 1),
            ("4x4-128", 240, u32::MAX, 4),
            ("4x4-256", 340, u32::MAX, 16),
            ("4x4", 440, 600, 30),
        ] {
            let game: Game = name.parse().unwrap();
            let end = until.min(game.sum_bound());
            let (sizes, beyond) = fit(&game, first, end, &plan(gib << 30));
            let plan = &sizes.plan;
            assert_eq!(beyond, None, "{name}");
            // One batch has all moves down.
            let mut whole = Sizes::new(&game, end, plan);
            whole.plan.moves_down = u64::MAX;
            let free = plan.all_memory();
            for sum in (first..first + 160).step_by(20) {
                let [others, all_moves_down] = whole.others_and_moves_down(sum);
                let moves_down = all_moves_down.min(sizes.most_moves_down(first..=sum, free));
                let bytes = sizes.tables(end) + others + moves_down;
                assert!(bytes <= free, "{name} {sum}: {bytes} of {free}");
            }
        }
    }
}
