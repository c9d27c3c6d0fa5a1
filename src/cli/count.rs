//! `enum48 --size ...`: count a game.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::Outcome;
use super::progress::Reporter;
use super::resources::Resources;
use super::summary::Summary;
use crate::engine;
use crate::game::{Game, Size};
use crate::known;
use crate::store::{self, Keep, Store};

/// Arguments of a count.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Size of the board: N (a square), or rows and columns as in 4x3; sides from 2 to 4
    #[arg(long, value_name = "N|RxC", required = true)]
    size: Option<Size>,

    /// The winning tile, a power of two from 8 to 65536 [default: none, play goes on until stuck]
    #[arg(long, value_name = "TILE")]
    max: Option<u32>,

    /// Stop when the layer of this tile sum is complete, its afterstates counted
    #[arg(long, value_name = "SUM")]
    until: Option<u32>,

    /// The run's directory [default: enum48-data/ and the game, such as enum48-data/3x3-1024]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    resources: Resources,

    /// zstd level of the files, 1 (fast) to 22 (small)
    #[arg(long, value_name = "N", default_value_t = engine::LEVEL,
          value_parser = clap::value_parser!(i32).range(1..=22))]
    level: i32,

    /// Layers to keep: all, or last and what going on needs [default: all, or as the run was begun]
    #[arg(long, value_name = "all|last", hide_possible_values = true, value_parser = keep_parser())]
    keep: Option<Keep>,

    /// Write the table of parts to FILE too, - for stdout (the summary then goes to stderr)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Print one JSON object on stdout instead of the summary
    #[arg(long)]
    json: bool,

    /// No progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

fn keep_parser() -> impl TypedValueParser<Value = Keep> {
    PossibleValuesParser::new(["all", "last"]).map(|word| {
        if word == "last" {
            Keep::Last
        } else {
            Keep::All
        }
    })
}

/// Count, and print what was found.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let begin = Instant::now();
    let size = args.size.context("no board: give --size")?;
    let game = Game::new(size, args.max)?;
    engine::last_sum(&game, args.until)?;
    let plan = args.resources.plan()?.with_level(args.level);
    let csv = Output::new(args.csv.as_deref(), args.json)?;
    let dir = args
        .dir
        .clone()
        .unwrap_or_else(|| Path::new("enum48-data").join(game.to_string()));

    let mut store = Store::open(&dir, &game, args.keep)?;
    let before = store.table().totals();
    let mut reporter = Reporter::new(&game, &plan, &store, args.until, args.quiet);
    let counted = engine::count(&game, &mut store, &plan, args.until, &mut reporter);
    let peak = reporter.finish();
    counted?;

    let table = store.table().until(args.until);
    csv.write(&table)?;
    let reached = args.until.is_none_or(|sum| sum >= store.sealed_sum());
    let complete = store.complete() && reached;
    let summary = Summary {
        game,
        totals: table.totals(),
        last_sum: table.last_sum(),
        counted: store.table().totals().states() - before.states(),
        complete,
        seconds: begin.elapsed().as_secs_f64(),
        bytes: store.bytes(args.until),
        peak_memory: peak,
        dir,
        verdicts: known::verdicts(&game, &table, complete),
    };
    if args.json {
        writeln!(io::stdout(), "{}", summary.json()?)?;
    } else if csv.is_stdout() {
        write!(io::stderr(), "{summary}")?;
    } else {
        write!(io::stdout(), "{summary}")?;
    }
    Ok(if summary.agrees() == Some(false) {
        Outcome::Disagreed
    } else {
        Outcome::Done
    })
}

/// Where the table goes.
#[derive(Debug)]
enum Output {
    Nowhere,
    Stdout,
    File(PathBuf),
}

impl Output {
    /// Find out now whether it can be written, not after hours of counting.
    fn new(path: Option<&Path>, json: bool) -> Result<Self> {
        match path {
            None => Ok(Self::Nowhere),
            Some(path) if path == Path::new("-") && json => {
                anyhow::bail!("--csv - and --json: both would go to stdout: give --csv a file")
            }
            Some(path) if path == Path::new("-") => Ok(Self::Stdout),
            Some(path) => {
                store::probe(path)?;
                Ok(Self::File(path.to_owned()))
            }
        }
    }

    fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout)
    }

    fn write(&self, table: &crate::counts::Table) -> Result<()> {
        match self {
            Self::Nowhere => Ok(()),
            Self::Stdout => Ok(table.write_csv(io::stdout().lock())?),
            Self::File(path) => Ok(store::write_atomic(path, |file| table.write_csv(file))?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_table_cannot_share_stdout_with_json() {
        assert!(Output::new(Some(Path::new("-")), true).is_err());
        assert!(
            Output::new(Some(Path::new("-")), false)
                .unwrap()
                .is_stdout()
        );
        assert!(matches!(Output::new(None, true).unwrap(), Output::Nowhere));
        let error = Output::new(Some(Path::new("/nowhere/at/all.csv")), false).unwrap_err();
        assert!(
            matches!(error.downcast_ref(), Some(Error::Io { .. })),
            "{error}"
        );
    }
}
