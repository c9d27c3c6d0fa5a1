//! `enum48 --size ... --dry-run`: what a count will take in time, memory and on disk.

use std::fs;
use std::iter;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use super::{TRIAL, Trial, bytes, known, print, time};
use crate::cli::signals::TemporaryDir;
use crate::cli::units;
use crate::engine::{self, Choice, Engine, FRONTIER_AFTER, Plan};
use crate::estimate::{AFTERSTATES, Costs, Forecast, Range};
use crate::game::Game;
use crate::machine;
use crate::part::Kind;
use crate::store::{Keep, Run, Store};

/// The time of a count is known up to these factors, if its states are.
const DOUBT: Range = Range::new(0.7, 1.4);

/// Memory for matrices in a trial. The matrices of larger layers need tables that take long to make.
const MATRICES: u64 = 256 << 20;

/// Bytes of memory of a count beside its boards, and for each state of the largest layer of lists.
const BESIDE: f64 = (12 << 20) as f64;
const LIST_STATE: f64 = 24.0;

/// Bytes of memory for a listed board of a layer of bits, and more while it is sorted.
const LISTED: f64 = 4.0;
const SORTED: f64 = 20.0;

/// Bits of a state in the files of 4x4 to 128, of 3x3, and of all games between them.
const STATE_BITS: Range = Range::new(3.1, 5.3);

/// Bits that the afterstates take for each state, from 4x4 to 16 to 3x3.
const AFTERSTATE_BITS: Range = Range::new(1.1, 4.5);

/// Most layers that are printed. If there are more, layers at even distances are printed.
const MOST: usize = 1024;

/// What a count will take.
pub(in crate::cli) struct CountEstimate {
    forecast: Forecast,
    /// Where the number of states is from.
    source: String,
    choice: Choice,
    keys: Keys,
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
    /// Whether states and disk are known exactly: all layers are counted.
    exact: bool,
    /// Bytes of the files of afterstates; null if they are not kept.
    disk_afterstates_low: Option<u64>,
    disk_afterstates_high: Option<u64>,
    memory_bound: u64,
    #[serde(skip)]
    threads: usize,
}

impl CountEstimate {
    /// Estimate a count in a few seconds. The run in `dir` is only read.
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
        let (mut costs, mut stores, mut peak) = (Costs::default(), Vec::new(), None);
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
            // The time of the last layer includes writing the frontier, so its cost is not learned.
            let whole = trial.layers.len().saturating_sub(1).max(1);
            for (at, (layer, seconds)) in trial.layers.iter().enumerate() {
                let work = forecast.count(stage.engine, layer);
                if let Some(work) = work.filter(|_| at < whole) {
                    costs.learn(&work, *seconds);
                }
            }
            peak = peak.max(trial.memory.peak());
            stores.push(store);
        }
        let took = begin.elapsed().as_secs_f64();
        let runs = || iter::once(run).chain(stores.iter().map(Store::run));

        let so_far = run.table().until(until).totals();
        let furthest = runs().max_by_key(|run| run.sealed_sum()).unwrap_or(run);
        let counted = furthest.table().until(until).totals();
        let (exact, share) = (forecast.is_complete(), forecast.share());
        let seconds = if exact {
            let left = counted.live - so_far.live;
            Range::exactly(took * left as f64 / counted.live.max(1) as f64)
        } else {
            DOUBT.with(share, |doubt, share| {
                let left = forecast.after(run.sealed_sum());
                let work = left.map(|layer| forecast.work(choice.engine(layer.sum), layer, share));
                doubt * costs.seconds(&work.collect::<Vec<_>>()).unwrap_or_default()
            })
        };
        let largest = |from: u32, to: u32| {
            let layers = forecast.after(from.max(4) - 2);
            let layers = layers.filter(|layer| layer.sum <= to);
            layers.fold(0.0, |most: f64, layer| most.max(layer.states(share.high)))
        };
        let memory = match peak {
            Some(peak) if exact => peak as f64,
            _ => memory(&choice, plan, keep, seconds.high, largest).min(plan.memory() as f64),
        };

        let states = forecast.states();
        let disk = |kind, bits: Range| {
            let files = runs().map(|run| run.bytes(kind, until));
            match files.max() {
                Some(bytes @ 1..) if exact => Range::exactly(bytes as f64),
                _ => bits.with(states, |bits, states| bits * states / 8.0),
            }
        };
        let disk_states = disk(Kind::States, STATE_BITS);
        let afterstates = keep
            .afterstates()
            .then(|| disk(Kind::Afterstates, AFTERSTATE_BITS));
        let largest_layer = largest(2, u32::MAX);
        let keep_last = 3.0 * largest_layer * STATE_BITS.high / 8.0;
        // The summary of a count has one state each for the win and the loss.
        let ends = (counted.total() - counted.live) as f64;
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
            largest_layer: known(largest_layer, exact),
            disk_low: known(disk_states.low, exact),
            disk_high: known(disk_states.high, exact),
            disk_keep_last: known(keep_last, false),
            disk_free: machine::free_space(existing(dir)),
            memory: known(memory, false),
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
        let percent = |share: f64| format!("{} %", units::rounded(share * 100.0));
        let source = match (exact, forecast.is_published()) {
            (true, _) if stores.is_empty() => "all of them are counted".to_owned(),
            (true, _) => "all of them were counted just now, to measure the time".to_owned(),
            (_, true) => "the total is published".to_owned(),
            (_, false) => format!(
                "{} of the bound in the next layers, as the last counted layers tell",
                units::range(&percent(share.low), &percent(share.high))
            ),
        };
        Ok(Self {
            forecast,
            source,
            choice,
            keys,
        })
    }

    /// Print the estimate.
    pub(in crate::cli) fn print(&self, json: bool) -> Result<()> {
        let text = format!("{}\n{}", self.layers(), self.summary());
        print(&text, &self.keys, json)
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
            let (mut counted, mut reached) = (String::new(), String::new());
            let mut expected = units::rounded(layer.states(share));
            if let Some(live) = layer.live {
                counted = HumanCount(live).to_string();
                reached = format!("{:.2}%", live as f64 * 100.0 / layer.bound as f64);
                expected = live as f64;
            }
            let [bound, expected] = [layer.bound, expected as u64].map(HumanCount);
            let sum = layer.sum;
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
        let states = if keys.exact {
            HumanCount(keys.states_low).to_string()
        } else {
            let number = |n: u64| units::count(n as f64);
            let about = units::range(&number(keys.states_low), &number(keys.states_high));
            format!("about {about}")
        };
        let took = time(Range::new(keys.seconds_low, keys.seconds_high));
        let time = match keys.exact {
            true if keys.seconds_high == 0.0 => "nothing is left to count".to_owned(),
            true => format!("about {took}, as it took just now"),
            false => format!(
                "about {took} more, at {} with {}, as measured just now",
                units::speed(keys.states_per_second as f64),
                units::things(keys.threads as u64, "thread")
            ),
        };
        let free = keys.disk_free.map(|free| units::bytes(free as f64));
        let afterstates = keys.disk_afterstates_low.zip(keys.disk_afterstates_high);
        let afterstates = afterstates.map_or(String::new(), |(low, high)| {
            let more = bytes(low, high);
            format!("\n          {more} more with the afterstates of all layers")
        });
        format!(
            "\
{}, {begun}
bound     {} canonical boards with a 2 or a 4, sums up to {}
states    {states}, {} in the run; {}
disk      {} with all layers; {} free
          at most {} with --keep last: three of the largest layers{afterstates}
memory    about {}, of {} for data; the largest layer has up to {} states
engine    {}, {}
time      {time}
",
            keys.game,
            HumanCount(keys.bound),
            keys.last_sum,
            HumanCount(keys.states_so_far),
            self.source,
            bytes(keys.disk_low, keys.disk_high),
            free.as_deref().unwrap_or("unknown"),
            units::bytes(keys.disk_keep_last as f64),
            units::bytes(keys.memory as f64),
            HumanBytes(keys.memory_bound),
            units::count(keys.largest_layer as f64),
            self.choice,
            self.choice.why(),
        )
    }
}

/// Count with an engine for a moment, up to the layer of sum `last` at most.
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

/// Bytes of memory to expect. `largest` gives the states of the largest layer between two sums.
fn memory(
    choice: &Choice,
    plan: &Plan,
    keep: Keep,
    seconds: f64,
    largest: impl Fn(u32, u32) -> f64,
) -> f64 {
    let stages = choice.stages().iter().map(|stage| {
        let states = largest(2, stage.last);
        if stage.engine == Engine::Lists {
            return LIST_STATE * states;
        }
        let frontier = keep.afterstates() || seconds > FRONTIER_AFTER.as_secs_f64();
        let listed = match (keep.states(), frontier) {
            (true, _) => states,
            (_, true) => AFTERSTATES * states,
            _ => 0.0,
        };
        // The states of the last layer are always listed.
        let listed = listed.max(largest(choice.last(), stage.last));
        let sorted = SORTED * listed.min(stage.plan.batch as f64);
        (plan.memory() - stage.plan.memory()) as f64 + LISTED * listed + sorted
    });
    BESIDE + stages.fold(0.0, f64::max)
}

/// The run in a directory, which must be of `game`; `None` if the directory is empty or missing.
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
