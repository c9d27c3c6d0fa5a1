//! A table beside the laws and the published numbers.

use std::path::Path;

use anyhow::Result;
use indicatif::HumanCount;

use super::{Args, println, published, read};
use crate::Error;
use crate::cli::Outcome;
use crate::counts::Table;
use crate::game::Game;
use crate::known;
use crate::laws::{self, Laws};

/// Compare a table with the laws and the published numbers.
pub(super) fn check(path: &Path, args: &Args) -> Result<Outcome> {
    let (table, game) = read(path, args)?;
    let judged = game
        .map_or_else(|| game_of(&table, args), Ok)
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
            println(&format!("{}: {error}{or}", path.display()))?;
            return Ok(Outcome::Disagreed);
        }
        Err(error) => return Err(error),
    };
    let (parts, last) = (HumanCount(table.rows().len() as u64), table.last_sum());
    let end = if complete { "complete" } else { "not complete" };
    let which = if table.has_flow() {
        ""
    } else {
        " that do not need the columns after the fingerprint"
    };
    println(&format!(
        "{game}, {parts} parts up to sum {last}, {end}: all laws hold{which}"
    ))?;

    let verdicts = known::verdicts(&game, &table, complete);
    if verdicts.is_empty() {
        println(match known::published(&game) {
            None => "no number of this game has been published",
            Some(_) => "the published numbers of this game are about more than these layers",
        })?;
        return Ok(Outcome::Done);
    }
    published::print_heading()?;
    Ok(published::print(&game, &verdicts)?)
}

/// The game of a table, as far as its numbers tell: the size by the first row, the winning tile by
/// the winning moves.
fn game_of(table: &Table, args: &Args) -> Result<Game> {
    let size = match args.size {
        Some(size) => size,
        None => laws::size_of(table)?,
    };
    Ok(Game::new(
        size,
        args.max.or_else(|| laws::win_of(table, size)),
    )?)
}
