//! A file without a name for candidates that do not fit in memory.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::file;
use crate::error::{Error, Result};
use crate::part::read_exact_at;

/// A file that grows while candidates are collected, and is read while they are sorted. It has no
/// name, so the system deletes it even if the process is killed.
pub(crate) struct Spill {
    dir: PathBuf,
    file: Option<File>,
    end: u64,
}

impl Spill {
    /// A spill file in `dir`; the first write creates the file.
    pub(crate) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            file: None,
            end: 0,
        }
    }

    /// Append bytes; returns their offset.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<u64> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(file::spill(&self.dir)?),
        };
        let at = self.end;
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.write_all(bytes))
            .map_err(Error::io(&self.dir, "write a temporary file in"))?;
        self.end += bytes.len() as u64;
        Ok(at)
    }

    /// Bytes appended so far.
    #[must_use]
    pub(crate) fn bytes(&self) -> u64 {
        self.end
    }

    /// Read `into.len()` bytes at offset `at`, and check them against their CRC-32 at the time of
    /// writing.
    pub(crate) fn read(&self, at: u64, crc: u32, into: &mut [u8]) -> Result<()> {
        let file = self.file.as_ref().expect("only appended bytes are read");
        read_exact_at(file, into, at)
            .and_then(|()| match crc32fast::hash(into) == crc {
                true => Ok(()),
                false => Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "checksum differs",
                )),
            })
            .map_err(Error::io(&self.dir, "read back a temporary file in"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_bytes_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(place.path());
        let (one, two) = (b"first", b"second");
        assert_eq!(spill.append(one).unwrap(), 0);
        assert_eq!(spill.append(two).unwrap(), 5);
        let mut back = [0; 6];
        spill.read(5, crc32fast::hash(two), &mut back).unwrap();
        assert_eq!(&back, two);
        let refused = spill.read(4, crc32fast::hash(two), &mut back).unwrap_err();
        assert!(
            refused.to_string().contains("checksum differs"),
            "{refused}"
        );
        assert!(spill.read(6, 0, &mut back).is_err(), "beyond the end");
    }
}
