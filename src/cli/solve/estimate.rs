//! `enum48 solve DIR --dry-run`: what solving would take.
//!
//! Key idea: what is to be solved is known exactly, and so is the memory; time and disk are not. So
//! the last layers of this very run are solved for a moment, as the solver itself would do it, and
//! the time that they took is carried on to the others. Their bytes are not: values near the end of
//! a game are few and alike, those far from it are many.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use indicatif::HumanBytes;
use serde::Serialize;

use super::trial::Trial;
use super::work::Work;
use crate::cli::forecast::Range;
use crate::cli::signals::TemporaryDir;
use crate::cli::units;
use crate::engine::Plan;
use crate::game::Objective;
use crate::machine;
use crate::part::Kind;
use crate::solve::{Pass, names, passes};
use crate::store::{Goal, Solution, parent};

/// The time of all layers is known up to such factors.
const DOUBT: Range = Range {
    low: 0.5,
    high: 2.0,
};

/// Bytes of a file beside its values: header, index and footer.
const FRAME: f64 = 150.0;

/// Bits to expect of each value. Of scores and moves, 3x3, 3x3 to 256 and 2x4 take from 1.4 bits less
/// to 7.0 bits more than there are after the binary point; of the chance of a tile 0.9 to 23, as for
/// most boards it may be 0, or 1, or neither.
fn bits(goal: &Goal) -> Range {
    let fraction = f64::from(goal.fraction);
    match goal.objective {
        Objective::Score | Objective::Moves => Range {
            low: 0.6 * fraction,
            high: (fraction + 8.0).min(32.0),
        },
        Objective::Tile(_) => Range {
            low: 0.02 * fraction,
            high: 0.8 * fraction,
        },
    }
}

/// What solving would take. The fields are the keys of `--dry-run --json`, in their order. They are
/// a contract: new ones go to the end. What is not known exactly has two digits.
#[derive(Serialize)]
pub(super) struct Estimate {
    game: String,
    objectives: Vec<Part>,
    /// Afterstates of the layers that are left, in every pass anew.
    afterstates: u64,
    passes: Vec<PassOf>,
    /// Bytes of the layers in memory, at most, and the bound for them.
    memory: u64,
    memory_bound: u64,
    /// Bytes of the files of values: those that are there, and all in the end.
    disk_so_far: u64,
    disk_low: u64,
    disk_high: u64,
    disk_free: Option<u64>,
    afterstates_per_second: u64,
    seconds_low: f64,
    seconds_high: f64,
    threads: usize,
    /// Whether the disk is known exactly, as all layers are solved, or were just now.
    exact: bool,
    dir: PathBuf,
}

/// An objective.
#[derive(Serialize)]
struct Part {
    name: String,
    fraction: u32,
    /// Sum of the lowest layer that is solved.
    solved_sum: u32,
}

/// A pass over the layers.
#[derive(Serialize)]
struct PassOf {
    objectives: String,
    afterstates: u64,
    memory: u64,
}

impl Estimate {
    /// Find out, in a few seconds. The run is only looked at.
    pub(super) fn new(solution: &Solution, goals: &[Goal], plan: &Plan) -> Result<Self> {
        let run = solution.run();
        let passes = passes(solution, goals, plan)?;
        let mut work = Work::new(&run.table());
        let so_far = goals.iter().map(|goal| solution.bytes(goal.objective));
        let so_far: u64 = so_far.sum();
        let (disk, seconds, exact) = if passes.is_empty() {
            (Range::exactly(so_far as f64), Range::default(), true)
        } else {
            let place = TemporaryDir::beside(parent(run.dir()))?;
            let trial = Trial::new(solution, &passes, plan, &place, &mut work)?;
            foresee(solution, goals, &passes, &trial, &work)
        };
        let left = passes.iter().map(|pass| PassOf {
            objectives: names(&pass.goals),
            afterstates: work.afterstates(pass.solved_sum),
            memory: pass.memory,
        });
        let left: Vec<PassOf> = left.collect();
        let afterstates: u64 = left.iter().map(|pass| pass.afterstates).sum();
        let objectives = goals.iter().map(|goal| {
            Ok(Part {
                name: goal.objective.to_string(),
                fraction: goal.fraction,
                solved_sum: solution.reached(*goal)?,
            })
        });
        let known = |n: f64| if exact { n } else { units::rounded(n) } as u64;
        let speed = afterstates as f64 / seconds.middle().max(1e-9);
        Ok(Self {
            game: run.game().to_string(),
            objectives: objectives.collect::<Result<_>>()?,
            afterstates,
            memory: passes.iter().map(|pass| pass.memory).max().unwrap_or(0),
            memory_bound: plan.memory(),
            passes: left,
            disk_so_far: so_far,
            disk_low: known(disk.low),
            disk_high: known(disk.high),
            disk_free: machine::free_space(run.dir()),
            afterstates_per_second: units::rounded(speed) as u64,
            seconds_low: units::rounded(seconds.low),
            seconds_high: units::rounded(seconds.high),
            threads: plan.threads(),
            exact,
            dir: run.dir().to_owned(),
        })
    }

    /// Print the estimate.
    pub(super) fn print(&self, json: bool) -> Result<()> {
        let mut out = io::stdout();
        if json {
            writeln!(out, "{}", serde_json::to_string(self)?)?;
        } else {
            write!(out, "{self}")?;
        }
        Ok(())
    }
}

/// Bytes of all files of values, and seconds for what is left; whether the bytes are exact.
fn foresee(
    solution: &Solution,
    goals: &[Goal],
    passes: &[Pass],
    trial: &Trial,
    work: &Work,
) -> (Range, Range, bool) {
    let left = |pass: &Pass| work.of(pass, pass.solved_sum);
    if let Some(bytes) = trial.bytes {
        let whole = passes.iter().map(|pass| work.of(pass, u32::MAX));
        let share = passes.iter().map(left).sum::<f64>() / whole.sum::<f64>().max(1.0);
        let made = |goal: &&Goal| passes.iter().any(|pass| pass.goals.contains(goal));
        let others = goals.iter().filter(|goal| !made(goal));
        let others: u64 = others.map(|goal| solution.bytes(goal.objective)).sum();
        let bytes = Range::exactly((others + bytes) as f64);
        return (bytes, Range::exactly(trial.seconds * share), true);
    }
    let so_far = goals.iter().map(|goal| solution.bytes(goal.objective));
    let so_far: u64 = so_far.sum();
    let more: Range = passes
        .iter()
        .flat_map(|pass| {
            let parts = solution.run().parts(Kind::Afterstates);
            let files = parts.filter(|key| key.sum < pass.solved_sum).count() as f64;
            let values = work.afterstates(pass.solved_sum) as f64;
            pass.goals.iter().map(move |goal| {
                let Range { low, high } = bits(goal) * (values / 8.0);
                Range {
                    low: low + files * FRAME,
                    high: high + files * FRAME,
                }
            })
        })
        .sum();
    let disk = Range {
        low: so_far as f64 + more.low,
        high: so_far as f64 + more.high,
    };
    let seconds = passes.iter().map(|pass| {
        let seconds = work.seconds(pass, pass.solved_sum);
        DOUBT * seconds.unwrap_or_default()
    });
    (disk, seconds.sum(), false)
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.objectives.iter().map(|goal| &*goal.name).collect();
        writeln!(f, "{}, to be solved for {}", self.game, names.join(","))?;
        let solved = self.objectives.iter().filter(|goal| goal.solved_sum <= 4);
        let solved: Vec<&str> = solved.map(|goal| &*goal.name).collect();
        if !solved.is_empty() {
            writeln!(f, "solved      {}", solved.join(","))?;
        }
        if self.passes.is_empty() {
            return writeln!(f, "to solve    nothing");
        }
        for (at, pass) in self.passes.iter().enumerate() {
            let what = if at == 0 { "to solve" } else { "" };
            writeln!(
                f,
                "{what:<11} {} for {}",
                units::things(pass.afterstates, "afterstate"),
                pass.objectives
            )?;
        }
        let bytes = |n: u64| units::bytes(n as f64);
        let (memory, bound) = (HumanBytes(self.memory), HumanBytes(self.memory_bound));
        writeln!(f, "memory      {memory} for layers, of {bound} for data")?;
        let disk = units::range(&bytes(self.disk_low), &bytes(self.disk_high));
        let free = self.disk_free.map_or("unknown".to_owned(), bytes);
        let so_far = bytes(self.disk_so_far);
        writeln!(f, "disk        {disk}, {so_far} of it so far; {free} free")?;
        if self
            .disk_free
            .is_some_and(|free| free < self.disk_high.saturating_sub(self.disk_so_far))
        {
            writeln!(f, "            WARNING: it may not fit: make space")?;
        }
        let time = units::range(
            &units::time(self.seconds_low),
            &units::time(self.seconds_high),
        );
        let rate = units::count(self.afterstates_per_second as f64);
        writeln!(
            f,
            "time        about {time}, at {rate} afterstates/s with {}",
            units::things(self.threads as u64, "thread")
        )
    }
}
