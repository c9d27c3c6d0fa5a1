//! A commit makes sealed files durable, on a thread of its own, while the count goes on.
//!
//! The order of its steps keeps the directory consistent at every moment. First the files become
//! durable, then their names, then the manifest that lists them. Last, obsolete files are deleted,
//! and the table is written.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread::{self, JoinHandle, ScopedJoinHandle};

use super::file;
use super::files::FileName;
use super::writer::Spooled;
use crate::error::{Error, Result};

/// Number of files that are synced at once: a device syncs several files nearly as fast as one.
const AT_ONCE: usize = 8;

/// A manifest, which names files.
pub(super) trait Record: Send + Sync + 'static {
    /// Whether the manifest names a file.
    fn names(&self, name: FileName) -> bool;

    /// Replace the manifest in a directory, durably. From then on, files that it does not name are
    /// orphans.
    fn save(&self, dir: &Path) -> Result<()>;

    /// Write the files that are derived from the manifest.
    fn follow(&self, _dir: &Path) -> Result<()> {
        Ok(())
    }
}

/// A finished file of a sealed layer that no manifest names yet.
#[derive(Clone)]
pub(super) struct Pending {
    pub(super) name: FileName,
    pub(super) contents: Spooled,
}

/// The input of a commit.
pub(super) struct Commit<R> {
    pub(super) dir: PathBuf,
    pub(super) record: R,
    /// Files to publish.
    pub(super) files: Vec<Pending>,
    /// Files that the record no longer names.
    pub(super) obsolete: Vec<FileName>,
}

impl<R: Record> Commit<R> {
    /// Begin on a new thread.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] if the system cannot start a thread.
    pub(super) fn begin(self) -> Result<UnderWay> {
        let (files, obsolete) = (self.files.len(), self.obsolete.len());
        let thread = thread::Builder::new().name("commit".to_owned());
        let started = thread.spawn(move || self.carry_out());
        Ok(UnderWay {
            thread: started.map_err(|error| Error::Threads {
                threads: 1,
                cause: error.to_string(),
            })?,
            files,
            obsolete,
        })
    }

    fn carry_out(self) -> Result<()> {
        self.publish()?;
        file::sync_dir(&self.dir)?;
        self.record.save(&self.dir)?;
        for name in &self.obsolete {
            file::remove(&self.dir.join(name.to_string()))?;
        }
        self.record.follow(&self.dir)
    }

    /// Make the files durable and name them, several files at once.
    fn publish(&self) -> Result<()> {
        let files = Mutex::new(self.files.iter());
        let next = || files.lock().expect("no thread panics").next();
        let some = || {
            while let Some(pending) = next() {
                pending.publish(&self.dir)?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            // If a thread cannot be started, the other threads do its work.
            let others: Vec<ScopedJoinHandle<Result<()>>> = (1..AT_ONCE.min(self.files.len()))
                .filter_map(|_| thread::Builder::new().spawn_scoped(scope, some).ok())
                .collect();
            let own = some();
            let mut ends = others.into_iter().map(ScopedJoinHandle::join);
            own.and(ends.try_for_each(|end| end.expect("no thread panics")))
        })
    }
}

impl Pending {
    fn publish(&self, dir: &Path) -> Result<()> {
        let path = dir.join(self.name.to_string());
        let temporary = file::temporary(&path);
        match &self.contents {
            Spooled::Memory(bytes) => file::write(&temporary, bytes)?,
            // A failed commit may have published the file already.
            Spooled::File if !file::is_there(&temporary)? && file::is_there(&path)? => {
                return Ok(());
            }
            Spooled::File => {}
        }
        file::publish(&temporary, &path)
    }
}

/// A running commit.
pub(super) struct UnderWay {
    thread: JoinHandle<Result<()>>,
    /// Number of files that it publishes.
    pub(super) files: usize,
    pub(super) obsolete: usize,
}

impl UnderWay {
    pub(super) fn end(self) -> Result<()> {
        self.thread.join().expect("no thread panics")
    }
}
