//! `enum48 solve`: the value of every afterstate of a run.

mod summary;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;

use self::summary::summary;
use crate::cli::args::Resources;
use crate::cli::args::objectives::{check_rate, goal, objective};
use crate::cli::job::estimate::estimate_solver;
use crate::cli::job::open::{SHORT, when_free};
use crate::cli::job::progress::Reporter;
use crate::cli::out::Outcome;
use crate::cli::out::output::Results;
use crate::engine;
use crate::game::{FourRate, Objective};
use crate::read::Reader;
use crate::solve::{self, PartSummary, Pass};
use crate::store::{Goal, Sink, Solution, SolutionStore};

/// Solve a counted game: the value of every afterstate, and so the best move of any board
///
/// Goes backward through a complete run that kept its afterstates (--keep afterstates, both or
/// matrices), from the last layer to the first, and writes the values beside them. All files that
/// it needs are checked first. It can be stopped at any moment; the same command without --again
/// resumes it. More objectives can be solved later.
///
/// An objective is the quantity that the best play maximises: score, the expected score; moves, the
/// expected number of moves; or a tile, the chance to reach it. score:8 keeps only 8 bits after the
/// binary point of each value, so that files are smaller; it is computed with all bits, and rounded
/// once. sure-64 asks whether the tile 64 can be forced, against the worst spawns: one bit for each
/// board.
///
/// A spawned tile is a 4 one time in ten, and otherwise a 2; --four gives another rate. Values of
/// different rates never mix in a directory.
#[derive(clap::Args)]
#[command(after_help = include_str!("help.txt").trim_ascii_end())]
pub(super) struct Args {
    /// Directory of the run, such as enum48-data/3x3
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// The objectives: any of score, moves and tiles, separated by commas
    #[arg(
        long = "for",
        value_name = "OBJECTIVES",
        value_delimiter = ',',
        value_parser = wanted_objective,
        default_value = "score"
    )]
    objectives: Vec<WantedObjective>,

    /// How often a spawned tile is a 4: a ratio from 0 to 1, such as 0.2 or 1/5, with a denominator up
    /// to 100 [default: 1/10, or the rate of the solution]
    #[arg(long, value_name = "RATE")]
    four: Option<FourRate>,

    /// First delete the values of these objectives, and so solve them again: with more bits, or to
    /// replace a damaged file
    #[arg(long)]
    again: bool,

    #[command(flatten)]
    resources: Resources,

    /// Also write a table to FILE, - for stdout: the least, the mean and the greatest value of the
    /// afterstates of each part, for each objective
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Print one JSON object on stdout instead of the summary
    #[arg(long)]
    json: bool,

    /// Only estimate: print the memory that it takes, and the expected disk and time; solves for a
    /// moment in a temporary directory
    #[arg(long, conflicts_with = "csv")]
    dry_run: bool,

    /// Print no progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

/// An objective, with bits after the binary point if they are given: `score`, `score:8`.
type WantedObjective = (Objective, Option<u32>);

fn wanted_objective(text: &str) -> Result<WantedObjective, Box<dyn Error + Send + Sync>> {
    let (name, bits) = match text.split_once(':') {
        Some((name, bits)) => (name, Some(bits.trim().parse())),
        None => (text, None),
    };
    let no_number = |_| "expected a number of bits after the colon, such as score:8";
    Ok((objective(name)?, bits.transpose().map_err(no_number)?))
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let begin = Instant::now();
    let stop = engine::Stop::default();
    let plan = args.resources.plan()?.with_stop(stop.clone());
    let results = Results::new(args.csv.as_deref(), args.json, &args.dir)?;
    let mut again: Vec<Objective> = Vec::new();
    if args.again {
        again.extend(args.objectives.iter().map(|(objective, _)| *objective));
    }
    let mut ahead = Solution::peek(&args.dir)?;
    let four = args.four.or(ahead.four()).unwrap_or_default();
    ahead.forget(&again);
    let goals = goals(&ahead, &args.objectives, four)?;
    check_rate(args.four, goals.iter().map(|goal| goal.objective))?;
    if args.dry_run {
        results.print(&estimate_solver(&ahead, &goals, &plan)?)?;
        return Ok(Outcome::Done);
    }
    // Refuse before anything is deleted.
    let passes = solve::passes(&ahead, &goals, &plan)?;
    let values = |pass: &Pass| pass.afterstates * pass.goals.len() as u64;
    let values = passes.iter().map(values).sum();
    let mut store = when_free(&args.dir, SHORT, SolutionStore::open)?;
    let reporter = Reporter::of_solver(&plan, &ahead, store.notes(), &goals, args.quiet)?;
    let (dir, begun, again) = (args.dir.clone(), goals.clone(), args.again);
    let what_stays = move || last_words(&dir, &begun, again);
    let peak_memory = reporter.until_stopped(&stop, what_stays, |progress| {
        solve::solve_goals(&mut store, &goals, again, &plan, progress)
    })?;
    let (solution, time) = (store.solution(), begin.elapsed());
    let reader = Reader::new(solution.run().clone(), &plan);
    let summary = summary((solution, &reader), &goals, values, peak_memory, time)?;
    results.write_csv(|to| {
        let pool = engine::pool(plan.threads())?;
        let parts = pool.install(|| solve::parts(solution, &reader, &goals))?;
        write_csv(&parts, &goals, to)
    })?;
    results.print(&summary)?;
    Ok(Outcome::Done)
}

/// The goals for these objectives at a rate of 4s, each once.
fn goals(solution: &Solution, objectives: &[WantedObjective], four: FourRate) -> Result<Vec<Goal>> {
    let mut goals: Vec<Goal> = Vec::new();
    for &(objective, fraction) in objectives {
        let goal = goal(solution, objective, fraction, four)?;
        if !goals.contains(&goal) {
            goals.push(goal);
        }
    }
    Ok(goals)
}

/// The message after a signal: how far the solution in `dir` has come, and how to resume it. A
/// command with `again` would delete the values.
fn last_words(dir: &Path, goals: &[Goal], again: bool) -> String {
    let resumes = match again {
        true => "the same command without --again resumes",
        false => "the same command resumes",
    };
    let Ok(solution) = Solution::peek(dir) else {
        return format!("stopped: {resumes}");
    };
    let mut begun = Vec::new();
    for goal in goals {
        let objective = goal.objective;
        match solution.solved_sum(objective) {
            Some(4) => begun.push(format!("{objective} is solved")),
            Some(sum) if sum <= solution.last_sum() => {
                begun.push(format!("{objective} down to sum {sum}"));
            }
            _ => {}
        }
    }
    if begun.is_empty() {
        "stopped: no values are kept; the same command begins again".to_owned()
    } else {
        let kept = begun.join(", ");
        format!("stopped: values are kept: {kept}; {resumes}")
    }
}

/// Write a row for each part, with three columns for each goal. Users rely on the names of the columns.
fn write_csv(parts: &[PartSummary], goals: &[Goal], to: &mut Sink) -> Result<()> {
    write!(to, "sum,max_tile,afterstates")?;
    for goal in goals {
        let name = goal.objective.column();
        write!(to, ",{name}_least,{name}_mean,{name}_greatest")?;
    }
    writeln!(to)?;
    for part in parts {
        let (sum, max_tile) = (part.key.sum, part.key.max.tile());
        write!(to, "{sum},{max_tile},{}", part.afterstates)?;
        for of in &part.goals {
            write!(to, ",{},{},{}", of.least, of.mean, of.greatest)?;
        }
        writeln!(to)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{FinishedLayer, Plan, Progress, Silent};
    use crate::solve::{goal, solve};
    use crate::store::{Keep, Rounding, Run, SolutionStore, Store};

    /// Stops when the layer of a sum is solved.
    struct StopAt(u32, bool);

    impl Progress for StopAt {
        fn end(&mut self, layer: &FinishedLayer) {
            self.1 = layer.sum == self.0;
        }
        fn stop(&mut self) -> bool {
            self.1
        }
    }

    #[test]
    fn the_message_after_a_signal_names_the_solved_layers() {
        let place = tempfile::tempdir().unwrap();
        let game = "2x2-32".parse().unwrap();
        let plan = Plan::new(64 << 20, 1).unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Afterstates)).unwrap();
        engine::count(&mut store, &plan, None, &mut Silent).unwrap();
        drop(store);
        let goals = ["score", "32"].map(|name| {
            let run = Run::peek(place.path()).unwrap();
            goal(&run, name.parse().unwrap(), None, Rounding::Nearest).unwrap()
        });
        let stays = || last_words(place.path(), &goals, false);
        assert_eq!(
            stays(),
            "stopped: no values are kept; the same command begins again"
        );
        for (at, last, expected) in [
            (
                0,
                20,
                "stopped: values are kept: score down to sum 20; the same command resumes",
            ),
            (
                0,
                4,
                "stopped: values are kept: score is solved; the same command resumes",
            ),
            (
                1,
                30,
                "stopped: values are kept: score is solved, 32 down to sum 30; the same command resumes",
            ),
        ] {
            let mut store = SolutionStore::open(place.path()).unwrap();
            solve(&mut store, &[goals[at]], &plan, &mut StopAt(last, false)).unwrap();
            assert_eq!(stays(), expected);
        }
        let again = last_words(place.path(), &goals, true);
        assert!(
            again.ends_with("; the same command without --again resumes"),
            "{again}"
        );
    }
}
