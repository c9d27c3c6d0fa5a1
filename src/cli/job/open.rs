//! The arguments that choose a run, and opening its directory.
//!
//! A killed process holds its locks until the kernel has released its memory; with much memory, this
//! takes part of a second. So a script that restarts a count at once may find the directory in use.
//! The library reports this at once. The program tries again for two seconds. `cluster tasks` and
//! `cluster seal` try until the directory is free, so that machines do not stand idle.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::args::{AskedGame, GameArgs, Resources, Stones, run_of, sum, tile, whole};
use crate::cli::out::talk;
use crate::engine::{self, Plan};
use crate::error::{Error, Result};
use crate::game::{Game, Grid, Size};
use crate::machine;
use crate::read::Reader;
use crate::store::{Keep, Run, Solution, Store};

/// Time before another try to open a directory.
const PAUSE: Duration = Duration::from_millis(20);

/// Numbers of tries: for two seconds, or until the directory is free.
pub(in crate::cli) const SHORT: u32 = 100;
pub(in crate::cli) const LONG: u32 = u32::MAX;

/// A run: its game, its last layer, its directory, and the files to keep.
#[derive(Args)]
pub(in crate::cli) struct WantedRun {
    #[command(flatten)]
    game: GameArgs,

    /// Stop after the layer of this tile sum and its afterstates
    #[arg(long, value_name = "SUM", value_parser = sum)]
    pub(in crate::cli) until: Option<u32>,

    /// Directory of the run [default: enum48-data/ and the name of the game, as in
    /// enum48-data/3x3-1024]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    resources: Resources,

    /// zstd level of the files, from 1 (fast) to 22 (small)
    #[arg(long, value_name = "N", default_value_t = engine::LEVEL,
          value_parser = whole(1i32, 22))]
    level: i32,

    /// Files to keep. all: the states of all layers; last: the states of the last layer, unless the
    /// count was stopped there, and the files that resuming needs; afterstates: the afterstates of
    /// all layers and the states of the last; both: states and afterstates of all layers; matrices:
    /// the afterstates of all layers as matrices, for 4x4, which take least room. Other files that
    /// the run kept are deleted. A finished run of states is counted again for its afterstates [default: all, or as the run began]
    #[arg(long, value_name = "all|last|afterstates|both|matrices", hide_possible_values = true,
          value_parser = keep_parser())]
    pub(in crate::cli) keep: Option<Keep>,
}

fn keep_parser() -> impl TypedValueParser<Value = Keep> {
    PossibleValuesParser::new(Keep::EVERY.map(Keep::word))
        .map(|word| Keep::of_word(&word).unwrap_or_default())
}

impl WantedRun {
    pub(in crate::cli) fn game(&self) -> anyhow::Result<Game> {
        self.game.game()
    }

    pub(in crate::cli) fn plan(&self) -> anyhow::Result<Plan> {
        let mut plan = self.resources.plan()?;
        plan.level = self.level;
        Ok(plan)
    }

    pub(in crate::cli) fn dir(&self, game: &Game) -> PathBuf {
        let default = || run_of(&game.to_string());
        self.dir.clone().unwrap_or_else(default)
    }

    /// The run that [`WantedRun::open`] would open. Nothing is written.
    pub(in crate::cli) fn peek(&self, game: &Game) -> Result<Run> {
        Run::to_open(&self.dir(game), game, self.keep)
    }

    /// Open the run, once no other process uses its directory.
    pub(in crate::cli) fn open(&self, game: &Game, patience: u32) -> Result<Store> {
        let open = |dir: &Path| Store::open(dir, game, self.keep);
        when_free(&self.dir(game), patience, open)
    }
}

/// A game, by its size and winning tile or by a run.
#[derive(Args)]
pub(in crate::cli) struct GameOrRun {
    /// Size of the board, unless --dir gives it
    #[arg(long, value_name = "N|RxC")]
    size: Option<Size>,

    #[command(flatten)]
    stones: Stones,

    /// The winning tile, unless --dir gives it [default: none]
    #[arg(long, value_name = "TILE", value_parser = tile)]
    max: Option<u32>,

    /// Directory of a run of the game
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) dir: Option<PathBuf>,
}

impl GameOrRun {
    /// The game, and the run if there is one. A size or winning tile must match the run.
    pub(in crate::cli) fn open(&self) -> anyhow::Result<(Game, Option<Reader>)> {
        let Some(dir) = &self.dir else {
            return Ok((self.named()?.game(), None));
        };
        let run = run(dir)?;
        let game = self.game(Some(&run))?;
        Ok((game, Some(Reader::new(run, &machine::plan()?))))
    }

    /// The game of the options; an error if they name none.
    pub(in crate::cli) fn named(&self) -> anyhow::Result<AskedGame> {
        let size = self.stones.on(self.size)?;
        let size = size.context("no board size: give --size or --dir")?;
        Ok(AskedGame::Named(self.stones.game(size, self.max)?))
    }

    /// The game of the options, or else the game of a board that is written row by row.
    pub(in crate::cli) fn of_board(&self, words: &[String]) -> anyhow::Result<AskedGame> {
        if self.stones.on(self.size)?.is_some() {
            return self.named();
        }
        let text = words.join(" ");
        let size = Grid::size_of(&text).with_context(|| {
            let rows = "the board in 2 to 4 rows and columns, as in '4 8 / 2 .'";
            match text == "-" || text.starts_with("0x") {
                true => format!("no board size: give --size or --dir, or {rows}"),
                false => format!(
                    "{text}: not a board: give {rows}, or as in 0x2310 with --size; boards of a file as in - < FILE"
                ),
            }
        })?;
        Ok(AskedGame::Implied(self.stones.game(size, self.max)?))
    }

    /// Check that the size and the winning tile, if they are given, are the run's; returns the run's
    /// game.
    pub(in crate::cli) fn game(&self, run: Option<&Run>) -> anyhow::Result<Game> {
        let Some(run) = run else {
            return Ok(self.named()?.game());
        };
        let game = *run.game();
        let size = self.stones.on(self.size)?.unwrap_or(game.size());
        let mut wanted = self.stones.game(size, self.max.or(game.max()))?;
        if let (false, Some(horizon)) = (self.stones.has_horizon(), game.horizon()) {
            wanted = wanted.with_horizon(horizon)?;
        }
        run.expect_game(&wanted)?;
        Ok(game)
    }
}

/// Open a run, to read it.
pub(in crate::cli) fn run(dir: &Path) -> Result<Run> {
    when_free(dir, SHORT, Run::open).inspect(warn)
}

/// Open a solution, to read it.
pub(in crate::cli) fn solution(dir: &Path) -> Result<Solution> {
    when_free(dir, SHORT, Solution::open).inspect(|solution| warn(solution.run()))
}

/// Say once that nobody keeps a writer out.
fn warn(run: &Run) {
    static SAID: Once = Once::new();
    if run.lacks_lock() {
        let dir = run.dir().display();
        SAID.call_once(|| {
            talk::say(format_args!(
                "{dir}: its file system has no locks, so let no other process write in it meanwhile"
            ));
        });
    }
}

/// Open a directory, with [`Store::open`] or another function. While it is in use, try again, at most
/// `patience` times.
pub(in crate::cli) fn when_free<T>(
    dir: &Path,
    patience: u32,
    open: impl Fn(&Path) -> Result<T>,
) -> Result<T> {
    for time in 0..patience {
        match open(dir) {
            Err(Error::Locked(_)) => {}
            opened => return opened,
        }
        let seen = io::stderr().is_terminal();
        if time == 0 && seen || time == SHORT && !seen {
            let dir = dir.display();
            talk::say(format_args!(
                "waiting for {dir}, which another process uses"
            ));
        }
        thread::sleep(PAUSE);
    }
    open(dir)
}
