//! A solved game has the same bytes for any threads, memory, stops and order of objectives.

use std::collections::BTreeMap;

use enum48::engine::{FinishedLayer, Plan, Progress};
use enum48::store::Rounding;
use fastrand::Rng;

use super::{Counted, plan};
use crate::files::files;

const NEAREST: Rounding = Rounding::Nearest;

/// Stops a solver after this many layers.
pub(super) struct StopAfter(pub(super) u32);

impl Progress for StopAfter {
    fn end(&mut self, _: &FinishedLayer) {
        self.0 = self.0.saturating_sub(1);
    }
    fn stop(&mut self) -> bool {
        self.0 == 0
    }
}

#[test]
fn threads_and_memory_change_no_byte() {
    let solved = |memory: u64, threads: usize| {
        let run = Counted::new("3x3-64");
        let plan = Plan::new(memory << 20, threads).unwrap();
        run.solve(&["score", "moves", "64"], NEAREST, &plan)
            .unwrap();
        files(run.dir())
    };
    let expected = solved(24, 1);
    for (memory, threads) in [(512, 1), (32, 2), (72, 7), (1024, 7)] {
        assert!(solved(memory, threads) == expected, "{memory} {threads}");
    }
}

#[test]
fn a_stopped_solver_resumes_with_the_same_bytes() {
    let names = ["score:9", "16"];
    let expected = files(Counted::solved("2x3", &names, NEAREST).dir());
    assert!(!expected.keys().any(|name| name.ends_with(".exact")));
    let mut random = Rng::with_seed(1);
    for _ in 0..5 {
        let run = Counted::new("2x3");
        let mut stops = 0;
        loop {
            let mut stop = StopAfter(random.u32(1..60));
            let plan = plan(random.usize(1..4));
            run.solve_watched(&names, NEAREST, &plan, &mut stop)
                .unwrap();
            let solution = run.solution();
            if solution.goals().count() == names.len() {
                break;
            }
            stops += 1;
        }
        assert!(stops > 0);
        assert!(files(run.dir()) == expected, "after {stops} stops");
    }
}

#[test]
fn a_stop_ends_all_passes() {
    let run = Counted::new("2x2-32");
    // A pass solves four goals at most.
    let names = ["score", "moves", "8", "16", "32"];
    run.solve_watched(&names, NEAREST, &plan(1), &mut StopAfter(3))
        .unwrap();
    let solution = run.solution();
    let last = solution.last_sum();
    let solved: Vec<u32> = solution
        .begun_goals()
        .map(|goal| last + 2 - solution.reached(goal).unwrap())
        .collect();
    assert_eq!(solved, [6, 6, 6, 6, 0], "sums of three layers, in one pass");
}

#[test]
fn another_rounding_of_a_solved_objective_is_refused() {
    let run = Counted::solved("2x2-32", &["score"], Rounding::Down);
    let before = files(run.dir());
    let refused = run.solve(&["score"], NEAREST, &plan(1)).unwrap_err();
    let said = format!(
        "{}: score is solved with values rounded down, not to the nearest: ask for that \
         rounding, or forget the objective and solve it again",
        run.dir().display()
    );
    assert_eq!(refused.to_string(), said);
    assert!(files(run.dir()) == before);
    run.solve(&["score"], Rounding::Down, &plan(1)).unwrap();
}

#[test]
fn objectives_have_equal_files_when_solved_together_or_alone() {
    let names = ["score", "moves", "32"];
    let expected = files(Counted::solved("2x3-64", &names, NEAREST).dir());
    let one_by_one = Counted::new("2x3-64");
    for name in ["32", "score", "moves"] {
        one_by_one.solve(&[name], NEAREST, &plan(2)).unwrap();
    }
    assert!(files(one_by_one.dir()) == expected);
    // Moves is partly solved first; then all three are solved together.
    let later = Counted::new("2x3-64");
    let mut stop = StopAfter(20);
    later
        .solve_watched(&["moves"], NEAREST, &plan(1), &mut stop)
        .unwrap();
    later.solve(&names, NEAREST, &plan(2)).unwrap();
    assert!(files(later.dir()) == expected);
    for name in names {
        let alone = files(Counted::solved("2x3-64", &[name], NEAREST).dir());
        let of_it = |files: BTreeMap<String, Vec<u8>>| {
            let ending = format!(".{name}.values");
            let named = files
                .into_iter()
                .filter(|(file, _)| file.ends_with(&ending));
            named.collect::<Vec<_>>()
        };
        let alone = of_it(alone);
        assert!(
            alone.len() > 50 && alone == of_it(expected.clone()),
            "{name}"
        );
    }
}
