//! A table beside another.

use std::io;
use std::path::Path;

use anyhow::{Result, bail};

use super::report::CheckReport;
use super::{Args, read};
use crate::cli::{Outcome, units};
use crate::counts::{Column, Columns, Differs, Table};

/// Compare two tables part by part.
pub(super) fn compare(path: &Path, other_path: &Path, args: &Args) -> Result<Outcome> {
    let (table, game) = read(path, args)?;
    let (other, other_game) = read(other_path, args)?;
    let (a, b) = (path.display(), other_path.display());
    let mut report = CheckReport::new(args, &[path, other_path]);
    report.games = [game, other_game]
        .map(|game| game.map(|game| game.to_string()))
        .into();
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
    if sum > shorter {
        report.say(format_args!(
            "they agree up to sum {shorter}, where one ends; the other goes on to {longer}: \
             --until {shorter} compares what both have"
        ))?;
    }
    report.end(Outcome::Disagreed)
}

/// Say how much of two tables agrees, given what one has in the columns of both.
fn agree(report: &CheckReport, table: &Table) -> io::Result<()> {
    let (columns, totals) = (table.columns(), table.totals());
    let parts = units::things(table.rows().len() as u64, "part");
    let last = table.last_sum();
    let mut line = format!("agree: {parts} up to sum {last}");
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
