//! `enum48 --size ... --dry-run`: what a count would take, before anybody commits days to it.
//!
//! Key idea: the beginning of this very game is counted for a moment, as the count itself would do
//! it, in a temporary directory beside the run's. What that found and took is carried on to the
//! layers that are left (`forecast`). A game that ends within the moment is then known exactly.

mod calibration;
mod files;
mod print;
mod total;

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use super::forecast::{Costs, Forecast, Range};
use crate::engine::{Choice, Engine, Plan};
use crate::game::Game;
use crate::machine;
use crate::part::Kind;
use crate::store::{Keep, Run};
use calibration::{Calibration, Place};
use files::Files;

/// The time of a count is known up to such factors, if its states are.
const DOUBT: Range = Range {
    low: 0.7,
    high: 1.4,
};

/// Engines other than matrices write all states on their way, whatever is kept in the end.
fn kept(engine: Engine, keep: Keep) -> Keep {
    match engine {
        Engine::Lists if keep.afterstates() => Keep::Both,
        Engine::Lists => Keep::All,
        Engine::Bits => keep,
    }
}

/// What is known of a count before it is made.
pub(super) struct Estimate {
    game: Game,
    plan: Plan,
    choice: Choice,
    forecast: Forecast,
    basis: Basis,
    /// Sum of the last sealed layer, 2 if there is none.
    sealed_sum: u32,
    complete: bool,
    /// States that are sealed.
    so_far: u64,
    files: Files,
    /// None unless those of every layer are kept.
    afterstates: Option<Files>,
    /// Seconds for what is left.
    seconds: Range,
    /// Free bytes of the disk, if the system tells.
    free: Option<u64>,
}

/// Where the number of states is from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// The run has all layers.
    Run,
    /// All layers were counted just now.
    Moment,
    /// The total is published.
    Published,
    /// The last layers that were counted.
    Share,
}

impl Estimate {
    /// Find out, in a few seconds. The run in `dir` is only looked at.
    pub(super) fn new(
        game: Game,
        plan: Plan,
        until: Option<u32>,
        dir: &Path,
        keep: Option<Keep>,
    ) -> Result<Self> {
        let run = open(&game, dir)?;
        let keep = keep.or(run.as_ref().map(Run::keep)).unwrap_or_default();
        let place = Place::beside(dir)?;
        let empty = place.store("empty", &game, keep)?;
        let run = run.as_ref().unwrap_or(empty.run());
        let choice = Choice::new(run, &plan, until)?;
        let mut forecast = Forecast::new(&game, choice.last());
        forecast.take(&run.table(), run.complete());
        let mut estimate = Self {
            so_far: forecast.counted(),
            basis: Basis::Run,
            sealed_sum: run.sealed_sum(),
            complete: run.complete(),
            files: Files::of(run, Kind::States, until),
            afterstates: keep
                .afterstates()
                .then(|| Files::of(run, Kind::Afterstates, until)),
            seconds: Range::default(),
            free: machine::free_space(existing(dir)),
            game,
            plan,
            choice,
            forecast,
        };
        if estimate.forecast.left().next().is_some() {
            estimate.calibrate(&place, keep)?;
        }
        Ok(estimate)
    }

    /// Count for a moment with each engine that is to be used, and learn from it.
    fn calibrate(&mut self, place: &Place, keep: Keep) -> Result<()> {
        let last = self.choice.last();
        let mut costs = Costs::new(&self.choice, keep);
        let mut counted = self.sealed_sum;
        for stage in self.choice.stages() {
            let engine = stage.engine;
            let store = place.store(&engine.to_string(), &self.game, kept(engine, keep))?;
            let moment = Calibration::new(store, engine, &self.plan, last, &mut costs)?;
            if moment.files.states > self.files.states {
                self.files = moment.files;
            }
            if let Some(files) = &mut self.afterstates
                && moment.afterstates.states > files.states
            {
                *files = moment.afterstates;
            }
            if moment.sealed_sum > counted {
                counted = moment.sealed_sum;
                self.forecast.take(&moment.table, moment.complete);
            }
            if self.forecast.left().next().is_none() {
                self.basis = Basis::Moment;
                let left = 1.0 - self.so_far as f64 / self.forecast.counted().max(1) as f64;
                self.seconds = Range::exactly(moment.seconds * left);
                return Ok(());
            }
        }
        self.basis = if self.forecast.is_published() {
            Basis::Published
        } else {
            Basis::Share
        };
        let share = self.forecast.share();
        let left = || self.forecast.after(self.sealed_sum);
        let [low, high] =
            [share.low, share.high].map(|share| costs.seconds(left(), share).unwrap_or_default());
        self.seconds = Range {
            low: low * DOUBT.low,
            high: high * DOUBT.high,
        };
        Ok(())
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

/// The first directory that exists on the way from `dir` to the root.
fn existing(dir: &Path) -> &Path {
    let ways = dir.ancestors().filter(|way| !way.as_os_str().is_empty());
    let mut ways = ways.filter(|way| way.exists());
    ways.next().unwrap_or(Path::new("."))
}
