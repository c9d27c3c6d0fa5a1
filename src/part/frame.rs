//! An open file of boards, values or matrices: header, index and footer, and access to its blocks.

use std::cell::RefCell;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::block::{PREFIX, Payload};
use super::bytes::{Bytes, u64_at};
use super::contents::{ABOUT, Contents};
use super::header::{ABOUT_LOCKS, ENTRY, FOOTER, Footer, HEADER, Header};
use crate::error::{Error, Result};

/// Most bytes of a block: a constant, and the bytes for each state or value of a full block.
const LEAST_ROOM: usize = 4 << 10;
const ROOM: usize = 16;

thread_local! {
    /// The stored bytes of the block that the thread reads.
    static STORED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// An open file whose blocks are not yet checked.
pub(super) struct Frame {
    pub(super) path: PathBuf,
    bytes: Bytes,
    pub(super) header: Header,
    pub(super) footer: Footer,
    /// Bytes before the index.
    before: usize,
    index: Box<[u8]>,
}

impl Frame {
    /// Check everything except the blocks. Errors name the file by `path`.
    pub(super) fn of(path: &Path, bytes: Bytes) -> Result<Self> {
        let mut buffer = Vec::new();
        let head = 0..bytes.len().min(HEADER + ABOUT_LOCKS + ABOUT);
        let head = bytes.read(path, head, &mut buffer)?;
        let header = Header::of(path, head, bytes.len() as u64)?;
        let damaged = |what: &str| Error::damaged(path, what);
        let end = bytes.len() - FOOTER;
        let footer = bytes.read(path, end..bytes.len(), &mut buffer)?;
        let footer = footer.first_chunk().expect("the range of a footer");
        let footer = Footer::from_bytes(footer).map_err(damaged)?;
        let before = footer
            .blocks
            .checked_mul(ENTRY as u64)
            .and_then(|length| (end as u64).checked_sub(length))
            .filter(|&at| at >= header.size() as u64)
            .ok_or_else(|| damaged("footer: impossible number of blocks"))?;
        let before = before as usize;
        // Every block but the last is full, and the last has at least one state.
        if footer.states.div_ceil(header.block.into()) != footer.blocks {
            return Err(damaged("footer: impossible number of states"));
        }
        let index = Box::from(bytes.read(path, before..end, &mut buffer)?);
        if crc32fast::hash(&index) != footer.index_crc {
            return Err(damaged("index: checksum differs"));
        }
        let frame = Self {
            path: path.to_owned(),
            bytes,
            header,
            footer,
            before,
            index,
        };
        frame.check_index()?;
        Ok(frame)
    }

    /// Check that the blocks fill the file from the header to the index, and that their first
    /// states increase.
    fn check_index(&self) -> Result<()> {
        let mut end = self.header.size();
        // A block is read into memory, so no index may ask for more than a block can need.
        let most = match self.header.contents {
            Contents::Matrices(_) => u32::MAX as usize,
            Contents::Boards(_) | Contents::Values(_) => {
                LEAST_ROOM + ROOM * self.header.block as usize
            }
        };
        let lengths = PREFIX..=most;
        for block in 0..self.blocks() {
            let place = self.place(block);
            let length = place.end.saturating_sub(place.start);
            if place.start != end || !lengths.contains(&length) || place.end > self.before {
                return Err(self.damaged(block, "index: impossible place"));
            }
            if block > 0 && self.first(block) <= self.first(block - 1) {
                return Err(self.damaged(block, "index: first states out of order"));
            }
            end = place.end;
        }
        if end != self.before {
            let what = "bytes between the blocks and the index";
            return Err(Error::damaged(&self.path, what));
        }
        Ok(())
    }

    pub(super) fn damaged(&self, block: usize, what: &str) -> Error {
        Error::damaged(&self.path, format!("block {block}: {what}"))
    }

    pub(super) fn blocks(&self) -> usize {
        self.index.len() / ENTRY
    }

    /// First board of a block, or the board of its first value, from the index.
    pub(super) fn first(&self, block: usize) -> u64 {
        u64_at(&self.index, self.entry(block) + 8)
    }

    fn entry(&self, block: usize) -> usize {
        assert!(block < self.blocks(), "block {block} of {}", self.blocks());
        ENTRY * block
    }

    /// The byte range of a block; valid once [`Frame::check_index`] has passed.
    fn place(&self, block: usize) -> Range<usize> {
        let offset = |block| u64_at(&self.index, self.entry(block)) as usize;
        let next = block + 1;
        let end = if next < self.blocks() {
            offset(next)
        } else {
            self.before
        };
        offset(block)..end
    }

    /// Whether reading needs an open file.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.bytes, Bytes::File(..))
    }

    pub(super) fn check_blocks(&self) -> Result<()> {
        (0..self.blocks()).try_for_each(|block| self.read(block, |_| Ok(())))
    }

    /// Read a block, and give it to `act`.
    fn read<T>(
        &self,
        block: usize,
        act: impl FnOnce(Payload<'_>) -> Result<T, &'static str>,
    ) -> Result<T> {
        STORED.with_borrow_mut(|buffer| {
            let bytes = self.bytes.read(&self.path, self.place(block), buffer)?;
            let acted = Payload::of(bytes).and_then(act);
            acted.map_err(|what| self.damaged(block, what))
        })
    }

    /// Give a block to `decode` if it agrees with the index and the footer.
    pub(super) fn decode<T>(
        &self,
        block: usize,
        decode: impl FnOnce(Payload<'_>) -> Result<T, &'static str>,
    ) -> Result<T> {
        self.read(block, |payload| {
            let size = u64::from(self.header.block);
            if u64::from(payload.count) != size.min(self.footer.states - block as u64 * size) {
                return Err("count differs from the footer");
            }
            if payload.first != self.first(block) {
                return Err("first state differs from the index");
            }
            decode(payload)
        })
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
