//! The summary of a solution, as text or as JSON.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use crate::error::Result;
use crate::part::Fingerprint;
use crate::solve::{Start, Values};
use crate::store::{Goal, Solution};

/// What was solved, and what it took. The fields are the keys of `--json`, in their order. They are
/// a contract: new ones go to the end.
#[derive(Serialize)]
pub(super) struct Summary {
    game: String,
    objectives: Vec<Solved>,
    states: u64,
    seconds: f64,
    bytes: u64,
    fingerprint: Fingerprint,
    afterstates: u64,
    dir: PathBuf,
}

/// What was solved for one objective.
#[derive(Serialize)]
struct Solved {
    name: String,
    start: f64,
    start_two_2s: f64,
    error: f64,
    fraction: u32,
    bytes: u64,
    fingerprint: Fingerprint,
}

impl Summary {
    /// What was solved for these goals.
    pub(super) fn new(solution: &Solution, goals: &[Goal], time: Duration) -> Result<Self> {
        let run = solution.run();
        let totals = run.table().totals();
        let starts = Values::new(solution, goals, 0)?.start()?;
        let objectives = goals.iter().zip(starts);
        let objectives: Vec<Solved> = objectives
            .map(|(goal, Start { all, two_2s })| Solved {
                name: goal.objective.to_string(),
                start: all,
                start_two_2s: two_2s,
                error: goal.error(4, solution.last_sum()),
                fraction: goal.fraction,
                bytes: solution.bytes(goal.objective),
                fingerprint: solution.fingerprint(goal.objective),
            })
            .collect();
        let fingerprints = objectives.iter().map(|solved| solved.fingerprint);
        Ok(Self {
            game: run.game().to_string(),
            states: totals.live,
            seconds: (time.as_secs_f64() * 1e3).round() / 1e3,
            bytes: objectives.iter().map(|solved| solved.bytes).sum(),
            fingerprint: fingerprints.fold(Fingerprint::default(), |all, one| all + one),
            afterstates: totals.afterstates,
            dir: run.dir().to_owned(),
            objectives,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let afterstates = HumanCount(self.afterstates);
        writeln!(f, "{}: {afterstates} afterstates solved\n", self.game)?;
        writeln!(
            f,
            "{:<9} {:>16} {:>16}  {:<10}",
            "", "start", "from two 2s", "off by at most"
        )?;
        for solved in &self.objectives {
            let Solved {
                name,
                start,
                start_two_2s,
                error,
                ..
            } = solved;
            writeln!(
                f,
                "{name:<9} {start:>16.9} {start_two_2s:>16.9}  {error:.1e}"
            )?;
        }
        writeln!(f)?;
        writeln!(f, "files       {}", HumanBytes(self.bytes))?;
        writeln!(f, "time        {:.2} s", self.seconds)?;
        writeln!(f, "fingerprint {}", self.fingerprint)?;
        writeln!(f, "directory   {}", self.dir.display())
    }
}
