//! The arguments of commands: games and boards, resources; numbers and objectives in files of their own.

pub(super) mod numbers;
pub(super) mod objectives;

use anyhow::{Context, Result, bail};
use clap::Args;

use self::numbers::tile;
use crate::cli::out::talk;
use crate::engine::Plan;
use crate::game::{Game, Grid, Size};
use crate::machine::{self, THREADS_PER_CORE};

/// A game, by its size and winning tile.
#[derive(Args)]
pub(in crate::cli) struct GameArgs {
    // An option, because `enum48` alone needs a size and `enum48 SUBCOMMAND` does not.
    /// Size of the board: N for a square, or rows and columns as in 4x3; sides from 2 to 4. The name of
    /// a game, such as 3x3-128, can stand in the place of --size and --max
    #[arg(long, value_name = "N|RxC", required = true)]
    size: Option<Size>,

    /// The winning tile, a power of two from 8 to 65536 [default: none, play goes on until no move
    /// is left]
    #[arg(long, value_name = "TILE", value_parser = tile)]
    max: Option<u32>,
}

impl GameArgs {
    pub(in crate::cli) fn game(&self) -> Result<Game> {
        let size = self.size.context("no board size: give --size")?;
        Ok(Game::new(size, self.max)?)
    }
}

/// The game of a question.
#[derive(Clone, Copy)]
pub(in crate::cli) enum AskedGame {
    /// The user named it, so that a directory can be made for it.
    Named(Game),
    /// A board or a code implies it.
    Implied(Game),
}

impl AskedGame {
    pub(in crate::cli) fn game(self) -> Game {
        match self {
            Self::Named(game) | Self::Implied(game) => game,
        }
    }
}

/// The board in some words, which the shell may have split.
pub(in crate::cli) fn board(words: &[String], game: &Game) -> Result<Grid> {
    let is_board = |word: &String| word.starts_with("0x") || Grid::parse(word, game.size()).is_ok();
    if words.len() > 1 && words.iter().any(is_board) {
        let words = words.join(" ");
        bail!("{words}: expected one board: give each board in a command of its own");
    }
    Ok(Grid::parse(&words.join(" "), game.size())?)
}

/// The help of `--memory` for subcommands that look values up.
pub(in crate::cli) const LOOKUP_MEMORY: &str = "\
Memory for blocks of files and for listing layers in matrices, such as 512M or 8G, in powers of 1024 \
[default: half of the machine's]";

/// The threads and the memory of a job.
#[derive(Args)]
pub(in crate::cli) struct Resources {
    /// Number of threads, up to 8 for each core [default: all cores]
    #[arg(long, value_name = "N", value_parser = machine::parse_threads)]
    threads: Option<usize>,

    /// Memory for data, such as 512M or 8G, in powers of 1024 [default: half of the machine's]
    ///
    /// The program itself takes up to 400M more. Data beyond the limit goes to temporary files in the
    /// run's directory; the result does not change.
    #[arg(long, value_name = "SIZE", value_parser = machine::parse_size)]
    memory: Option<u64>,
}

impl Resources {
    /// The plan for these arguments on this machine.
    pub(in crate::cli) fn plan(&self) -> Result<Plan> {
        let memory = self.memory.unwrap_or_else(machine::default_memory);
        Ok(Plan::new(memory, threads_or_cores(self.threads))?)
    }
}

/// The requested number of threads, at most the number that the machine can use; or its cores.
pub(in crate::cli) fn threads_or_cores(asked: Option<usize>) -> usize {
    let (cores, most) = (machine::cores(), machine::most_threads());
    let threads = asked.unwrap_or(cores);
    if threads > most {
        talk::say(format_args!(
            "--threads {threads}: {most} are used: more than {THREADS_PER_CORE} for each of {cores} \
             cores only wait for one another"
        ));
    }
    threads.min(most)
}
