//! The arguments that name a game, or a board of one.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::cli::args::numbers::tile;
use crate::cli::ask::solved::AskedGame;
use crate::cli::job::open;
use crate::game::{Game, Grid, Size};
use crate::read::Reader;
use crate::store::Run;

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

/// A game, by its size and winning tile or by a run.
#[derive(Args)]
pub(in crate::cli) struct GameOrRun {
    /// Size of the board, unless --dir gives it
    #[arg(long, value_name = "N|RxC")]
    size: Option<Size>,

    /// The winning tile, unless --dir gives it [default: none]
    #[arg(long, value_name = "TILE", value_parser = tile)]
    max: Option<u32>,

    /// Directory of a run of the game
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) dir: Option<PathBuf>,
}

impl GameOrRun {
    /// The game, and the run if there is one. A size or winning tile must match the run.
    pub(in crate::cli) fn open(&self) -> Result<(Game, Option<Reader>)> {
        let reader = self
            .dir
            .as_deref()
            .map(|dir| open::run(dir, None))
            .transpose()?;
        let run = reader.as_ref().map(|reader| &**reader.run());
        Ok((self.game(run)?, reader))
    }

    /// The game of the options; an error if they name none.
    pub(in crate::cli) fn named(&self) -> Result<AskedGame> {
        let size = self.size.context("no board size: give --size or --dir")?;
        Ok(AskedGame::Named(Game::new(size, self.max)?))
    }

    /// The game of the options, or else the game of a board that is written row by row.
    pub(in crate::cli) fn of_board(&self, words: &[String]) -> Result<AskedGame> {
        if self.size.is_some() {
            return self.named();
        }
        let size = Grid::size_of(&words.join(" ")).context(
            "no board size: give --size or --dir, or the board in 2 to 4 rows and columns, as in '4 8 / 2 .'",
        )?;
        Ok(AskedGame::Implied(Game::new(size, self.max)?))
    }

    /// Check that the size and the winning tile, if they are given, are the run's; returns the run's
    /// game.
    pub(in crate::cli) fn game(&self, run: Option<&Run>) -> Result<Game> {
        let Some(run) = run else {
            return Ok(self.named()?.game());
        };
        let game = *run.game();
        let size = self.size.unwrap_or(game.size());
        let wanted = Game::new(size, self.max.or(game.max()))?;
        run.expect_game(&wanted)?;
        Ok(game)
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
