//! `enum48 check`: compare counts with published numbers, with the laws, or with another table.

mod report;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};

use self::report::CheckReport;
use crate::Error;
use crate::cli::args::{Resources, sum, tile};
use crate::cli::job;
use crate::cli::out::Outcome;
use crate::cli::out::units;
use crate::counts::{Column, Columns, Differs, Table};
use crate::game::{Game, Size};
use crate::known::{self, Effort};
use crate::laws::{self, Laws};
use crate::part::fingerprint;
use crate::store::{Keep, Run, Store};
use crate::temporary::TemporaryDir;

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
#[command(after_help = include_str!("help.txt").trim_ascii_end())]
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

    /// Size of the board; a CSV does not tell its game, a run's directory does
    #[arg(
        long,
        value_name = "N|RxC",
        requires = "table",
        conflicts_with = "other"
    )]
    size: Option<Size>,

    /// The winning tile of the game of a CSV [default: none]
    #[arg(long, value_name = "TILE", value_parser = tile, requires = "table", conflicts_with = "other")]
    max: Option<u32>,

    /// The horizon of the game of a CSV, if it is another than the game's own
    #[arg(long, value_name = "SUM", value_parser = sum, requires_all = ["size", "max"])]
    horizon: Option<u32>,

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
    match (&args.table, &args.other) {
        (Some(table), Some(other)) if table == other && table == Path::new(STDIN) => {
            bail!("-: stdin has one table: give the path of the other")
        }
        (None, _) => recount(args),
        (Some(table), None) => with_laws(table, args),
        (Some(table), Some(other)) => with_table(table, other, args),
    }
}

/// Count the games that have published numbers, and compare.
fn recount(args: &Args) -> Result<Outcome> {
    let most = if args.long {
        Effort::Long
    } else {
        Effort::Short
    };
    let plan = args.resources.plan()?;
    let mut outcome = Outcome::Done;
    let mut report = CheckReport::new(args.json, &[]);
    let published = known::figures().filter(|figure| figure.effort <= most);
    let mut games: Vec<Game> = published.map(|figure| figure.game).collect();
    games.dedup();
    for game in games {
        let place = TemporaryDir::new()?;
        let mut store = Store::open(place.path(), &game, Some(Keep::Last))?;
        job::count(&mut store, &plan, args.quiet)?;
        let verdicts = known::verdicts(&game, &store.run().table(), true);
        outcome = outcome.max(report.verdicts(verdicts)?);
    }
    report.end(outcome)
}

/// Read a table with all its layers. Only a run's directory names the game.
fn read(path: &Path, args: &Args) -> Result<(Table, Option<Game>)> {
    if path.is_dir() {
        let run = Run::peek(path)?;
        let game = *run.game();
        let other_size = args.size.is_some_and(|size| size != game.size());
        let other_max = args.max.is_some_and(|max| Some(max) != game.max());
        let other_horizon = args.horizon.is_some() && args.horizon != game.horizon();
        if other_size || other_max || other_horizon {
            bail!(
                "{}: holds the game {game}: leave out --size, --max and --horizon",
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

/// Check that the first row has the live start boards of the game, if it has a fingerprint.
fn begins(table: &Table, game: &Game) -> Result<(), Error> {
    let first = table.rows().first().filter(|row| row.sum == 4);
    let first = first.filter(|_| table.columns().has(Column::Fingerprint));
    let mut starts = game.starts(4);
    game.rules().census(&mut starts);
    match first {
        Some(row) if row.fingerprint != fingerprint(&starts) => Err(Error::Law {
            place: "first row".to_owned(),
            law: format!(
                "fingerprint {}: no game of {} begins with it",
                row.fingerprint,
                game.size()
            ),
        }),
        _ => Ok(()),
    }
}

/// Compare a table with the laws and the published numbers.
fn with_laws(path: &Path, args: &Args) -> Result<Outcome> {
    let (table, game) = read(path, args)?;
    let table = wanted(path, &table, args)?;
    let game = match (game, args.size) {
        (Some(game), _) => game,
        (None, Some(size)) => {
            let game = Game::new(size, args.max)?;
            match args.horizon {
                Some(horizon) => game.with_horizon(horizon)?,
                None => game,
            }
        }
        (None, None) => bail!(
            "{}: a table does not name its game: give --size, and --max if it has a winning tile",
            path.display()
        ),
    };
    let mut report = CheckReport::new(args.json, &[(path, Some(game))]);
    report.on(&table);
    let laws = || Laws::new(&game, table.last_sum()).table(&table);
    let complete = match begins(&table, &game).and_then(|()| laws()) {
        Err(error @ Error::Law { .. }) => {
            let or = match args.size {
                Some(_) => " (or the table is of another --size, --max or --horizon)",
                None => "",
            };
            report.law = Some(error.to_string());
            report.say(format_args!("{}: {error}{or}", path.display()))?;
            return report.end(Outcome::Disagreed);
        }
        judged => judged?,
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
        report.say(match known::figures().any(|figure| figure.game == game) {
            false => "no number of this game has been published",
            true => "the published numbers of this game need more layers than these",
        })?;
    }
    let outcome = report.verdicts(verdicts)?;
    report.end(outcome)
}

/// Compare two tables part by part.
fn with_table(path: &Path, other_path: &Path, args: &Args) -> Result<Outcome> {
    let (table, game) = read(path, args)?;
    let (other, other_game) = read(other_path, args)?;
    let [table, other] = [&table, &other].map(|table| table.until(args.until));
    if table.rows().is_empty() {
        wanted(other_path, &other, args)?;
    }
    let (a, b) = (path.display(), other_path.display());
    let mut report = CheckReport::new(args.json, &[(path, game), (other_path, other_game)]);
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
