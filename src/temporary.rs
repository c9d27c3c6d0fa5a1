//! Temporary directories. A process that a signal ends deletes them, too.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use tempfile::{Builder, TempDir};

use crate::error::{Error, Result};
use crate::fork::ForkLock;

/// The directories that exist.
static ALL: LazyLock<ForkLock<Vec<PathBuf>>> = LazyLock::new(ForkLock::default);

/// A temporary directory, deleted when it is dropped.
pub(crate) struct TemporaryDir(TempDir);

impl TemporaryDir {
    /// Make a directory among the system's temporary files.
    pub(crate) fn new() -> Result<Self> {
        Self::make(|named| named.tempdir())
    }

    /// Make a directory in `dir`, or among the system's temporary files if `dir` is not writable.
    #[cfg(feature = "cli")]
    pub(crate) fn beside(dir: &Path) -> Result<Self> {
        Self::make(|named| named.tempdir_in(dir).or_else(|_| named.tempdir()))
    }

    fn make(make: impl FnOnce(&mut Builder) -> std::io::Result<TempDir>) -> Result<Self> {
        // A signal waits until the new directory is noted.
        let mut all = ALL.lock();
        let made = make(Builder::new().prefix(".enum48-"));
        let dir = made.map_err(Error::io(&std::env::temp_dir(), "create a directory in"))?;
        all.iter_mut()
            .for_each(|all| all.push(dir.path().to_owned()));
        Ok(Self(dir))
    }

    /// The path of the directory.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for TemporaryDir {
    fn drop(&mut self) {
        if let Some(mut all) = ALL.lock() {
            all.retain(|path| path != self.0.path());
        }
    }
}

/// The directories that exist. Until the result is dropped, no other is made.
#[cfg(feature = "cli")]
pub(crate) fn all() -> impl std::ops::Deref<Target = Vec<PathBuf>> {
    ALL.lock().expect("the program does not fork")
}
