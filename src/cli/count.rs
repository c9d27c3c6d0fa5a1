//! `enum48 --size ...`, or `enum48 count`: count a game.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::job::open::{self, WantedRun};
use crate::cli::job::progress::Reporter;
use crate::cli::job::summary::Summary;
use crate::cli::out::Outcome;
use crate::cli::out::output::Results;
use crate::engine::{self, Choice, Engine, Stop};
use crate::part::Kind;
use crate::store::Run;

/// Count a game, like enum48 without a subcommand
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 count --size 2 --max 32        count 2x2 to 32, like enum48 --size 2 --max 32
  enum48 count --size 3 --dry-run       estimate states, disk, memory and time
  enum48 count --size 4x3 --until 128   4 rows, 3 columns, up to sum 128")]
pub(super) struct Args {
    #[command(flatten)]
    wanted: WantedRun,

    /// How to hold a layer: as lists of states (any board, any memory), or as bits, a bit for every
    /// board of its sum (4x4, faster) [default: bits where they fit the memory, else lists]
    #[arg(long, value_name = "lists|bits", hide_possible_values = true, value_parser = engine_parser())]
    engine: Option<Engine>,

    /// Also write the table of parts to FILE, - for stdout (the summary then goes to stderr)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Print one JSON object on stdout instead of the summary
    #[arg(long)]
    json: bool,

    /// Only estimate: print an upper bound for each layer, and the expected states, disk, memory and
    /// time of the whole count; measures for some seconds in a temporary directory
    #[arg(long, conflicts_with = "csv")]
    dry_run: bool,

    /// Print no progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(["lists", "bits"]).map(|word| match word.as_str() {
        "bits" => Engine::Bits,
        _ => Engine::Lists,
    })
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let begin = Instant::now();
    let (wanted, until) = (&args.wanted, args.wanted.until);
    let game = wanted.game()?;
    engine::last_sum(&game, until)?;
    let stop = Stop::default();
    let plan = wanted.plan()?.with_engine(args.engine);
    let plan = plan.with_stop(stop.clone());
    let results = Results::new(args.csv.as_deref(), args.json)?;
    let dir = wanted.dir(&game);
    results.suit(&dir)?;
    if args.dry_run {
        results.print(&wanted.estimate(&game, &plan)?)?;
        return Ok(Outcome::Done);
    }

    // Opening drops files that `--keep` does not cover. A refused count must leave them.
    Choice::new(&wanted.peek(&game)?, &plan, until)?;
    let mut store = wanted.open(&game, open::SHORT)?;
    let before = store.run().table().totals();
    let choice = Choice::new(store.run(), &plan, until)?;
    let mut reporter = Reporter::of_count(&plan, &store, &choice, args.quiet);
    let (last, makes) = (choice.last(), store.wants_afterstates());
    let stoppable = reporter.stop_on_signal(&stop, move || {
        format!("stopped: {}", kept(&dir, last, makes))
    });
    let counted = engine::count(&mut store, &plan, until, &mut reporter);
    let peak_memory = reporter.finish();
    stoppable.end_after(&counted);
    match counted {
        Err(error) if error.is_lack_of_space() => {
            bail!("{error}: {}", kept(store.run().dir(), last, makes))
        }
        counted => counted?,
    }

    let run = store.run();
    results.write_csv(|to| Ok(run.table().until(until).write_csv(to)?))?;
    let summary = Summary::new(run, until, &before, &choice, begin.elapsed(), peak_memory);
    // Unlock the directory before the summary, which may wait for a reader.
    drop(store);
    results.print(&summary)?;
    Ok(match summary.agrees {
        Some(false) => Outcome::Disagreed,
        _ => Outcome::Done,
    })
}

/// Which layers of the count in `dir` are kept, and where the next start begins. `last` is the sum of
/// the last layer to count. If the count `makes` the afterstates of a complete run, the text is about
/// them.
fn kept(dir: &Path, last: u32, makes: bool) -> String {
    let run = Run::peek(dir).ok();
    if let Some(run) = run
        .as_ref()
        .filter(|run| makes && !run.keep().afterstates())
    {
        return match run.first_sum(Kind::Afterstates) {
            u32::MAX => "no afterstates are kept; the same command begins again".to_owned(),
            from => format!("afterstates from sum {from} on are kept; the same command resumes"),
        };
    }
    let Some((complete, sum)) = run.map(|run| (run.complete(), run.sealed_sum())) else {
        return "the same command resumes".to_owned();
    };
    match sum {
        ..4 => "no layer is kept; the same command begins again".to_owned(),
        _ if complete || sum >= last => {
            "all layers are kept; the same command prints the summary".to_owned()
        }
        _ => format!(
            "layers up to sum {sum} are kept; the same command resumes at sum {}",
            sum + 2
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Plan, Silent};
    use crate::store::Store;

    #[test]
    fn the_message_after_a_signal_names_the_kept_layers() {
        let place = tempfile::tempdir().unwrap();
        let said = |last| kept(place.path(), last, false);
        let game = "2x2-32".parse().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let none = "no layer is kept; the same command begins again";
        assert_eq!(said(u32::MAX), none);
        let plan = Plan::new(64 << 20, 1).unwrap();
        let mut count = |until| engine::count(&mut store, &plan, until, &mut Silent).unwrap();
        count(Some(20));
        assert_eq!(
            said(22),
            "layers up to sum 20 are kept; the same command resumes at sum 22"
        );
        let all = "all layers are kept; the same command prints the summary";
        assert_eq!(said(20), all);
        count(None);
        assert_eq!(said(u32::MAX), all);
        assert_eq!(
            kept(place.path(), u32::MAX, true),
            "no afterstates are kept; the same command begins again"
        );
    }
}
