//! The arguments that say which run is wanted, and what it keeps.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::game::GameArgs;
use super::open;
use super::resources::Resources;
use crate::engine::{self, Plan};
use crate::game::Game;
use crate::store::{Keep, Store};

/// A run: of which game, how far, where, and what is kept of it.
#[derive(Args)]
pub(super) struct WantedRun {
    #[command(flatten)]
    game: GameArgs,

    /// Stop after the layer of this tile sum and its afterstates
    #[arg(long, value_name = "SUM")]
    pub(super) until: Option<u32>,

    /// Directory of the run [default: enum48-data/ and the name of the game, as in
    /// enum48-data/3x3-1024]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    resources: Resources,

    /// zstd level of the files, from 1 (fast) to 22 (small)
    #[arg(long, value_name = "N", default_value_t = engine::LEVEL,
          value_parser = clap::value_parser!(i32).range(1..=22))]
    level: i32,

    /// What to keep: the states of all layers, or of the last with what resuming needs; or the
    /// afterstates of all layers and the states of the last; or both of all [default: all, or as
    /// the run began]
    #[arg(long, value_name = "all|last|afterstates|both", hide_possible_values = true,
          value_parser = keep_parser())]
    pub(super) keep: Option<Keep>,

    /// Most boards of a file, a multiple of 131072: a larger part is in several files
    /// [default: 134217728, or as the run began]
    #[arg(long, value_name = "BOARDS")]
    segment: Option<u64>,
}

fn keep_parser() -> impl TypedValueParser<Value = Keep> {
    PossibleValuesParser::new(Keep::EVERY.map(Keep::word))
        .map(|word| Keep::of_word(&word).unwrap_or_default())
}

impl WantedRun {
    pub(super) fn game(&self) -> Result<Game> {
        self.game.game()
    }

    /// The plan to count it with.
    pub(super) fn plan(&self) -> Result<Plan> {
        Ok(self.resources.plan()?.with_level(self.level))
    }

    /// Its directory.
    pub(super) fn dir(&self, game: &Game) -> PathBuf {
        let given = self.dir.clone();
        given.unwrap_or_else(|| Path::new("enum48-data").join(game.to_string()))
    }

    /// Open it, once no other process uses its directory.
    pub(super) fn open(&self, game: &Game, patience: u32) -> Result<Store> {
        let dir = self.dir(game);
        Ok(open::store(&dir, game, self.keep, self.segment, patience)?)
    }
}
