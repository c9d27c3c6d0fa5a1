//! A run's directory. It belongs to one game, it survives a kill at any moment, and its manifest
//! names all of its parts.
//!
//! ```text
//! enum48-data/3x3-1024/
//!   manifest.json                      what is sealed: the truth about the directory
//!   layers.csv                         the table, for people and plots
//!   lock                               held while a process uses the directory
//!   sum-00164-max-00032.states         a part: live states of one sum and largest tile
//!   sum-00166-max-00032-0000.states    a segment of a large part
//!   sum-00164-max-00032.afterstates    afterstates of all sums, or of the last two (the frontier)
//!   sum-00164.matrices                 afterstates of a sum as matrices, instead of lists
//!   *.tmp                              unfinished, or not yet named by the manifest
//!   solution.json, *.values            a solution of the run: no count reads or changes it
//!   tasks-00166-1a2b3c4d/              files of the tasks of a layer, until it is sealed
//!   again/                             a second count of a complete run, for its afterstates
//! ```
//!
//! Key idea: a file is written under a temporary name, or stays in memory while it is small. A
//! *commit* makes many files durable, gives them their names, and then replaces the manifest. Small
//! layers share a commit, which runs while the count goes on, so durability costs little. A process
//! that is killed leaves the last commit intact. So no signal handler is needed: the next count
//! deletes the files that the manifest does not name, and goes on.
//!
//! [`Run`] opens the files of a run, and [`read`](crate::read) reads its boards; only [`Store`], a
//! run that is being counted, changes it.
//!
//! Reading order: `files` (names), `file` (the one place that creates files), `checked`,
//! `manifest`, `audit`, `run`, then `layer` and this file (sealing), `writer`, `outbox`, and `open`
//! (going on); `strays`; `solution`; `task_dir`.

mod audit;
mod checked;
mod file;
mod files;
mod layer;
mod manifest;
mod open;
mod outbox;
mod run;
mod solution;
mod strays;
mod task_dir;
mod writer;

use std::mem;

use crate::error::{Error, Result};
use crate::part::{Block, Kind, LayerLabel, Sealed};

#[cfg(feature = "cli")]
pub(crate) use file::{Replacement, Sink, free_space, open_device, parent};
pub(crate) use file::{Spill, clear};
#[cfg(feature = "python")]
pub(crate) use files::SOLUTION;
#[cfg(feature = "cli")]
pub(crate) use files::is_run;
use files::{FileName, Holds, PartName};
pub use layer::{CountedLayer, Keep};
use manifest::Manifest;
pub(crate) use manifest::{PROGRAM, SealedFiles};
pub(crate) use outbox::{Files, Outbox};
pub use run::Run;
pub use solution::{Goal, Rounding, Solution, SolutionStore};
pub(crate) use solution::{fits, greatest, most_bits};
pub(crate) use task_dir::{Attempt, TaskDir};
pub(crate) use writer::Writer;

/// A run that is being counted. Its directory is locked, and only this type changes it.
pub struct Store {
    run: Run,
    notes: Vec<String>,
    /// The complete run for whose afterstates this store counts the game again, and its next
    /// `keep`.
    first: Option<(Box<Store>, Keep)>,
}

impl Store {
    /// The sealed layers of the run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Remarks from opening the directory, such as removed files of an interrupted count or the
    /// number of parts that a smaller `keep` deleted.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The files of layers that are not committed.
    pub(crate) fn outbox(&mut self) -> &mut Outbox {
        &mut self.run.outbox
    }

    /// Write the afterstates of a layer as matrices; `write` gets a function that appends a block.
    /// Does nothing if they are sealed or finished. Returns the bytes of the file.
    pub(crate) fn write_matrices(
        &mut self,
        sum: u32,
        write: impl FnOnce(&mut dyn FnMut(&Block) -> Result<()>) -> Result<()>,
    ) -> Result<u64> {
        let name = PartName::of_matrices(sum);
        let Run {
            outbox, manifest, ..
        } = &mut self.run;
        if manifest.find(name).is_some() || outbox.has_unsealed(name) {
            return Ok(0);
        }
        let layer = LayerLabel::new(&manifest.game, sum);
        let mut writer = outbox.begin(name, vec![layer.into()])?;
        write(&mut |block| writer.append(block))?;
        Ok(outbox.end(name, writer)?.bytes)
    }

    /// Add finished layers to the manifest, drop files that are no longer needed, and commit if a
    /// commit is due. The afterstates of the last layer must be finished, because the next layers
    /// need them. Without a layer, only adds finished afterstates of sealed layers.
    pub(crate) fn seal(&mut self, layers: &[CountedLayer]) -> Result<()> {
        let last = layers.last().map_or(u32::MAX, |layer| layer.sum);
        let Run {
            manifest, outbox, ..
        } = &mut self.run;
        for files in outbox.seal(last) {
            match files.name.holds {
                Holds::Boards(Kind::States) => manifest.states.push(files),
                Holds::Boards(Kind::Afterstates) => manifest.afterstates.push(files),
                Holds::Matrices => manifest.matrices.push(files),
                Holds::Values(_) | Holds::Exact(_) => unreachable!("a run seals no values"),
            }
        }
        for layer in layers {
            manifest.rows.extend(&layer.rows);
            manifest.sealed_sum = layer.sum;
            manifest.complete = layer.last;
        }
        self.drop_unkept()?;
        self.run.outbox.commit_if_due(&self.run.manifest)
    }

    /// Drop the files that the run does not keep, and the matrices of layers that are in lists. The
    /// manifest changes as a whole before a file is deleted, because a deletion can fail.
    fn drop_unkept(&mut self) -> Result<()> {
        let manifest = &mut self.run.manifest;
        let (first_states, first) = (manifest.states_from(), manifest.afterstates_from());
        let Manifest {
            states,
            afterstates,
            matrices,
            ..
        } = manifest;
        let sum = |files: &SealedFiles| files.name.key.sum;
        let mut gone: Vec<SealedFiles> = Vec::new();
        gone.extend(states.extract_if(.., |files| sum(files) < first_states));
        gone.extend(afterstates.extract_if(.., |files| sum(files) < first));
        let is_listed = |of| afterstates.iter().any(|files| sum(files) == of);
        gone.extend(matrices.extract_if(.., |of| sum(of) < first || is_listed(sum(of))));
        let names: Vec<FileName> = gone.iter().flat_map(SealedFiles::names).collect();
        self.run.outbox.discard(&names)
    }

    /// End some work: commit, free the reserved disk space, and delete the remains. After an error,
    /// the layers before it are committed, and the error is returned, not an error of the clean-up.
    /// If this was a second count and it is complete, the store turns into the store of the first
    /// run.
    pub(crate) fn end(&mut self, work: Result<()>) -> Result<()> {
        let run = &mut self.run;
        let ended = work.and_then(|()| run.outbox.close(&run.manifest));
        if ended.is_err() && run.outbox.abandon(&run.manifest).is_err() {
            // No manifest names the files of a failed commit.
            run.outbox = run.outbox.emptied();
            match Manifest::load(&run.dir) {
                Ok(Some(sealed)) => run.manifest = sealed,
                _ => return ended,
            }
        }
        let removed = run.remove_strays();
        ended?;
        removed?;
        let first = self.first.take_if(|_| self.run.complete());
        let Some((first, keep)) = first else {
            return Ok(());
        };
        let again = mem::replace(self, *first);
        let taken = self.take_afterstates(&again.run, keep);
        self.end(taken)?;
        let dir = again.run.dir().to_owned();
        drop(again);
        file::clear(&dir);
        Ok(())
    }

    /// Take over the afterstates of a second count, and change `keep`. The files get second names
    /// until the manifest names them, so nothing is lost if this process is killed.
    fn take_afterstates(&mut self, again: &Run, keep: Keep) -> Result<()> {
        if again.table() != self.run.table() {
            return Err(Error::Law {
                place: self.run.dir().display().to_string(),
                law: "the table of a second count differs".to_owned(),
            });
        }
        let path =
            |(name, sealed): (FileName, Sealed)| (again.dir().join(name.to_string()), sealed);
        for part in &again.manifest.afterstates {
            let files: Vec<_> = part.files().map(path).collect();
            self.run
                .outbox
                .adopt(part.name.kind(), part.name.key, &files)?;
        }
        self.run.manifest.keep = keep;
        self.seal(&[])
    }

    /// Whether a complete run is counted again, for its afterstates.
    pub(crate) fn counts_again(&self) -> bool {
        self.first.is_some()
    }

    /// Commit the sealed layers.
    pub(crate) fn commit(&mut self) -> Result<()> {
        self.run.outbox.commit(&self.run.manifest)
    }
}
