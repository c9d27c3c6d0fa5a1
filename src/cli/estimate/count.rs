//! `enum48 --size ... --dry-run`: what a count will take.
//!
//! Key idea: the beginning of this very game is counted for a moment, as the count itself will do it,
//! in a temporary directory beside the run's. A game that ends within the moment is known exactly.

use std::fs;
use std::iter;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use super::cost::{Costs, TRIAL, Trial};
use super::forecast::Forecast;
use super::space::{KeptFiles, frames, memory};
use super::{Range, bytes, known, print, time};
use crate::cli::signals::TemporaryDir;
use crate::cli::units;
use crate::engine::{self, Choice, Engine, Plan};
use crate::game::Game;
use crate::machine;
use crate::part::Kind;
use crate::store::{Keep, Run, Store};

/// The time of a count is known up to these factors, if its states are.
const DOUBT: Range = Range {
    low: 0.7,
    high: 1.4,
};

/// Memory for matrices in a trial. The matrices of larger layers need tables that take long to make.
const MATRICES: u64 = 256 << 20;

/// Most layers that are printed. Of more layers, this many are printed at even distances.
const MOST: usize = 1024;

/// What a count will take.
pub(in crate::cli) struct CountEstimate {
    forecast: Forecast,
    basis: Basis,
    choice: Choice,
    keys: Keys,
}

/// Where the number of states is from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// The run has all layers.
    Run,
    /// All layers were counted just now.
    Trial,
    /// The total is published.
    Published,
    /// The last layers that were counted.
    Share,
}

/// The keys of `--dry-run --json`, in their order. They are a contract: new ones go to the end.
/// A number that is not known exactly has two digits.
#[derive(Serialize)]
struct Keys {
    game: String,
    layers: usize,
    last_sum: u32,
    bound: u64,
    sealed_sum: u32,
    complete: bool,
    /// As in the summary of a count: live states, and one each for win and loss.
    states_so_far: u64,
    states_low: u64,
    states_high: u64,
    largest_layer: u64,
    disk_low: u64,
    disk_high: u64,
    disk_keep_last: u64,
    disk_free: Option<u64>,
    /// Bytes of memory to expect.
    memory: u64,
    states_per_second: u64,
    seconds_low: f64,
    seconds_high: f64,
    engine: String,
    /// Whether states and disk are known exactly, as all layers are counted.
    exact: bool,
    /// Bytes of the files of afterstates; null if they are not kept.
    disk_afterstates_low: Option<u64>,
    disk_afterstates_high: Option<u64>,
    memory_bound: u64,
    #[serde(skip)]
    threads: usize,
}

impl CountEstimate {
    /// Find out, in a few seconds. The run in `dir` is only looked at.
    pub(in crate::cli) fn new(
        game: &Game,
        plan: &Plan,
        until: Option<u32>,
        dir: &Path,
        keep: Option<Keep>,
    ) -> Result<Self> {
        let run = open(game, dir)?;
        let keep = keep.or(run.as_ref().map(Run::keep)).unwrap_or_default();
        let place = TemporaryDir::beside(dir.parent().map_or(dir, existing))?;
        let store = |name: &str, keep| Store::open(&place.path().join(name), game, Some(keep));
        let empty = store("empty", keep)?;
        let run = run.as_ref().unwrap_or(empty.run());
        let choice = Choice::new(run, plan, until)?;
        let mut forecast = Forecast::new(run, &choice, keep);
        let mut costs = Costs::default();
        let (mut stores, mut trials) = (Vec::new(), Vec::new());
        let begin = Instant::now();
        for stage in choice.stages() {
            if forecast.is_complete() {
                break;
            }
            // Lists write all states on their way, whatever is kept in the end.
            let kept = match stage.engine {
                Engine::Lists if keep.afterstates() => Keep::Both,
                Engine::Lists => Keep::All,
                Engine::Bits => keep,
            };
            let mut store = store(&stage.engine.to_string(), kept)?;
            let trial = try_out(&mut store, stage.engine, plan, choice.last())?;
            forecast.learn(&trial, &mut costs);
            if store.run().sealed_sum() > run.sealed_sum() {
                forecast.take(&store.run().table(), store.run().complete());
            }
            stores.push(store);
            trials.push(trial);
        }
        let took = begin.elapsed().as_secs_f64();
        let runs = || iter::once(run).chain(stores.iter().map(Store::run));

        let so_far = run.table().until(until).totals();
        let furthest = runs().max_by_key(|run| run.sealed_sum()).unwrap_or(run);
        let counted = furthest.table().until(until).totals();
        let basis = match (forecast.is_complete(), forecast.is_published()) {
            (true, _) if stores.is_empty() => Basis::Run,
            (true, _) => Basis::Trial,
            (_, true) => Basis::Published,
            (_, false) => Basis::Share,
        };
        let (exact, share) = (forecast.is_complete(), forecast.share());
        let seconds = if exact {
            let left = counted.live - so_far.live;
            Range::exactly(took * left as f64 / counted.live.max(1) as f64)
        } else {
            DOUBT.with(share, |doubt, share| {
                let left = forecast.after(run.sealed_sum());
                let left = left.map(|layer| forecast.planned(layer, share));
                doubt * costs.seconds(left).unwrap_or_default()
            })
        };
        let largest = |sums: RangeInclusive<u32>| {
            let layers = forecast.after(2).filter(|layer| sums.contains(&layer.sum));
            let states = layers.map(|layer| layer.states(share.high));
            states.fold(0.0, f64::max)
        };
        let peak = trials.iter().filter_map(|trial| trial.memory.peak()).max();
        let memory = match peak {
            Some(peak) if exact => peak as f64,
            _ => memory(&choice, plan, keep, seconds.high, largest),
        };

        // Live states, and one each for win and loss.
        let states = forecast.states();
        let ends = (counted.total() - counted.live) as f64;
        let frames = forecast.after(2).map(|layer| frames(game, layer.sum));
        let (frames, most) = frames.fold((0.0, 0.0_f64), |(sum, most), bytes| {
            (sum + bytes, most.max(bytes))
        });
        let files = |kind| {
            let files = runs().map(|run| KeptFiles::of(run, kind, until));
            files.max_by_key(|files| files.states).unwrap_or_default()
        };
        let disk = |kind| {
            let files = files(kind);
            if exact && files.states > 0 {
                return Range::exactly(files.bytes as f64);
            }
            let bits = files.bits(kind);
            bits.with(states, |bits, states| bits * states / 8.0 + frames)
        };
        let disk_states = disk(Kind::States);
        let afterstates = keep.afterstates().then(|| disk(Kind::Afterstates));
        let last = largest(0..=u32::MAX);
        let keep_last = 3.0 * (last * files(Kind::States).bits(Kind::States).high / 8.0 + most);
        let left = (states.middle() - so_far.live as f64).max(0.0);
        let keys = Keys {
            game: game.to_string(),
            layers: forecast.layers.len(),
            last_sum: forecast.last_sum(),
            bound: forecast.layers.iter().map(|layer| layer.bound).sum(),
            sealed_sum: run.sealed_sum(),
            complete: run.complete(),
            states_so_far: so_far.total(),
            states_low: known(states.low + ends, exact),
            states_high: known(states.high + ends, exact),
            largest_layer: known(last, exact),
            disk_low: known(disk_states.low, exact),
            disk_high: known(disk_states.high, exact),
            disk_keep_last: known(keep_last, false),
            disk_free: machine::free_space(existing(dir)),
            memory: known(memory.min(plan.memory() as f64), false),
            states_per_second: known(left / seconds.middle().max(1e-9), false),
            seconds_low: units::rounded(seconds.low),
            seconds_high: units::rounded(seconds.high),
            engine: choice.to_string(),
            exact,
            disk_afterstates_low: afterstates.map(|disk| known(disk.low, exact)),
            disk_afterstates_high: afterstates.map(|disk| known(disk.high, exact)),
            memory_bound: plan.memory(),
            threads: plan.threads(),
        };
        Ok(Self {
            forecast,
            basis,
            choice,
            keys,
        })
    }

    /// Print the estimate.
    pub(in crate::cli) fn print(&self, json: bool) -> Result<()> {
        print(
            &format!("{}\n{}", self.layers(), self.summary()),
            &self.keys,
            json,
        )
    }

    /// A line for each layer.
    fn layers(&self) -> String {
        let layers = &self.forecast.layers;
        let share = self.forecast.share().middle();
        let mut text = format!(
            "{:>5} {:>19} {:>19} {:>7} {:>19}\n",
            "sum", "bound", "counted", "share", "expected"
        );
        for layer in layers.iter().step_by(layers.len().div_ceil(MOST).max(1)) {
            let (bound, expected) = (count(layer.bound), layer.states(share));
            let (counted, reached, expected) = match layer.live {
                Some(live) => {
                    let share = live as f64 * 100.0 / layer.bound as f64;
                    (count(live), format!("{share:.2}%"), expected)
                }
                None => (String::new(), String::new(), units::rounded(expected)),
            };
            let (sum, expected) = (layer.sum, count(expected as u64));
            text += &format!("{sum:>5} {bound:>19} {counted:>19} {reached:>7} {expected:>19}\n");
        }
        text
    }

    /// The lines for the whole count.
    fn summary(&self) -> String {
        let keys = &self.keys;
        let begun = match (keys.complete, keys.sealed_sum) {
            (true, _) => "complete".to_owned(),
            (_, 2) => "not begun".to_owned(),
            (_, sum) => format!("counted up to sum {sum}"),
        };
        let number = |n: u64| units::count(n as f64);
        let about = units::range(&number(keys.states_low), &number(keys.states_high));
        let states = if keys.exact {
            count(keys.states_low)
        } else {
            format!("about {about}")
        };
        let source = match self.basis {
            Basis::Run => "all of them are counted".to_owned(),
            Basis::Trial => "all of them were counted just now, to measure the time".to_owned(),
            Basis::Published => "the total is published".to_owned(),
            Basis::Share => {
                let share = self.forecast.share();
                let percent = |share: f64| format!("{} %", units::rounded(share * 100.0));
                let share = units::range(&percent(share.low), &percent(share.high));
                format!("{share} of the bound in layers to come, as the last counted ones tell")
            }
        };
        let took = time(keys.seconds_low, keys.seconds_high);
        let time = match self.basis {
            Basis::Run => "nothing is left to count".to_owned(),
            Basis::Trial => format!("about {took}, as it took just now"),
            Basis::Published | Basis::Share => format!(
                "about {took} more, at {} with {}, as measured just now",
                units::speed(keys.states_per_second as f64),
                units::things(keys.threads as u64, "thread")
            ),
        };
        let free = keys.disk_free;
        let free = free.map_or("unknown".to_owned(), |free| units::bytes(free as f64));
        let afterstates = keys.disk_afterstates_low.zip(keys.disk_afterstates_high);
        let afterstates = afterstates.map_or(String::new(), |(low, high)| {
            let more = bytes(low, high);
            format!("\n          {more} more with the afterstates of all layers")
        });
        format!(
            "\
{}, {begun}
bound     {} canonical boards with a 2 or a 4, sums up to {}
states    {states}, {} in the run; {source}
disk      {} with all layers; {free} free
          at most {} with --keep last: three of the largest layers{afterstates}
memory    about {}, of {} for data; the largest layer has up to {} states
engine    {}, {}
time      {time}
",
            keys.game,
            count(keys.bound),
            keys.last_sum,
            count(keys.states_so_far),
            bytes(keys.disk_low, keys.disk_high),
            units::bytes(keys.disk_keep_last as f64),
            units::bytes(keys.memory as f64),
            HumanBytes(keys.memory_bound),
            units::count(keys.largest_layer as f64),
            self.choice,
            self.choice.why(),
        )
    }
}

/// Count with an engine for a moment, no layers after the layer of sum `last`.
fn try_out(store: &mut Store, engine: Engine, plan: &Plan, last: u32) -> Result<Trial> {
    let (mut plan, mut last) = (plan.clone(), last);
    if engine == Engine::Bits {
        let small = Plan::new(plan.memory().min(MATRICES), plan.threads());
        plan = small.map_or(plan.clone(), |small| small.with_level(plan.level()));
        let choice = Choice::new(store.run(), &plan, Some(last))?;
        let stage = choice.stages().first();
        let stage = stage.filter(|stage| stage.engine == engine);
        last = stage
            .ok_or_else(|| anyhow!("{engine}: no layer fits {MATRICES} bytes"))?
            .last;
    }
    let mut trial = Trial::new(TRIAL);
    let plan = plan.with_engine(Some(engine));
    engine::count(store, &plan, Some(last), &mut trial)?;
    Ok(trial)
}

fn count(n: u64) -> String {
    HumanCount(n).to_string()
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
    let mut ways = dir.ancestors().filter(|way| !way.as_os_str().is_empty());
    ways.find(|way| way.exists()).unwrap_or(Path::new("."))
}
