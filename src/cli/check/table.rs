//! A table beside the laws and the published numbers.

use std::path::Path;

use anyhow::{Result, bail};

use super::report::CheckReport;
use super::{Args, published, read};
use crate::Error;
use crate::cli::{Outcome, units};
use crate::counts::{Columns, Table};
use crate::game::Game;
use crate::known;
use crate::laws::{self, Laws};

/// Compare a table with the laws and the published numbers.
pub(super) fn check(path: &Path, args: &Args) -> Result<Outcome> {
    let (table, game) = read(path, args)?;
    let mut report = CheckReport::new(args, &[path]);
    report.on(&table);
    let judged = game
        .map_or_else(|| game_of(path, &table, args), Ok)
        .and_then(|game| Ok((game, Laws::new(&game, table.last_sum()).table(&table)?)));
    let (game, complete) = match judged {
        Ok(judged) => judged,
        Err(error) if matches!(error.downcast_ref(), Some(Error::Law { .. })) => {
            let given = args.size.is_some() || args.max.is_some();
            let or = if given {
                " (or is it of another --size or --max?)"
            } else {
                ""
            };
            report.games = vec![game.map(|game| game.to_string())];
            report.law = Some(error.to_string());
            report.say(format_args!("{}: {error}{or}", path.display()))?;
            return report.end(Outcome::Disagreed);
        }
        Err(error) => return Err(error),
    };
    report.games = vec![Some(game.to_string())];
    let parts = units::things(table.rows().len() as u64, "part");
    let last = table.last_sum();
    let columns = table.columns();
    let told = complete || columns.has_all(&laws::TELL_THE_END);
    report.complete = told.then_some(complete);
    let end = if complete {
        "complete"
    } else if told {
        "not complete"
    } else {
        "not known to be complete"
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
            Some(_) => "the published numbers of this game are about more than these layers",
        })?;
        return report.end(Outcome::Done);
    }
    published::print_heading(&report)?;
    let outcome = published::print(&mut report, &game, &verdicts)?;
    report.end(outcome)
}

/// The game of a table, as far as its numbers tell: the size by the first row, the winning tile by
/// the winning moves. Without a column that tells, `--size` alone means a game without a winning
/// tile, as it does elsewhere.
fn game_of(path: &Path, table: &Table, args: &Args) -> Result<Game> {
    let size = match args.size {
        Some(size) => size,
        None if !laws::tell_game(table.columns()) => bail!(
            "{}: its columns do not tell its game: give --size and --max",
            path.display()
        ),
        None => laws::size_of(table)?,
    };
    Ok(Game::new(
        size,
        args.max.or_else(|| laws::win_of(table, size)),
    )?)
}
