//! `enum48 --size ... --dry-run`: what a count would take, before anybody commits days to it.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{HumanBytes, HumanCount, HumanDuration};
use serde::Serialize;

use super::machine;
use crate::bound;
use crate::engine::{self, Plan, Silent};
use crate::game::Game;
use crate::store::{Archive, Keep, Store};

/// Least and greatest share of the bound that games on so many cells reach, by those that were counted
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

/// Bits of a state on disk, where nothing of the game is counted: those of 4x4 to 32 and of 3x3.
const BITS: (f64, f64) = (3.9, 5.3);

/// How long the machine is measured.
const CALIBRATION: Duration = Duration::from_millis(1500);

/// What is known of a game before it is counted.
pub(super) struct Estimate {
    game: Game,
    plan: Plan,
    layers: Vec<Layer>,
    sealed_sum: u32,
    complete: bool,
    bytes: u64,
    states_per_second: f64,
    free: Option<u64>,
}

/// A layer, counted or not.
struct Layer {
    sum: u32,
    bound: u64,
    counted: Option<u64>,
}

/// The estimate as one JSON object.
#[derive(Serialize)]
struct Object {
    game: String,
    layers: usize,
    last_sum: u32,
    bound: u64,
    sealed_sum: u32,
    complete: bool,
    states_so_far: u64,
    states_low: u64,
    states_high: u64,
    largest_layer: u64,
    disk_low: u64,
    disk_high: u64,
    disk_keep_last: u64,
    disk_free: Option<u64>,
    memory: u64,
    states_per_second: u64,
    seconds_low: f64,
    seconds_high: f64,
}

impl Estimate {
    /// Gather what can be known in some seconds.
    pub(super) fn new(game: Game, plan: Plan, until: Option<u32>, dir: &Path) -> Result<Self> {
        let last = engine::last_sum(&game, until)?;
        let begun = fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
        let archive = begun.then(|| Archive::peek(dir)).transpose()?;
        if let Some(archive) = &archive
            && *archive.game() != game
        {
            anyhow::bail!(
                "{}: holds the game {}: give another --dir",
                dir.display(),
                archive.game()
            );
        }
        let table = archive.as_ref().map(Archive::table);
        let counted = |sum| {
            let table = table.as_ref().filter(|table| table.last_sum() >= sum)?;
            Some(
                table
                    .layer(sum)
                    .iter()
                    .map(crate::counts::Row::states)
                    .sum(),
            )
        };
        let bounds = bound::canonical(&game, last);
        let layers = bounds
            .iter()
            .enumerate()
            .skip(2)
            .map(|(half, &bound)| Layer {
                sum: 2 * half as u32,
                bound,
                counted: counted(2 * half as u32),
            });
        let existing = dir.ancestors().find(|dir| dir.exists());
        let free = machine::free_space(existing.unwrap_or(Path::new(".")));
        Ok(Self {
            game,
            layers: layers.filter(|layer| layer.bound > 0).collect(),
            sealed_sum: archive.as_ref().map_or(2, Archive::sealed_sum),
            complete: archive.as_ref().is_some_and(Archive::complete),
            bytes: archive.as_ref().map_or(0, Archive::bytes),
            states_per_second: calibrate(&game, &plan, last)?,
            plan,
            free,
        })
    }

    fn bound(&self) -> u64 {
        self.layers
            .iter()
            .map(|layer| layer.bound)
            .fold(0, u64::saturating_add)
    }

    fn so_far(&self) -> u64 {
        self.layers.iter().filter_map(|layer| layer.counted).sum()
    }

    /// Least and greatest share of the bound to expect in layers that are not counted: where some are,
    /// half and twice that of the last one, since shares change slowly from layer to layer.
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

    /// States of a layer, at least and at most.
    fn expected(&self, layer: &Layer) -> (f64, f64) {
        let (low, high) = self.share();
        match layer.counted {
            Some(counted) => (counted as f64, counted as f64),
            None if self.complete => (0.0, 0.0),
            None => (layer.bound as f64 * low, layer.bound as f64 * high),
        }
    }

    fn total(&self) -> (f64, f64) {
        let add = |(a, b): (f64, f64), (c, d): (f64, f64)| (a + c, b + d);
        self.layers
            .iter()
            .map(|layer| self.expected(layer))
            .fold((0.0, 0.0), add)
    }

    /// The numbers for all layers.
    fn object(&self) -> Object {
        let (low, high) = self.total();
        let so_far = self.so_far();
        let bits = if so_far > 1_000_000 {
            let bits = self.bytes as f64 * 8.0 / so_far as f64;
            (bits.min(BITS.0), bits.max(BITS.0))
        } else {
            BITS
        };
        let disk = |bits: f64| {
            if self.complete {
                self.bytes
            } else {
                (bits / 8.0) as u64
            }
        };
        let left = |states: f64| (states - so_far as f64).max(0.0) / self.states_per_second;
        let layers = self.layers.iter().map(|layer| self.expected(layer).1);
        let largest = layers.fold(0.0, f64::max);
        Object {
            game: self.game.to_string(),
            layers: self.layers.len(),
            last_sum: self.layers.last().map_or(2, |layer| layer.sum),
            bound: self.bound(),
            sealed_sum: self.sealed_sum,
            complete: self.complete,
            states_so_far: so_far,
            states_low: low as u64,
            states_high: high as u64,
            largest_layer: largest as u64,
            disk_low: disk(low * bits.0),
            disk_high: disk(high * bits.1),
            disk_keep_last: (3.0 * largest * bits.1 / 8.0) as u64,
            disk_free: self.free,
            memory: self.plan.memory(),
            states_per_second: self.states_per_second as u64,
            seconds_low: left(low).round(),
            seconds_high: left(high).round(),
        }
    }

    /// Print it.
    pub(super) fn print(&self, json: bool) -> Result<()> {
        let object = self.object();
        let mut out = io::stdout().lock();
        if json {
            writeln!(out, "{}", serde_json::to_string(&object)?)?;
            return Ok(());
        }
        let count = |n: u64| HumanCount(n).to_string();
        writeln!(
            out,
            "  sum               bound             counted   share            expected"
        )?;
        for layer in &self.layers {
            let (counted, share) =
                layer
                    .counted
                    .map_or((String::new(), String::new()), |counted| {
                        let share = counted as f64 * 100.0 / layer.bound as f64;
                        (count(counted), format!("{share:.2}%"))
                    });
            let (low, high) = self.expected(layer);
            writeln!(
                out,
                "{:>5} {:>19} {counted:>19} {share:>7} {:>19}",
                layer.sum,
                count(layer.bound),
                count((low * high).sqrt() as u64)
            )?;
        }
        self.summarise(&object, &mut out)
    }

    fn summarise(&self, object: &Object, out: &mut impl Write) -> Result<()> {
        let count = |n: u64| HumanCount(n).to_string();
        let bytes = |n: u64| HumanBytes(n).to_string();
        let time = |seconds: f64| HumanDuration(Duration::from_secs_f64(seconds)).to_string();
        let begun = match (self.complete, self.sealed_sum) {
            (true, _) => "complete".to_owned(),
            (_, 2) => "not begun".to_owned(),
            (_, sum) => format!("counted up to sum {sum}"),
        };
        let taken = if self.sealed_sum > 2 {
            "half to twice the share of the last counted layer"
        } else {
            "as games on so many cells have had"
        };
        let ((low, high), largest) = (self.share(), object.largest_layer);
        let lines = [
            format!("{}, {begun}", self.game),
            format!(
                "bound     {} canonical boards with a 2 or a 4, sums up to {}",
                count(object.bound),
                object.last_sum
            ),
            format!(
                "states    {} to {} expected, {} of them counted",
                count(object.states_low),
                count(object.states_high),
                count(object.states_so_far)
            ),
            format!(
                "          {:.1}% to {:.1}% of the bound in layers to come: {taken}",
                low * 100.0,
                high * 100.0
            ),
            format!(
                "disk      {} to {} with all layers; {} free",
                bytes(object.disk_low),
                bytes(object.disk_high),
                object.disk_free.map_or("unknown".to_owned(), bytes)
            ),
            format!(
                "          {} at most with --keep last: three of the largest layers",
                bytes(object.disk_keep_last)
            ),
            format!(
                "memory    {} for data; of a layer of {} states, what does not fit goes to disk",
                bytes(object.memory),
                count(largest)
            ),
            format!(
                "time      {} to {} more, at the {} states/s just measured, {} threads",
                time(object.seconds_low),
                time(object.seconds_high),
                count(object.states_per_second),
                self.plan.threads()
            ),
        ];
        writeln!(out, "\n{}", lines.join("\n"))?;
        Ok(())
    }
}

/// Count the game for a moment, in a temporary directory; states a second in the largest layers that it
/// came to. Large layers, to which it does not come, are counted somewhat faster.
fn calibrate(game: &Game, plan: &Plan, last: u32) -> Result<f64> {
    let place = tempfile::tempdir().context("temporary directory: cannot create")?;
    let mut store = Store::open(place.path(), game, Some(Keep::Last))?;
    let begin = Instant::now();
    let mut rate = 1.0;
    let mut step = 24;
    while !store.complete() && store.sealed_sum() < last && begin.elapsed() < CALIBRATION {
        let (before, since) = (store.table().totals().states(), Instant::now());
        let until = (store.sealed_sum() + step).min(last);
        engine::count(game, &mut store, plan, Some(until), &mut Silent)?;
        let fresh = store.table().totals().states() - before;
        rate = fresh as f64 / since.elapsed().as_secs_f64();
        if since.elapsed() > CALIBRATION / 8 {
            step = 4;
        }
    }
    Ok(rate.max(1.0))
}
