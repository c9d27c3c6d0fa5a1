//! The bytes of an unfinished part file.
//!
//! Key idea: creating a file takes longer than counting a small part. So a small file stays in
//! memory until the commit that names it. A file that is dropped before the commit is never
//! created.

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file;
use crate::error::Error;

/// Maximum size of a file that stays in memory.
const MOST: usize = 256 << 10;

/// Size of the write buffer.
const BUFFER: usize = 256 << 10;

/// An unfinished file: in memory up to [`MOST`] bytes, then on disk under its temporary name.
pub(crate) struct Spool {
    path: PathBuf,
    place: SpoolBuffer,
}

enum SpoolBuffer {
    Memory(Cursor<Vec<u8>>),
    File(BufWriter<File>),
}

/// Where a finished file is until the commit that names it.
#[derive(Clone)]
pub(super) enum Spooled {
    Memory(Arc<[u8]>),
    /// Under its temporary name.
    File,
}

impl Spool {
    /// An empty file, which moves to `path` if it outgrows memory.
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            place: SpoolBuffer::Memory(Cursor::default()),
        }
    }

    /// The written bytes, or the file that holds them.
    pub(super) fn into_contents(self) -> Spooled {
        match self.place {
            SpoolBuffer::Memory(bytes) => Spooled::Memory(bytes.into_inner().into()),
            SpoolBuffer::File(_) => Spooled::File,
        }
    }

    /// The place for `bytes` more bytes. If they do not fit in memory, everything moves to a file.
    fn room(&mut self, bytes: usize) -> io::Result<&mut dyn Write> {
        if let SpoolBuffer::Memory(held) = &mut self.place
            && held.position() as usize + bytes > MOST
        {
            let cause = |error| match error {
                Error::Io { cause, .. } => cause,
                other => io::Error::other(other),
            };
            let file = file::create(&self.path).map_err(cause)?;
            let mut file = BufWriter::with_capacity(BUFFER, file);
            file.write_all(held.get_ref())?;
            file.seek(SeekFrom::Start(held.position()))?;
            self.place = SpoolBuffer::File(file);
        }
        Ok(match &mut self.place {
            SpoolBuffer::Memory(held) => held,
            SpoolBuffer::File(file) => file,
        })
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room(bytes.len())?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.room(0)?.flush()
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.place {
            SpoolBuffer::Memory(held) => held.seek(to),
            SpoolBuffer::File(file) => file.seek(to),
        }
    }
}

impl Spooled {
    /// Number of bytes held in memory.
    pub(super) fn held(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::File => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_small_file_stays_in_memory_and_a_large_one_does_not() {
        let place = tempfile::tempdir().unwrap();
        for length in [0, 1, MOST - 10, MOST, MOST + 1, 3 * MOST] {
            let path = place.path().join(length.to_string());
            let mut expected: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let mut spool = Spool::new(&path);
            for bytes in expected.chunks(1000) {
                spool.write_all(bytes).unwrap();
            }
            // A header is written last.
            spool.seek(SeekFrom::Start(0)).unwrap();
            let head = length.min(7);
            spool.write_all(&[9; 7][..head]).unwrap();
            expected[..head].fill(9);
            spool.flush().unwrap();
            let found = match spool.into_contents() {
                Spooled::Memory(bytes) => {
                    assert!(length <= MOST && !path.exists(), "{length}");
                    bytes.to_vec()
                }
                Spooled::File => {
                    assert!(length > MOST, "{length}");
                    fs::read(&path).unwrap()
                }
            };
            assert!(found == expected, "{length}");
        }
    }
}
