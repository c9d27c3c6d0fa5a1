//! `enum48 check`: compare with the published numbers, with the laws, or with another table.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use indicatif::HumanCount;

use super::Outcome;
use super::progress::Reporter;
use super::resources::Resources;
use crate::Error;
use crate::counts::{Differs, Table};
use crate::engine;
use crate::game::{Game, Size};
use crate::known::{self, Effort, PUBLISHED, Verdict};
use crate::laws::{self, Laws};
use crate::store::{Archive, Keep, Store};

/// Compare with the published numbers: games counted now, or a table
///
/// Without a table, counts the games with published numbers in a temporary directory, in some seconds.
/// With a TABLE, counts nothing: compares its numbers with the published ones, as far as it goes, and
/// with the laws that the numbers of any game obey. With OTHER too, compares the two part by part, and
/// names the first difference. Exit code 1 if anything disagrees.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A table: layers.csv, what --csv wrote, or a run's directory (a count may go on in it)
    #[arg(value_name = "TABLE")]
    table: Option<PathBuf>,

    /// A second table, of another machine, version or program
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,

    /// Look at the layers up to this tile sum only
    #[arg(long, value_name = "SUM", requires = "table")]
    until: Option<u32>,

    /// Size of the board, where a CSV does not tell by its first row
    #[arg(long, value_name = "N|RxC", requires = "table")]
    size: Option<Size>,

    /// The winning tile, where a CSV does not tell by its winning moves
    #[arg(long, value_name = "TILE", requires = "table")]
    max: Option<u32>,

    /// Also count what takes over a minute: 4x4 to 64 (about an hour on two cores; keeps no files)
    #[arg(long, conflicts_with = "table")]
    long: bool,

    #[command(flatten)]
    resources: Resources,

    /// No progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

/// Compare, and print the verdicts.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    if let Some(sum) = args.until.filter(|&sum| sum < 4) {
        return Err(Error::Until(sum).into());
    }
    match (&args.table, &args.other) {
        (None, _) => recount(args),
        (Some(table), None) => check(table, args),
        (Some(table), Some(other)) => compare(table, other, args),
    }
}

/// Count the games with published numbers.
fn recount(args: &Args) -> Result<Outcome> {
    let most = if args.long {
        Effort::Long
    } else {
        Effort::Short
    };
    let mut outcome = Outcome::Done;
    heading()?;
    for published in PUBLISHED
        .iter()
        .filter(|published| published.effort <= most)
    {
        let game = published.game.parse()?;
        let table = count(&game, args)?;
        for verdict in known::verdicts(&game, &table, true) {
            outcome = outcome.max(say(&game, &verdict)?);
        }
    }
    Ok(outcome)
}

fn heading() -> io::Result<()> {
    writeln!(
        io::stdout(),
        "verdict   game      figure              expected              got  source"
    )
}

fn say(game: &Game, verdict: &Verdict) -> io::Result<Outcome> {
    writeln!(
        io::stdout(),
        "{:<8}  {:<8}  {:<12} {:>15}  {:>15}  {}",
        if verdict.agrees() {
            "agrees"
        } else {
            "DIFFERS"
        },
        game.to_string(),
        verdict.figure.what,
        HumanCount(verdict.figure.expected).to_string(),
        HumanCount(verdict.got).to_string(),
        verdict.source,
    )?;
    Ok(if verdict.agrees() {
        Outcome::Done
    } else {
        Outcome::Disagreed
    })
}

fn count(game: &Game, args: &Args) -> Result<Table> {
    let place = tempfile::tempdir().context("temporary directory: cannot create")?;
    let mut store = Store::open(place.path(), game, Some(Keep::Last))?;
    let plan = args.resources.plan()?;
    let mut reporter = Reporter::new(game, &plan, &store, None, args.quiet);
    let counted = engine::count(game, &mut store, &plan, None, &mut reporter);
    reporter.finish();
    counted?;
    Ok(store.table())
}

/// Compare a table with the published numbers and the laws.
fn check(path: &Path, args: &Args) -> Result<Outcome> {
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
    let parts = HumanCount(table.rows().len() as u64);
    let end = if complete { "complete" } else { "not complete" };
    println(&format!(
        "{game}, {parts} parts up to sum {}, {end}: all laws hold{}",
        table.last_sum(),
        if table.has_flow() {
            ""
        } else {
            " that can be seen without the columns after the fingerprint"
        }
    ))?;
    let verdicts = known::verdicts(&game, &table, complete);
    if verdicts.is_empty() {
        let unknown = known::published(&game).is_none();
        println(if unknown {
            "no number of this game has been published"
        } else {
            "no published number is about so little of this game"
        })?;
        return Ok(Outcome::Done);
    }
    heading()?;
    let mut outcome = Outcome::Done;
    for verdict in verdicts {
        outcome = outcome.max(say(&game, &verdict)?);
    }
    Ok(outcome)
}

/// The game of a table, as far as its numbers tell: the size by its first row, the winning tile by its
/// winning moves.
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

/// A table, and its game where it is known.
fn read(path: &Path, args: &Args) -> Result<(Table, Option<Game>)> {
    if path.is_dir() {
        let archive = Archive::peek(path)?;
        let game = *archive.game();
        let other_size = args.size.is_some_and(|size| size != game.size());
        let other_max = args.max.is_some_and(|max| Some(max) != game.max());
        if other_size || other_max {
            bail!(
                "{}: holds the game {game}: leave out --size and --max",
                path.display()
            );
        }
        return Ok((archive.table().until(args.until), Some(game)));
    }
    let file = File::open(path).with_context(|| format!("{}: cannot open", path.display()))?;
    let table = Table::read_csv(file)
        .with_context(|| format!("{}: not a table such as --csv writes", path.display()))?;
    if table.rows().is_empty() {
        bail!("{}: no rows: it would agree with anything", path.display());
    }
    Ok((table.until(args.until), None))
}

/// Compare two tables part by part.
fn compare(path: &Path, other_path: &Path, args: &Args) -> Result<Outcome> {
    let (table, game) = read(path, args)?;
    let (other, other_game) = read(other_path, args)?;
    let (a, b) = (path.display(), other_path.display());
    if let (Some(game), Some(other)) = (game, other_game)
        && game != other
    {
        println(&format!("DIFFER: {a} is of {game}, {b} of {other}"))?;
        return Ok(Outcome::Disagreed);
    }
    let Some(difference) = table.difference(&other) else {
        let totals = table.totals();
        println(&format!(
            "agree: {} parts up to sum {}, {} live states, fingerprint {}",
            HumanCount(table.rows().len() as u64),
            table.last_sum(),
            HumanCount(totals.live),
            totals.fingerprint
        ))?;
        return Ok(Outcome::Done);
    };
    let place = format!(
        "sum {}, largest tile {}",
        difference.sum, difference.max_tile
    );
    println(&match difference.kind {
        Differs::In(column, ours, theirs) => {
            format!("DIFFER first at {place}: {column} {ours} in {a}, {theirs} in {b}")
        }
        Differs::OnlyFirst => format!("DIFFER first at {place}: {a} has this part, {b} has not"),
        Differs::OnlySecond => format!("DIFFER first at {place}: {b} has this part, {a} has not"),
    })?;
    let (shorter, longer) = (
        table.last_sum().min(other.last_sum()),
        table.last_sum().max(other.last_sum()),
    );
    if difference.sum > shorter {
        println(&format!(
            "they agree up to sum {shorter}, where one ends; the other goes on to {longer}: \
             --until {shorter} compares what both have"
        ))?;
    }
    Ok(Outcome::Disagreed)
}

fn println(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}
