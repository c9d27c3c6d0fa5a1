//! The arguments that name a game, or a board of one.

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::cli::args::numbers::tile;
use crate::game::{Game, Grid, Size};

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
