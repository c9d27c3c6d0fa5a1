//! The options that name a board of a game, for the commands that ask about one.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use crate::error::Error;
use crate::game::{Game, Grid, Size};
use crate::store::Archive;

/// A game, by itself or by a run of it.
#[derive(Args)]
pub(super) struct Named {
    /// Size of the board, unless --dir says it
    #[arg(long, value_name = "N|RxC")]
    size: Option<Size>,

    /// The winning tile, unless --dir says it [default: none]
    #[arg(long, value_name = "TILE")]
    max: Option<u32>,

    /// A run's directory
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Named {
    /// The game, and the run if there is one. A game that is given beside a run must be the run's.
    pub(super) fn open(&self) -> Result<(Game, Option<Archive>)> {
        let Some(dir) = &self.dir else {
            let Some(size) = self.size else {
                bail!("no board size: give --size or --dir");
            };
            return Ok((Game::new(size, self.max)?, None));
        };
        let archive = Archive::open(dir)?;
        let game = *archive.game();
        let size = self.size.unwrap_or(game.size());
        let max = self.max.or(game.max().filter(|_| self.size.is_none()));
        let wanted = Game::new(size, max)?;
        if wanted != game {
            return Err(Error::OtherGame {
                path: dir.clone(),
                found: game.to_string(),
                wanted: wanted.to_string(),
            }
            .into());
        }
        Ok((game, Some(archive)))
    }
}

/// The words of a board on the command line, as one.
pub(super) fn board(words: &[String], game: &Game) -> Result<Grid> {
    Ok(Grid::parse(&words.join(" "), game.size())?)
}
