//! `enum48 check`: compare counts with published numbers, with the laws, or with another table.

mod difference;
mod published;
mod report;
mod table;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::Outcome;
use super::resources::Resources;
use crate::Error;
use crate::counts::Table;
use crate::game::{Game, Size};
use crate::store::Run;

/// Compare games counted now, or a table, with the published numbers
///
/// Without a TABLE, counts the games that have published numbers, in a temporary directory; this
/// takes some seconds. With a TABLE, counts nothing: compares its numbers with the published ones,
/// as far as it goes, and with the laws that the numbers of any game obey. With OTHER as well,
/// compares the two part by part and names the first difference. The exit code is 1 if anything
/// disagrees.
///
/// A CSV by another program needs the sum, the largest tile and one of the counts of each part, in
/// columns named as --csv names them. Rows and columns may come in any order; what both tables have
/// is compared.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 check                         count the games with published numbers
  enum48 check enum48-data/3x3-1024    a run beside published numbers and laws
  enum48 check layers.csv OTHER.csv    two tables, part by part
  enum48 check - < layers.csv          a table on stdin

Keys of --json: agrees; tables, as given; games, null where not told; parts,
last_sum and complete of a table, or of what two have in common; law, the text
of one that is broken, or null; figures: a list of game, figure, expected, got,
agrees and source; columns that were compared; difference, null or the first:
sum, max_tile, column and its two values, null if one table lacks the part.")]
pub(super) struct Args {
    /// A table: layers.csv, the output of --csv, a run's directory (even while it is counting), or
    /// - for stdin
    #[arg(value_name = "TABLE")]
    table: Option<PathBuf>,

    /// A second table, from another machine, version or program
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,

    /// Look only at the layers up to this tile sum
    #[arg(long, value_name = "SUM", requires = "table")]
    until: Option<u32>,

    /// Size of the board, if the first row of a CSV and its fingerprint do not tell
    #[arg(long, value_name = "N|RxC", requires = "table")]
    size: Option<Size>,

    /// The winning tile, if the winning moves of a CSV do not tell
    #[arg(long, value_name = "TILE", requires = "table")]
    max: Option<u32>,

    /// Also count 4x4 to 32 and to 64 (ten minutes to an hour on two cores; keeps no files)
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

/// The name of stdin as a table.
const STDIN: &str = "-";

/// Compare, and print the verdicts.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    if let Some(sum) = args.until.filter(|&sum| sum < 4) {
        return Err(Error::Until(sum).into());
    }
    match (&args.table, &args.other) {
        (Some(table), Some(other))
            if [table, other].iter().all(|path| *path == Path::new(STDIN)) =>
        {
            bail!("-: stdin has one table: give the path of the other")
        }
        (None, _) => published::recount(args),
        (Some(table), None) => table::check(table, args),
        (Some(table), Some(other)) => difference::compare(table, other, args),
    }
}

/// Read a table, and its game if the path tells.
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
        return Ok((run.table().until(args.until), Some(game)));
    }
    let from: Box<dyn Read> = if path == Path::new(STDIN) {
        Box::new(io::stdin())
    } else {
        let file = File::open(path);
        Box::new(file.with_context(|| format!("{}: cannot open", path.display()))?)
    };
    let table = Table::read_csv(from).with_context(|| path.display().to_string())?;
    if table.rows().is_empty() {
        bail!("{}: no rows: it would agree with anything", path.display());
    }
    Ok((table.until(args.until), None))
}
