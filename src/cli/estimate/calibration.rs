//! A count of the beginning of a game, to learn what it costs.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::files::Files;
use crate::cli::forecast::{Costs, Forecast};
use crate::cli::signals::TemporaryDir;
use crate::counts::{Row, Table};
use crate::engine::{self, Choice, Engine, Plan, Progress, Step};
use crate::game::Game;
use crate::part::Kind;
use crate::store::{Keep, Layer, Run, Store};

/// How long to count.
const DURATION: Duration = Duration::from_millis(1500);

/// Memory for matrices. Those of larger layers need tables that take long to make.
const MATRICES: u64 = 256 << 20;

/// A temporary directory on the disk that a run is to use.
pub(super) struct Place(TemporaryDir);

impl Place {
    /// A place beside the run that is, or is to be, in `dir`; or in the system's directory of
    /// temporary files, if nothing may be written there.
    pub(super) fn beside(dir: &Path) -> Result<Self> {
        let above = dir.parent().map_or(dir, super::existing);
        Ok(Self(TemporaryDir::beside(above)?))
    }

    /// A run in it, without any layer.
    pub(super) fn store(&self, name: &str, game: &Game, keep: Keep) -> Result<Store> {
        Ok(Store::open(&self.0.path().join(name), game, Some(keep))?)
    }
}

/// What was counted in a moment.
pub(super) struct Calibration {
    pub(super) table: Table,
    pub(super) sealed_sum: u32,
    /// Whether this is the whole game.
    pub(super) complete: bool,
    pub(super) files: Files,
    pub(super) afterstates: Files,
    pub(super) seconds: f64,
}

impl Calibration {
    /// Count with an engine for a moment, as `plan` says, no layers after that of sum `last`;
    /// `costs` learns what they took.
    pub(super) fn new(
        mut store: Store,
        engine: Engine,
        plan: &Plan,
        last: u32,
        costs: &mut Costs,
    ) -> Result<Self> {
        let (plan, last) = limits(store.run(), engine, plan, last)?;
        let mut watch = Watch::default();
        let begin = Instant::now();
        engine::count(&mut store, &plan, Some(last), &mut watch)?;
        let seconds = begin.elapsed().as_secs_f64();
        let run = store.run();
        let forecast = Forecast::new(run.game(), run.sealed_sum());
        for &(sum, states, seconds) in &watch.layers {
            if let Some(layer) = forecast.layer(sum) {
                costs.learn(engine, layer.bound, states, seconds);
            }
        }
        Ok(Self {
            table: run.table(),
            sealed_sum: run.sealed_sum(),
            complete: run.complete(),
            files: Files::of(run, Kind::States, None),
            afterstates: Files::of(run, Kind::Afterstates, None),
            seconds,
        })
    }
}

/// The plan for an engine, and the last layer that it may count.
fn limits(run: &Run, engine: Engine, plan: &Plan, last: u32) -> Result<(Plan, u32)> {
    let forced = |plan: &Plan| plan.clone().with_engine(Some(engine));
    if engine == Engine::Lists {
        return Ok((forced(plan), last));
    }
    let small = Plan::new(plan.memory().min(MATRICES), plan.threads());
    let small = small.map_or_else(|_| plan.clone(), |small| small.with_level(plan.level()));
    let choice = Choice::new(run, &small.clone().with_engine(None), Some(last))?;
    let stage = choice
        .stages()
        .first()
        .filter(|stage| stage.engine == engine);
    let stage = stage.ok_or_else(|| anyhow!("{engine}: no layer fits {MATRICES} bytes"))?;
    Ok((forced(&small), stage.last))
}

/// Notes what layers take, and ends the count when enough is known.
#[derive(Default)]
struct Watch {
    first: Option<Instant>,
    layer: Option<Instant>,
    /// Sum, states and seconds.
    layers: Vec<(u32, u64, f64)>,
}

impl Progress for Watch {
    fn begin(&mut self, _: u32) {
        self.layer = Some(Instant::now());
        self.first = self.first.or(self.layer);
    }

    fn step(&mut self, _: Step) {}

    fn end(&mut self, layer: &Layer) {
        let states = layer.rows.iter().map(Row::states).sum();
        let seconds = self
            .layer
            .map_or(0.0, |begin| begin.elapsed().as_secs_f64());
        self.layers.push((layer.sum, states, seconds));
    }

    fn stop(&mut self) -> bool {
        self.first.is_some_and(|first| first.elapsed() >= DURATION)
    }
}
