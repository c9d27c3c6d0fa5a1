//! Writes a solution: files of values, layer by layer, from the last layer to the first.

use std::path::Path;

use super::manifest::{SealedValues, SolutionManifest, SolvedGoal};
use super::{Goal, Solution};
use crate::error::{Error, Result};
use crate::game::{Objective, PartKey};
use crate::part::{Part, Sealed};
use crate::store::file;
use crate::store::files::{FileName, Holds, Named, PartName};
use crate::store::manifest::Manifest;
#[cfg(feature = "cli")]
use crate::store::outbox::Outbox;
use crate::store::run::Run;
use crate::store::writer::Writer;

/// Upper bounds on the size of `solution.json`: a constant, and the bytes for each part and segment.
const ROOM: u64 = 16 << 10;
const ROOM_FOR_ENTRY: u64 = 256;

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
        file::empty_lock(lock.as_ref());
        let run = Run::new(dir, manifest, lock);
        let mut store = Self {
            solution: Solution::begun_or_not(run)?,
            notes: Vec::new(),
        };
        store.remove_orphans()?;
        Ok(store)
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
        solution.outbox = Outbox::new(place);
        Ok(Self {
            solution,
            notes: Vec::new(),
        })
    }

    /// The solution so far.
    #[must_use]
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// Remarks from opening the directory.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Delete the values of these objectives.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if a file cannot be deleted or the manifest cannot be written.
    pub fn forget(&mut self, objectives: &[Objective]) -> Result<()> {
        let answers = objectives
            .iter()
            .filter_map(|&one| self.solution.answer(one));
        let files: Vec<FileName> = answers.flat_map(SolvedGoal::files).collect();
        if objectives
            .iter()
            .all(|&one| self.solution.answer(one).is_none())
        {
            return Ok(());
        }
        self.solution.forget(objectives);
        self.solution.outbox.change();
        self.solution.outbox.discard(&files)?;
        self.close()
    }

    /// Begin a goal, or resume it.
    ///
    /// # Errors
    ///
    /// As for [`Solution::reached`].
    pub fn begin(&mut self, goal: Goal) -> Result<()> {
        self.solution.reached(goal)?;
        if self.solution.goal(goal.objective).is_none() {
            let answers = &mut self.solution.manifest.answers;
            answers.push(SolvedGoal::new(goal, &self.solution.run));
            answers.sort_by_key(|answer| answer.goal.objective);
            self.solution.outbox.change();
        }
        Ok(())
    }

    /// Begin the files of the values of a part's afterstates.
    pub(crate) fn create(&self, goal: Goal, afterstates: &Part) -> Result<Writer> {
        let abouts = self.solution.abouts(goal, afterstates);
        let contents = abouts.map(Into::into).collect();
        let segment = self.solution.run.manifest.segment;
        let name = PartName::of_values(goal.objective, afterstates.label().key);
        self.solution.outbox.create(name, contents, segment)
    }

    /// Finish the files of a part's values.
    pub(crate) fn finish(
        &mut self,
        objective: Objective,
        key: PartKey,
        writer: Writer,
    ) -> Result<Sealed> {
        let name = PartName::of_values(objective, key);
        self.solution.outbox.finish(name, writer)
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
                for (name, files) in &sealed {
                    if name.holds == Holds::Values(answer.goal.objective) {
                        let values = SealedValues::new(name.key, files.clone());
                        answer.files.push(values);
                    }
                }
            }
        }
        let parts = manifest.answers.iter().flat_map(|answer| &answer.files);
        let entries: usize = parts.map(|part| 1 + part.segments.len()).sum();
        outbox.reserve(ROOM + entries as u64 * ROOM_FOR_ENTRY)?;
        if outbox.is_commit_due() {
            outbox.begin_commit(manifest)?;
        }
        Ok(())
    }

    /// Commit, and free the reserved disk space.
    pub(crate) fn close(&mut self) -> Result<()> {
        self.solution.outbox.close(&self.solution.manifest)
    }

    /// Delete the files of the unfinished layer, and commit the layers before it.
    pub(crate) fn abandon(&mut self) -> Result<()> {
        let solution = &mut self.solution;
        let abandoned = solution.outbox.abandon(&solution.manifest);
        if abandoned.is_err() {
            // No manifest names the files of a failed commit.
            let sealed = SolutionManifest::load(&solution.run)?;
            solution.manifest = sealed.unwrap_or_else(|| SolutionManifest::new(&solution.run));
            solution.outbox = solution.outbox.emptied();
            self.remove_orphans()?;
        }
        abandoned
    }

    /// Delete the files that the manifest does not name.
    fn remove_orphans(&mut self) -> Result<()> {
        let solution = &self.solution;
        let is_orphan = |named| match named {
            Named::Values(name) => !solution.names(name),
            Named::Temporary => true,
            _ => false,
        };
        let remark = solution.outbox.remove_orphans("solution", is_orphan)?;
        self.notes.extend(remark);
        Ok(())
    }
}
