//! What the program does before a signal ends it, where it has anything to do.
//!
//! A count does nothing: it may be killed at any moment, and the same command goes on. But what is
//! temporary is of no use to anybody and is deleted first. The process then ends by the signal, as
//! it would have without this module.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use anyhow::{Context, Result};
use signal_hook::low_level::emulate_default_handler;
use tempfile::TempDir;

use super::{machine, system};
use crate::store;

/// The signals by which people and systems end a program, if they are not ignored, as `nohup` and shells without job control have it.
pub(super) fn ending() -> impl Iterator<Item = i32> {
    let ignored = machine::ignored_signals();
    let is_ignored = move |signal| ignored >> (signal - 1) & 1 == 1;
    system::ENDING
        .into_iter()
        .filter(move |&signal| !is_ignored(signal))
}

/// End the process by a signal that it has handled.
pub(super) fn end_by(signal: i32) -> io::Result<()> {
    emulate_default_handler(signal)
}

/// A temporary directory, deleted when it is dropped or when a signal ends the process.
pub(super) struct TemporaryDir {
    // They are dropped in this order.
    dir: TempDir,
    _deleted: DeletedOnSignal,
}

impl TemporaryDir {
    pub(super) fn new() -> Result<Self> {
        let dir = tempfile::tempdir().context("temporary directory: cannot create")?;
        let deleted = DeletedOnSignal::new(dir.path());
        Ok(Self {
            dir,
            _deleted: deleted,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Until it is dropped, a signal that ends the process deletes a file or a directory first.
pub(super) struct DeletedOnSignal(PathBuf);

/// What a signal deletes.
static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn temporary() -> MutexGuard<'static, Vec<PathBuf>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DeletedOnSignal {
    pub(super) fn new(path: &Path) -> Self {
        static LISTENING: Once = Once::new();
        // If that fails, a signal ends the process at once, and leaves what is temporary.
        LISTENING.call_once(|| drop(listen()));
        temporary().push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for DeletedOnSignal {
    fn drop(&mut self) {
        temporary().retain(|path| *path != self.0);
    }
}

/// Wait for a signal, delete what is temporary, and end the process by it.
fn listen() -> io::Result<()> {
    system::on_signal(ending(), |signal| {
        // Nobody is to hear that what is being deleted is missing.
        let _silence = io::stderr().lock();
        for path in temporary().iter() {
            store::clear(path);
        }
        let _ = end_by(signal);
    })
}
