//! A run's directory: it belongs to one game, survives being stopped at any moment, and holds
//! nothing that its manifest does not name.
//!
//! ```text
//! enum48-data/3x3-1024/
//!   manifest.json                      what is sealed: the truth about the directory
//!   layers.csv                         the table, for people and plots
//!   lock                               held while a process uses the directory
//!   sum-00164-max-00032.states         a part: live states of one sum and largest tile
//!   sum-00164-max-00032.afterstates    only for the last two sums, which going on needs
//!   *.tmp                              unfinished, or not yet named by the manifest
//! ```
//!
//! Key idea: a file is written under a temporary name; a *commit* makes a batch of them durable, gives
//! them their names, and then replaces the manifest. Many small layers share a commit, so that
//! durability costs little, and a process killed anywhere leaves the last commit whole. There is no
//! signal handler: the next run deletes what the manifest does not name and goes on.

mod archive;
mod expected;
mod file;
mod files;
mod manifest;
mod open;
mod spill;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::counts::{Row, Table};
use crate::error::{Error, Result};
use crate::game::Game;
use crate::run::{Kind, Part, PartWriter, Sealed};

pub use archive::Archive;
pub(crate) use expected::Expected;
pub(crate) use file::{Sink, probe, write_atomic};
pub(crate) use files::FileName;
use files::{Named, RESERVE, TABLE};
pub use manifest::Keep;
use manifest::{AfterstateFile, Manifest, SealedPart};
pub use spill::Spill;

/// Commit at the latest when this much time has passed at the end of a layer...
const COMMIT_AFTER: Duration = Duration::from_secs(1);
/// ...or when this much waits to be made durable.
const COMMIT_BYTES: u64 = 256 << 20;

/// Bytes that the manifest and the table take together at most, and for each part; while they are
/// replaced, the old ones are there too, but their room is theirs already.
const ROOM: u64 = 64 << 10;
const ROOM_FOR_PART: u64 = 640;

/// A part file in the making, in a run's directory.
pub type Writer = PartWriter<BufWriter<File>>;

/// A layer that the engine has finished.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Its sum.
    pub sum: u32,
    /// The counts of its parts, in order of largest tile.
    pub rows: Vec<Row>,
    /// Whether no state and no afterstate is left to go on from.
    pub last: bool,
    /// Bytes of its files of states.
    pub bytes: u64,
    /// Bytes that it took on disk at most: its files and what went through temporary ones.
    pub disk: u64,
}

/// A run's directory, locked for this process.
pub struct Store {
    dir: PathBuf,
    game: Game,
    manifest: Manifest,
    notes: Vec<String>,
    /// Finished files of the layer that is being counted, under their temporary names.
    unsealed: Vec<(FileName, Sealed)>,
    /// Files of sealed layers that wait for the next commit, under their temporary names.
    pending: Vec<FileName>,
    pending_bytes: u64,
    /// Temporary files that are not needed any more, to be written over: making a file anew costs a
    /// file system more than the small parts of a small game cost to count.
    spare: Vec<PathBuf>,
    /// Files that the next commit's manifest will not name.
    obsolete: Vec<FileName>,
    /// Bytes that are kept free for the manifest and the table.
    reserved: u64,
    committed: Instant,
    /// Whether anything has changed since.
    changed: bool,
    _lock: File,
}

impl Store {
    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What opening had to say: files removed, for instance.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Sum of the last sealed layer, 2 if there is none.
    #[must_use]
    pub fn sealed_sum(&self) -> u32 {
        self.manifest.sealed_sum
    }

    /// Whether the last layer of the game is sealed.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.manifest.complete
    }

    /// The table of all sealed layers.
    #[must_use]
    pub fn table(&self) -> Table {
        self.manifest.table()
    }

    /// The rows of a sealed layer.
    #[must_use]
    pub fn layer(&self, sum: u32) -> Vec<Row> {
        let from = self
            .manifest
            .parts
            .partition_point(|part| part.row.sum < sum);
        let parts = self.manifest.parts[from..].iter().map(|part| part.row);
        parts.take_while(|row| row.sum == sum).collect()
    }

    /// Bytes of the state files of the sealed layers up to `until`, those dropped since included.
    #[must_use]
    pub fn bytes(&self, until: Option<u32>) -> u64 {
        let last = until.unwrap_or(u32::MAX);
        self.manifest
            .parts
            .iter()
            .filter(|part| part.row.sum <= last)
            .map(|part| part.bytes)
            .sum()
    }

    /// Begin the part file of one (sum, largest tile), under a temporary name.
    pub fn create(&mut self, kind: Kind, sum: u32, max: u32) -> Result<Writer> {
        let path = self.temporary(FileName { kind, sum, max });
        if let Some(spare) = self.spare.pop() {
            file::rename(&spare, &path)?;
        }
        let file = file::create(&path)?;
        PartWriter::new(
            BufWriter::with_capacity(1 << 18, file),
            &path,
            FileName { kind, sum, max }.label(&self.game),
        )
    }

    /// Finish a part file of the layer being counted; an empty one is removed.
    pub fn finish(&mut self, kind: Kind, sum: u32, max: u32, writer: Writer) -> Result<Sealed> {
        let name = FileName { kind, sum, max };
        let (_, sealed) = writer.finish()?;
        if sealed.states == 0 {
            self.spare.push(self.temporary(name));
            return Ok(Sealed::default());
        }
        self.unsealed.push((name, sealed));
        Ok(sealed)
    }

    /// Open a part; `None` if there is none of that sum and largest tile.
    pub fn part(&self, kind: Kind, sum: u32, max: u32) -> Result<Option<Part>> {
        let name = FileName { kind, sum, max };
        if self.pending.contains(&name) || self.unsealed.iter().any(|(file, _)| *file == name) {
            Part::open(&self.temporary(name)).map(Some)
        } else if self.manifest.names(name) {
            Part::open(&self.dir.join(name.to_string())).map(Some)
        } else {
            Ok(None)
        }
    }

    /// A nameless file in the directory, for what does not fit in memory.
    #[must_use]
    pub fn spill(&self) -> Spill {
        Spill::new(&self.dir)
    }

    /// Take a finished layer into the manifest, drop what is no longer needed, and commit if it is
    /// time to.
    pub fn seal(&mut self, layer: &Layer) -> Result<()> {
        let mut bytes = BTreeMap::new();
        for (name, sealed) in self.unsealed.drain(..) {
            self.pending.push(name);
            self.pending_bytes += sealed.bytes;
            let Sealed {
                states,
                bytes: length,
                fingerprint,
            } = sealed;
            if name.kind == Kind::States {
                bytes.insert(name.max, length);
            } else {
                self.manifest.afterstates.push(AfterstateFile {
                    sum: name.sum,
                    max_tile: name.max,
                    states,
                    bytes: length,
                    fingerprint,
                });
            }
        }
        for &row in layer.rows.iter().filter(|row| !row.is_empty()) {
            let bytes = bytes.get(&row.max_tile).copied().unwrap_or(0);
            self.manifest.parts.push(SealedPart { row, bytes });
        }
        self.changed = true;
        self.manifest.sealed_sum = layer.sum;
        self.manifest.complete = layer.last;
        self.drop_afterstates();
        self.drop_states();
        self.reserve()?;
        if self.committed.elapsed() >= COMMIT_AFTER || self.pending_bytes >= COMMIT_BYTES {
            self.commit()?;
        }
        Ok(())
    }

    /// Keep room on disk for the manifest and the table of what is sealed, so that a full disk cannot
    /// keep them from being written.
    fn reserve(&mut self) -> Result<()> {
        let parts = (self.manifest.parts.len() + self.manifest.afterstates.len()) as u64;
        let needed = ROOM + parts * ROOM_FOR_PART;
        if needed > self.reserved {
            // Twice as much, so that it seldom grows.
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
        file::temporary(&self.dir.join(RESERVE))
    }

    /// Commit, and leave nothing in the directory but the run.
    pub fn close(&mut self) -> Result<()> {
        self.release()?;
        self.commit()
    }

    /// Make everything sealed so far durable: files first, then their names, then the manifest that
    /// names them; only then is what it no longer names deleted.
    fn commit(&mut self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        let dir = &self.dir;
        self.pending.par_iter().try_for_each(|name| {
            let path = dir.join(name.to_string());
            let temporary = file::temporary(&path);
            // A commit that failed may have come so far with some.
            if path.exists() && !temporary.exists() {
                return Ok(());
            }
            file::publish(&temporary, &path)
        })?;
        file::sync_dir(dir)?;
        self.manifest.save(dir)?;
        self.pending.clear();
        self.pending_bytes = 0;
        for name in self.obsolete.drain(..) {
            file::remove(&dir.join(name.to_string()))?;
        }
        for path in self.spare.drain(..) {
            file::remove(&path)?;
        }
        self.write_table()?;
        self.committed = Instant::now();
        self.changed = false;
        Ok(())
    }

    /// Delete what there is of a layer that could not be finished, and commit those that were: an
    /// error in the middle of a layer costs that layer alone.
    pub fn abandon(&mut self) -> Result<()> {
        self.release()?;
        self.unsealed.clear();
        self.spare.clear();
        let waiting: Vec<PathBuf> = self
            .pending
            .iter()
            .map(|&name| self.temporary(name))
            .collect();
        for (path, named) in files::all(&self.dir)? {
            if named == Named::Temporary && !waiting.contains(&path) {
                file::remove(&path)?;
            }
        }
        self.commit()
    }

    fn temporary(&self, name: FileName) -> PathBuf {
        file::temporary(&self.dir.join(name.to_string()))
    }

    /// Afterstates are needed by the next two sums only, and by none once the game is complete.
    fn drop_afterstates(&mut self) {
        let manifest = &mut self.manifest;
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
        let kind = Kind::Afterstates;
        let drop: Vec<FileName> = drop
            .iter()
            .map(|file| FileName {
                kind,
                sum: file.sum,
                max: file.max_tile,
            })
            .collect();
        self.discard(drop);
    }

    /// With [`Keep::Last`], states of all layers but the last go.
    fn drop_states(&mut self) {
        if self.manifest.keep == Keep::All {
            return;
        }
        let below = self.manifest.sealed_sum;
        let first = self.manifest.dropped_below;
        let kind = Kind::States;
        let parts = self.manifest.parts.iter().filter(|part| part.row.live > 0);
        let drop: Vec<FileName> = parts
            .filter(|part| (first..below).contains(&part.row.sum))
            .map(|part| FileName {
                kind,
                sum: part.row.sum,
                max: part.row.max_tile,
            })
            .collect();
        self.manifest.dropped_below = below.max(first);
        self.discard(drop);
    }

    /// Let files go: to be written over if no manifest has named them, else deleted after the next
    /// commit.
    fn discard(&mut self, names: Vec<FileName>) {
        for name in names {
            if let Some(at) = self.pending.iter().position(|&pending| pending == name) {
                self.pending.swap_remove(at);
                self.spare.push(self.temporary(name));
            } else {
                self.obsolete.push(name);
            }
        }
    }

    fn write_table(&self) -> Result<()> {
        let bytes = self.table().to_csv();
        let path = self.dir.join(TABLE);
        write_atomic(&path, |file| {
            file.write_all(&bytes).map_err(Error::io(&path, "write"))
        })
    }
}
