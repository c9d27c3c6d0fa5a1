//! `enum48 --size ... --dry-run`: what a count would take, before anybody commits days to it.
//!
//! Every layer has an upper bound, the number of boards that could be in it. What share of the
//! bound a game reaches is taken from its own last counted layer, or else from other games
//! (`share`).

mod print;
mod rate;
mod total;

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use super::machine;
use crate::bound;
use crate::counts::{Row, Table};
use crate::engine::{self, Plan};
use crate::game::Game;
use crate::store::Run;

/// Least and greatest share of the bound that games on as many cells reach: those that were counted
/// (`results/`) and, on 12 and 16 cells, the published totals of 4x3 and of 4x4 to 64.
fn share(cells: u32) -> (f64, f64) {
    match cells {
        ..=4 => (0.7, 0.9),
        5..=6 => (0.5, 0.85),
        7..=8 => (0.3, 0.7),
        9 => (0.25, 0.5),
        10..=12 => (0.1, 0.3),
        _ => (0.015, 0.2),
    }
}

/// What is known of a count before it is made.
pub(super) struct Estimate {
    game: Game,
    plan: Plan,
    layers: Vec<Layer>,
    /// Sum of the last sealed layer, 2 if there is none.
    sealed_sum: u32,
    complete: bool,
    /// Bytes of the files of states, and how many states are in them.
    bytes: u64,
    listed: u64,
    states_per_second: f64,
    /// Free bytes of the disk, if the system tells.
    free: Option<u64>,
}

/// A layer, counted or not.
struct Layer {
    sum: u32,
    bound: u64,
    counted: Option<u64>,
}

impl Estimate {
    /// Gather what can be known in a few seconds.
    pub(super) fn new(game: Game, plan: Plan, until: Option<u32>, dir: &Path) -> Result<Self> {
        let last = engine::last_sum(&game, until)?;
        let run = open(&game, dir)?;
        let table = run.as_ref().map(Run::table);
        let existing = dir.ancestors().find(|dir| dir.exists());
        Ok(Self {
            game,
            layers: layers(&game, last, table.as_ref()),
            sealed_sum: run.as_ref().map_or(2, Run::sealed_sum),
            complete: run.as_ref().is_some_and(Run::complete),
            bytes: run.as_ref().map_or(0, |run| run.bytes(None)),
            listed: run.as_ref().map_or(0, |run| run.listed(None)),
            states_per_second: rate::measure(&game, &plan, last)?,
            plan,
            free: machine::free_space(existing.unwrap_or(Path::new("."))),
        })
    }

    /// States that are counted already.
    fn so_far(&self) -> u64 {
        self.layers.iter().filter_map(|layer| layer.counted).sum()
    }

    /// Least and greatest share of the bound to expect in a layer that is not counted. If the game
    /// has a counted layer, half and twice the share of the last one, since shares change slowly.
    fn share(&self) -> (f64, f64) {
        let counted = self.layers.iter().rev();
        let last = counted
            .filter_map(|layer| Some(layer.counted? as f64 / layer.bound as f64))
            .next();
        last.map_or_else(
            || share(self.game.size().cells()),
            |last| (last / 2.0, (last * 2.0).min(1.0)),
        )
    }

    /// Least and greatest number of states to expect in a layer.
    fn expected(&self, layer: &Layer) -> (f64, f64) {
        let (low, high) = self.share();
        match layer.counted {
            Some(counted) => (counted as f64, counted as f64),
            None if self.complete => (0.0, 0.0),
            None => (layer.bound as f64 * low, layer.bound as f64 * high),
        }
    }
}

/// The run in a directory, which must be of `game`; `None` if there is nothing in it.
fn open(game: &Game, dir: &Path) -> Result<Option<Run>> {
    if !fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Ok(None);
    }
    let run = Run::peek(dir)?;
    if run.game() != game {
        bail!(
            "{}: holds the game {}: give another --dir",
            dir.display(),
            run.game()
        );
    }
    Ok(Some(run))
}

/// The layers up to sum `last` that can have a state, with what `table` has of them.
fn layers(game: &Game, last: u32, table: Option<&Table>) -> Vec<Layer> {
    let counted = |sum| {
        let table = table.filter(|table| table.last_sum() >= sum)?;
        Some(table.layer(sum).iter().map(Row::states).sum())
    };
    let bounds = bound::canonical(game, last);
    let layers = (0..).step_by(2).zip(bounds).skip(2);
    let layers = layers.map(|(sum, bound)| Layer {
        sum,
        bound,
        counted: counted(sum),
    });
    layers.filter(|layer| layer.bound > 0).collect()
}
