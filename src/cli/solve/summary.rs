//! The summary of a solved run, as text and as JSON.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use indicatif::HumanBytes;
use serde::Serialize;

use crate::cli::args::objectives;
use crate::cli::out::talk;
use crate::cli::out::units;
use crate::estimate;
use crate::game::{FourRate, Objective};
use crate::part::Fingerprint;
use crate::read::Reader;
use crate::solve::Values;
use crate::store::{Goal, Solution};

/// Half a unit of the last decimal of a printed value.
const PRINTED: f64 = 0.5e-9;

/// The solution and its cost. The fields are the keys of `--json`, in order. Users rely on the order:
/// add new keys at the end.
#[derive(Serialize)]
pub(super) struct SolveSummary {
    game: String,
    objectives: Vec<SolvedObjective>,
    states: u64,
    seconds: f64,
    bytes: u64,
    fingerprint: Fingerprint,
    afterstates: u64,
    dir: PathBuf,
    /// Values that this process made.
    solved: u64,
    peak_memory: Option<u64>,
    /// Other solved objectives of the run.
    also: Vec<String>,
    /// The rate of spawned 4s, if a value depends on it.
    #[serde(serialize_with = "objectives::rate_in_json")]
    four: Option<FourRate>,
}

/// The solution for one objective.
#[derive(Serialize)]
struct SolvedObjective {
    name: String,
    start: f64,
    start_two_2s: f64,
    error: f64,
    fraction: u32,
    bytes: u64,
    fingerprint: Fingerprint,
    best_start: f64,
    worst_start: f64,
}

impl SolveSummary {
    /// The summary for some goals; this process made `values` values.
    pub(super) fn new(
        (solution, reader): (&Solution, &Reader),
        goals: &[Goal],
        values: u64,
        peak_memory: Option<u64>,
        time: Duration,
    ) -> Result<Self> {
        let run = solution.run();
        let totals = run.table().totals();
        let (mut objectives, mut bytes, mut fingerprint) = (Vec::new(), 0, Fingerprint::default());
        for (goal, start) in goals
            .iter()
            .zip(Values::new(solution, reader, goals, 0)?.start()?)
        {
            let solved = SolvedObjective {
                name: goal.objective.to_string(),
                start: start.all,
                start_two_2s: start.two_2s,
                error: solution.error(*goal),
                fraction: goal.fraction,
                bytes: solution.bytes(goal.objective),
                fingerprint: solution.fingerprint(goal.objective),
                best_start: start.best,
                worst_start: start.worst,
            };
            bytes += solved.bytes;
            fingerprint += solved.fingerprint;
            objectives.push(solved);
        }
        let others = solution.goals().filter(|goal| !goals.contains(goal));
        Ok(Self {
            game: run.game().to_string(),
            objectives,
            states: totals.live,
            seconds: (time.as_secs_f64() * 1e3).round() / 1e3,
            bytes,
            fingerprint,
            afterstates: totals.afterstates,
            dir: run.dir().to_owned(),
            solved: values,
            peak_memory,
            also: others.map(|goal| goal.objective.to_string()).collect(),
            four: solution.four(),
        })
    }
}

impl fmt::Display for SolveSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let afterstates = units::things(self.afterstates, "afterstate");
        writeln!(f, "{}: {afterstates} solved\n", self.game)?;
        writeln!(
            f,
            "{:<8} {:>14} {:>14} {:>15} {:>10} {:>12}",
            "", "start", "from two 2s", "off by at most", "bits each", "files"
        )?;
        for solved in &self.objectives {
            let name = &solved.name;
            let value = |value: f64| match name.parse() {
                Ok(Objective::Tile(_)) => objectives::chance(value, 9),
                Ok(Objective::Sure(_)) => objectives::yes_or_no(value).to_owned(),
                _ => format!("{value:.9}"),
            };
            let [start, two_2s] = [solved.start, solved.start_two_2s].map(value);
            let printed = if solved.error > 0.0 { PRINTED } else { 0.0 };
            let error = objectives::bound(solved.error + printed);
            let bits = solved.bytes as f64 * 8.0 / self.afterstates.max(1) as f64;
            let files = HumanBytes(solved.bytes);
            writeln!(
                f,
                "{name:<8} {start:>14} {two_2s:>14} {error:>15} {bits:>10.2} {:>12}",
                files.to_string()
            )?;
        }
        writeln!(f)?;
        if !self.also.is_empty() {
            writeln!(f, "also solved {}", self.also.join(", "))?;
        }
        if let Some(four) = self.four {
            writeln!(f, "spawned 4s  {four} of all tiles")?;
        }
        writeln!(f, "files       {}", HumanBytes(self.bytes))?;
        if let Some(peak) = self.peak_memory {
            writeln!(f, "memory      {} at most", HumanBytes(peak))?;
        }
        write!(f, "time        {:.2} s", self.seconds)?;
        if self.solved == 0 {
            writeln!(f, ", nothing new to solve")?;
        } else {
            let speed = estimate::rate(self.solved, Duration::from_secs_f64(self.seconds))
                .map_or(String::new(), |rate| format!(", {}/s", units::count(rate)));
            writeln!(f, " for {}{speed}", units::things(self.solved, "new value"))?;
        }
        writeln!(f, "fingerprint {}", self.fingerprint)?;
        writeln!(f, "directory   {}", talk::plain(self.dir.display()))
    }
}
