//! The bytes of an open file, on disk or in memory, and its little-endian integers.
//!
//! Bytes on disk are read, not mapped. A disk that fails, or another process that cuts the file, then
//! causes an error instead of a signal that ends the process.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, Result};

/// Up to this number of bytes a file is read whole. It then needs no descriptor, and most parts are
/// small.
const SMALL: usize = 16 << 10;

/// The bytes of a file, which many threads can read at once.
pub(super) enum Bytes {
    Memory(Arc<[u8]>),
    /// An open file, and its length when it was opened.
    File(File, usize),
}

impl Bytes {
    /// Open a file, and read it if it is small.
    pub(super) fn open(path: &Path) -> Result<Self> {
        // Opening a pipe would wait for a writer.
        let found = fs::metadata(path).map_err(Error::io(path, "open"))?;
        if !found.is_file() {
            return Err(Error::Foreign(path.to_owned()));
        }
        let file = File::open(path).map_err(Error::io(path, "open"))?;
        let bytes = Self::File(file, found.len() as usize);
        if bytes.len() > SMALL {
            return Ok(bytes);
        }
        let mut all = Vec::new();
        bytes.read(path, 0..bytes.len(), &mut all)?;
        Ok(Self::Memory(all.into()))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Memory(bytes) => bytes.len(),
            Self::File(_, length) => *length,
        }
    }

    /// A range of the bytes. They are read into `buffer`, unless they are in memory. Errors name the
    /// file by `path`.
    pub(super) fn read<'a>(
        &'a self,
        path: &Path,
        range: Range<usize>,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        let file = match self {
            Self::Memory(bytes) => return Ok(&bytes[range]),
            Self::File(file, _) => file,
        };
        if buffer.len() < range.len() {
            buffer.resize(range.len(), 0);
        }
        let at = range.start as u64;
        let into = &mut buffer[..range.len()];
        read_exact_at(file, into, at).map_err(|cause| Error::Read {
            path: path.to_owned(),
            at,
            cause: match cause.kind() {
                io::ErrorKind::UnexpectedEof => {
                    io::Error::new(cause.kind(), "the file was cut after it was opened")
                }
                _ => cause,
            },
        })?;
        Ok(into)
    }
}

/// Read `into.len()` bytes at offset `at`; several threads can read at once.
#[cfg(unix)]
pub(crate) fn read_exact_at(file: &File, into: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, at)
}

#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, mut into: &mut [u8], mut at: u64) -> io::Result<()> {
    while !into.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, into, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        into = &mut into[read..];
        at += read as u64;
    }
    Ok(())
}

/// The `u32` at byte `at`.
///
/// # Panics
///
/// If fewer than four bytes follow.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The `u64` at byte `at`.
///
/// # Panics
///
/// If fewer than eight bytes follow.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}
