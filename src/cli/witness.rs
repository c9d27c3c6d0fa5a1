//! `enum48 witness`: a game that ends in a board, or the reason why there is none.

use anyhow::{Result, bail};
use indicatif::HumanBytes;

use crate::cli::args::{board, threads_or_cores, whole};
use crate::cli::job::open::GameOrRun;
use crate::cli::job::progress::Reporter;
use crate::cli::out::Outcome;
use crate::cli::out::output;
use crate::cli::out::talk;
use crate::counts::Row;
use crate::engine;
use crate::game::{Game, Grid};
use crate::machine;
use crate::part::Kind;
use crate::progress::Progress;
use crate::read::Reader;
use crate::store::Sink;
use crate::witness::{Answer, Layers, Search};

/// Find a game that ends in exactly this board, and print its code
///
/// With --dir, walks back through the layers of a run, and always ends with a game or with the
/// answer that there is none. Without --dir, searches backward; --memory bounds the number of boards
/// of each sum that the search keeps. This finds a game for most boards in seconds. A search that
/// drops boards and finds nothing proves nothing, and the program says so.
///
/// Prints the code, for `enum48 replay`. The exit code is 1, with the reason, if the board cannot
/// be reached, and 2 if nothing was found within the bound.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 witness 0x0132 --size 2 --max 32
  enum48 witness '2 4 / 8 2' --size 2
  enum48 witness 0x2345454554544545 --size 4 --max 64
  enum48 witness 0x0132 --dir enum48-data/2x2-32
  enum48 witness --sample 100 --dir enum48-data/3x3-1024 | enum48 replay -")]
pub(super) struct Args {
    /// The board: as in 0x2310, or row by row as in '4 8 / 2 .'; a stone is f or x
    #[arg(value_name = "BOARD", required_unless_present = "sample", num_args = 1..)]
    board: Vec<String>,

    #[command(flatten)]
    game: GameOrRun,

    /// Print codes, one per line, for N live states of the run, drawn like a sample of the subcommand
    /// states; takes about 20 bytes of memory for each
    #[arg(long, value_name = "N", value_parser = whole(0, u64::MAX), requires = "dir", conflicts_with = "board")]
    sample: Option<u64>,

    /// Seed of the draw: a number draws the same states on any machine and in any version
    #[arg(long, value_name = "S", value_parser = whole(0, u64::MAX), default_value_t = 0, requires = "sample")]
    seed: u64,

    /// Memory for the boards of a search or the blocks of a run, such as 64M or 8G
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = machine::parse_size)]
    memory: u64,

    /// Number of threads of a search, up to 8 for each core [default: all cores]
    #[arg(long, value_name = "N", value_parser = machine::parse_threads)]
    threads: Option<usize>,

    /// Print no progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let (game, reader) = args.game.open()?;
    match (&reader, args.sample) {
        (Some(reader), Some(count)) => samples(reader, count, args),
        _ => single(game, reader.as_ref(), args),
    }
}

fn single(game: Game, reader: Option<&Reader>, args: &Args) -> Result<Outcome> {
    let grid = board(&args.board, &game, Grid::of_game)?;
    let answer = match reader {
        Some(reader) => Layers::new(reader, args.memory)?.witness(grid.board())?,
        None => {
            let pool = engine::pool(threads_or_cores(args.threads))?;
            let search = Search::new(game, &pool, args.memory);
            let reporter = Reporter::of_search(args.quiet);
            reporter.during(|progress| search.witness(grid.board(), progress))?
        }
    };
    let (line, outcome) = match answer {
        Answer::Reached(code) => (code.to_string(), Outcome::Done),
        Answer::Unreachable(reason) => (
            format!("not reachable in {game}: {grid}: {reason}"),
            Outcome::Disagreed,
        ),
        Answer::Unknown => bail!(
            "{grid}: not found within the bound of {}, which proves nothing: give more --memory, or a run's --dir",
            HumanBytes(args.memory)
        ),
    };
    output::print(|out| Ok(writeln!(out, "{line}")?))?;
    Ok(outcome)
}

/// Print a witness for each state of a sample, in the order of the states.
fn samples(reader: &Reader, count: u64, args: &Args) -> Result<Outcome> {
    let run = reader.run();
    run.has_layer(Kind::States, 4)?;
    let mut layers = Layers::new(reader, args.memory)?;
    let (game, table) = (run.game(), run.table());
    let has_states = |row: &&Row| row.live > 0;
    let parts: Vec<Row> = table.rows().iter().filter(has_states).copied().collect();
    let total = parts.iter().map(|row| row.live).sum();
    let mut outcome = Outcome::Done;
    let sample = reader.sample(&parts, count, args.seed)?;
    let reporter = Reporter::of_boards("witness", count.min(total), args.quiet);
    let print = |progress: &mut Reporter, to: &mut Sink| {
        for drawn in sample {
            let (_, states) = drawn?;
            for state in states {
                match layers.witness(state)? {
                    Answer::Reached(code) => writeln!(to, "{code}")?,
                    Answer::Unreachable(reason) => {
                        let board = format_args!("{state:#x}");
                        talk::say(format_args!("not reachable in {game}: {board}: {reason}"));
                        outcome = Outcome::Disagreed;
                    }
                    Answer::Unknown => unreachable!("a run always has an answer"),
                }
                progress.advance(1);
            }
            if output::is_closed() {
                break;
            }
        }
        Ok(())
    };
    reporter.during(|progress| output::print(|to| print(progress, to)))?;
    Ok(outcome)
}
