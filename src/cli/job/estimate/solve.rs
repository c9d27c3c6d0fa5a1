//! `enum48 solve DIR --dry-run`: what solving will take.
//!
//! Key idea: the layers to solve and their memory are known exactly; time and disk are not. So the
//! program solves the last layers of this run for a moment, and extrapolates their time to the other
//! layers. It does not extrapolate their bytes: values near the end of a game are few and alike, values
//! far from it are many.

use std::fmt::Write;

use anyhow::Result;
use indicatif::HumanBytes;
use serde_json::json;

use super::{TRIAL, Trial, bytes, known, space, time};
use crate::cli::out::output::Reply;
use crate::cli::out::units;
use crate::engine::Plan;
use crate::estimate::{Costs, LayerWork, Range, combine};
use crate::game::Objective;
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

/// Estimate a solver in a few seconds. The run is only read. In JSON, a number that is not known
/// exactly has two digits.
pub(in crate::cli) fn estimate_solver(
    solution: &Solution,
    goals: &[Goal],
    plan: &Plan,
) -> Result<Reply> {
    let run = solution.run();
    let table = run.table();
    let passes = passes(solution, goals, plan)?;
    let bytes_of = |goal: &Goal| solution.bytes(goal.objective);
    let so_far: u64 = goals.iter().map(bytes_of).sum();
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
    let is_solved = |goal: &Goal| passes.iter().all(|pass| !pass.goals.contains(goal));
    let solved: Vec<Goal> = goals.iter().copied().filter(is_solved).collect();
    let (disk, seconds) = if exact {
        let before: u64 = solved.iter().map(bytes_of).sum();
        ([(before + made) as f64; 2], [seconds; 2])
    } else {
        let mut disk = [so_far as f64; 2];
        for pass in &passes {
            let values = pass.afterstates as f64;
            for goal in &pass.goals {
                disk = combine(disk, bits(goal), |disk, bits| disk + bits * values / 8.0);
            }
        }
        (disk, DOUBT.map(|doubt| doubt * seconds))
    };
    let (disk, seconds) = (known(disk), seconds.map(units::rounded));
    let (memory, free) = (
        passes.iter().map(|pass| pass.memory).max(),
        free_space(run.dir()),
    );
    let memory = memory.unwrap_or(0);
    let objectives =
        |goals: &[Goal]| -> Vec<Objective> { goals.iter().map(|goal| goal.objective).collect() };
    let pass_keys = |pass: &Pass| {
        json!({
            "objectives": names(&pass.goals),
            "afterstates": pass.afterstates,
            "memory": pass.memory,
        })
    };
    // Users rely on the order of the keys: add new keys at the end.
    let json = json!({
        "game": run.game(),
        "objectives": objectives(goals),
        // The objectives that are solved down to the first layer.
        "solved": objectives(&solved),
        // Afterstates of the layers that are left, counted once for each pass.
        "afterstates": passes.iter().map(|pass| pass.afterstates).sum::<u64>(),
        "passes": passes.iter().map(pass_keys).collect::<Vec<_>>(),
        // Bytes of the layers in memory, at most, and the bound for them.
        "memory": memory,
        "memory_bound": plan.memory(),
        // Bytes of the files of values, now and at the end.
        "disk_so_far": so_far,
        "disk_low": disk[0],
        "disk_high": disk[1],
        "disk_free": free,
        "seconds_low": seconds[0],
        "seconds_high": seconds[1],
        // Whether the disk is known exactly: all layers are solved, or the trial solved them.
        "exact": exact,
        "dir": run.dir().display().to_string(),
    });

    let mut text = format!("{}, to be solved for {}\n", run.game(), names(goals));
    if !solved.is_empty() {
        writeln!(text, "solved      {}", names(&solved))?;
    }
    if passes.is_empty() {
        text += "to solve    nothing\n";
        return Ok(Reply { text, json });
    }
    for (at, pass) in passes.iter().enumerate() {
        let what = if at == 0 { "to solve" } else { "" };
        let afterstates = units::things(pass.afterstates, "afterstate");
        writeln!(text, "{what:<11} {afterstates} for {}", names(&pass.goals))?;
    }
    let [memory, bound] = [memory, plan.memory()].map(HumanBytes);
    writeln!(text, "memory      {memory} for layers, of {bound} for data")?;
    let more = disk[1].saturating_sub(so_far);
    let (disk, so_far) = (bytes(disk), units::bytes(so_far as f64));
    writeln!(
        text,
        "disk        {disk}, {so_far} of it so far; {} free",
        space(free)
    )?;
    if free.is_some_and(|free| free < more) {
        text += "            WARNING: it may not fit: make space\n";
    }
    writeln!(
        text,
        "time        about {}, as measured just now",
        time(seconds)
    )?;
    Ok(Reply { text, json })
}
