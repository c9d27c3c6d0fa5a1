//! The files of a directory, and directories in memory.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// The names and bytes of all files in a directory.
pub(crate) fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

/// A directory in memory, where nothing waits for a disk. The memory of a container may be too small.
pub(crate) fn in_memory() -> TempDir {
    let place = Path::new("/dev/shm");
    if fs4::available_space(place).is_ok_and(|free| free > 1 << 30) {
        tempfile::tempdir_in(place).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}
