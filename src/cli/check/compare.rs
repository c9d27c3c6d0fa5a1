//! Compares counts with published numbers, a table with the laws, or two tables.

use std::path::Path;

use anyhow::{Result, bail};

use super::report::CheckReport;
use super::{Args, game_of, read, wanted};
use crate::Error;
use crate::cli::job::progress::Reporter;
use crate::cli::out::Outcome;
use crate::cli::out::units;
use crate::counts::{Column, Columns, Differs, Table};
use crate::engine::{self, Choice, Plan};
use crate::game::Game;
use crate::known::{self, Effort};
use crate::laws::{self, Laws};
use crate::store::{Keep, Store};
use crate::temporary::TemporaryDir;

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
    for published in known::all_published().filter(|published| published.effort <= most) {
        let game = published.game.parse()?;
        let table = count(&game, &plan, args.quiet)?;
        let verdicts = known::verdicts(&game, &table, true);
        outcome = outcome.max(report.verdicts(verdicts)?);
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

/// Compare a table with the laws and the published numbers.
pub(super) fn with_laws(path: &Path, args: &Args) -> Result<Outcome> {
    let (whole, game) = read(path, args)?;
    let table = wanted(path, &whole, args)?;
    let mut report = CheckReport::new(args, &[path]);
    report.on(&table);
    // All layers tell the game, even if only some are checked.
    let game = game.map_or_else(|| game_of(path, &whole, args), Ok);
    report.games = vec![game.as_ref().ok().copied()];
    let judged =
        game.and_then(|game| Ok((game, Laws::new(&game, table.last_sum()).table(&table)?)));
    let (game, complete) = match judged {
        Ok(judged) => judged,
        Err(error) if matches!(error.downcast_ref(), Some(Error::Law { .. })) => {
            let or = if args.size.is_some() || args.max.is_some() {
                " (or the table is of another --size or --max)"
            } else {
                ""
            };
            report.law = Some(error.to_string());
            report.say(format_args!("{}: {error}{or}", path.display()))?;
            return report.end(Outcome::Disagreed);
        }
        Err(error) => return Err(error),
    };
    let parts = units::things(table.rows().len() as u64, "part");
    let (last, columns) = (table.last_sum(), table.columns());
    let told = complete || columns.has_all(&laws::TELL_THE_END);
    report.complete = told.then_some(complete);
    let end = match report.complete {
        Some(true) => "complete",
        Some(false) => "not complete",
        None => "not known to be complete",
    };
    let which = if columns == Columns::ALL {
        String::new()
    } else {
        format!(" that can be checked without {}", columns.missing())
    };
    report.say(format_args!(
        "{game}, {parts} up to sum {last}, {end}: all laws hold{which}"
    ))?;

    let verdicts = known::verdicts(&game, &table, complete);
    if verdicts.is_empty() {
        report.say(match known::published(&game) {
            None => "no number of this game has been published",
            Some(_) => "the published numbers of this game need more layers than these",
        })?;
    }
    let outcome = report.verdicts(verdicts)?;
    report.end(outcome)
}

/// Compare two tables part by part.
pub(super) fn with_table(path: &Path, other_path: &Path, args: &Args) -> Result<Outcome> {
    let (table, game) = read(path, args)?;
    let (other, other_game) = read(other_path, args)?;
    let [table, other] = [&table, &other].map(|table| table.until(args.until));
    if table.rows().is_empty() {
        wanted(other_path, &other, args)?;
    }
    let (a, b) = (path.display(), other_path.display());
    let mut report = CheckReport::new(args, &[path, other_path]);
    report.games = vec![game, other_game];
    if let (Some(game), Some(other)) = (game, other_game)
        && game != other
    {
        report.say(format_args!("DIFFER: {a} is of {game}, {b} of {other}"))?;
        return report.end(Outcome::Disagreed);
    }
    let columns = table.columns().and(other.columns());
    if columns.counts().next().is_none() {
        bail!(
            "{a} and {b}: nothing to compare: {a} has {}, {b} has {}",
            table.columns(),
            other.columns()
        );
    }
    let (table, other) = (table.only(columns), other.only(columns));
    if table.rows().is_empty() && other.rows().is_empty() {
        bail!("{a} and {b}: no {columns} in any row, so nothing could disagree");
    }
    report.on(&table);
    let Some(difference) = table.difference(&other) else {
        agree(&report, &table)?;
        return report.end(Outcome::Done);
    };
    report.differs(&difference);
    let (sum, max_tile) = (difference.sum, difference.max_tile);
    let how = match difference.kind {
        Differs::In(column, ours, theirs) => format!("{column} {ours} in {a}, {theirs} in {b}"),
        Differs::OnlyFirst => format!("{a} has this part, {b} has not"),
        Differs::OnlySecond => format!("{b} has this part, {a} has not"),
    };
    report.say(format_args!(
        "DIFFER first at sum {sum}, largest tile {max_tile}: {how}"
    ))?;
    let (one, two) = (table.last_sum(), other.last_sum());
    let (shorter, longer) = (one.min(two), one.max(two));
    if sum > shorter && shorter >= 4 {
        report.say(format_args!(
            "they agree up to sum {shorter}, where one ends; the other goes on to {longer}: \
             --until {shorter} compares only the layers of both"
        ))?;
    }
    report.end(Outcome::Disagreed)
}

/// Say how much of two tables agrees; `table` has the columns of both.
fn agree(report: &CheckReport, table: &Table) -> Result<()> {
    let (columns, totals) = (table.columns(), table.totals());
    let parts = units::things(table.rows().len() as u64, "part");
    let mut line = format!("agree: {parts} up to sum {}", table.last_sum());
    if columns.has(Column::Live) {
        line += &format!(", {}", units::things(totals.live, "live state"));
    }
    if columns.has(Column::Fingerprint) {
        line += &format!(", fingerprint {}", totals.fingerprint);
    }
    report.say(line)?;
    if columns != Columns::ALL {
        let missing = columns.missing();
        report.say(format_args!(
            "compared: {columns}; not in both tables: {missing}"
        ))?;
    }
    Ok(())
}
