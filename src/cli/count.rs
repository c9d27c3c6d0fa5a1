//! `enum48 --size ...`: count a game.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::Outcome;
use super::estimate::Estimate;
use super::output::Output;
use super::progress::Reporter;
use super::resources::Resources;
use super::summary::Summary;
use crate::engine;
use crate::game::{Game, Size};
use crate::known;
use crate::store::{Keep, Store};

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

    /// Count nothing: print for each layer how many boards there are at most, and what the whole count
    /// may take in states, disk, memory and time
    #[arg(long)]
    dry_run: bool,

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
    let csv = args.csv.as_deref().map(Output::new).transpose()?;
    let csv_on_stdout = matches!(csv, Some(Output::Stdout));
    if csv_on_stdout && args.json {
        bail!("--csv - and --json: both would go to stdout: give --csv a file");
    }
    let dir = args
        .dir
        .clone()
        .unwrap_or_else(|| Path::new("enum48-data").join(game.to_string()));

    if args.dry_run {
        Estimate::new(game, plan, args.until, &dir)?.print(args.json)?;
        return Ok(Outcome::Done);
    }
    let mut store = Store::open(&dir, &game, args.keep)?;
    let before = store.table().totals();
    let mut reporter = Reporter::new(&game, &plan, &store, args.until, args.quiet);
    let counted = engine::count(&game, &mut store, &plan, args.until, &mut reporter);
    let peak = reporter.finish();
    counted?;

    let table = store.table().until(args.until);
    if let Some(csv) = csv {
        csv.write(|to| Ok(table.write_csv(to)?))?;
    }
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
    } else if csv_on_stdout {
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
