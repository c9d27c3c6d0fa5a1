//! `enum48 states`: the states of a run, and their values, for other programs.

mod format;
#[cfg(feature = "parquet")]
mod parquet;

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use anyhow::{Result, bail};
use clap::ValueEnum;

use self::format::{Csv, Npy, StateWriter, Text, are_signed};
#[cfg(feature = "parquet")]
use self::parquet::Parquet;
use crate::Error;
use crate::cli::args::objectives::Objectives;
use crate::cli::args::{sum, tile, whole};
use crate::cli::job::open;
use crate::cli::out::Outcome;
use crate::cli::out::output::{self, Output};
use crate::cli::out::talk;
use crate::counts::Row;
use crate::game::{Board, PartKey};
use crate::machine;
use crate::part::{Kind, Stream};
use crate::read::Reader;
use crate::solve::{StateValues, goals};
use crate::store::{Goal, Run};

/// Write the live states of a run: one part, a layer, or everything
///
/// States come in order of sum, then largest tile, then board. They are written as they are read,
/// so memory does not grow with their number. The cells of a board are its tiles row by row, 0
/// where empty and 1 where a stone is.
///
/// With --values each state has a column for each solved objective (enum48 solve): the expectation
/// from the state on, under the best play for the objective. The columns are named after the objectives:
/// score and moves; tile and 512, joined by an underscore, for the chance to reach 512; and sure and 512,
/// joined likewise, which is 1 if 512 can be forced.
#[derive(clap::Args)]
#[command(mut_arg("wanted", |wanted| wanted.help(WANTED)), after_help = include_str!("help.txt").trim_ascii_end())]
pub(super) struct Args {
    /// Directory of the run, such as enum48-data/3x3-1024
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Only the layer of this tile sum
    #[arg(long, value_name = "SUM", value_parser = sum)]
    sum: Option<u32>,

    /// Only states with this largest tile
    #[arg(long, value_name = "TILE", value_parser = tile)]
    max_tile: Option<u32>,

    /// Output format [default: the ending of FILE, if it is one of these, as in states.npy;
    /// otherwise hex, with --values csv]
    #[arg(long, value_enum)]
    format: Option<StateFormat>,

    /// Also write the value of each state; needs states and afterstates (--keep both or matrices)
    /// and a solution
    #[arg(long)]
    values: bool,

    #[command(flatten)]
    objectives: Objectives,

    /// With --format parquet, also a column cells, a list; it makes the file several times as large
    #[arg(long)]
    cells: bool,

    /// Draw N states at random, each equally likely and none twice, and write them in order; takes
    /// about 20 bytes of memory for each
    #[arg(long, value_name = "N", value_parser = whole(0, u64::MAX))]
    sample: Option<u64>,

    /// Seed of the draw: the same number draws the same states, on any machine and in any version
    #[arg(long, value_name = "S", value_parser = whole(0, u64::MAX), default_value_t = 0, requires = "sample")]
    seed: u64,

    /// Write to FILE, - for stdout
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// The help of `--for`. A game must be solved before its states have values.
const WANTED: &str = "Objectives of the columns, separated by commas: score, moves, TILE or sure-TILE \
                      [default: all that the run is solved for, in this order]";

/// Batches of states that wait to be written.
const READ_AHEAD: usize = 2;

/// Whether the program was built without the feature `parquet`. The help then leaves Parquet out, and
/// an error names the feature.
const NO_PARQUET: bool = cfg!(not(feature = "parquet"));

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StateFormat {
    /// One state per line, as in 0x0132
    Hex,
    /// Rows of tiles, with an empty line between states
    Grid,
    #[value(
        help = "Columns state (hex), sum, max_tile, cells (tiles separated by spaces), number (the state in decimal)"
    )]
    Csv,
    #[value(
        help = "A NumPy array of int64 (uint64 for 4x4 with stones or with 256 in all corners); with --values a structured array of state and a float64 for each objective"
    )]
    Npy,
    #[value(help = "Columns state (int64; unsigned for 4x4 with stones or with 256 in all corners), sum, max_tile, with --values doubles; metadata enum48.version, .game, .selection, .four (the rate of 4s), .states, .fingerprint", hide = NO_PARQUET)]
    Parquet,
}

impl Args {
    /// The options that select states, as text.
    fn selection(&self) -> String {
        let options = [
            ("sum", self.sum.map(u64::from)),
            ("max-tile", self.max_tile.map(u64::from)),
            ("sample", self.sample),
            ("seed", self.sample.map(|_| self.seed)),
        ];
        let option = |(name, value): (_, Option<u64>)| Some(format!("--{name} {}", value?));
        let given: Vec<String> = options.into_iter().filter_map(option).collect();
        match &given[..] {
            [] => "all".to_owned(),
            given => given.join(" "),
        }
    }
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let format = output::format(args.format, &args.output)?.unwrap_or(match args.values {
        true => StateFormat::Csv,
        false => StateFormat::Hex,
    });
    refuse(args, format)?;
    let output = Output::new(&args.output)?;
    let binary = matches!(format, StateFormat::Npy | StateFormat::Parquet);
    if binary && output.is_terminal() {
        bail!(
            "--format {}: binary, not for a terminal: give -o FILE",
            output::name(&format)
        );
    }
    let plan = machine::plan()?;
    if args.values {
        let solution = open::solution(&args.dir)?;
        let reader = Reader::new(solution.run().clone(), &plan);
        let goals = goals(&solution, &args.objectives.wanted)?;
        let values = Some(StateValues::new(&solution, &reader, &goals)?);
        write(args, format, &reader, &goals, values, &output)?;
    } else {
        let reader = Reader::new(open::run(&args.dir)?, &plan);
        write(args, format, &reader, &[], None, &output)?;
    }
    Ok(Outcome::Done)
}

/// Refuse options that do not go together.
fn refuse(args: &Args, format: StateFormat) -> Result<()> {
    if args.cells && format != StateFormat::Parquet {
        bail!("--cells: only for Parquet: give --format parquet, or leave out --cells");
    }
    if args.values && matches!(format, StateFormat::Hex | StateFormat::Grid) {
        bail!(
            "--values: this format has no columns: give --format csv, npy or parquet, or leave out --values"
        );
    }
    if !args.objectives.wanted.is_empty() && !args.values {
        bail!("--for: only values have objectives: give --values, too");
    }
    if NO_PARQUET && format == StateFormat::Parquet {
        bail!(
            "--format parquet: this build cannot write Parquet: give another --format, or build enum48 with \
             --features parquet"
        );
    }
    Ok(())
}

/// The rows of the selected parts.
fn select(run: &Run, args: &Args) -> Result<Vec<Row>> {
    let (dir, first_kept) = (args.dir.display(), run.first_sum(Kind::States));
    let options = run.game().options();
    let again = format!("count again, with enum48 {options} --keep both --dir ANOTHER");
    if let Some(tile) = args.max_tile
        && (tile < 2 || !tile.is_power_of_two())
    {
        bail!("--max-tile {tile}: not a tile: give a power of two, 2 or more");
    }
    let mut live: Vec<Row> = run.table().rows().to_vec();
    live.retain(|row| row.live > 0 && row.sum >= first_kept);
    if let Some(sum) = args.sum {
        run.has_layer(Kind::States, sum)?;
    } else {
        if first_kept > 4 && !live.is_empty() {
            let keep = run.keep();
            talk::say(format_args!(
                "{dir}: the states of layers below sum {first_kept} were dropped (--keep {keep}): {again}"
            ));
        }
        if !run.complete() {
            let last = run.sealed_sum();
            talk::say(format_args!(
                "{dir}: not complete: has layers up to sum {last}"
            ));
        }
    }
    let sums = live.iter().map(|row| row.sum);
    let sums = sums.clone().min().zip(sums.max());
    live.retain(|row| args.sum.is_none_or(|sum| row.sum == sum));
    let tiles = live.iter().map(|row| row.max_tile);
    let tiles = tiles.clone().min().zip(tiles.max());
    live.retain(|row| args.max_tile.is_none_or(|max| row.max_tile == max));
    if !live.is_empty() {
        return Ok(live);
    }
    let there = match (tiles, sums) {
        (Some((least, most)), _) => format!("largest tiles are {least} to {most}"),
        (_, Some((least, most))) => format!("sums are {least} to {most}"),
        _ if run.sealed_sum() < 4 || run.keep().states() => "no layer is counted yet".to_owned(),
        _ => format!("none was kept: {again}"),
    };
    bail!("{dir}: {}: no live state: {there}", args.selection());
}

/// Write the selected states of a run, with their values for these goals.
fn write(
    args: &Args,
    format: StateFormat,
    reader: &Reader,
    goals: &[Goal],
    mut values: Option<StateValues>,
    output: &Output,
) -> Result<()> {
    let run = reader.run();
    let parts = &select(run, args)?;
    let total: u64 = parts.iter().map(|part| part.live).sum();
    let count = args.sample.map_or(total, |sample| sample.min(total));
    output.write(|to| {
        let size = run.game().size();
        let signed = are_signed(size, run.table().rows());
        let mut writer: Box<dyn StateWriter> = match format {
            StateFormat::Hex | StateFormat::Grid => Box::new(Text {
                to,
                size,
                grids: format == StateFormat::Grid,
                first: true,
            }),
            StateFormat::Csv => Box::new(Csv::new(to, size, goals)?),
            StateFormat::Npy => Box::new(Npy::new(to, goals, count, signed)?),
            #[cfg(feature = "parquet")]
            StateFormat::Parquet => {
                let told = (args.cells, args.selection());
                Box::new(Parquet::new(to, *run.game(), signed, told, goals)?)
            }
            #[cfg(not(feature = "parquet"))]
            StateFormat::Parquet => unreachable!("it was refused before a file was begun"),
        };
        // One thread reads the next states while this thread writes.
        thread::scope(|scope| {
            let (send, batches) = mpsc::sync_channel::<Result<_, Error>>(READ_AHEAD);
            scope.spawn(move || {
                let put = |key, states: Vec<Board>| {
                    let found = values.as_mut().map(|values| values.of(key, &states));
                    let values = found.transpose()?.unwrap_or_default();
                    Ok(send.send(Ok((key, states, values))).is_ok())
                };
                if let Err(error) = read(reader, parts, args, count, put) {
                    // If the writer has stopped, it has an error of its own.
                    let _ = send.send(Err(error));
                }
            });
            for batch in batches {
                let (key, states, values) = batch?;
                writer.write(key, &states, &values)?;
                if output::is_closed() {
                    break;
                }
            }
            writer.finish()
        })
    })
}

/// Read the states of `parts`, or a sample of `count` of them, until `put` returns false.
fn read(
    reader: &Reader,
    parts: &[Row],
    args: &Args,
    count: u64,
    mut put: impl FnMut(PartKey, Vec<Board>) -> Result<bool, Error>,
) -> Result<(), Error> {
    if args.sample.is_some() {
        for drawn in reader.sample(parts, count, args.seed)? {
            let (key, states) = drawn?;
            if !put(key, states)? {
                break;
            }
        }
        return Ok(());
    }
    for key in parts.iter().filter_map(Row::key) {
        let Some(part) = reader.part(Kind::States, key)? else {
            continue;
        };
        let mut stream = Stream::new(part)?;
        while let Some(states) = stream.next_block()? {
            if !put(key, states.to_owned())? {
                return Ok(());
            }
        }
    }
    Ok(())
}
