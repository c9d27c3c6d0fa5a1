//! `enum48 solve DIR --dry-run`: what solving will take.
//!
//! Key idea: the layers to solve and their memory are known exactly; time and disk are not. So the
//! program solves the last layers of this run for a moment, and extrapolates their time to the other
//! layers. It does not extrapolate their bytes: values near the end of a game are few and alike, values
//! far from it are many.

use std::fmt;
use std::path::PathBuf;

use anyhow::Result;
use indicatif::HumanBytes;
use serde::Serialize;

use super::{TRIAL, Trial, bytes, known, space, time};
use crate::cli::out::units;
use crate::counts::Table;
use crate::engine::Plan;
use crate::estimate::{Costs, LayerWork, Range, combine};
use crate::game::{Game, Objective};
use crate::solve::{self, Pass, names, passes};
use crate::store::{Goal, Solution, SolutionStore, free_space, parent};
use crate::temporary::TemporaryDir;

/// The time of all layers is known up to these factors.
const DOUBT: Range = [0.5, 2.0];

/// Bits to expect of each value. Scores and moves of 3x3, 3x3 to 256 and 2x4 take from 2.2 bits less
/// to 6.6 bits more than there are after the binary point. The chance of a tile takes 0.9 to 23 bits,
/// as for most boards it may be 0, or 1, or neither.
fn bits(goal: &Goal) -> Range {
    let fraction = f64::from(goal.fraction);
    match goal.objective {
        Objective::Score | Objective::Moves => [0.6 * fraction, (fraction + 8.0).min(32.0)],
        Objective::Tile(_) => [0.02 * fraction, 0.8 * fraction],
        Objective::Sure(_) => [0.0, 1.0],
    }
}

/// The cost of solving. The fields are the keys of `--dry-run --json`, in order. Users rely on the
/// order: add new keys at the end. A number that is not known exactly has two digits.
#[derive(Serialize)]
pub(in crate::cli) struct SolveEstimate {
    game: Game,
    objectives: Vec<String>,
    /// The objectives that are solved down to the first layer.
    solved: Vec<String>,
    /// Afterstates of the layers that are left, counted once for each pass.
    afterstates: u64,
    passes: Vec<PassKeys>,
    /// Bytes of the layers in memory, at most, and the bound for them.
    memory: u64,
    memory_bound: u64,
    /// Bytes of the files of values, now and at the end.
    disk_so_far: u64,
    disk_low: u64,
    disk_high: u64,
    disk_free: Option<u64>,
    seconds_low: f64,
    seconds_high: f64,
    /// Whether the disk is known exactly: all layers are solved, or the trial solved them.
    exact: bool,
    dir: PathBuf,
}

/// A pass over the layers.
#[derive(Serialize)]
struct PassKeys {
    objectives: String,
    afterstates: u64,
    memory: u64,
}

impl SolveEstimate {
    /// Estimate in a few seconds. The run is only read.
    pub(in crate::cli) fn new(solution: &Solution, goals: &[Goal], plan: &Plan) -> Result<Self> {
        let run = solution.run();
        let table = run.table();
        let passes = passes(solution, goals, plan)?;
        let bytes = |goal: &Goal| solution.bytes(goal.objective);
        let so_far: u64 = goals.iter().map(bytes).sum();
        let (mut costs, mut made, mut exact) = (Costs::default(), 0, true);
        for pass in &passes {
            // The parent of `.` is not in the path as given.
            let dir = run.dir().canonicalize().unwrap_or(run.dir().to_owned());
            let place = TemporaryDir::beside(parent(&dir))?;
            let mut store = SolutionStore::apart(run.dir(), place.path())?;
            let all = Pass {
                solved_sum: solution.last_sum() + 2,
                ..pass.clone()
            };
            let layers = LayerWork::of_pass(&table, &all);
            let mut trial = Trial::new(TRIAL / passes.len() as u32);
            solve::solve_passes(&mut store, &[all], plan, &mut trial)?;
            for (work, (layer, seconds)) in layers.iter().zip(&trial.layers) {
                costs.learn(work, *seconds);
                made += layer.bytes;
            }
            exact &= trial.layers.len() == layers.len();
        }
        let work = |pass| LayerWork::of_pass(&table, pass);
        let left: Vec<LayerWork> = passes.iter().flat_map(work).collect();
        let seconds = costs.seconds(&left).unwrap_or_default();
        let is_left = |goal: &&Goal| passes.iter().any(|pass| pass.goals.contains(goal));
        let solved: Vec<&Goal> = goals.iter().filter(|goal| !is_left(goal)).collect();
        let (disk, seconds) = if exact {
            let before: u64 = solved.iter().copied().map(bytes).sum();
            ([(before + made) as f64; 2], [seconds; 2])
        } else {
            let mut disk = [so_far as f64; 2];
            for pass in &passes {
                let values = afterstates(&table, pass) as f64;
                for goal in &pass.goals {
                    disk = combine(disk, bits(goal), |disk, bits| disk + bits * values / 8.0);
                }
            }
            (disk, DOUBT.map(|doubt| doubt * seconds))
        };
        let left = passes.iter().map(|pass| PassKeys {
            objectives: names(&pass.goals),
            afterstates: afterstates(&table, pass),
            memory: pass.memory,
        });
        let left: Vec<PassKeys> = left.collect();
        let afterstates: u64 = left.iter().map(|pass| pass.afterstates).sum();
        let [disk_low, disk_high] = known(disk);
        let name = |goal: &Goal| goal.objective.to_string();
        Ok(Self {
            game: *run.game(),
            objectives: goals.iter().map(name).collect(),
            solved: solved.into_iter().map(name).collect(),
            afterstates,
            memory: passes.iter().map(|pass| pass.memory).max().unwrap_or(0),
            memory_bound: plan.memory(),
            passes: left,
            disk_so_far: so_far,
            disk_low,
            disk_high,
            disk_free: free_space(run.dir()),
            seconds_low: units::rounded(seconds[0]),
            seconds_high: units::rounded(seconds[1]),
            exact,
            dir: run.dir().to_owned(),
        })
    }
}

impl fmt::Display for SolveEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.objectives.join(",");
        writeln!(f, "{}, to be solved for {names}", self.game)?;
        if !self.solved.is_empty() {
            writeln!(f, "solved      {}", self.solved.join(","))?;
        }
        if self.passes.is_empty() {
            return writeln!(f, "to solve    nothing");
        }
        for (at, pass) in self.passes.iter().enumerate() {
            let what = if at == 0 { "to solve" } else { "" };
            let afterstates = units::things(pass.afterstates, "afterstate");
            writeln!(f, "{what:<11} {afterstates} for {}", pass.objectives)?;
        }
        let [memory, bound] = [self.memory, self.memory_bound].map(HumanBytes);
        writeln!(f, "memory      {memory} for layers, of {bound} for data")?;
        let (disk, free) = (bytes(self.disk_low, self.disk_high), space(self.disk_free));
        let so_far = units::bytes(self.disk_so_far as f64);
        writeln!(f, "disk        {disk}, {so_far} of it so far; {free} free")?;
        let more = self.disk_high.saturating_sub(self.disk_so_far);
        if self.disk_free.is_some_and(|free| free < more) {
            writeln!(f, "            WARNING: it may not fit: make space")?;
        }
        let time = time(self.seconds_low, self.seconds_high);
        writeln!(f, "time        about {time}, as measured just now")
    }
}

/// Afterstates of the layers that a pass solves.
pub(in crate::cli) fn afterstates(table: &Table, pass: &Pass) -> u64 {
    let rows = table.rows().iter().filter(|row| row.sum < pass.solved_sum);
    rows.map(|row| row.afterstates).sum()
}
