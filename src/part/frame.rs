//! An open file of boards or values: header, index and footer, and access to its blocks.

use std::fs::{self, File};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

use super::block::{PREFIX, Payload};
use super::header::{ENTRY, Footer, Header, u64_at};
use crate::error::{Error, Result};

/// The bytes of a file: mapped, or in memory.
pub(super) type Bytes = Box<dyn Deref<Target = [u8]> + Send + Sync>;

/// An open file whose blocks are not yet checked.
pub(super) struct Frame {
    pub(super) path: PathBuf,
    pub(super) bytes: Bytes,
    pub(super) header: Header,
    pub(super) footer: Footer,
    index: Range<usize>,
}

impl Frame {
    /// Map a file, and check everything except its blocks.
    pub(super) fn open(path: &Path) -> Result<Self> {
        // Opening a pipe would wait for a writer.
        let found = fs::metadata(path).map_err(Error::io(path, "open"))?;
        if !found.is_file() {
            return Err(Error::Foreign(path.to_owned()));
        }
        let file = File::open(path).map_err(Error::io(path, "open"))?;
        // SAFETY: the map is only read. Its bytes could change only if another process wrote to the
        // file. A run's directory is locked against other runs, sealed files are never written
        // again, and every block is checked against its checksum when it is decoded.
        #[expect(unsafe_code, reason = "mapping a file has no safe form")]
        let bytes = unsafe { Mmap::map(&file) }.map_err(Error::io(path, "map"))?;
        Self::from_bytes(path, Box::new(bytes))
    }

    /// Like `open`, for a file that is in memory; errors name it by `path`.
    pub(super) fn from_memory(path: &Path, bytes: Arc<[u8]>) -> Result<Self> {
        Self::from_bytes(path, Box::new(bytes))
    }

    fn from_bytes(path: &Path, bytes: Bytes) -> Result<Self> {
        let header = Header::of(path, &bytes)?;
        let damaged = |what: &str| Error::Damaged {
            path: path.to_owned(),
            what: what.to_owned(),
        };
        let (before, footer) = bytes
            .split_last_chunk()
            .expect("the header was checked against the length");
        let footer = Footer::from_bytes(footer).map_err(damaged)?;
        let end = before.len() as u64;
        let start = footer
            .blocks
            .checked_mul(ENTRY as u64)
            .and_then(|length| end.checked_sub(length))
            .filter(|&at| at >= header.size() as u64)
            .ok_or_else(|| damaged("footer: impossible number of blocks"))?;
        let index = start as usize..before.len();
        // Every block but the last is full, and the last has at least one state.
        if footer.states.div_ceil(header.block.into()) != footer.blocks {
            return Err(damaged("footer: impossible number of states"));
        }
        if crc32fast::hash(&bytes[index.clone()]) != footer.index_crc {
            return Err(damaged("index: checksum differs"));
        }
        let frame = Self {
            path: path.to_owned(),
            bytes,
            header,
            footer,
            index,
        };
        frame.check_index()?;
        Ok(frame)
    }

    /// Check that the blocks fill the file from the header to the index, and that their first
    /// states increase.
    fn check_index(&self) -> Result<()> {
        let mut end = self.header.size();
        for block in 0..self.blocks() {
            let place = self.place(block);
            if place.start != end
                || place.end < place.start + PREFIX
                || place.end > self.index.start
            {
                return Err(self.damaged(block, "index: impossible place"));
            }
            if block > 0 && self.first(block) <= self.first(block - 1) {
                return Err(self.damaged(block, "index: first states out of order"));
            }
            end = place.end;
        }
        if end != self.index.start {
            return Err(self.damaged(self.blocks(), "bytes between the blocks and the index"));
        }
        Ok(())
    }

    pub(super) fn damaged(&self, block: usize, what: &str) -> Error {
        Error::Damaged {
            path: self.path.clone(),
            what: format!("block {block}: {what}"),
        }
    }

    pub(super) fn blocks(&self) -> usize {
        self.index.len() / ENTRY
    }

    /// First board of a block, or the board of its first value, from the index.
    pub(super) fn first(&self, block: usize) -> u64 {
        u64_at(&self.bytes, self.entry(block) + 8)
    }

    fn entry(&self, block: usize) -> usize {
        assert!(block < self.blocks(), "block {block} of {}", self.blocks());
        self.index.start + ENTRY * block
    }

    /// The byte range of a block; valid once [`Frame::check_index`] has passed.
    fn place(&self, block: usize) -> Range<usize> {
        let offset = |block| u64_at(&self.bytes, self.entry(block)) as usize;
        let next = block + 1;
        let end = if next < self.blocks() {
            offset(next)
        } else {
            self.index.start
        };
        offset(block)..end
    }

    pub(super) fn check_blocks(&self) -> Result<()> {
        (0..self.blocks()).try_for_each(|block| {
            let payload = Payload::of(&self.bytes[self.place(block)]).map(drop);
            payload.map_err(|what| self.damaged(block, what))
        })
    }

    /// A block that agrees with the index and the footer; its payload is not checked.
    pub(super) fn payload(&self, block: usize) -> Result<Payload<'_>> {
        let payload = Payload::of(&self.bytes[self.place(block)])
            .map_err(|what| self.damaged(block, what))?;
        let size = u64::from(self.header.block);
        if u64::from(payload.count) != size.min(self.footer.states - block as u64 * size) {
            return Err(self.damaged(block, "count differs from the footer"));
        }
        if payload.first != self.first(block) {
            return Err(self.damaged(block, "first state differs from the index"));
        }
        Ok(payload)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Check that `read`, which reads a whole file, refuses `good` if a byte is flipped, if the
    /// file is cut at any length, and if a byte is appended. Its error must name the kind of
    /// damage.
    pub(in crate::part) fn damage_is_an_error(good: &[u8], read: impl Fn(&[u8]) -> Result<()>) {
        assert!(read(good).is_ok());
        // All bytes around the blocks, and a sample of the bytes of blocks, which are large.
        let interesting = |at: usize| at < 200 || at + 400 > good.len() || at.is_multiple_of(97);
        for at in (0..good.len()).filter(|&at| interesting(at)) {
            let mut bytes = good.to_owned();
            bytes[at] ^= 0x10;
            let error = read(&bytes)
                .err()
                .unwrap_or_else(|| panic!("flip at {at} was not seen"));
            let expected = if at < 8 {
                "not an enum48 part file"
            } else {
                "damaged"
            };
            assert!(
                error.to_string().contains(expected),
                "flip at {at}: {error}"
            );
            let error = read(&good[..at])
                .err()
                .unwrap_or_else(|| panic!("cut at {at} was not seen"));
            assert!(
                matches!(error, Error::Cut { .. } | Error::Foreign(_)),
                "cut at {at}: {error}"
            );
            assert_eq!(matches!(error, Error::Foreign(_)), at == 0);
        }
        let error = read(&[good, &[0]].concat()).unwrap_err();
        assert!(error.to_string().contains("1 bytes after the end"));
    }
}
