//! Counts beside published numbers.

use std::io;

use anyhow::Result;
use indicatif::HumanCount;

use super::Args;
use super::report::CheckReport;
use crate::cli::Outcome;
use crate::cli::progress::Reporter;
use crate::cli::signals::TemporaryDir;
use crate::counts::Table;
use crate::engine::{self, Choice, Plan};
use crate::game::Game;
use crate::known::{self, Effort, PUBLISHED, Verdict};
use crate::store::{Keep, Store};

/// Count the games that have published numbers, and compare.
pub(super) fn recount(args: &Args) -> Result<Outcome> {
    let most = if args.long {
        Effort::Long
    } else {
        Effort::Short
    };
    let plan = args.resources.plan()?;
    let mut outcome = Outcome::Done;
    let mut report = CheckReport::new(args, &[]);
    print_heading(&report)?;
    for published in PUBLISHED
        .iter()
        .filter(|published| published.effort <= most)
    {
        let game = published.game.parse()?;
        let table = count(&game, &plan, args.quiet)?;
        let verdicts = known::verdicts(&game, &table, true);
        outcome = outcome.max(print(&mut report, &game, &verdicts)?);
    }
    report.end(outcome)
}

/// Count a game in a temporary directory.
fn count(game: &Game, plan: &Plan, quiet: bool) -> Result<Table> {
    let place = TemporaryDir::new()?;
    let mut store = Store::open(place.path(), game, Some(Keep::Last))?;
    let choice = Choice::new(store.run(), plan, None)?;
    let mut reporter = Reporter::of_count(plan, &store, &choice, quiet);
    let counted = engine::count(&mut store, plan, None, &mut reporter);
    reporter.finish();
    counted?;
    Ok(store.run().table())
}

/// Print the heading above the verdicts.
pub(super) fn print_heading(report: &CheckReport) -> io::Result<()> {
    report.say("verdict   game      figure              expected              got  source")
}

/// Print a line for each verdict; whether all agree.
pub(super) fn print(
    report: &mut CheckReport,
    game: &Game,
    verdicts: &[Verdict],
) -> io::Result<Outcome> {
    report.published(game, verdicts);
    let mut outcome = Outcome::Done;
    for verdict in verdicts {
        let word = if verdict.agrees() {
            "agrees"
        } else {
            outcome = Outcome::Disagreed;
            "DIFFERS"
        };
        report.say(format_args!(
            "{word:<8}  {:<8}  {:<12} {:>15}  {:>15}  {}",
            game.to_string(),
            verdict.figure.what,
            HumanCount(verdict.figure.expected).to_string(),
            HumanCount(verdict.got).to_string(),
            verdict.source,
        ))?;
    }
    Ok(outcome)
}
