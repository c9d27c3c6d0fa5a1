//! Compares the summary of each part with the twin's values of its afterstates.

use std::collections::BTreeMap;

use enum48::game::PartKey;
use enum48::solve::{self, ValueSummary};
use enum48::store::{Goal, Rounding};

use super::Counted;
use crate::exact::{Objective, Solved};
use crate::plain::Plain;
use crate::read::reader;

#[test]
fn parts_have_least_mean_and_greatest_values() {
    let names = ["score", "64"];
    let run = Counted::solved("2x3", &names, Rounding::Nearest);
    let solution = run.solution();
    let goals: Vec<Goal> = solution.goals().collect();
    let parts = solve::parts(&solution, &reader(solution.run().clone()), &goals).unwrap();
    for (at, objective) in [Objective::Score, Objective::Tile(64)]
        .into_iter()
        .enumerate()
    {
        let twin = Solved::<f64>::new(Plain::new(2, 3, None), objective);
        let mut expected: BTreeMap<PartKey, Vec<f64>> = BTreeMap::new();
        for (&board, &value) in twin.afterstates() {
            expected.entry(PartKey::of(board)).or_default().push(value);
        }
        let bound = goals[at].error(4, solution.last_sum()) + 1e-12;
        assert_eq!(parts.len(), expected.len());
        for (part, (key, values)) in parts.iter().zip(expected) {
            assert_eq!((part.key, part.afterstates), (key, values.len() as u64));
            let all = values.iter().copied();
            let close = |found: f64, expected: f64| {
                let off = (found - expected).abs();
                assert!(off <= bound, "{key}: expected {expected}, got {found}");
            };
            let ValueSummary {
                least,
                mean,
                greatest,
            } = part.goals[at];
            close(least, all.clone().fold(f64::INFINITY, f64::min));
            close(mean, all.clone().sum::<f64>() / values.len() as f64);
            close(greatest, all.fold(0.0, f64::max));
        }
    }
}
