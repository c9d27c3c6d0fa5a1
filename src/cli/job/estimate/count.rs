//! `enum48 --size ... --dry-run`: what a count will take in time, memory and on disk.

use std::fmt;
use std::path::Path;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use super::{TRIAL, Trial, bytes, known, space, time};
use crate::cli::out::units;
use crate::engine::{self, Choice, Engine, Plan};
use crate::estimate::{Costs, Forecast, Range, combine, middle};
use crate::game::Game;
use crate::part::Kind;
use crate::store::{self, Keep, Run, Store};
use crate::temporary::TemporaryDir;

/// If the number of states is known, the time of a count is known up to these factors, and its memory.
const DOUBT: Range = [0.7, 1.4];

/// More bytes of memory that a count may take.
const MORE_MEMORY: f64 = (12 << 20) as f64;

/// The last sum of a trial with bits. Larger layers need tables that take long to make.
const LAST_OF_BITS: u32 = 120;

/// Bits in files for each state: of states and of matrices from large games of 4x4 to the first layers
/// of 4x4 to 8, of afterstates from 4x4 to 16 to 3x3.
const STATE_BITS: Range = [3.1, 9.0];
const AFTERSTATE_BITS: Range = [1.1, 4.5];
const MATRIX_BITS: Range = [0.2, 3.0];

/// Bytes of a file beside its boards: header, index and footer.
const FRAME: f64 = 150.0;

/// Most layers that are printed. If there are more, layers at even distances are printed.
const MOST: usize = 1024;

/// The estimate of a count. The fields are the keys of `--dry-run --json`, in order. Users rely on the
/// order: add new keys at the end. A number that is not known exactly has two digits.
#[derive(Serialize)]
pub(in crate::cli) struct CountEstimate {
    game: Game,
    layers: usize,
    last_sum: u32,
    bound: u64,
    sealed_sum: u32,
    complete: bool,
    /// As in the summary of a count: live states, and one each for win and loss.
    states_so_far: u64,
    states_low: u64,
    states_high: u64,
    disk_low: u64,
    disk_high: u64,
    disk_keep_last: u64,
    disk_free: Option<u64>,
    seconds_low: f64,
    seconds_high: f64,
    engine: String,
    /// Whether the states are known exactly: all layers are counted.
    exact: bool,
    /// Bytes of the files of afterstates; null if they are not kept.
    disk_afterstates_low: Option<u64>,
    disk_afterstates_high: Option<u64>,
    memory_bound: u64,
    memory_low: u64,
    memory_high: u64,
    #[serde(skip)]
    forecast: Forecast,
    /// The reason for the engine.
    #[serde(skip)]
    why: String,
    #[serde(skip)]
    in_matrices: bool,
}

impl CountEstimate {
    /// Estimate a count that continues `run`, and keeps `keep`, in a few seconds. The run is only read.
    pub(in crate::cli) fn new(
        run: &Run,
        keep: Option<Keep>,
        plan: &Plan,
        until: Option<u32>,
    ) -> Result<Self> {
        let (game, dir) = (run.game(), run.dir());
        let keep = keep.unwrap_or(run.keep());
        let choice = Choice::new(run, plan, until)?;
        let mut forecast = Forecast::new(run, &choice, keep);
        // The parent of `.` is not in the path as given.
        let absolute = dir.canonicalize().unwrap_or(dir.to_owned());
        let place = TemporaryDir::beside(absolute.parent().map_or(&absolute, existing))?;
        let mut trial = Trial::new(TRIAL);
        let engine = choice.engine(run.sealed_sum() + 2);
        let mut tried = None;
        if !forecast.is_complete() {
            let (kept, most) = match engine {
                // Lists write all states on their way, whatever is kept in the end.
                Engine::Lists if keep.lists_of_afterstates() => (Keep::Both, u32::MAX),
                Engine::Lists => (Keep::All, u32::MAX),
                // Matrices of all layers have to fit the memory, even of layers beyond the trial.
                Engine::Bits if keep.matrices() => (Keep::Last, LAST_OF_BITS),
                Engine::Bits => (keep, LAST_OF_BITS),
            };
            let mut store = Store::open(place.path(), game, Some(kept))?;
            let last = choice.stages()[0].last.min(most);
            let plan = plan.clone().with_engine(Some(engine));
            engine::count(&mut store, &plan, Some(last), &mut trial)?;
            tried = Some(store);
        }
        let mut costs = Costs::default();
        // The time of the last layer includes writing the frontier, so its cost is not learned.
        let whole = trial.layers.len().saturating_sub(1).max(1);
        for (at, (layer, seconds)) in trial.layers.iter().enumerate() {
            let work = forecast.count(layer);
            if let Some(work) = work.filter(|_| at < whole) {
                costs.learn(&work, *seconds);
            }
        }

        let so_far = run.table().until(until).totals();
        let (exact, share) = (forecast.is_complete(), forecast.share());
        // Only a trial that has counted all layers tells more than the run.
        let counted = tried.as_ref().map(Store::run).filter(|_| exact);
        let counted = counted.unwrap_or(run);
        let totals = counted.table().until(until).totals();
        let seconds = if exact {
            let took: f64 = trial.layers.iter().map(|(_, seconds)| seconds).sum();
            let left = totals.live - so_far.live;
            [took * left as f64 / totals.live.max(1) as f64; 2]
        } else {
            combine(DOUBT, share, |doubt, share| {
                let left = forecast.after(run.sealed_sum());
                let work = left.map(|layer| forecast.work(layer, share));
                doubt * costs.seconds(&work.collect::<Vec<_>>()).unwrap_or_default()
            })
        };
        let memory = forecast.memory(plan).min(plan.memory() as f64);
        let most_memory = (DOUBT[1] * memory + MORE_MEMORY).min(plan.memory() as f64);
        let states = forecast.states();
        // The files of all layers tell the disk, if they have the form of the count's files.
        let in_form = counted.keep().matrices() == keep.matrices();
        // The frames of files matter in small games alone, which have few layers.
        let frames = FRAME * forecast.layers.len() as f64;
        let disk = |kind, bits| match counted.bytes(kind, until) {
            bytes @ 1.. if exact && in_form && counted.first_sum(kind) == 4 => [bytes as f64; 2],
            _ => combine(bits, states, |bits, states| bits * states / 8.0 + frames),
        };
        let (disk_states, afterstate_bits) = match keep.matrices() {
            true => ([0.0; 2], MATRIX_BITS),
            false => (disk(Kind::States, STATE_BITS), AFTERSTATE_BITS),
        };
        let afterstates = keep.afterstates();
        let afterstates = afterstates.then(|| known(disk(Kind::Afterstates, afterstate_bits)));
        // Three of the largest layers are on disk at once.
        let keep_last = 3.0 * forecast.largest() * STATE_BITS[1] / 8.0;
        // The summary of a count has one state each for the win and the loss.
        let ends = (totals.total() - totals.live) as f64;
        let [states_low, states_high] = known(states.map(|states| states + ends));
        let [disk_low, disk_high] = known(disk_states);
        let [memory_low, memory_high] = known([DOUBT[0] * memory, most_memory]);
        Ok(Self {
            game: *game,
            layers: forecast.layers.len(),
            last_sum: forecast.last_sum(),
            bound: forecast.layers.iter().map(|layer| layer.bound).sum(),
            sealed_sum: run.sealed_sum(),
            complete: run.complete(),
            states_so_far: so_far.total(),
            states_low,
            states_high,
            disk_low,
            disk_high,
            disk_keep_last: units::rounded(keep_last) as u64,
            disk_free: store::free_space(existing(dir)),
            seconds_low: units::rounded(seconds[0]),
            seconds_high: units::rounded(seconds[1]),
            engine: choice.to_string(),
            exact,
            disk_afterstates_low: afterstates.map(|[low, _]| low),
            disk_afterstates_high: afterstates.map(|[_, high]| high),
            memory_bound: plan.memory(),
            memory_low,
            memory_high,
            in_matrices: keep.matrices(),
            why: choice.why().to_owned(),
            forecast,
        })
    }

    /// A line for each layer.
    fn write_layers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layers = &self.forecast.layers;
        let share = middle(self.forecast.share());
        writeln!(
            f,
            "{:>5} {:>19} {:>19} {:>7} {:>19}",
            "sum", "bound", "counted", "share", "expected"
        )?;
        for layer in layers.iter().step_by(layers.len().div_ceil(MOST).max(1)) {
            let (mut counted, mut reached) = (String::new(), String::new());
            let mut expected = units::rounded(layer.states(share)) as u64;
            if let Some(live) = layer.live {
                counted = HumanCount(live).to_string();
                reached = format!("{:.2}%", live as f64 * 100.0 / layer.bound as f64);
                expected = live;
            }
            // `HumanCount` ignores a width.
            let [bound, expected] = [layer.bound, expected].map(|n| HumanCount(n).to_string());
            let sum = layer.sum;
            writeln!(
                f,
                "{sum:>5} {bound:>19} {counted:>19} {reached:>7} {expected:>19}"
            )?;
        }
        writeln!(f)
    }
}

impl fmt::Display for CountEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_layers(f)?;
        let begun = match self.sealed_sum {
            _ if self.complete => "complete".to_owned(),
            2 => "not begun".to_owned(),
            sum => format!("counted up to sum {sum}"),
        };
        let states = if self.exact {
            HumanCount(self.states_low).to_string()
        } else {
            let [low, high] = [self.states_low, self.states_high].map(|n| units::count(n as f64));
            format!("about {}", units::range(&low, &high))
        };
        let mut disk = format!("{} with all layers", bytes(self.disk_low, self.disk_high));
        if let Some((low, high)) = self.disk_afterstates_low.zip(self.disk_afterstates_high) {
            let afterstates = bytes(low, high);
            match self.in_matrices {
                true => disk = format!("{afterstates} as matrices"),
                false => disk += &format!(", {afterstates} more with their afterstates"),
            }
        }
        let took = time(self.seconds_low, self.seconds_high);
        let time = match self.exact {
            true if self.seconds_high == 0.0 => "nothing is left to count".to_owned(),
            true => format!("about {took}, as it took just now"),
            false => format!("about {took} more, as measured just now"),
        };
        let (game, last_sum) = (self.game, self.last_sum);
        let (engine, why) = (&self.engine, &self.why);
        let [bound, so_far] = [self.bound, self.states_so_far].map(HumanCount);
        let free = space(self.disk_free);
        let last = units::bytes(self.disk_keep_last as f64);
        let memory = bytes(self.memory_low, self.memory_high);
        let most = HumanBytes(self.memory_bound);
        writeln!(
            f,
            "\
{game}, {begun}
bound     {bound} canonical boards with a 2 or a 4, sums up to {last_sum}
states    {states}, {so_far} in the run
          live states, and one each for the win and the loss, as a count adds them up
disk      {disk}; {free} free
          at most {last} on the way with --keep last
memory    {memory}, of {most} for data
engine    {engine}, {why}
time      {time}"
        )
    }
}

/// The first directory that exists on the way from `dir` to the root.
fn existing(dir: &Path) -> &Path {
    let mut ways = dir.ancestors().filter(|way| !way.as_os_str().is_empty());
    ways.find(|way| way.exists()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_tried_with_any_number_of_threads() {
        let place = tempfile::tempdir().unwrap();
        let game = "4x4-8".parse().unwrap();
        for threads in [1, 30, 31] {
            let plan = Plan::new(1 << 30, threads).unwrap();
            let dir = place.path().join("run");
            let run = Run::to_open(&dir, &game, None).unwrap();
            let estimate = CountEstimate::new(&run, None, &plan, Some(8)).unwrap();
            assert!(estimate.engine.contains("bits"), "{}", estimate.engine);
        }
    }
}
