//! The goals for which a run can be solved, and the bits of their values.

use crate::error::{Error, Result, SolvingError};
use crate::game::{FourRate, Objective};
use crate::store::{Goal, Rounding, Run, Solution, fits, greatest, most_bits};

/// The goal for an objective, at the usual rate of 4s: its values have `fraction` bits after the
/// binary point, or the most that fit 32 bits. No value of the game can then overflow.
///
/// # Errors
///
/// [`SolvingError::Goal`] for a tile that the game never reaches, for more bits than fit, or if the
/// error of a value could reach the greatest value.
pub fn goal(
    run: &Run,
    objective: Objective,
    fraction: Option<u32>,
    rounding: Rounding,
) -> Result<Goal> {
    let greatest = greatest(run, objective)?;
    let of = |fraction| Goal {
        objective,
        fraction,
        rounding: match objective {
            Objective::Sure(_) => Rounding::Down,
            _ => rounding,
        },
        four: FourRate::default(),
    };
    let goal = of(fraction.unwrap_or(most_bits(objective, greatest)));
    fits(run, goal)?;
    let last = run.last_afterstates();
    let error_with = |fraction| of(fraction).error(4, last);
    let is_useful = |fraction| error_with(fraction) < f64::from(greatest);
    if is_useful(goal.fraction) {
        return Ok(goal);
    }
    let (fraction, error) = (goal.fraction, error_with(goal.fraction));
    let least = (fraction..u32::BITS).find(|&fraction| is_useful(fraction));
    Err(refused(format!(
        "for {objective}:{fraction}: values could be off by {error}, and none is more than {greatest}: give {} bits \
         or more, or no number for the most that fit",
        least.unwrap_or(u32::BITS)
    )))
}

/// The goals of the objectives `wanted`, in order and without repeats. If `wanted` is empty, all
/// goals for which the run is solved.
///
/// # Errors
///
/// [`SolvingError::Goal`] if no goal is solved down to the first layer, or if one of `wanted` is not
/// solved.
pub fn goals(solution: &Solution, wanted: &[Objective]) -> Result<Vec<Goal>> {
    let solved: Vec<Goal> = solution.goals().collect();
    let path = solution.run().dir().display();
    if solved.is_empty() {
        let begun = names(&solution.begun_goals().collect::<Vec<_>>());
        return Err(refused(format!(
            "{path}: not solved down to the first layer: enum48 solve {path} --for {begun}"
        )));
    }
    if wanted.is_empty() {
        return Ok(solved);
    }
    let mut goals = Vec::new();
    for &wanted in wanted {
        let Some(&found) = solved.iter().find(|goal| goal.objective == wanted) else {
            goal(solution.run(), wanted, None, Rounding::Nearest)
                .map_err(|cause| refused(format!("{path}: {cause}")))?;
            return Err(refused(format!(
                "{path}: solved for {}, not for {wanted}: enum48 solve {path} --for {wanted}",
                names(&solved)
            )));
        };
        if !goals.contains(&found) {
            goals.push(found);
        }
    }
    Ok(goals)
}

/// Check that a solution is solved for these goals. The files of another goal would be read as wrong
/// numbers.
///
/// # Errors
///
/// [`SolvingError::Goal`] for a goal that is not in [`Solution::goals`].
pub(super) fn check_solved(solution: &Solution, wanted: &[Goal]) -> Result<()> {
    for &goal in wanted {
        goals(solution, &[goal.objective])?;
        solution.reached(goal)?;
    }
    Ok(())
}

fn refused(why: String) -> Error {
    SolvingError::Goal(why).into()
}

/// The objectives of some goals, such as `score,512`.
pub(crate) fn names(goals: &[Goal]) -> String {
    let names: Vec<_> = goals
        .iter()
        .map(|goal| goal.objective.to_string())
        .collect();
    names.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Plan;
    use crate::part::Kind;
    use crate::read::Reader;
    use crate::solve::payoff::potential;

    /// The run of 2x2 to 32.
    fn run() -> Run {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v1/2x2-32");
        Run::open(dir.as_ref()).unwrap()
    }

    /// From tests/data/v1/2x2-32/layers.csv: games are won up to sum 40, which scores at most 40
    /// times 4, as 32 is 2^5. Lost games score less. No game has more than 20 moves. A game passes
    /// at most 17 afterstates, of sums 4 to 36, so the error of a value is at most 8.5 with 0 bits,
    /// and 0.53 with 4 bits.
    #[test]
    fn values_get_the_most_bits_that_fit_and_one_more_is_refused() {
        let run = run();
        for (name, greatest, least, most) in [
            ("score", 160, 0, 24),
            ("moves", 20, 0, 27),
            ("32", 1, 4, 31),
        ] {
            let objective: Objective = name.parse().unwrap();
            assert_eq!(super::greatest(&run, objective).unwrap(), greatest);
            assert!(u64::from(greatest) << most < 1 << 32, "{name} overflows");
            let wanted = |fraction| goal(&run, objective, fraction, Rounding::Nearest);
            assert_eq!(wanted(None).unwrap().fraction, most);
            assert_eq!(wanted(Some(most)).unwrap().fraction, most);
            assert_eq!(wanted(Some(least)).unwrap().fraction, least);
            for fewer in 0..least {
                let refused = wanted(Some(fewer)).unwrap_err().to_string();
                assert!(refused.contains("give 4 bits or more"), "{refused}");
            }
            for more in [most + 1, 32, 64, u32::MAX] {
                let refused = wanted(Some(more)).unwrap_err().to_string();
                assert!(
                    refused.contains(&format!("leave room for {most} bits")),
                    "{refused}"
                );
                let forged = Goal {
                    fraction: more,
                    ..wanted(None).unwrap()
                };
                assert_eq!(fits(&run, forged).unwrap_err().to_string(), refused);
            }
        }
    }

    #[test]
    fn a_tile_beyond_the_largest_is_refused() {
        let of = |tile| {
            goal(
                &run(),
                Objective::of_tile(tile).unwrap(),
                None,
                Rounding::Nearest,
            )
        };
        assert!(of(32).is_ok());
        for tile in [64, 65536] {
            let refused = of(tile).unwrap_err();
            let said =
                format!("for {tile}: no game of this run reaches it: the largest tile is 32");
            assert_eq!(refused.to_string(), said);
        }
    }

    #[test]
    fn no_state_has_a_potential_beyond_the_greatest_score() {
        let run = run();
        let greatest = greatest(&run, Objective::Score).unwrap();
        let mut states = 0;
        let reader = Reader::new(run, &Plan::new(64 << 20, 1).unwrap());
        for key in reader.run().parts(Kind::States) {
            for state in reader.layer(key.sum).unwrap() {
                assert!(potential(state.unwrap()) < greatest);
                states += 1;
            }
        }
        assert!(states > 57);
    }
}
