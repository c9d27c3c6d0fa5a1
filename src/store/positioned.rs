//! Reads and writes a file at a given offset; several threads can read at once.

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::FileExt;
#[cfg(windows)]
use std::os::windows::fs::FileExt;

/// Write all of `bytes` at offset `at`.
#[cfg(unix)]
pub(super) fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

/// Read `into.len()` bytes at offset `at`.
#[cfg(unix)]
pub(super) fn read_exact_at(file: &File, into: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(into, at)
}

/// Write all of `bytes` at offset `at`.
#[cfg(windows)]
pub(super) fn write_all_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = file.seek_write(bytes, at)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        at += written as u64;
    }
    Ok(())
}

/// Read `into.len()` bytes at offset `at`.
#[cfg(windows)]
pub(super) fn read_exact_at(file: &File, mut into: &mut [u8], mut at: u64) -> io::Result<()> {
    while !into.is_empty() {
        let read = file.seek_read(into, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        into = &mut into[read..];
        at += read as u64;
    }
    Ok(())
}
