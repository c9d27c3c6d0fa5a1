//! `enum48 states`: the states of a run, and what they are worth, for other programs.

mod format;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod writer;

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use anyhow::{Result, bail};
use clap::ValueEnum;
use clap::builder::ArgPredicate;

use self::reader::{Batch, StateReader};
use super::Outcome;
use super::objectives::Objectives;
use super::open;
use super::output::Output;
use super::talk;
use crate::counts::Row;
use crate::part::Kind;
use crate::solve::StateValues;
use crate::store::{Goal, Run};

/// Write the live states of a run: one part, a layer, or everything
///
/// States come in order of sum, then largest tile, then board. They are written as they are read,
/// so memory does not grow with their number. The cells of a board are its tiles row by row, 0
/// where empty.
///
/// With --values each has a column for each objective that the run is solved for (enum48 solve):
/// what is to be expected from the state on, under the best play for it. Columns are named as the
/// objectives: score, moves, or a tile, such as 512, for the chance to reach it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 states enum48-data/3x3-1024 --sum 100 --max-tile 32
  enum48 states enum48-data/3x3-1024 --sample 10 --seed 1 --format grid
  enum48 states enum48-data/3x3-1024 --format parquet -o 3x3-1024.parquet
  enum48 states enum48-data/3x3 --values --for score,512 --format npy -o 3x3.npy")]
pub(super) struct Args {
    /// Directory of the run, such as enum48-data/3x3-1024
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Only the layer of this tile sum
    #[arg(long, value_name = "SUM")]
    sum: Option<u32>,

    /// Only states with this largest tile
    #[arg(long, value_name = "TILE")]
    max_tile: Option<u32>,

    /// Output format [default: hex; with --values csv]
    #[arg(
        long,
        value_enum,
        default_value_t = StateFormat::Hex,
        default_value_if("values", ArgPredicate::IsPresent, "csv"),
        hide_default_value = true
    )]
    format: StateFormat,

    /// Also what each state is worth; needs states and afterstates (--keep both) and a solution
    #[arg(long)]
    values: bool,

    #[command(flatten)]
    objectives: Objectives,

    /// With --format parquet, also a column cells, a list; it makes the file several times as large
    #[arg(long)]
    cells: bool,

    /// Draw this many of the states at random, each equally likely and none twice, and write them
    /// in order; takes about 20 bytes of memory each
    #[arg(long, value_name = "N")]
    sample: Option<u64>,

    /// Seed of the draw: the same number draws the same states, on any machine and in any version
    #[arg(long, value_name = "S", default_value_t = 0, requires = "sample")]
    seed: u64,

    /// Write to FILE, - for stdout
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Batches of states that wait to be written.
const READ_AHEAD: usize = 2;

/// Whether this build cannot write Parquet. The format is then not listed, but explained if asked
/// for.
const NO_PARQUET: bool = cfg!(not(feature = "parquet"));

/// Formats of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StateFormat {
    /// One state a line, as in 0x0132
    Hex,
    /// Rows of tiles, with an empty line between states
    Grid,
    #[value(
        help = "Columns state (hex), sum, max_tile, cells (tiles separated by spaces), number (the state in decimal)"
    )]
    Csv,
    #[value(
        help = "A NumPy array of uint64; with --values a structured one, of state and a float64 for each objective"
    )]
    Npy,
    #[value(help = "Columns state (u64), sum, max_tile, with --values doubles; metadata enum48.version, .game, .selection, .states, .fingerprint", hide = NO_PARQUET)]
    Parquet,
}

impl Args {
    /// Which states were asked for, by the options that say it.
    fn selection(&self) -> String {
        let option = |name, value: Option<u64>| value.map(|value| format!("--{name} {value}"));
        let options = [
            option("sum", self.sum.map(u64::from)),
            option("max-tile", self.max_tile.map(u64::from)),
            option("sample", self.sample),
            option("seed", self.sample.map(|_| self.seed)),
        ];
        let given: Vec<String> = options.into_iter().flatten().collect();
        if given.is_empty() {
            "all".to_owned()
        } else {
            given.join(" ")
        }
    }
}

/// Write states.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    refuse(args)?;
    let output = Output::new(&args.output)?;
    check(&output, args.format)?;
    if args.values {
        let solution = open::solution(&args.dir)?;
        let goals = args.objectives.goals(&solution)?;
        let values = Some(StateValues::new(&solution, &goals)?);
        write(args, solution.run(), &goals, values, &output)?;
    } else {
        write(args, &open::run(&args.dir)?, &[], None, &output)?;
    }
    Ok(Outcome::Done)
}

/// Refuse options that do not go together.
fn refuse(args: &Args) -> Result<()> {
    if args.cells && args.format != StateFormat::Parquet {
        bail!(
            "--cells: only Parquet leaves the cells out: give --format parquet, or leave out --cells"
        );
    }
    if args.values && matches!(args.format, StateFormat::Hex | StateFormat::Grid) {
        bail!(
            "--values: this format has no columns: give --format csv, npy or parquet, or leave out --values"
        );
    }
    if args.objectives.are_given() && !args.values {
        bail!("--for: only values have objectives: give --values, too");
    }
    if NO_PARQUET && args.format == StateFormat::Parquet {
        bail!(
            "--format parquet: this build has no Parquet support: give another --format, or build enum48 with \
             its default features"
        );
    }
    Ok(())
}

/// Refuse binary data on a terminal.
fn check(output: &Output, format: StateFormat) -> Result<()> {
    let binary = match format {
        StateFormat::Npy => "npy",
        StateFormat::Parquet => "parquet",
        StateFormat::Hex | StateFormat::Grid | StateFormat::Csv => return Ok(()),
    };
    if output.is_terminal() {
        bail!("--format {binary}: binary, not for a terminal: give -o FILE");
    }
    Ok(())
}

/// The rows of the parts asked for.
fn select(run: &Run, args: &Args) -> Result<Vec<Row>> {
    let dir = args.dir.display();
    if let Some(tile) = args.max_tile
        && (tile < 2 || !tile.is_power_of_two())
    {
        bail!("--max-tile {tile}: not a tile: give a power of two, 2 or more");
    }
    if args.sum.is_none() && run.first_sum(Kind::States) > 4 {
        let first = run.first_sum(Kind::States);
        let keep = run.keep();
        talk::say(format_args!(
            "{dir}: the states of layers below sum {first} were dropped (--keep {keep})"
        ));
    }
    if args.sum.is_none() && !run.complete() {
        let last = run.sealed_sum();
        talk::say(format_args!(
            "{dir}: not complete: has layers up to sum {last}"
        ));
    }
    if let Some(sum) = args.sum {
        if sum < 4 || sum % 2 == 1 {
            bail!("--sum {sum}: no layer has this sum: give an even number, 4 or more");
        }
        run.has_layer(Kind::States, sum)?;
    }
    let table = run.table();
    let rows = table.rows().iter().filter(|row| {
        row.live > 0
            && row.sum >= run.first_sum(Kind::States)
            && args.sum.is_none_or(|sum| row.sum == sum)
            && args.max_tile.is_none_or(|max| row.max_tile == max)
    });
    let rows: Vec<Row> = rows.copied().collect();
    if rows.is_empty() {
        bail!(
            "{dir}: {}: no live state: {}",
            args.selection(),
            there_is(run, args.sum)
        );
    }
    Ok(rows)
}

/// What could have been selected: the largest tiles of the layer, or the sums if it has no states.
fn there_is(run: &Run, sum: Option<u32>) -> String {
    let table = run.table();
    let live = || {
        let rows = table.rows().iter();
        rows.filter(|row| row.live > 0 && row.sum >= run.first_sum(Kind::States))
    };
    let span = |values: Vec<u32>| {
        let ends = values.iter().min().zip(values.iter().max());
        ends.map(|(least, most)| format!("{least} to {most}"))
    };
    let layer = live().filter(|row| sum.is_none_or(|sum| row.sum == sum));
    if let Some(tiles) = span(layer.map(|row| row.max_tile).collect()) {
        return format!("largest tiles are {tiles}");
    }
    match span(live().map(|row| row.sum).collect()) {
        Some(sums) => format!("sums are {sums}"),
        None if run.keep().states() => "no layer is counted yet".to_owned(),
        None => "none was kept: count again in another directory with --keep both".to_owned(),
    }
}

/// Write the states of a run that were asked for, with their values for these goals.
fn write(
    args: &Args,
    run: &Run,
    goals: &[Goal],
    values: Option<StateValues>,
    output: &Output,
) -> Result<()> {
    let parts = select(run, args)?;
    let total: u64 = parts.iter().map(|part| part.live).sum();
    let count = args.sample.map_or(total, |sample| sample.min(total));
    output.write(|to| {
        let mut writer = format::writer(args, *run.game(), goals, count, to)?;
        // The next states are read while these are written.
        thread::scope(|scope| {
            let (send, batches) = mpsc::sync_channel(READ_AHEAD);
            let parts = &parts;
            scope.spawn(move || StateReader { values, send }.read(run, parts, args, count));
            for batch in batches {
                let Batch {
                    key,
                    states,
                    values,
                } = batch?;
                writer.write(key, &states, &values)?;
            }
            writer.finish()
        })
    })
}
