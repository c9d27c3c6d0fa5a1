//! Writes a file of boards, values or matrices: header, blocks, index and footer.

use std::fmt;
use std::io::{self, Seek, SeekFrom, Write};
use std::iter::Sum;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::block::Block;
use super::contents::Contents;
use super::delta::expect_order;
use super::fingerprint::Fingerprint;
use super::header::{ENTRY, FOOTER, Footer, Header};
use crate::error::{Error, Result};

/// The totals of one or more finished files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// Number of states, values or matrices.
    pub states: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Fingerprint of the states, or of the values and their states.
    pub fingerprint: Fingerprint,
}

/// `5 entries in 96 bytes, fingerprint ...`.
impl fmt::Display for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entries in {} bytes", self.states, self.bytes)?;
        write!(f, ", fingerprint {}", self.fingerprint)
    }
}

impl Sum for Sealed {
    fn sum<I: Iterator<Item = Self>>(files: I) -> Self {
        files.fold(Self::default(), |mut all, file| {
            // A forged manifest can hold any numbers.
            all.states = all.states.saturating_add(file.states);
            all.bytes = all.bytes.saturating_add(file.bytes);
            all.fingerprint += file.fingerprint;
            all
        })
    }
}

/// Writes a file of boards, values or matrices. It is marked as unfinished until
/// [`PartWriter::finish`].
pub struct PartWriter<W> {
    file: W,
    path: PathBuf,
    header: Header,
    index: Vec<u8>,
    last: Option<u64>,
    sealed: Sealed,
}

impl<W: Write + Seek> PartWriter<W> {
    /// Begin a file with `contents`, a [`Label`](super::Label), an [`About`](super::About) or a
    /// [`LayerLabel`](super::LayerLabel), in an empty `file`. Errors name it by `path`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the header cannot be written.
    ///
    /// # Panics
    ///
    /// If the contents are values of states, not of afterstates.
    pub fn new(file: W, path: &Path, contents: impl Into<Contents>) -> Result<Self> {
        let contents = contents.into();
        Self::in_blocks(file, path, contents, contents.block())
    }

    /// Like `new`, in blocks of `block` boards.
    pub(crate) fn in_blocks(
        file: W,
        path: &Path,
        contents: Contents,
        block: usize,
    ) -> Result<Self> {
        let header = Header {
            contents,
            block: block as u32,
            length: 0,
        };
        let sealed = Sealed {
            bytes: header.size() as u64,
            ..Sealed::default()
        };
        let mut writer = Self {
            file,
            path: path.to_owned(),
            header,
            index: Vec::new(),
            last: None,
            sealed,
        };
        writer.try_io(|file| file.write_all(&header.to_bytes()))?;
        Ok(writer)
    }

    /// Number of states or values in a full block.
    pub fn block(&self) -> usize {
        self.header.block as usize
    }

    /// Number of states or values appended so far.
    pub(crate) fn states(&self) -> u64 {
        self.sealed.states
    }

    /// Refuse a block that does not begin after the end of the last block.
    pub(crate) fn expect_next(&self, first: u64) -> Result<()> {
        self.last.map_or(Ok(()), |last| expect_order(last, first))
    }

    /// Append a block. Every block but the last must be full.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfOrder`] unless the block begins after the end of the block before.
    pub fn append(&mut self, block: &Block) -> Result<()> {
        self.expect_next(block.first)?;
        self.try_io(|file| file.write_all(&block.bytes))?;
        self.index.extend(self.sealed.bytes.to_le_bytes());
        self.index.extend(block.first.to_le_bytes());
        self.last = Some(block.last);
        self.sealed.bytes += block.bytes.len() as u64;
        self.sealed.states += u64::from(block.count);
        self.sealed.fingerprint += block.fingerprint;
        Ok(())
    }

    /// Write index and footer, and mark the file as finished. The caller makes the file durable.
    pub fn finish(mut self) -> Result<(W, Sealed)> {
        self.sealed.bytes += (self.index.len() + FOOTER) as u64;
        let footer = Footer {
            states: self.sealed.states,
            blocks: (self.index.len() / ENTRY) as u64,
            fingerprint: self.sealed.fingerprint,
            index_crc: crc32fast::hash(&self.index),
        };
        let header = Header {
            length: self.sealed.bytes,
            ..self.header
        };
        let index = std::mem::take(&mut self.index);
        self.try_io(|file| {
            file.write_all(&index)?;
            file.write_all(&footer.to_bytes())?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&header.to_bytes())?;
            file.flush()
        })?;
        Ok((self.file, self.sealed))
    }

    fn try_io(&mut self, act: impl FnOnce(&mut W) -> io::Result<()>) -> Result<()> {
        act(&mut self.file).map_err(Error::io(&self.path, "write"))
    }
}
