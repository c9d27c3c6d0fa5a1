//! The solution of a run: the values of its afterstates, in separate files.
//!
//! ```text
//! enum48-data/3x3/
//!   solution.json                        what is solved: the truth about the files below
//!   sum-00164-max-00032.score.values     the expected score from each of a part's afterstates
//!   sum-00164-max-00032.512.values       the chance to reach 512 from there
//! ```
//!
//! A solution is written layer by layer, from the last layer to the first. Like a run, it survives
//! interruptions: only files that `solution.json` names belong to it. A count does not change it.
//!
//! The module [`part`](crate::part) describes the files of values. `solution.json` has these keys,
//! in this order:
//!
//! ```text
//! {
//!   "format": 3,                     version of this file
//!   "program": "enum48 0.1.0",       that began it
//!   "game": "2x2-32",
//!   "states": "3d677fbe9d7b4c34",    fingerprint of all live states of the run
//!   "answers": [                     one for each objective, in order: score, moves, 4, 8, ...,
//!                                    sure-4, sure-8, ...
//!     {
//!       "objective": "score",        as in the names of its files
//!       "fraction": 24,              a value stands for value / 2^fraction
//!       "guard": 3,                  further bits while it is solved, unless there are none
//!       "rounding": "nearest",       or "down", "up"
//!       "four": "1/5",               rate of spawned 4s, unless it is 1/10
//!       "solved_sum": 4,             of the lowest layer that is solved; 4 once all are
//!       "files": [                   in order of falling sum, then of largest tile
//!         {
//!           "name": "sum-00036-max-00016.score.values",
//!           "states": 2,             number of values
//!           "bytes": 160,
//!           "fingerprint": "87881b4ee28f7a0d"
//!         },                         and "segments", where there are several files: of each its
//!                                    "states", "bytes" and "fingerprint"
//!         ...
//!       "exact": [                   likewise with the guard bits, of the two lowest solved layers,
//!         ...                        until all are solved
//!   "crc32": "01234567"              of the object without it, and without spaces and new lines
//! }
//! ```
//!
//! [`Solution`] reads a solution; [`SolutionStore`] writes it.

mod goal;
mod manifest;
mod store;

use std::path::Path;
use std::sync::Arc;

pub use goal::{Goal, Rounding};
pub(crate) use goal::{fits, greatest, most_bits};
pub(super) use manifest::SolutionManifest;
use manifest::SolvedGoal;
pub use store::SolutionStore;

use super::files::{FileName, PartName};
use super::layer::Keep;
use super::manifest::SealedFiles;
use super::outbox::Outbox;
use super::run::Run;
use crate::error::{Error, Result, SolvingError};
use crate::game::{FourRate, Objective, PartKey};
use crate::part::{About, Fingerprint, Kind, Label, Part, Sealed, ValueColumn};

/// Reads the solution of a run. While it is open, no other process can change the run or its
/// solution.
pub struct Solution {
    /// Files that wait for a commit; only a [`SolutionStore`] has any. It is dropped before the
    /// run, whose lock keeps other processes out until all writes end.
    outbox: Outbox,
    run: Arc<Run>,
    manifest: SolutionManifest,
}

impl Solution {
    /// Open the solution in a run's directory. Only manifests are read.
    ///
    /// # Errors
    ///
    /// As for [`Run::open`]; a damaged manifest; without a solution [`SolvingError::NotSolved`], or
    /// [`SolvingError::NotSolvable`] if the run cannot be solved.
    pub fn open(dir: &Path) -> Result<Self> {
        let solution = Self::begun_or_not(Run::open(dir)?)?;
        if solution.manifest.answers.is_empty() {
            return Err(SolvingError::NotSolved(dir.to_owned()).into());
        }
        Ok(solution)
    }

    /// Open a solution as it is now, even if another process is writing it, or if no goal was
    /// begun.
    ///
    /// # Errors
    ///
    /// As for [`SolutionStore::open`], but a directory in use is not an error.
    pub fn peek(dir: &Path) -> Result<Self> {
        Self::begun_or_not(Run::peek(dir)?)
    }

    /// The solution of a run that can be solved; it may be incomplete or empty.
    fn begun_or_not(run: Run) -> Result<Self> {
        let manifest = match SolutionManifest::load(&run)? {
            Some(manifest) => manifest,
            None => {
                can_be_solved(&run)?;
                SolutionManifest::new(&run)
            }
        };
        Ok(Self {
            outbox: run.outbox.emptied(),
            run: Arc::new(run),
            manifest,
        })
    }

    /// The run.
    pub fn run(&self) -> &Arc<Run> {
        &self.run
    }

    /// The goals that are solved for all layers, in order of objective.
    pub fn goals(&self) -> impl Iterator<Item = Goal> {
        let answers = self.manifest.answers.iter();
        let complete = answers.filter(|answer| answer.is_complete());
        complete.map(|answer| answer.goal)
    }

    /// All goals that were begun, in order of objective.
    pub fn begun_goals(&self) -> impl Iterator<Item = Goal> {
        self.manifest.answers.iter().map(|answer| answer.goal)
    }

    /// Remove objectives from the manifest. Returns their entries.
    pub(crate) fn forget(&mut self, objectives: &[Objective]) -> Vec<SolvedGoal> {
        let is_gone = |answer: &mut SolvedGoal| objectives.contains(&answer.goal.objective);
        self.manifest.answers.extract_if(.., is_gone).collect()
    }

    /// The goal of an objective; `None` if it was not begun.
    pub fn goal(&self, objective: Objective) -> Option<Goal> {
        self.answer(objective).map(|answer| answer.goal)
    }

    /// Sum of the lowest layer that is solved for a goal. If no layer is solved, 2 more than the
    /// greatest sum of an afterstate.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Goal`] if the objective was begun with another precision or rounding, or if
    /// the solution has another rate of 4s.
    pub fn reached(&self, goal: Goal) -> Result<u32> {
        let path = self.run.dir().display();
        let others = |four| {
            self.begun_goals()
                .find(|begun| begun.with_four(four) != *begun)
        };
        if let Some(other) = goal.rate().and_then(others) {
            let (objective, found) = (other.objective, other.four);
            return Err(SolvingError::Goal(format!(
                "{path}: {objective} is solved for 4s at a rate of {found}, not {}: values of different rates do \
                 not mix: give --four {found}, or --again with every solved objective",
                goal.four
            ))
            .into());
        }
        let Some(answer) = self.answer(goal.objective) else {
            return Ok(self.last_sum() + 2);
        };
        let (found, objective) = (answer.goal, goal.objective);
        let refused = if found.fraction != goal.fraction {
            format!(
                "{path}: {objective} is solved with {} bits after the point, not {}: leave out the number, or give \
                 --again to solve it again",
                found.fraction, goal.fraction
            )
        } else if found.guard != goal.guard {
            format!(
                "{path}: {objective} is solved with {} guard bits, not {}: leave out the number, or give --again to \
                 solve it again",
                found.guard, goal.guard
            )
        } else if found.rounding != goal.rounding {
            format!(
                "{path}: {objective} is solved with values rounded {}, not {}: ask for that rounding, or forget the \
                 objective and solve it again",
                found.rounding, goal.rounding
            )
        } else {
            return Ok(answer.solved_sum);
        };
        Err(SolvingError::Goal(refused).into())
    }

    /// Sum of the lowest layer that is solved for an objective.
    pub fn solved_sum(&self, objective: Objective) -> Option<u32> {
        self.answer(objective).map(|answer| answer.solved_sum)
    }

    /// The greatest sum of an afterstate.
    pub fn last_sum(&self) -> u32 {
        self.run.last_afterstates()
    }

    /// Maximum error of a value of a goal.
    pub fn error(&self, goal: Goal) -> f64 {
        goal.error(4, self.last_sum())
    }

    /// Bytes of the files of an objective.
    pub fn bytes(&self, objective: Objective) -> u64 {
        self.kept(objective).map(|file| file.sealed.bytes).sum()
    }

    /// Fingerprint of all values of an objective and their afterstates.
    pub fn fingerprint(&self, objective: Objective) -> Fingerprint {
        self.kept(objective)
            .map(|file| file.sealed.fingerprint)
            .sum()
    }

    /// The rate of 4s of the solution; `None` if no objective that depends on it was begun.
    pub fn four(&self) -> Option<FourRate> {
        self.begun_goals().find_map(|begun| begun.rate())
    }

    /// The parts that have values for an objective, in order of falling sum, then of largest tile.
    pub fn parts(&self, objective: Objective) -> impl Iterator<Item = PartKey> {
        self.kept(objective).map(|files| files.name.key)
    }

    /// Open the values of a part's afterstates; `None` if they have no values yet.
    ///
    /// # Errors
    ///
    /// If a file is missing, damaged, or not the file that was sealed.
    pub fn values(&self, objective: Objective, afterstates: &Part) -> Result<Option<ValueColumn>> {
        let goal = self.goal(objective);
        goal.map_or(Ok(None), |goal| self.values_for(goal, afterstates))
    }

    /// [`Solution::values`] for a goal of [`Goal::written`]. Only the two lowest solved layers have
    /// values with all bits, until the first layer is solved.
    pub(crate) fn values_for(&self, goal: Goal, afterstates: &Part) -> Result<Option<ValueColumn>> {
        let Some(files) = self.find(goal, afterstates.label().key) else {
            return Ok(None);
        };
        let files = files.files().zip(self.abouts(goal, afterstates));
        let open = |((name, sealed), about)| self.outbox.open(name, about, sealed);
        let column = ValueColumn::join(files.map(open))?;
        column.expect_blocks_of(afterstates)?;
        Ok(Some(column))
    }

    /// [`Solution::values_for`] of afterstates that cannot be read: which afterstates the values belong
    /// to is not checked.
    pub(crate) fn values_alone(&self, goal: Goal, key: PartKey) -> Result<Option<ValueColumn>> {
        let Some(files) = self.find(goal, key) else {
            return Ok(None);
        };
        let open = |(name, sealed): (FileName, Sealed)| {
            let path = self.run.dir().join(name.to_string());
            let column = ValueColumn::open(&path).map_err(Error::missing)?;
            let about = self.about(goal, key, column.about().keys);
            column.expect(about, sealed)
        };
        ValueColumn::join(files.files().map(open)).map(Some)
    }

    /// The files of a part's values for a goal of [`Goal::written`]; `None` if there are none yet.
    fn find(&self, goal: Goal, key: PartKey) -> Option<&SealedFiles> {
        self.answer(goal.objective)?.find(key, self.is_exact(goal))
    }

    /// Whether a goal of [`Goal::written`] has all bits, and not those that are kept.
    fn is_exact(&self, goal: Goal) -> bool {
        self.goal(goal.objective) != Some(goal)
    }

    /// The owner of the files of values for a goal of [`Goal::written`].
    fn name(&self, goal: Goal, key: PartKey) -> PartName {
        match self.is_exact(goal) {
            true => PartName::of_exact(goal.objective, key),
            false => PartName::of_values(goal.objective, key),
        }
    }

    /// The expected contents of each file of a part's values; there is a file for each file of
    /// afterstates.
    fn abouts(&self, goal: Goal, afterstates: &Part) -> impl Iterator<Item = About> {
        let key = afterstates.label().key;
        let keys = afterstates.fingerprints();
        keys.map(move |keys| self.about(goal, key, keys))
    }

    /// The expected contents of a file of a part's values, whose afterstates have the fingerprint
    /// `keys`.
    fn about(&self, goal: Goal, key: PartKey, keys: Fingerprint) -> About {
        About {
            afterstates: Label::new(self.run.game(), Kind::Afterstates, key),
            objective: goal.objective,
            fraction: goal.fraction,
            four: goal.four,
            keys,
        }
    }

    /// The files of the values for a goal of [`Goal::written`].
    pub(crate) fn files(&self, goal: Goal) -> impl Iterator<Item = &SealedFiles> {
        let answer = self.answer(goal.objective).into_iter();
        answer.flat_map(move |answer| answer.files(self.is_exact(goal)))
    }

    /// The files of the values for an objective, without guard bits.
    fn kept(&self, objective: Objective) -> impl Iterator<Item = &SealedFiles> {
        self.goal(objective)
            .into_iter()
            .flat_map(|goal| self.files(goal))
    }

    fn answer(&self, objective: Objective) -> Option<&SolvedGoal> {
        self.manifest.answer(objective)
    }
}

/// Check that a run can be solved.
fn can_be_solved(run: &Run) -> Result<(), SolvingError> {
    let game = run.game();
    let why = if game.is_endless() && !run.complete() {
        "a game of 4x4 without a winning tile has no last layer that can be counted: count a game with --max"
            .to_owned()
    } else if !run.complete() {
        format!(
            "its last layer is not counted yet, only layers up to sum {}: finish the count, with enum48 {} --dir {}",
            run.sealed_sum(),
            run.game().options(),
            run.dir().display()
        )
    } else if run.keep() == Keep::All {
        format!(
            "it keeps only states: count again with their afterstates, with enum48 {} --keep both --dir {}",
            run.game().options(),
            run.dir().display()
        )
    } else if !run.keep().afterstates() {
        format!(
            "its afterstates were dropped during the count: count again, with enum48 {} --keep afterstates --dir ANOTHER",
            run.game().options()
        )
    } else {
        return Ok(());
    };
    let path = run.dir().to_owned();
    Err(SolvingError::NotSolvable { path, why })
}
