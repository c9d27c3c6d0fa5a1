//! What is told of a solution: a summary, as text or as JSON, and a table as CSV.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use indicatif::HumanBytes;
use serde::Serialize;

use crate::cli::{objectives, units};
use crate::estimate;
use crate::part::Fingerprint;
use crate::solve::{PartWorth, Start, Values};
use crate::store::{Goal, Sink, Solution};

/// Half a unit of the last decimal of a printed value.
const PRINTED: f64 = 0.5e-9;

/// What was solved, and what it took. The fields are the keys of `--json`, in their order. They are
/// a contract: new ones go to the end.
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
    /// Other objectives that the run is solved for.
    also: Vec<String>,
}

/// What was solved for one objective.
#[derive(Serialize)]
struct SolvedObjective {
    name: String,
    start: f64,
    start_two_2s: f64,
    error: f64,
    fraction: u32,
    bytes: u64,
    fingerprint: Fingerprint,
}

impl SolveSummary {
    /// What was solved for these goals, and what this process made and took.
    pub(super) fn new(
        solution: &Solution,
        goals: &[Goal],
        values: u64,
        peak_memory: Option<u64>,
        time: Duration,
    ) -> Result<Self> {
        let run = solution.run();
        let totals = run.table().totals();
        let starts = Values::new(solution, goals, 0)?.start()?;
        let objectives = goals.iter().zip(starts);
        let objectives: Vec<SolvedObjective> = objectives
            .map(|(goal, Start { all, two_2s })| SolvedObjective {
                name: goal.objective.to_string(),
                start: all,
                start_two_2s: two_2s,
                error: solution.error(*goal),
                fraction: goal.fraction,
                bytes: solution.bytes(goal.objective),
                fingerprint: solution.fingerprint(goal.objective),
            })
            .collect();
        let others = solution.goals().filter(|goal| !goals.contains(goal));
        let fingerprints = objectives.iter().map(|solved| solved.fingerprint);
        Ok(Self {
            game: run.game().to_string(),
            states: totals.live,
            seconds: (time.as_secs_f64() * 1e3).round() / 1e3,
            bytes: objectives.iter().map(|solved| solved.bytes).sum(),
            fingerprint: fingerprints.fold(Fingerprint::default(), |all, one| all + one),
            afterstates: totals.afterstates,
            dir: run.dir().to_owned(),
            solved: values,
            peak_memory,
            also: others.map(|goal| goal.objective.to_string()).collect(),
            objectives,
        })
    }

    /// Bits of files for each afterstate.
    fn bits(&self, bytes: u64) -> f64 {
        bytes as f64 * 8.0 / self.afterstates.max(1) as f64
    }
}

impl fmt::Display for SolveSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let afterstates = units::things(self.afterstates, "afterstate");
        writeln!(f, "{}: {afterstates} solved\n", self.game)?;
        writeln!(
            f,
            "{:<6} {:>15} {:>15} {:>15} {:>10} {:>12}",
            "", "start", "from two 2s", "off by at most", "bits each", "files"
        )?;
        for solved in &self.objectives {
            let (name, start, two_2s) = (&solved.name, solved.start, solved.start_two_2s);
            let error = objectives::bound(solved.error + PRINTED);
            let (bits, files) = (self.bits(solved.bytes), HumanBytes(solved.bytes));
            writeln!(
                f,
                "{name:<6} {start:>15.9} {two_2s:>15.9} {error:>15} {bits:>10.2} {:>12}",
                files.to_string()
            )?;
        }
        writeln!(f)?;
        if !self.also.is_empty() {
            writeln!(f, "also solved {}", self.also.join(", "))?;
        }
        writeln!(f, "files       {}", HumanBytes(self.bytes))?;
        if let Some(peak) = self.peak_memory {
            writeln!(f, "memory      {} at most", HumanBytes(peak))?;
        }
        self.write_time(f)?;
        writeln!(f, "fingerprint {}", self.fingerprint)?;
        writeln!(f, "directory   {}", self.dir.display())
    }
}

impl SolveSummary {
    fn write_time(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.seconds;
        write!(f, "time        {seconds:.2} s")?;
        if self.solved == 0 {
            return writeln!(f, ", nothing new to solve");
        }
        let time = Duration::from_secs_f64(seconds);
        let speed = estimate::rate(self.solved, time)
            .map_or(String::new(), |rate| format!(", {}/s", units::count(rate)));
        writeln!(f, " for {}{speed}", units::things(self.solved, "new value"))
    }
}

/// Write a row for each part, with three columns for each goal. The names are a contract.
pub(super) fn write_csv(parts: &[PartWorth], goals: &[Goal], to: &mut Sink) -> Result<()> {
    let mut csv = csv::Writer::from_writer(to);
    let mut names = vec![
        "sum".to_owned(),
        "max_tile".to_owned(),
        "afterstates".to_owned(),
    ];
    for goal in goals {
        let columns = ["least", "mean", "greatest"].into_iter();
        names.extend(columns.map(|column| format!("{}_{column}", goal.objective)));
    }
    csv.write_record(&names)?;
    for part in parts {
        let mut row = vec![
            part.key.sum.to_string(),
            part.key.max.tile().to_string(),
            part.afterstates.to_string(),
        ];
        for worth in &part.worth {
            let numbers = [worth.least, worth.mean, worth.greatest].into_iter();
            row.extend(numbers.map(|number| number.to_string()));
        }
        csv.write_record(&row)?;
    }
    Ok(csv.flush()?)
}
