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
//! [`Run`] opens the files of a run, and [`read`](crate::read) reads its boards; only [`Store`], a run that is being counted, changes it.
//!
//! Reading order: `files` (names), `file` (the one place that creates files), `checked`,
//! `manifest`, `audit`, `run`, then `layer` and this file (sealing), `writer`, `commit`, `outbox`,
//! and `open` (going on); `solution`; `task_dir`; `spill`; `loose` and `surroundings`
//! on demand.

mod audit;
mod checked;
mod commit;
mod file;
mod files;
mod layer;
mod loose;
mod manifest;
mod open;
mod outbox;
mod run;
mod solution;
mod spill;
mod surroundings;
mod task_dir;
mod writer;

use std::collections::BTreeMap;
use std::mem;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::game::PartKey;
use crate::part::{Block, Kind, LayerLabel, Sealed};

pub(crate) use file::try_clear;
#[cfg(feature = "cli")]
pub(crate) use file::{Replacement, Sink, clear, free_space, open_device, parent};
#[cfg(feature = "python")]
pub(crate) use files::SOLUTION;
#[cfg(feature = "cli")]
pub(crate) use files::is_run;
use files::{FileName, Holds, PartName};
pub use layer::{CountedLayer, Keep};
pub(crate) use loose::LooseParts;
pub(crate) use manifest::{Expected, PROGRAM};
use manifest::{Manifest, SealedAfterstates, SealedMatrices, SealedPart};
use outbox::Outbox;
pub use run::Run;
pub use solution::{Goal, Rounding, Solution, SolutionStore};
pub(crate) use solution::{fits, greatest, most_bits};
pub(crate) use spill::Spill;
pub(crate) use task_dir::{Attempt, TaskDir};
pub(crate) use writer::Writer;

/// Upper bounds on the size of the manifest and the table together: a constant, and the bytes for
/// each part and segment. The old files need no reserve, because they are on disk already.
const ROOM: u64 = 64 << 10;
const ROOM_FOR_PART: u64 = 640;

/// A run that is being counted. Its directory is locked, and only this type changes it.
pub struct Store {
    run: Run,
    notes: Vec<String>,
    /// The complete run for whose afterstates this store counts the game again, and its next `keep`.
    first: Option<(Box<Store>, Keep)>,
}

/// A destination for the files of parts.
pub(crate) trait Files {
    /// Begin the files of a part.
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer>;

    /// Finish the files of a part. Returns their summary.
    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed>;
}

impl Files for Store {
    fn create(&self, kind: Kind, key: PartKey) -> Result<Writer> {
        let name = PartName::new(kind, key);
        let label = name.label(self.run.game());
        let segment = self.run.manifest.segment;
        self.run.outbox.create(name, vec![label.into()], segment)
    }

    fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed> {
        self.run.outbox.finish(PartName::new(kind, key), writer)
    }
}

impl Store {
    /// The sealed layers of the run.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Remarks from opening the directory, such as removed files of an interrupted count or the number
    /// of parts that a smaller `keep` deleted.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Take over finished files of a part of the current layer, which must be in this file system.
    pub(crate) fn adopt(
        &mut self,
        kind: Kind,
        key: PartKey,
        files: &[(PathBuf, Sealed)],
    ) -> Result<()> {
        self.run.outbox.adopt(PartName::new(kind, key), files)
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
        let mut writer = outbox.create(name, vec![layer.into()], u64::MAX)?;
        write(&mut |block| writer.append(block))?;
        Ok(outbox.finish(name, writer)?.bytes)
    }

    /// Add finished lists of afterstates to the manifest, and drop the matrices that they replace.
    pub(crate) fn seal_afterstates(&mut self) -> Result<()> {
        let manifest = &mut self.run.manifest;
        for (name, files) in self.run.outbox.seal(u32::MAX) {
            let sealed = SealedAfterstates::new(name.key, files);
            manifest.afterstates.push(sealed);
        }
        self.drop_unkept()?;
        self.commit_if_due()
    }

    /// Add finished layers to the manifest, drop files that are no longer needed, and commit if a
    /// commit is due. The afterstates of the last layer must be finished, because the next layers
    /// need them.
    pub(crate) fn seal(&mut self, layers: &[CountedLayer]) -> Result<()> {
        let mut states = BTreeMap::new();
        let last = layers.last().map_or(0, |layer| layer.sum);
        let manifest = &mut self.run.manifest;
        for (PartName { holds, key }, files) in self.run.outbox.seal(last) {
            match holds {
                Holds::Boards(Kind::States) => drop(states.insert(Some(key), files)),
                Holds::Boards(Kind::Afterstates) => {
                    let sealed = SealedAfterstates::new(key, files);
                    manifest.afterstates.push(sealed);
                }
                Holds::Matrices => manifest.matrices.push(SealedMatrices {
                    sum: key.sum,
                    sealed: files[0],
                }),
                Holds::Values(_) => unreachable!("a run seals no values"),
            }
        }
        for layer in layers {
            for &row in layer.rows.iter().filter(|row| !row.is_empty()) {
                let files = states.remove(&row.key()).unwrap_or_default();
                manifest.parts.push(SealedPart::new(row, files));
            }
            manifest.sealed_sum = layer.sum;
            manifest.complete = layer.last;
        }
        self.drop_unkept()?;
        self.commit_if_due()
    }

    /// Drop the files that the run does not keep. The manifest changes as a whole before a file is
    /// deleted, because a deletion can fail.
    fn drop_unkept(&mut self) -> Result<()> {
        let matrices = self.drop_listed_matrices();
        let afterstates = self.drop_afterstates();
        let states = self.drop_states();
        self.run
            .outbox
            .discard(&[matrices, afterstates, states].concat())
    }

    /// Drop the matrices of layers whose afterstates are in lists. Returns their files.
    fn drop_listed_matrices(&mut self) -> Vec<FileName> {
        let Manifest {
            matrices,
            afterstates,
            ..
        } = &mut self.run.manifest;
        let is_listed = |of: &mut SealedMatrices| afterstates.iter().any(|part| part.sum == of.sum);
        let dropped = matrices.extract_if(.., is_listed);
        dropped.flat_map(|of| of.expected().names()).collect()
    }

    fn commit_if_due(&mut self) -> Result<()> {
        let Run {
            manifest, outbox, ..
        } = &mut self.run;
        let entries = manifest.entries();
        outbox.reserve(ROOM + entries as u64 * ROOM_FOR_PART)?;
        if outbox.is_commit_due() {
            outbox.begin_commit(manifest)?;
        }
        Ok(())
    }

    /// Whether the counted layers should be sealed and committed now.
    pub(crate) fn is_commit_due(&self) -> bool {
        self.run.outbox.is_commit_due()
    }

    /// Commit, free the reserved disk space, and delete the tasks of sealed layers. If this was a
    /// second count and it is complete, the store turns into the store of the first run.
    pub(crate) fn close(&mut self) -> Result<()> {
        self.run.outbox.close(&self.run.manifest)?;
        TaskDir::delete_sealed(&self.run)?;
        let first = self.first.take_if(|_| self.run.complete());
        let Some((first, keep)) = first else {
            return Ok(());
        };
        let again = mem::replace(self, *first);
        self.take_afterstates(&again.run, keep)?;
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
        let parts = again.expected();
        for part in parts.filter(|part| part.name.kind() == Kind::Afterstates) {
            let path =
                |(name, sealed): (FileName, Sealed)| (again.dir().join(name.to_string()), sealed);
            let files: Vec<_> = part.files().map(path).collect();
            self.adopt(Kind::Afterstates, part.name.key, &files)?;
        }
        self.run.manifest.keep = keep;
        self.seal_afterstates()?;
        self.run.outbox.close(&self.run.manifest)
    }

    /// Delete the unfinished files, and the files of unsealed layers from `sum` on.
    pub(crate) fn drop_from(&mut self, sum: u32) -> Result<()> {
        self.run.outbox.drop_from(sum)
    }

    /// Delete the files of unfinished layers, and commit the layers before them.
    pub(crate) fn abandon(&mut self) -> Result<()> {
        let abandoned = self.run.outbox.abandon(&self.run.manifest);
        if abandoned.is_err() {
            // No manifest names the files of a failed commit.
            let dir = self.run.dir();
            if let Some(manifest) = Manifest::load(dir)? {
                self.run.outbox = Outbox::new(dir);
                self.run.manifest = manifest;
                self.remove_orphans()?;
            }
        }
        abandoned
    }

    /// Whether a complete run is counted again, for its afterstates.
    pub(crate) fn counts_again(&self) -> bool {
        self.first.is_some()
    }

    /// Commit the sealed layers.
    pub(crate) fn commit(&mut self) -> Result<()> {
        self.run.outbox.commit(&self.run.manifest)
    }

    /// Drop the afterstates that the run does not keep. Returns their files.
    fn drop_afterstates(&mut self) -> Vec<FileName> {
        let manifest = &mut self.run.manifest;
        let first = manifest.afterstates_from();
        let Manifest {
            afterstates,
            matrices,
            ..
        } = manifest;
        let end = afterstates.partition_point(|part| part.sum < first);
        let lists = afterstates.drain(..end).filter_map(|part| part.expected());
        let end = matrices.partition_point(|of| of.sum < first);
        let matrices = matrices.drain(..end).map(|of| of.expected());
        let dropped = lists.chain(matrices);
        dropped.flat_map(|expected| expected.names()).collect()
    }

    /// Drop the states of all layers but the last, unless the run keeps them. Returns their files. The
    /// last layer counts as dropped if its states were not written, as in a count that can go on.
    fn drop_states(&mut self) -> Vec<FileName> {
        let manifest = &mut self.run.manifest;
        if manifest.keep.states() {
            return Vec::new();
        }
        let last = manifest.sealed_sum;
        let unwritten =
            |part: &SealedPart| part.row.sum == last && part.row.live > 0 && part.bytes == 0;
        let end = if manifest.parts.iter().any(unwritten) {
            last + 2
        } else {
            last
        };
        let gone = manifest.dropped_below..end;
        manifest.dropped_below = gone.end.max(gone.start);
        let mut files = Vec::new();
        for part in &mut manifest.parts {
            if part.bytes > 0 && gone.contains(&part.row.sum) {
                files.extend(part.expected().iter().flat_map(Expected::names));
                part.bytes = 0;
                part.segments = Vec::new();
            }
        }
        files
    }
}
