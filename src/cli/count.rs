//! `enum48 --size ...`, or `enum48 count`: count a game.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::Outcome;
use super::estimate::CountEstimate;
use super::open;
use super::progress::Reporter;
use super::results::Results;
use super::summary::{Listed, Summary};
use super::wanted::WantedRun;
use crate::engine::{self, Choice, Engine, Plan};
use crate::game::Game;
use crate::known;
use crate::part::Kind;
use crate::store::Run;

/// Count a game; the same as enum48 without a subcommand
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 count --size 2 --max 32        the same as enum48 --size 2 --max 32
  enum48 count --size 3 --dry-run       estimate states, disk, memory and time
  enum48 count --size 4x3 --until 128   4 rows, 3 columns, up to sum 128")]
pub(super) struct Args {
    #[command(flatten)]
    wanted: WantedRun,

    /// How to hold a layer: lists of states (any board, any memory), or bits, a bit for every board
    /// of its sum (4x4, faster) [default: bits where they fit the memory, else lists]
    #[arg(long, value_name = "lists|bits", hide_possible_values = true, value_parser = engine_parser())]
    engine: Option<Engine>,

    /// Also write the table of parts to FILE, - for stdout (the summary then goes to stderr)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Print one JSON object on stdout instead of the summary
    #[arg(long)]
    json: bool,

    /// Only estimate: print an upper bound for each layer, and the states, disk, memory and time to
    /// expect of the whole count; measures for some seconds in a temporary directory
    #[arg(long, conflicts_with = "csv")]
    dry_run: bool,

    /// Print no progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(["lists", "bits"]).map(|word| {
        if word == "bits" {
            Engine::Bits
        } else {
            Engine::Lists
        }
    })
}

/// Count, and print the summary.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let begin = Instant::now();
    let wanted = &args.wanted;
    let game = wanted.game()?;
    engine::last_sum(&game, wanted.until)?;
    let plan = wanted.plan()?.with_engine(args.engine);
    let results = Results::new(args.csv.as_deref(), args.json)?;
    let dir = wanted.dir(&game);
    results.suit(&dir)?;
    if args.dry_run {
        CountEstimate::new(&game, &plan, wanted.until, &dir, wanted.keep)?.print(args.json)?;
        return Ok(Outcome::Done);
    }

    let summary = count(game, dir, &plan, &results, args, begin)?;
    results.print(&summary, || summary.json())?;
    Ok(if summary.agrees() == Some(false) {
        Outcome::Disagreed
    } else {
        Outcome::Done
    })
}

/// Count, and write the table.
fn count(
    game: Game,
    dir: PathBuf,
    plan: &Plan,
    results: &Results,
    args: &Args,
    begin: Instant,
) -> Result<Summary> {
    let mut store = args.wanted.open(&game, open::SHORT)?;
    let before = store.run().table().totals();
    let choice = Choice::new(store.run(), plan, args.wanted.until)?;
    let mut reporter = Reporter::of_count(plan, &store, &choice, args.quiet);
    let run_dir = dir.clone();
    reporter.explain_interrupt(move || what_stays(&run_dir));
    let counted = engine::count(&mut store, plan, args.wanted.until, &mut reporter);
    let peak_memory = reporter.finish();
    counted?;

    let run = store.run();
    let table = run.table().until(args.wanted.until);
    results.write_csv(|to| Ok(table.write_csv(to)?))?;
    let to_its_end = args.wanted.until.is_none_or(|sum| sum >= run.sealed_sum());
    let complete = run.complete() && to_its_end;
    Ok(Summary {
        game,
        totals: table.totals(),
        last_sum: table.last_sum(),
        counted: run.table().totals().states() - before.states(),
        complete,
        time: begin.elapsed(),
        states: Listed::new(run, Kind::States, args.wanted.until),
        last_kept: run.first_sum(Kind::States) <= table.last_sum(),
        afterstates: run
            .keep()
            .afterstates()
            .then(|| Listed::new(run, Kind::Afterstates, args.wanted.until)),
        peak_memory,
        dir,
        choice,
        verdicts: known::verdicts(&game, &table, complete),
    })
}

/// What stays of a count in `dir`: the layers that its manifest names.
fn what_stays(dir: &Path) -> String {
    match Run::peek(dir).map(|run| run.sealed_sum()) {
        Ok(sum @ 4..) => format!("stopped after sum {sum}; the same command goes on"),
        _ => "stopped before any layer was sealed; the same command begins again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Silent;
    use crate::store::Store;

    #[test]
    fn what_stays_is_what_the_manifest_names() {
        let place = tempfile::tempdir().unwrap();
        let said = what_stays(place.path());
        assert!(said.starts_with("stopped before any layer"), "{said}");
        let game = "2x2-32".parse().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let said = what_stays(place.path());
        assert!(said.starts_with("stopped before any layer"), "{said}");
        let plan = Plan::new(64 << 20, 1).unwrap();
        engine::count(&mut store, &plan, Some(20), &mut Silent).unwrap();
        let said = what_stays(place.path());
        assert_eq!(said, "stopped after sum 20; the same command goes on");
    }
}
