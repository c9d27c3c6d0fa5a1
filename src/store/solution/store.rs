//! Writes a solution: files of values, layer by layer, from the last layer to the first.

use std::path::Path;

use super::manifest::{SolutionManifest, SolvedGoal};
use super::{Goal, Solution};
use crate::error::{Error, Result};
use crate::game::{Objective, PartKey};
use crate::part::{Part, Sealed};
use crate::store::file;
use crate::store::files::{FileName, Holds};
use crate::store::manifest::{Manifest, SealedFiles};
#[cfg(feature = "cli")]
use crate::store::outbox::Outbox;
use crate::store::run::Run;
use crate::store::writer::Writer;

/// A solution that is being written. Its directory is locked, and only this type changes it.
pub struct SolutionStore {
    solution: Solution,
    notes: Vec<String>,
}

impl SolutionStore {
    /// Open the directory of a run for a solver. Deletes unfinished files of an interrupted solver.
    ///
    /// # Errors
    ///
    /// A directory without a run, or in use;
    /// [`SolvingError::NotSolvable`](crate::SolvingError::NotSolvable) for a run that cannot be
    /// solved; a damaged manifest.
    pub fn open(dir: &Path) -> Result<Self> {
        // `Run::open` reports a directory without a run, and creates no lock in it.
        drop(Run::open(dir)?);
        let lock = file::lock(dir)?;
        let manifest = Manifest::load(dir)?.ok_or_else(|| Error::NotARun(dir.to_owned()))?;
        let solution = Solution::begun_or_not(Run::new(dir, manifest, lock))?;
        let notes = solution.run.remove_strays()?.into_iter().collect();
        Ok(Self { solution, notes })
    }

    /// Begin a trial solution of the run in `dir`. Reads only `dir`, and writes only to the empty
    /// directory `place`.
    ///
    /// # Errors
    ///
    /// As for [`SolutionStore::open`], but a directory in use is not an error.
    #[cfg(feature = "cli")]
    pub(crate) fn apart(dir: &Path, place: &Path) -> Result<Self> {
        let run = Run::peek(dir)?;
        let mut solution = Solution::begun_or_not(run)?;
        solution.manifest = SolutionManifest::new(&solution.run);
        let run = &solution.run;
        solution.outbox = Outbox::new(place, run.game(), run.segment());
        Ok(Self {
            solution,
            notes: Vec::new(),
        })
    }

    /// The solution so far.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// Remarks from opening the directory.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Delete the values of these objectives.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if a file cannot be deleted or the manifest cannot be written.
    pub fn forget(&mut self, objectives: &[Objective]) -> Result<()> {
        let answers = self.solution.forget(objectives);
        if answers.is_empty() {
            return Ok(());
        }
        let files = answers.iter().flat_map(SolvedGoal::all);
        let files: Vec<FileName> = files.flat_map(SealedFiles::names).collect();
        self.solution.outbox.changed = true;
        self.solution.outbox.discard(&files)?;
        self.end(Ok(()))
    }

    /// Begin a goal, or resume it. A new goal is committed, so that no file of values is without a
    /// manifest.
    ///
    /// # Errors
    ///
    /// As for [`Solution::reached`]; [`Error::Io`] if the manifest cannot be written.
    pub fn begin(&mut self, goal: Goal) -> Result<()> {
        self.solution.reached(goal)?;
        if self.solution.goal(goal.objective).is_none() {
            let answers = &mut self.solution.manifest.answers;
            answers.push(SolvedGoal::new(goal, &self.solution.run));
            answers.sort_by_key(|answer| answer.goal.objective);
            self.solution.outbox.changed = true;
            self.end(Ok(()))?;
        }
        Ok(())
    }

    /// Begin the files of the values of a part's afterstates, for a goal of [`Goal::written`].
    pub(crate) fn create(&self, goal: Goal, afterstates: &Part) -> Result<Writer> {
        let abouts = self.solution.abouts(goal, afterstates);
        let contents = abouts.map(Into::into).collect();
        let name = self.solution.name(goal, afterstates.label().key);
        self.solution.outbox.begin(name, contents)
    }

    /// Finish the files of a part's values.
    pub(crate) fn finish(&mut self, goal: Goal, key: PartKey, writer: Writer) -> Result<Sealed> {
        let name = self.solution.name(goal, key);
        self.solution.outbox.end(name, writer)
    }

    /// Add a layer, solved for these goals, to the manifest, and commit if a commit is due.
    pub(crate) fn seal(&mut self, goals: &[Goal], sum: u32) -> Result<()> {
        let Solution {
            manifest, outbox, ..
        } = &mut self.solution;
        let sealed = outbox.seal(u32::MAX);
        for answer in &mut manifest.answers {
            if goals.contains(&answer.goal) {
                answer.solved_sum = sum;
                let of = |holds| sealed.iter().filter(move |files| files.name.holds == holds);
                let objective = answer.goal.objective;
                answer.files.extend(of(Holds::Values(objective)).cloned());
                answer.exact.extend(of(Holds::Exact(objective)).cloned());
                let needless = answer.take_needless();
                let names: Vec<FileName> = needless.iter().flat_map(SealedFiles::names).collect();
                outbox.discard(&names)?;
            }
        }
        outbox.commit_if_due(manifest)
    }

    /// End some work: commit, and free the reserved disk space. After an error, the layers before
    /// it are committed, and the error is returned, not an error of the clean-up.
    pub(crate) fn end(&mut self, work: Result<()>) -> Result<()> {
        let Solution {
            outbox,
            run,
            manifest,
        } = &mut self.solution;
        let ended = work.and_then(|()| outbox.close(manifest));
        if ended.is_err() && outbox.abandon(manifest).is_err() {
            // No manifest names the files of a failed commit.
            *outbox = outbox.emptied();
            match SolutionManifest::load(run) {
                Ok(sealed) => *manifest = sealed.unwrap_or_else(|| SolutionManifest::new(run)),
                Err(_) => return ended,
            }
            drop(run.remove_strays());
        }
        ended
    }
}
