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
//! Key idea: a file is written under a temporary name; a *commit* makes a batch of files durable,
//! gives them their names, and then replaces the manifest. Many small layers share a commit, so
//! durability costs little, and a process that is killed at any point leaves the last commit whole.
//! There is no signal handler: the next count deletes what the manifest does not name and goes on.
//!
//! [`Run`] is how everybody reads a run; [`Store`] is a run that is being counted, and alone may
//! change it.
//!
//! Reading order: `files` (names), `file` (the one place that creates files), `manifest`, `run`,
//! then this file and `open` (sealing, committing, going on); `lookup`, `sample` and `layer_states`
//! on demand.

mod expected;
mod file;
mod files;
mod layer;
mod layer_states;
mod lookup;
mod manifest;
mod open;
mod run;
mod sample;
mod spill;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::game::PartKey;
use crate::part::{Kind, PartWriter, Sealed};

pub(crate) use expected::Expected;
pub(crate) use file::write_atomic;
#[cfg(feature = "cli")]
pub(crate) use file::{Sink, probe};
use files::{FileName, Named, RESERVE, TABLE};
pub use layer::{Cuts, Layer};
pub use layer_states::LayerStates;
pub use lookup::Lookup;
pub use manifest::Keep;
use manifest::{AfterstateFile, SealedPart};
pub use run::Run;
pub(crate) use spill::Spill;

/// Commit at the end of a layer if this much time has passed since the last commit...
const COMMIT_AFTER: Duration = Duration::from_secs(1);
/// ...or if this many bytes wait to be made durable.
const COMMIT_BYTES: u64 = 256 << 20;

/// Most bytes that the manifest and the table take together: once, and for each part. While they
/// are replaced the old files exist too, but their space is already allocated.
const ROOM: u64 = 64 << 10;
const ROOM_FOR_PART: u64 = 640;

/// A part file in the making, in a run's directory.
pub(crate) type Writer = PartWriter<BufWriter<File>>;

/// A run that is being counted: its directory, locked for this process, and all that may change it.
pub struct Store {
    run: Run,
    notes: Vec<String>,
    /// Finished files of the layer that is being counted, under their temporary names.
    unsealed: Vec<(FileName, Sealed)>,
    /// Bytes of the files that wait for the next commit.
    pending_bytes: u64,
    /// Temporary files that are no longer needed, to be written over: creating a file costs a file
    /// system more than counting a small part costs.
    spare: Vec<PathBuf>,
    /// Files that the next commit's manifest will not name.
    obsolete: Vec<FileName>,
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

    /// Begin a part file under a temporary name.
    pub(crate) fn create(&mut self, kind: Kind, key: PartKey) -> Result<Writer> {
        let name = FileName { kind, key };
        let path = self.temporary(name);
        if let Some(spare) = self.spare.pop() {
            file::rename(&spare, &path)?;
        }
        let file = file::create(&path)?;
        PartWriter::new(
            BufWriter::with_capacity(1 << 18, file),
            &path,
            name.label(self.run.game()),
        )
    }

    /// Finish a part file of the layer being counted; an empty one is removed.
    pub(crate) fn finish(&mut self, kind: Kind, key: PartKey, writer: Writer) -> Result<Sealed> {
        let name = FileName { kind, key };
        let (_, sealed) = writer.finish()?;
        if sealed.states == 0 {
            self.spare.push(self.temporary(name));
            return Ok(Sealed::default());
        }
        self.unsealed.push((name, sealed));
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
        for (name, sealed) in self.unsealed.drain(..) {
            self.run.pending.push(name);
            self.pending_bytes += sealed.bytes;
            match name.kind {
                Kind::States => drop(bytes.insert(Some(name.key), sealed.bytes)),
                Kind::Afterstates => {
                    let file = AfterstateFile::new(name.key, sealed);
                    manifest.afterstates.push(file);
                }
            }
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
        self.drop_afterstates();
        self.drop_states();
        self.reserve()?;
        if self.committed.elapsed() >= COMMIT_AFTER || self.pending_bytes >= COMMIT_BYTES {
            self.commit()?;
        }
        Ok(())
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
        self.reserved = 0;
        file::remove(&self.reserve_path())
    }

    fn reserve_path(&self) -> PathBuf {
        file::temporary(&self.run.dir().join(RESERVE))
    }

    /// Commit, and leave nothing but the run in the directory.
    pub(crate) fn close(&mut self) -> Result<()> {
        self.release()?;
        self.commit()
    }

    /// Make everything that is sealed durable: first the files, then their names, then the manifest
    /// that names them. Only then are files deleted that it no longer names.
    fn commit(&mut self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        let dir = self.run.dir();
        self.run.pending.par_iter().try_for_each(|name| {
            let path = dir.join(name.to_string());
            let temporary = file::temporary(&path);
            // A commit that failed may have published some of them.
            if path.exists() && !temporary.exists() {
                return Ok(());
            }
            file::publish(&temporary, &path)
        })?;
        file::sync_dir(dir)?;
        self.run.manifest.save(dir)?;
        self.run.pending.clear();
        self.pending_bytes = 0;
        for name in self.obsolete.drain(..) {
            file::remove(&self.run.dir().join(name.to_string()))?;
        }
        for path in self.spare.drain(..) {
            file::remove(&path)?;
        }
        self.write_table()?;
        self.committed = Instant::now();
        self.changed = false;
        Ok(())
    }

    /// Delete the files of a layer that could not be finished, and commit the layers before it: an
    /// error costs no more than the layers that are sealed together.
    pub(crate) fn abandon(&mut self) -> Result<()> {
        self.release()?;
        self.unsealed.clear();
        self.spare.clear();
        let waiting = self.run.pending.iter();
        let waiting: Vec<PathBuf> = waiting.map(|&name| self.temporary(name)).collect();
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
    fn drop_afterstates(&mut self) {
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
        self.discard(dropped.map(|file| file.name).collect());
    }

    /// With [`Keep::Last`], drop the states of all layers but the last; of the last one, too, if
    /// they were not written: they are when a count ends, but need not be where it could go on.
    fn drop_states(&mut self) {
        let manifest = &mut self.run.manifest;
        if manifest.keep == Keep::All {
            return;
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
        self.discard(files);
    }

    /// Let files go: those that no manifest has named yet are written over, the others deleted
    /// after the next commit.
    fn discard(&mut self, names: Vec<FileName>) {
        for name in names {
            if let Some(at) = self.run.pending.iter().position(|&pending| pending == name) {
                self.run.pending.swap_remove(at);
                self.spare.push(self.temporary(name));
            } else {
                self.obsolete.push(name);
            }
        }
    }

    fn write_table(&self) -> Result<()> {
        let bytes = self.run.table().to_csv();
        let path = self.run.dir().join(TABLE);
        write_atomic(&path, |file| {
            file.write_all(&bytes).map_err(Error::io(&path, "write"))
        })
    }
}
