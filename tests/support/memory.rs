//! Directories in memory.

use tempfile::TempDir;

/// A directory in memory, where there is one: for files that are written many thousand times.
pub(crate) fn in_memory() -> TempDir {
    let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    dir.unwrap()
}
