//! A run's directory: it belongs to one game, survives being stopped at any moment, and holds
//! nothing that its manifest does not name.
//!
//! ```text
//! enum48-data/3x3-1024/
//!   manifest.json                      what is sealed: the truth about the directory
//!   layers.csv                         the table, for people and plots
//!   lock                               held while a process uses the directory
//!   sum-00164-max-00032.states         a part: live states of one sum and largest tile
//!   sum-00164-max-00032.afterstates    only of the last two sums: the frontier, to go on from
//!   *.tmp                              unfinished, or not yet named by the manifest
//! ```
//!
//! Key idea: a file is written under a temporary name, or stays in memory while it is small; a
//! *commit* makes a batch of files durable, gives them their names, and then replaces the manifest.
//! Many small layers share a commit, and it goes on beside the count, so durability costs little,
//! and a process that is killed at any point leaves the last commit whole. There is no signal
//! handler: the next count deletes what the manifest does not name and goes on.
//!
//! [`Run`] is how everybody reads a run; [`Store`] is a run that is being counted, and alone may
//! change it.
//!
//! Reading order: `files` (names), `file` (the one place that creates files), `manifest`, `audit`, `run`,
//! then this file (sealing), `spool`, `commit`, and `open` (going on); `lookup`, `sample` and
//! `layer_states` on demand.

mod audit;
mod commit;
mod expected;
mod file;
mod files;
mod layer;
mod layer_states;
mod lookup;
mod manifest;
mod open;
mod positioned;
mod run;
mod sample;
mod spill;
mod spool;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::game::PartKey;
use crate::part::{Kind, PartWriter, Sealed};

use commit::{Commit, Pending, UnderWay};
pub(crate) use expected::Expected;
#[cfg(feature = "cli")]
pub(crate) use file::{Replacement, Sink, clear, parent};
#[cfg(feature = "cli")]
pub(crate) use files::is_run;
use files::{FileName, Named, RESERVE};
pub use layer::{Cuts, Layer};
pub use layer_states::LayerStates;
pub use lookup::Lookup;
pub use manifest::Keep;
use manifest::{AfterstateFile, SealedPart};
pub use run::Run;
pub(crate) use spill::Spill;
use spool::{Contents, Spool};

/// Commit at the end of a layer if this much time has passed since the last commit...
const COMMIT_AFTER: Duration = Duration::from_secs(1);
/// ...or if this many bytes wait to be made durable...
const COMMIT_BYTES: u64 = 256 << 20;
/// ...or so many of them in memory.
const COMMIT_HELD: u64 = 8 << 20;

/// Most bytes that the manifest and the table take together: once, and for each part. While they
/// are replaced the old files exist too, but their space is already allocated.
const ROOM: u64 = 64 << 10;
const ROOM_FOR_PART: u64 = 640;

/// A part file in the making, in a run's directory.
pub(crate) type Writer = PartWriter<Spool>;

/// A run that is being counted: its directory, locked for this process, and all that may change it.
pub struct Store {
    run: Run,
    notes: Vec<String>,
    /// Finished files of layers that are not sealed.
    unsealed: Vec<(Pending, Sealed)>,
    /// Bytes that wait for the next commit, and those of them in memory.
    waiting: u64,
    held: u64,
    /// Files that the next commit's manifest will not name.
    obsolete: Vec<FileName>,
    under_way: Option<UnderWay>,
    /// Bytes reserved for the manifest and the table.
    reserved: u64,
    committed: Instant,
    /// Whether anything has changed since the last commit.
    changed: bool,
}

impl Store {
    /// The run, as far as it is sealed.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Remarks on what was found when it was opened, such as files of an interrupted count that
    /// were removed.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Begin a part file.
    pub(crate) fn create(&self, kind: Kind, key: PartKey) -> Result<Writer> {
        let name = FileName { kind, key };
        let path = self.temporary(name);
        PartWriter::new(Spool::new(&path), &path, name.label(self.run.game()))
    }

    /// Finish a part file of a layer that is being counted; an empty one is dropped.
    pub(crate) fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed> {
        let (spool, sealed) = writer.finish()?;
        if sealed.states == 0 {
            return Ok(Sealed::default());
        }
        let name = FileName { kind, key };
        let contents = spool.into_contents();
        self.waiting += sealed.bytes;
        self.held += contents.held();
        self.unsealed.push((Pending { name, contents }, sealed));
        Ok(sealed)
    }

    /// A nameless file in the directory, for what does not fit in memory. It is created by the
    /// first write.
    pub(crate) fn spill(&self) -> Spill {
        Spill::new(self.run.dir())
    }

    /// Add finished layers to the manifest, drop what is no longer needed, and commit if it is time
    /// to. There must be afterstates to go on from after the last of them.
    pub(crate) fn seal(&mut self, layers: &[Layer]) -> Result<()> {
        let mut bytes = BTreeMap::new();
        let manifest = &mut self.run.manifest;
        for (pending, sealed) in self.unsealed.drain(..) {
            let FileName { kind, key } = pending.name;
            match kind {
                Kind::States => drop(bytes.insert(Some(key), sealed.bytes)),
                Kind::Afterstates => {
                    manifest.afterstates.push(AfterstateFile::new(key, sealed));
                }
            }
            self.run.pending.push(pending);
        }
        for layer in layers {
            for &row in layer.rows.iter().filter(|row| !row.is_empty()) {
                let bytes = bytes.get(&row.key()).copied().unwrap_or(0);
                manifest.parts.push(SealedPart { row, bytes });
            }
            manifest.sealed_sum = layer.sum;
            manifest.complete = layer.last;
        }
        self.changed = true;
        self.drop_afterstates()?;
        self.drop_states()?;
        self.reserve()?;
        if self.is_commit_due() {
            self.begin_commit()?;
        }
        Ok(())
    }

    /// Whether it is time to seal and commit what was counted.
    pub(crate) fn is_commit_due(&self) -> bool {
        self.waiting >= COMMIT_BYTES
            || self.held >= COMMIT_HELD
            || self.committed.elapsed() >= COMMIT_AFTER
    }

    /// Reserve room on disk for the manifest and the table of what is sealed, so that a full disk
    /// cannot prevent the commit.
    fn reserve(&mut self) -> Result<()> {
        let parts = {
            let manifest = &self.run.manifest;
            (manifest.parts.len() + manifest.afterstates.len()) as u64
        };
        let needed = ROOM + parts * ROOM_FOR_PART;
        if needed > self.reserved {
            // Twice as much, so that this is seldom done.
            self.reserved = 2 * needed;
            file::reserve(&self.reserve_path(), self.reserved)?;
        }
        Ok(())
    }

    fn release(&mut self) -> Result<()> {
        if self.reserved == 0 {
            return Ok(());
        }
        self.reserved = 0;
        file::remove(&self.reserve_path())
    }

    fn reserve_path(&self) -> PathBuf {
        file::temporary(&self.run.dir().join(RESERVE))
    }

    /// Commit, and leave nothing but the run in the directory.
    pub(crate) fn close(&mut self) -> Result<()> {
        self.end_commit()?;
        self.release()?;
        self.commit()
    }

    /// Commit everything that is sealed.
    fn commit(&mut self) -> Result<()> {
        if self.changed {
            self.begin_commit()?;
        }
        self.end_commit()
    }

    /// Begin to commit everything that is sealed, after the commit under way.
    fn begin_commit(&mut self) -> Result<()> {
        self.end_commit()?;
        let commit = Commit {
            dir: self.run.dir().to_owned(),
            manifest: self.run.manifest.clone(),
            files: self.run.pending.clone(),
            obsolete: self.obsolete.clone(),
        };
        self.under_way = Some(commit.begin()?);
        (self.waiting, self.held) = (0, 0);
        self.committed = Instant::now();
        self.changed = false;
        Ok(())
    }

    /// Wait for the commit under way. If it failed, what it was to commit waits for the next one.
    fn end_commit(&mut self) -> Result<()> {
        let Some(under_way) = self.under_way.take() else {
            return Ok(());
        };
        let (files, obsolete) = (under_way.files, under_way.obsolete);
        under_way.end().inspect_err(|_| self.changed = true)?;
        self.run.pending.drain(..files);
        self.obsolete.drain(..obsolete);
        Ok(())
    }

    /// Delete the files of layers that could not be finished, and commit those before them: an error
    /// costs no more than the layers that are sealed together.
    pub(crate) fn abandon(&mut self) -> Result<()> {
        // If it failed, the files wait for the one below.
        let _ = self.end_commit();
        self.release()?;
        self.unsealed.clear();
        let waiting = self.run.pending.iter();
        let waiting: Vec<PathBuf> = waiting.map(|file| self.temporary(file.name)).collect();
        for (path, named) in files::all(self.run.dir())? {
            if named == Named::Temporary && !waiting.contains(&path) {
                file::remove(&path)?;
            }
        }
        self.commit()
    }

    fn temporary(&self, name: FileName) -> PathBuf {
        file::temporary(&self.run.dir().join(name.to_string()))
    }

    /// Drop the afterstates that no later layer follows from: all but those of the last two sums.
    fn drop_afterstates(&mut self) -> Result<()> {
        let manifest = &mut self.run.manifest;
        let needed = if manifest.complete {
            u32::MAX
        } else {
            manifest.sealed_sum.saturating_sub(2)
        };
        let (keep, drop): (Vec<_>, Vec<_>) = manifest
            .afterstates
            .iter()
            .partition(|file| file.sum >= needed);
        manifest.afterstates = keep;
        let dropped = drop.iter().filter_map(AfterstateFile::file);
        let dropped: Vec<FileName> = dropped.map(|file| file.name).collect();
        self.discard(&dropped)
    }

    /// With [`Keep::Last`], drop the states of all layers but the last; of the last one, too, if
    /// they were not written: they are when a count ends, but need not be where it could go on.
    fn drop_states(&mut self) -> Result<()> {
        let manifest = &mut self.run.manifest;
        if manifest.keep == Keep::All {
            return Ok(());
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
        for part in manifest
            .parts
            .iter_mut()
            .filter(|part| gone.contains(&part.row.sum))
        {
            let file = part.file().filter(|_| part.bytes > 0);
            files.extend(file.map(|file| file.name));
            part.bytes = 0;
        }
        self.discard(&files)
    }

    /// Let files go: those that no manifest will have named at once, the others after the next
    /// commit.
    fn discard(&mut self, names: &[FileName]) -> Result<()> {
        let committing = self.under_way.as_ref().map_or(0, |commit| commit.files);
        for &name in names {
            let waiting = &self.run.pending[committing..];
            let Some(at) = waiting.iter().position(|pending| pending.name == name) else {
                self.obsolete.push(name);
                continue;
            };
            let pending = self.run.pending.remove(committing + at);
            if matches!(pending.contents, Contents::File) {
                file::remove(&self.temporary(name))?;
            }
        }
        Ok(())
    }
}

impl Drop for Store {
    /// The directory stays locked until nothing is written to it any more.
    fn drop(&mut self) {
        // Whether a commit failed is for those to know who end one.
        let _ = self.end_commit();
    }
}
