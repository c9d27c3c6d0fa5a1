//! `solution.json`: the solved objectives of a run, and their files of values.

use std::cmp::Reverse;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Goal, Rounding, fits};
use crate::error::{Result, SolvingError};
use crate::game::{Exp, FourRate, Game, Objective, PartKey};
use crate::part::{Fingerprint, Sealed};
use crate::store::audit::check;
use crate::store::checked;
use crate::store::commit::Record;
use crate::store::files::{FileName, PartName, SOLUTION};
use crate::store::manifest::{Expected, PROGRAM, several};
use crate::store::run::Run;

/// The format version.
const FORMAT: u32 = 2;

/// The manifest of a solution. No field depends on time, threads or memory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SolutionManifest {
    format: u32,
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
    pub(super) files: Vec<SealedValues>,
}

/// The values of a part.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SealedValues {
    sum: u32,
    max_tile: u32,
    #[serde(flatten, with = "ValueTotals")]
    pub(super) sealed: Sealed,
    /// The segments, if there are several files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) segments: Vec<Sealed>,
}

/// The form of [`Sealed`] for values.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Sealed")]
struct ValueTotals {
    #[serde(rename = "values")]
    states: u64,
    bytes: u64,
    fingerprint: Fingerprint,
}

impl SealedValues {
    /// The manifest's entry for finished files.
    pub(super) fn new(key: PartKey, files: Vec<Sealed>) -> Self {
        Self {
            sum: key.sum,
            max_tile: key.max.tile(),
            sealed: files.iter().copied().sum(),
            segments: several(files),
        }
    }

    pub(super) fn key(&self) -> Option<PartKey> {
        let (sum, max) = (self.sum, Exp::of_tile(self.max_tile)?);
        Some(PartKey { sum, max })
    }

    pub(super) fn expected(&self, objective: Objective) -> Option<Expected> {
        Some(Expected {
            name: PartName::of_values(objective, self.key()?),
            sealed: self.sealed,
            segments: self.segments.clone(),
        })
    }

    fn order(&self) -> (Reverse<u32>, u32) {
        (Reverse(self.sum), self.max_tile)
    }
}

impl SolvedGoal {
    /// An entry without a solved layer.
    pub(super) fn new(goal: Goal, run: &Run) -> Self {
        Self {
            goal,
            solved_sum: run.last_afterstates() + 2,
            files: Vec::new(),
        }
    }

    /// The entry of a part's values.
    pub(super) fn find(&self, key: PartKey) -> Option<&SealedValues> {
        let key = (Reverse(key.sum), key.max.tile());
        let at = self.files.binary_search_by_key(&key, SealedValues::order);
        Some(&self.files[at.ok()?])
    }

    /// The names of all files.
    pub(super) fn files(&self) -> impl Iterator<Item = FileName> {
        let expected = |values: &SealedValues| values.expected(self.goal.objective);
        self.files
            .iter()
            .filter_map(expected)
            .flat_map(|values| values.names())
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
            format: FORMAT,
            program: PROGRAM.to_owned(),
            game: *run.game(),
            states: run.table().totals().fingerprint,
            answers: Vec::new(),
        }
    }

    /// Read the manifest of a run's solution; `None` if there is none.
    pub(super) fn load(run: &Run) -> Result<Option<Self>> {
        let path = run.dir().join(SOLUTION);
        let Some(manifest) = checked::load::<Self>(&path, FORMAT)? else {
            return Ok(None);
        };
        let audited = manifest.audit(run);
        audited.map_err(|what| SolvingError::Mismatch { path, what })?;
        Ok(Some(manifest))
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
            let mut solved: Vec<_> = rows
                .filter(|row| row.sum >= answer.solved_sum && row.afterstates > 0)
                .map(|row| (Reverse(row.sum), row.max_tile, row.afterstates))
                .collect();
            solved.sort_unstable();
            let files = answer.files.iter();
            let named = files.map(|file| (Reverse(file.sum), file.max_tile, file.sealed.states));
            check(solved.into_iter().eq(named), || {
                format!(
                    "answers: {name}: files: expected the parts of all layers from sum {} on",
                    answer.solved_sum
                )
            })?;
            for values in &answer.files {
                let expected = values.expected(name);
                let is_cut = expected.is_some_and(|expected| expected.is_cut(run.segment()));
                check(is_cut, || {
                    let (sum, tile) = (values.sum, values.max_tile);
                    format!(
                        "answers: {name}: sum {sum}, largest tile {tile}: segments: expected the lengths of the segments of afterstates"
                    )
                })?;
            }
        }
        let values = self.answers.iter().flat_map(|answer| &answer.files);
        let bytes = values.map(|values| values.sealed.bytes);
        check(bytes.fold(0, u64::saturating_add) < u64::MAX, || {
            "bytes: more than any disk holds".to_owned()
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
        })
    }
}

impl Record for SolutionManifest {
    fn names(&self, name: FileName) -> bool {
        let mut files = self.answers.iter().flat_map(SolvedGoal::files);
        files.any(|file| file == name)
    }

    fn save(&self, dir: &Path) -> Result<()> {
        checked::save(&dir.join(SOLUTION), self)
    }
}
