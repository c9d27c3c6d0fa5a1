//! `enum48 check`: compare counts with published numbers, with the laws, or with another table.

mod compare;
mod report;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use crate::Error;
use crate::cli::args::numbers::{sum, tile};
use crate::cli::args::resources::Resources;
use crate::cli::out::Outcome;
use crate::cli::out::output::json_names;
use crate::counts::{Column, Table};
use crate::game::{Game, Size};
use crate::laws;
use crate::part::fingerprint;
use crate::store::Run;

/// Compare a new count, or a table, with the published numbers
///
/// Without a TABLE, counts the games that have published numbers, in a temporary directory; this
/// takes some seconds. With a TABLE, counts nothing: compares the table with the published numbers of
/// its layers, and with the laws that the counts of any game obey. With OTHER as well, compares the
/// two tables part by part and names the first difference. The exit code is 1 if anything disagrees.
///
/// A CSV from another program needs the sum, the largest tile and one count of each part, in columns
/// with the names that --csv writes. Rows and columns may come in any order. Only the columns of both
/// tables are compared.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 check                         count the games with published numbers
  enum48 check enum48-data/3x3-1024    a run beside published numbers and laws
  enum48 check layers.csv OTHER.csv    two tables, part by part
  enum48 check - < layers.csv          a table on stdin

Keys of --json: agrees; tables, as given; games, null where unknown; parts
and last_sum of the first table; complete, null for two tables or where unknown;
law, the text of a broken law, or null; figures: a list of game,
figure, expected, got, agrees and source; columns that were compared;
difference, null or the first: sum, max_tile, column and its two values, null if
one table lacks the part.")]
pub(super) struct Args {
    /// A table: layers.csv, the output of --csv, a run's directory (even during a count), or - for
    /// stdin
    #[arg(value_name = "TABLE")]
    table: Option<PathBuf>,

    /// A second table, from another machine, version or program
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,

    /// Compare only the layers up to this tile sum
    #[arg(long, value_name = "SUM", value_parser = sum, requires = "table")]
    until: Option<u32>,

    /// Size of the board, if the fingerprint in the first row of a CSV does not tell it
    #[arg(
        long,
        value_name = "N|RxC",
        requires = "table",
        conflicts_with = "other"
    )]
    size: Option<Size>,

    /// The winning tile, if the winning moves of a CSV do not tell it
    #[arg(long, value_name = "TILE", value_parser = tile, requires = "table", conflicts_with = "other")]
    max: Option<u32>,

    /// Also count 4x4 to 32 and to 64 (minutes on two cores, up to an hour as lists; keeps no files)
    #[arg(long, conflicts_with = "table")]
    long: bool,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    resources: Resources,

    /// Print no progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

/// The path that stands for stdin on the command line.
const STDIN: &str = "-";

pub(super) fn run(args: &Args) -> Result<Outcome> {
    if args.json {
        let mut tables = args.table.iter().chain(&args.other);
        tables.try_for_each(|path| json_names(path))?;
    }
    match (&args.table, &args.other) {
        (Some(table), Some(other))
            if [table, other].iter().all(|path| *path == Path::new(STDIN)) =>
        {
            bail!("-: stdin has one table: give the path of the other")
        }
        (None, _) => compare::recount(args),
        (Some(table), None) => compare::with_laws(table, args),
        (Some(table), Some(other)) => compare::with_table(table, other, args),
    }
}

/// Read a table with all its layers. Only a run's directory tells the game.
fn read(path: &Path, args: &Args) -> Result<(Table, Option<Game>)> {
    if path.is_dir() {
        let run = Run::peek(path)?;
        let game = *run.game();
        let other_size = args.size.is_some_and(|size| size != game.size());
        let other_max = args.max.is_some_and(|max| Some(max) != game.max());
        if other_size || other_max {
            bail!(
                "{}: holds the game {game}: leave out --size and --max",
                path.display()
            );
        }
        return Ok((run.table(), Some(game)));
    }
    let from: Box<dyn Read> = if path == Path::new(STDIN) {
        Box::new(io::stdin())
    } else {
        let file = File::open(path).map_err(|cause| {
            let path = path.display();
            anyhow!("{path}: cannot open: {cause}: give a table, or the directory of a run")
        });
        Box::new(file?)
    };
    let table = Table::read_csv(from).with_context(|| path.display().to_string())?;
    Ok((table, None))
}

/// The layers of a table that are to be checked.
fn wanted(path: &Path, table: &Table, args: &Args) -> Result<Table> {
    let table = table.until(args.until);
    if table.rows().is_empty() {
        let up_to = args
            .until
            .map_or(String::new(), |sum| format!(" up to sum {sum}"));
        bail!(
            "{}: no rows{up_to}, so nothing could disagree",
            path.display()
        );
    }
    Ok(table)
}

/// The game of a table, deduced from its numbers unless the arguments give it. Without a column that
/// tells the winning tile, `--size` alone means a game without a winning tile.
fn game_of(path: &Path, table: &Table, args: &Args) -> Result<Game> {
    let columns = table.columns();
    let wins = columns.has(Column::Wins) || columns.has_all(&laws::TELL_THE_END);
    let size = match args.size {
        Some(size) => {
            begins(table, size)?;
            size
        }
        None if !(wins && columns.has(Column::Fingerprint)) => bail!(
            "{}: its columns do not tell its game: give --size and --max",
            path.display()
        ),
        None => size_of(table)?,
    };
    let max = args.max.or_else(|| winning_tile(table, size));
    Ok(Game::new(size, max)?)
}

/// Check that games of a size begin with the first row, if the row has a fingerprint.
fn begins(table: &Table, size: Size) -> Result<(), Error> {
    let first = table.rows().first().filter(|row| row.sum == 4);
    let first = first.filter(|_| table.columns().has(Column::Fingerprint));
    let starts = Game::new(size, None)?.starts(4);
    match first {
        Some(row) if row.fingerprint != fingerprint(&starts) => Err(Error::Law {
            place: "first row".to_owned(),
            law: format!(
                "fingerprint {}: no game of {size} begins with it",
                row.fingerprint
            ),
        }),
        _ => Ok(()),
    }
}

/// The board size of a table. Each size has its own fingerprint in the first row, the boards with
/// two 2s. [`Error::Law`] if no game begins with the first row.
fn size_of(table: &Table) -> Result<Size, Error> {
    let first = table.rows().first().copied().unwrap_or_default();
    let sizes = (2..=4).flat_map(|rows| (2..=4).map(move |cols| Size::new(rows, cols)));
    for size in sizes {
        let size = size?;
        let starts = Game::new(size, None)?.starts(4);
        if (first.sum, first.max_tile, first.fingerprint) == (4, 2, fingerprint(&starts)) {
            return Ok(size);
        }
    }
    Err(Error::Law {
        place: "first row".to_owned(),
        law: format!(
            "sum {}, largest tile {}, fingerprint {}: no game begins with this row",
            first.sum, first.max_tile, first.fingerprint
        ),
    })
}

/// The winning tile of a table; `None` if the table shows none.
///
/// A winning move merges two tiles of half the winning tile. In a table without the column `wins`,
/// the largest tile decides, because play without a winning tile goes on to 2^(c+1). (This is known
/// for 2x2, 3x3 and 4x3.)
fn winning_tile(table: &Table, size: Size) -> Option<u32> {
    let mut rows = table.rows().iter();
    let half = if table.columns().has(Column::Wins) {
        rows.find(|row| row.wins > 0)?.max_tile
    } else {
        let largest = rows.map(|row| row.max_tile).max()?;
        (laws::ends(table) && largest < 2 << size.cells()).then_some(largest)?
    };
    half.checked_mul(2)
}
