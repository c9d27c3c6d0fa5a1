//! A nameless file for what does not fit in memory.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::file;
use crate::error::{Error, Result};

/// Appended to while a part is gathered, read while it is reduced, then closed. The file has no name
/// in the directory, so nothing of it stays, however the process ends.
pub struct Spill {
    dir: PathBuf,
    file: Option<File>,
    end: u64,
}

impl Spill {
    pub(super) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            file: None,
            end: 0,
        }
    }

    /// Append bytes; returns where they begin. The first call makes the file.
    pub fn append(&mut self, bytes: &[u8]) -> Result<u64> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(file::spill(&self.dir)?),
        };
        let at = self.end;
        file.write_all_at(bytes, at)
            .map_err(Error::io(&self.dir, "write a temporary file in"))?;
        self.end += bytes.len() as u64;
        Ok(at)
    }

    /// Bytes appended so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// Read `into.len()` bytes from `at`.
    pub fn read(&self, at: u64, into: &mut [u8]) -> Result<()> {
        let file = self.file.as_ref().expect("what is read was appended");
        file.read_exact_at(into, at)
            .map_err(Error::io(&self.dir, "read a temporary file in"))
    }
}
