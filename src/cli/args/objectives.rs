//! Objectives of a solved run: the argument that names them, and how their values are printed.

use anyhow::bail;
use clap::Args;
use serde::{Serialize, Serializer};

use crate::error::{self, Error};
use crate::game::{FourRate, Objective};
use crate::solve;
use crate::store::{Goal, Rounding, Solution};

/// The objectives to play for.
#[derive(Args)]
pub(in crate::cli) struct Objectives {
    /// Objectives to play for, the most important first: score, moves, TILE or sure-TILE, separated by
    /// commas [default: all that the run is solved for, in this order; score for a game that is solved
    /// now]
    #[arg(
        long = "for",
        value_name = "OBJECTIVES",
        value_delimiter = ',',
        value_parser = objective
    )]
    pub(in crate::cli) wanted: Vec<Objective>,
}

/// Parse an objective on the command line, which has no number of bits.
pub(in crate::cli) fn objective(
    text: &str,
) -> Result<Objective, Box<dyn std::error::Error + Send + Sync>> {
    let text = text.trim().to_ascii_lowercase();
    text.parse()
        .map_err(|error: Error| match text.split_once(':') {
            Some((objective, _)) => format!("bits are for solve: give {objective} alone").into(),
            None => error.into(),
        })
}

/// The goal for an objective, at a rate of 4s. Without a number of bits it is the goal of an earlier
/// solution.
pub(in crate::cli) fn goal(
    solution: &Solution,
    objective: Objective,
    fraction: Option<u32>,
    four: FourRate,
) -> error::Result<Goal> {
    let goal = match (fraction, solution.goal(objective)) {
        (None, Some(begun)) => begun,
        _ => solve::goal(solution.run(), objective, fraction, Rounding::Nearest)?,
    };
    Ok(goal.with_four(four))
}

/// Refuse a rate of 4s if no objective depends on it. Whether a tile can be forced does not.
pub(in crate::cli) fn check_rate(
    four: Option<FourRate>,
    objectives: impl Iterator<Item = Objective>,
) -> anyhow::Result<()> {
    let mut objectives = objectives.peekable();
    let first = objectives.peek().copied();
    let is_forced = |one| matches!(one, Objective::Sure(_));
    if let (Some(_), Some(forced)) = (four, first)
        && objectives.all(is_forced)
    {
        bail!("--four: {forced} does not depend on the rate of 4s: leave out --four");
    }
    Ok(())
}

/// Write the rate of 4s of a solution as JSON: the usual rate if no value depends on it.
pub(in crate::cli) fn rate_in_json<S: Serializer>(
    four: &Option<FourRate>,
    to: S,
) -> Result<S::Ok, S::Error> {
    four.unwrap_or_default().serialize(to)
}

/// A value as text: a score or a number of moves to four decimals, a chance to eight.
pub(in crate::cli) fn number(objective: Objective, value: f64) -> String {
    match objective {
        Objective::Score | Objective::Moves => format!("{value:.4}"),
        Objective::Tile(_) => chance(value, 8),
        Objective::Sure(_) => yes_or_no(value).to_owned(),
    }
}

/// A chance as text, to some decimals. Only a chance of exactly 0 or 1 is printed as 0 or 1.
pub(in crate::cli) fn chance(value: f64, decimals: usize) -> String {
    let (text, unit) = (format!("{value:.decimals$}"), 0.1f64.powi(decimals as i32));
    if value > 0.0 && value < unit / 2.0 {
        format!("<{unit:.decimals$}")
    } else if value < 1.0 && text.starts_with('1') {
        format!(">{:.decimals$}", 1.0 - unit)
    } else {
        text
    }
}

/// Whether a tile can be forced, as text.
pub(in crate::cli) fn yes_or_no(value: f64) -> &'static str {
    if value > 0.0 { "yes" } else { "no" }
}

/// A loss as text; exactly 0 if nothing is lost.
pub(in crate::cli) fn loss(objective: Objective, loss: f64) -> String {
    match objective {
        _ if loss == 0.0 => "0".to_owned(),
        // Luck can make a tile forceable again, so that a game loses it several times.
        Objective::Sure(_) => loss.to_string(),
        _ => number(objective, loss),
    }
}

/// The bound `n`, rounded up to two digits.
pub(in crate::cli) fn bound(n: f64) -> String {
    if n == 0.0 {
        return "0".to_owned();
    }
    let near = format!("{n:.1e}");
    if near.parse().is_ok_and(|near: f64| near >= n) {
        return near;
    }
    let unit = 10f64.powf(n.log10().floor() - 1.0);
    format!("{:.1e}", n + unit / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_may_have_spaces_and_capitals_but_no_bits() {
        assert_eq!(objective(" Score").unwrap(), Objective::Score);
        assert_eq!(objective("8 ").ok(), Objective::of_tile(8));
        let refused = objective("moves:8").unwrap_err();
        assert_eq!(refused.to_string(), "bits are for solve: give moves alone");
        assert!(
            objective("win")
                .unwrap_err()
                .to_string()
                .starts_with("objective \"win\": not ")
        );
    }

    #[test]
    fn only_an_exact_chance_is_printed_as_0_or_1() {
        let tile = Objective::of_tile(512).unwrap();
        for (value, printed) in [
            (0.0, "0.00000000"),
            (4.7e-10, "<0.00000001"),
            (0.6e-8, "0.00000001"),
            (0.999_999_8, "0.99999980"),
            (0.999_999_994, "0.99999999"),
            (1.0 - 4.7e-10, ">0.99999999"),
            (1.0, "1.00000000"),
        ] {
            assert_eq!(number(tile, value), printed);
        }
        assert_eq!(chance(1.0 - 4.7e-10, 9), ">0.999999999");
        assert_eq!(chance(1.0 - 4.7e-10, 10), "0.9999999995");
    }

    #[test]
    fn a_printed_bound_is_never_less_than_the_bound() {
        for (n, printed) in [
            (0.0, "0"),
            (4.0, "4.0e0"),
            (4.01, "4.1e0"),
            (4.09, "4.1e0"),
            (9.91, "1.0e1"),
            (0.003_897_9, "3.9e-3"),
            (0.003_900_1, "4.0e-3"),
        ] {
            assert_eq!(bound(n), printed, "{n}");
        }
        let mut random = fastrand::Rng::with_seed(48);
        for _ in 0..10_000 {
            let n = 10f64.powf(random.f64() * 20.0 - 12.0);
            let printed: f64 = bound(n).parse().unwrap();
            assert!(n <= printed && printed <= 1.1 * n, "{n}: {printed}");
        }
    }
}
