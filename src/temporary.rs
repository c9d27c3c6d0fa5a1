//! Temporary files and directories. A process that a signal ends deletes them, too.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use tempfile::{Builder, TempDir};

use crate::error::{Error, Result};
use crate::fork::ForkLock;

/// The files and directories that exist. While this is locked, no other is made.
pub(crate) static ALL: LazyLock<ForkLock<Vec<PathBuf>>> = LazyLock::new(ForkLock::default);

/// A path that a signal deletes until this is dropped.
pub(crate) struct Noted(PathBuf);

impl Noted {
    /// Make a file or a directory; `path` tells its path.
    pub(crate) fn make<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> &Path,
    ) -> Result<(T, Self), E> {
        // A signal waits until the new path is noted.
        let mut all = ALL.lock();
        let made = make()?;
        let path = path(&made).to_owned();
        all.iter_mut().for_each(|all| all.push(path.clone()));
        Ok((made, Self(path)))
    }
}

impl Drop for Noted {
    fn drop(&mut self) {
        if let Some(mut all) = ALL.lock() {
            all.retain(|path| *path != self.0);
        }
    }
}

/// A temporary directory, deleted when it is dropped.
pub(crate) struct TemporaryDir {
    dir: TempDir,
    _noted: Noted,
}

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
        let made = Noted::make(|| make(Builder::new().prefix(".enum48-")), TempDir::path);
        let place = std::env::temp_dir();
        let (dir, _noted) = made.map_err(Error::io(&place, "create a directory in"))?;
        Ok(Self { dir, _noted })
    }

    /// The path of the directory.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }
}
