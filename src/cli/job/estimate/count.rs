//! `enum48 --size ... --dry-run`: what a count will take in time, memory and on disk.

use std::fmt::{self, Write};
use std::path::Path;

use anyhow::Result;
use indicatif::{HumanBytes, HumanCount};
use serde_json::json;

use super::{TRIAL, Trial, bytes, known, space, time};
use crate::cli::out::output::Reply;
use crate::cli::out::units;
use crate::engine::{self, Choice, Engine, Plan};
use crate::estimate::{Costs, Forecast, Range, combine, middle};
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

/// Estimate a count that continues `run`, and keeps `keep`, in a few seconds. The run is only read. In
/// JSON, a number that is not known exactly has two digits.
pub(in crate::cli) fn estimate_count(
    run: &Run,
    keep: Option<Keep>,
    plan: &Plan,
    until: Option<u32>,
) -> Result<Reply> {
    let (game, dir) = (run.game(), run.dir());
    let keep = keep.unwrap_or(run.keep());
    let choice = Choice::new(run, plan, until)?;
    let mut forecast = Forecast::new(run, &choice, keep);
    // The parent of `.` is not in the path as given.
    let absolute = dir.canonicalize().unwrap_or(dir.to_owned());
    let place = TemporaryDir::beside(absolute.parent().map_or(&absolute, existing))?;
    let mut trial = Trial::new(TRIAL);
    let mut tried = None;
    if !forecast.is_complete() {
        tried = Some(count_some(
            place.path(),
            run,
            keep,
            plan,
            &choice,
            &mut trial,
        )?);
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
    let states = known(states.map(|states| states + ends));
    let disk = known(disk_states);
    let memory = known([DOUBT[0] * memory, most_memory]);
    let (keep_last, free) = (units::rounded(keep_last), store::free_space(existing(dir)));
    let seconds = seconds.map(units::rounded);
    let (last_sum, so_far) = (forecast.last_sum(), so_far.total());
    let bound: u64 = forecast.layers.iter().map(|layer| layer.bound).sum();
    // Users rely on the order of the keys: add new keys at the end.
    let json = json!({
        "game": game,
        "layers": forecast.layers.len(),
        "last_sum": last_sum,
        "bound": bound,
        "sealed_sum": run.sealed_sum(),
        "complete": run.complete(),
        // As in the summary of a count: live states, and one each for win and loss.
        "states_so_far": so_far,
        "states_low": states[0],
        "states_high": states[1],
        "disk_low": disk[0],
        "disk_high": disk[1],
        "disk_keep_last": keep_last as u64,
        "disk_free": free,
        "seconds_low": seconds[0],
        "seconds_high": seconds[1],
        "engine": choice.to_string(),
        // Whether the states are known exactly: all layers are counted.
        "exact": exact,
        // Bytes of the files of afterstates; null if they are not kept.
        "disk_afterstates_low": afterstates.map(|[low, _]| low),
        "disk_afterstates_high": afterstates.map(|[_, high]| high),
        "memory_bound": plan.memory(),
        "memory_low": memory[0],
        "memory_high": memory[1],
    });

    let begun = match run.sealed_sum() {
        _ if run.complete() => "complete".to_owned(),
        2 => "not begun".to_owned(),
        sum => format!("counted up to sum {sum}"),
    };
    let states = if exact {
        HumanCount(states[0]).to_string()
    } else {
        let [low, high] = states.map(|n| units::count(n as f64));
        format!("about {}", units::range(&low, &high))
    };
    let mut disk = format!("{} with all layers", bytes(disk));
    if let Some(afterstates) = afterstates.map(bytes) {
        match keep.matrices() {
            true => disk = format!("{afterstates} as matrices"),
            false => disk += &format!(", {afterstates} more with their afterstates"),
        }
    }
    let time = match exact {
        true if seconds[1] == 0.0 => "nothing is left to count".to_owned(),
        true => format!("about {}, as it took just now", time(seconds)),
        false => format!("about {} more, as measured just now", time(seconds)),
    };
    let [bound, so_far] = [bound, so_far].map(HumanCount);
    let (free, last) = (space(free), units::bytes(keep_last));
    let (memory, most, why) = (bytes(memory), HumanBytes(plan.memory()), choice.why());
    let layers = layers(&forecast)?;
    let text = format!(
        "\
{layers}
{game}, {begun}
bound     {bound} canonical boards with a 2 or a 4, sums up to {last_sum}
states    {states}, {so_far} in the run
          live states, and one each for the win and the loss, as a count adds them up
disk      {disk}; {free} free
          at most {last} on the way with --keep last
memory    {memory}, of {most} for data
engine    {choice}, {why}
time      {time}
"
    );
    Ok(Reply { text, json })
}

/// Count the next layers of `run` for a moment, in another directory.
fn count_some(
    place: &Path,
    run: &Run,
    keep: Keep,
    plan: &Plan,
    choice: &Choice,
    trial: &mut Trial,
) -> Result<Store> {
    let engine = choice.engine(run.sealed_sum() + 2);
    let (kept, most) = match engine {
        // Lists write all states on their way, whatever is kept in the end.
        Engine::Lists if keep.lists_of_afterstates() => (Keep::Both, u32::MAX),
        Engine::Lists => (Keep::All, u32::MAX),
        // Matrices of all layers have to fit the memory, even of layers beyond the trial.
        Engine::Bits if keep.matrices() => (Keep::Last, LAST_OF_BITS),
        Engine::Bits => (keep, LAST_OF_BITS),
    };
    let mut store = Store::open(place, run.game(), Some(kept))?;
    let last = choice.stages()[0].last.min(most);
    let plan = plan.clone().with_engine(Some(engine));
    engine::count(&mut store, &plan, Some(last), trial)?;
    Ok(store)
}

/// A line for each layer.
fn layers(forecast: &Forecast) -> Result<String, fmt::Error> {
    let (layers, share) = (&forecast.layers, middle(forecast.share()));
    let mut text = format!(
        "{:>5} {:>19} {:>19} {:>7} {:>19}\n",
        "sum", "bound", "counted", "share", "expected"
    );
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
            text,
            "{sum:>5} {bound:>19} {counted:>19} {reached:>7} {expected:>19}"
        )?;
    }
    Ok(text)
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
            let estimate = estimate_count(&run, None, &plan, Some(8)).unwrap();
            let engine = &estimate.json["engine"];
            assert!(engine.to_string().contains("bits"), "{engine}");
        }
    }
}
