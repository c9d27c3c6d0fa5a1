//! `enum48 states`: the states of a run, for other programs.

mod format;
mod parquet;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ValueEnum;

use super::output::Output;
use super::{Outcome, sample};
use crate::counts::Row;
use crate::run::Kind;
use crate::store::{Archive, Sink};
use format::Writer;

/// Write the live states of a run: one part, a layer, or everything
///
/// States come in order of sum, then largest tile, then board, as they are read: memory does not grow
/// with their number. A board's cells are its tiles row by row, 0 where empty.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The run's directory, such as enum48-data/3x3-1024
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Only the layer of this tile sum
    #[arg(long, value_name = "SUM")]
    sum: Option<u32>,

    /// Only states with this largest tile
    #[arg(long, value_name = "TILE")]
    max_tile: Option<u32>,

    /// How to write them
    #[arg(long, value_enum, default_value_t = Format::Hex)]
    format: Format,

    /// Draw this many of them, each equally likely, none twice; in order; takes some 20 bytes of memory for each
    #[arg(long, value_name = "N")]
    sample: Option<u64>,

    /// The draw: the same number draws the same states
    #[arg(long, value_name = "S", default_value_t = 0, requires = "sample")]
    seed: u64,

    /// Where to write, - for stdout
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// Formats of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One a line, as in 0x0132
    Hex,
    /// Each as rows of tiles, an empty line between
    Grid,
    #[value(help = "Columns state, sum, max_tile, cells (tiles parted by spaces)")]
    Csv,
    #[value(help = "A NumPy array of uint64")]
    Npy,
    #[value(help = "Columns state (u64), sum, max_tile, cells (a list)")]
    Parquet,
}

/// Write states.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let archive = Archive::open(&args.dir)?;
    let parts = select(&archive, args)?;
    let output = Output::new(&args.output)?;
    if let Output::File(path) = &output {
        let inside = |path: &Path| path.canonicalize().ok();
        let parent = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        if inside(parent.unwrap_or(Path::new("."))) == inside(&args.dir) {
            bail!(
                "{}: in the run's own directory: give another -o",
                path.display()
            );
        }
    }
    let binary = matches!(args.format, Format::Npy | Format::Parquet);
    if binary && output == Output::Stdout && io::stdout().is_terminal() {
        bail!(
            "--format {:?}: not for a terminal: give -o FILE",
            args.format
        );
    }
    let total: u64 = parts.iter().map(|part| part.live).sum();
    let count = args.sample.map_or(total, |sample| sample.min(total));
    output.write(|to| export(&archive, &parts, args, count, to))?;
    Ok(Outcome::Done)
}

/// What all states of a part have in common.
#[derive(Clone, Copy)]
struct Columns {
    sum: u32,
    max: u32,
}

impl Columns {
    fn of(row: &Row) -> Self {
        let (sum, max) = (row.sum, row.max_tile);
        Self { sum, max }
    }
}

/// The rows of the parts asked for.
fn select(archive: &Archive, args: &Args) -> Result<Vec<Row>> {
    let dir = args.dir.display();
    if args
        .max_tile
        .is_some_and(|tile| tile < 2 || !tile.is_power_of_two())
    {
        bail!("--max-tile: not a tile: give a power of two, 2 or more");
    }
    if args.sum.is_none() && archive.first_sum() > 4 {
        eprintln!(
            "enum48: {dir}: layers below sum {} are not there (--keep last)",
            archive.first_sum()
        );
    }
    if args.sum.is_none() && !archive.complete() {
        eprintln!(
            "enum48: {dir}: not complete: layers up to sum {}",
            archive.sealed_sum()
        );
    }
    if let Some(sum) = args.sum {
        if sum < 4 || sum % 2 == 1 {
            bail!("--sum {sum}: no layer has this sum: give an even number, 4 or more");
        }
        archive.has_layer(sum)?;
    }
    let table = archive.table();
    let rows = table.rows().iter().filter(|row| {
        row.live > 0
            && row.sum >= archive.first_sum()
            && args.sum.is_none_or(|sum| row.sum == sum)
            && args.max_tile.is_none_or(|max| row.max_tile == max)
    });
    Ok(rows.copied().collect())
}

fn export(archive: &Archive, parts: &[Row], args: &Args, count: u64, to: &mut Sink) -> Result<()> {
    let size = archive.game().size();
    let mut writer = Writer::new(args.format, size, count, to)?;
    if args.sample.is_some() {
        sample::draw(archive, parts, count, args.seed, |row, states| {
            writer.write(states, Columns::of(row))
        })?;
    } else {
        for row in parts {
            if let Some(part) = archive.part(Kind::States, row.sum, row.max_tile)? {
                let mut stream = part.stream()?;
                while let Some(states) = stream.next_block()? {
                    writer.write(states, Columns::of(row))?;
                }
            }
        }
    }
    writer.finish()
}
