//! `solution.json`: the solved objectives of a run, and their files of values.

use std::cmp::Reverse;
use std::mem;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Goal, Rounding, fits};
use crate::counts::Row;
use crate::error::{Result, SolvingError};
use crate::game::{FourRate, Game, Objective, PartKey};
use crate::part::Fingerprint;
use crate::store::audit::{check, check_bytes};
use crate::store::checked;
use crate::store::files::{FileName, Holds, PartName, SOLUTION};
use crate::store::manifest::{PROGRAM, Record, SealedFiles};
use crate::store::run::Run;

/// The format version.
const FORMAT: u32 = 3;

/// The manifest of a solution. No field depends on time, threads or memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SolutionManifest {
    program: String,
    game: Game,
    /// Fingerprint of the run's live states.
    states: Fingerprint,
    /// In order of objective.
    pub(super) answers: Vec<SolvedGoal>,
}

/// The solution for one goal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SolvedGoal {
    #[serde(flatten)]
    pub(super) goal: Goal,
    /// Sum of the lowest solved layer. Without a solved layer, 2 more than the greatest sum of an
    /// afterstate.
    pub(super) solved_sum: u32,
    /// In order of falling sum, then of largest tile, which is the order of writing.
    pub(super) files: Vec<SealedFiles>,
    /// The values of the two lowest solved layers with all bits, in the same order, until the first layer
    /// is solved. Only goals with guard bits have any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) exact: Vec<SealedFiles>,
}

impl SolvedGoal {
    /// An entry without a solved layer.
    pub(super) fn new(goal: Goal, run: &Run) -> Self {
        Self {
            goal,
            solved_sum: run.last_afterstates() + 2,
            files: Vec::new(),
            exact: Vec::new(),
        }
    }

    /// The files of a part's values, as kept or with all bits.
    pub(super) fn find(&self, key: PartKey, exact: bool) -> Option<&SealedFiles> {
        let order = |key: PartKey| (Reverse(key.sum), key.max);
        let of = |files: &SealedFiles| order(files.name.key);
        let files = self.files(exact);
        let at = files.binary_search_by_key(&order(key), of);
        Some(&files[at.ok()?])
    }

    /// The files of values as kept, or with all bits.
    pub(super) fn files(&self, exact: bool) -> &[SealedFiles] {
        if exact { &self.exact } else { &self.files }
    }

    /// All files.
    pub(super) fn all(&self) -> impl Iterator<Item = &SealedFiles> {
        self.files.iter().chain(&self.exact)
    }

    /// Whether layers below need the values of the solved layer `sum` with all bits.
    fn needs(&self, sum: u32) -> bool {
        self.goal.guard > 0 && !self.is_complete() && sum <= self.solved_sum + 2
    }

    /// Take the entries of values with all bits that no layer below needs.
    pub(super) fn take_needless(&mut self) -> Vec<SealedFiles> {
        let exact = mem::take(&mut self.exact).into_iter();
        let (needed, needless) = exact.partition(|files| self.needs(files.name.key.sum));
        self.exact = needed;
        needless
    }

    /// Whether the first layer is solved.
    pub(super) fn is_complete(&self) -> bool {
        self.solved_sum <= 4
    }
}

impl SolutionManifest {
    /// The manifest of a run without a solution.
    pub(super) fn new(run: &Run) -> Self {
        Self {
            program: PROGRAM.to_owned(),
            game: *run.game(),
            states: run.table().totals().fingerprint,
            answers: Vec::new(),
        }
    }

    /// Read the manifest of a run's solution; `None` if there is none.
    pub(in crate::store) fn load(run: &Run) -> Result<Option<Self>> {
        let path = run.dir().join(SOLUTION);
        let Some(manifest) = checked::load::<Self>(&path, FORMAT)? else {
            return Ok(None);
        };
        let audited = manifest.audit(run);
        audited.map_err(|what| SolvingError::Mismatch { path, what })?;
        Ok(Some(manifest))
    }

    /// The entry of an objective.
    pub(super) fn answer(&self, objective: Objective) -> Option<&SolvedGoal> {
        let mut answers = self.answers.iter();
        answers.find(|answer| answer.goal.objective == objective)
    }

    /// Whether the manifest names a file of values.
    pub(in crate::store) fn has(&self, name: FileName) -> bool {
        let (objective, exact) = match name.of.holds {
            Holds::Values(objective) => (objective, false),
            Holds::Exact(objective) => (objective, true),
            _ => return false,
        };
        let values = self
            .answer(objective)
            .and_then(|answer| answer.find(name.of.key, exact));
        values.is_some_and(|values| values.has(name))
    }

    /// Check the fields against each other and against the run's table.
    fn audit(&self, run: &Run) -> Result<(), String> {
        let fresh = Self::new(run);
        check(
            self.game == fresh.game && self.states == fresh.states,
            || {
                format!(
                    "it is of {} with fingerprint {}, the run is of {} with {}",
                    self.game, self.states, fresh.game, fresh.states
                )
            },
        )?;
        check(run.keep().afterstates(), || {
            "the run has dropped the afterstates of this solution".to_owned()
        })?;
        let names = self.answers.iter().map(|answer| answer.goal.objective);
        let mut rates = self.answers.iter().filter_map(|answer| answer.goal.rate());
        if let Some(first) = rates.next() {
            check(rates.all(|four| four == first), || {
                "answers: several rates of 4s".to_owned()
            })?;
        }
        check(names.is_sorted_by(|one, next| one < next), || {
            "answers: not in order, or an objective twice".to_owned()
        })?;
        let table = run.table();
        for answer in &self.answers {
            let (name, solved) = (answer.goal.objective, answer.solved_sum);
            fits(run, answer.goal).map_err(|error| format!("answers: {error}"))?;
            if let Objective::Sure(_) = name {
                let Goal { rounding, four, .. } = answer.goal;
                check(
                    rounding == Rounding::Down && four == FourRate::default(),
                    || {
                        format!(
                            "answers: {name}: expected values rounded down, at the usual rate of 4s"
                        )
                    },
                )?;
            }
            let most = run.last_afterstates() + 2;
            let is_sum = (4..=most).contains(&solved) && solved.is_multiple_of(2);
            check(is_sum, || {
                format!(
                    "answers: {name}: solved_sum: expected an even sum from 4 to {most}, got {solved}"
                )
            })?;
            let rows = table.rows().iter();
            let rows = rows.filter(|row| row.sum >= answer.solved_sum && row.afterstates > 0);
            let part = |row: &Row| Some((row.key()?, row.afterstates));
            let mut solved: Vec<_> = rows.filter_map(part).collect();
            solved.sort_by_key(|(key, _)| (Reverse(key.sum), key.max));
            let named = |files: &SealedFiles| (files.name, files.sealed.states);
            let kept = solved
                .iter()
                .map(|&(key, values)| (PartName::of_values(name, key), values));
            check(kept.eq(answer.files.iter().map(named)), || {
                format!(
                    "answers: {name}: files: expected the parts of all layers from sum {} on",
                    answer.solved_sum
                )
            })?;
            let exact = solved.iter().filter(|(key, _)| answer.needs(key.sum));
            let exact = exact.map(|&(key, values)| (PartName::of_exact(name, key), values));
            check(exact.eq(answer.exact.iter().map(named)), || {
                format!(
                    "answers: {name}: exact: expected the parts of the two lowest solved layers"
                )
            })?;
            for values in answer.all() {
                check(values.is_cut(run.segment()), || {
                    let key = values.name.key;
                    format!(
                        "answers: {name}: {key}: segments: expected the lengths of the segments of afterstates"
                    )
                })?;
            }
        }
        check_bytes(self.answers.iter().flat_map(SolvedGoal::all))
    }
}

impl Record for SolutionManifest {
    fn entries(&self) -> usize {
        let files = self.answers.iter().flat_map(SolvedGoal::all);
        files.map(|files| 1 + files.segments.len()).sum()
    }

    fn save(&self, dir: &Path) -> Result<()> {
        checked::save(&dir.join(SOLUTION), FORMAT, self)
    }
}
