//! The states of a part in order, from first to last.

use super::block::Decoder;
use super::reader::Part;
use crate::error::{Error, Result};

/// Streams a part block by block; holds one block at a time, about 1 MiB.
///
/// ```
/// use enum48::{run::Kind, store::Archive};
/// # use std::path::Path;
/// # let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v1/2x2-32");
/// let archive = Archive::open(Path::new(dir))?;
/// let mut layer = Vec::new();
/// for (_, max) in archive.parts(Kind::States).filter(|&(sum, _)| sum == 12) {
///     if let Some(part) = archive.part(Kind::States, 12, max)? {
///         for state in part.stream()? {
///             layer.push(state?);
///         }
///     }
/// }
/// assert_eq!(layer, [0x0222, 0x1122, 0x0023, 0x0113, 0x0131, 0x0230]);
/// # Ok::<(), enum48::Error>(())
/// ```
pub struct Stream<'a> {
    part: &'a Part,
    decoder: Decoder,
    /// The next block to read.
    block: usize,
    states: Vec<u64>,
    /// The next state of those to give.
    at: usize,
}

impl<'a> Stream<'a> {
    pub(super) fn new(part: &'a Part) -> Result<Self> {
        let decoder = Decoder::new().map_err(Error::io(part.path(), "start zstd for"))?;
        Ok(Self {
            part,
            decoder,
            block: 0,
            states: Vec::new(),
            at: 0,
        })
    }

    /// The states of the next block, or none at the end; faster than one by one.
    pub fn next_block(&mut self) -> Result<Option<&[u64]>> {
        if self.block == self.part.blocks() {
            return Ok(None);
        }
        self.seek(self.block)?;
        self.at = self.states.len();
        Ok(Some(&self.states))
    }

    /// Read one block; the stream goes on after it.
    pub(crate) fn seek(&mut self, block: usize) -> Result<&[u64]> {
        self.states.clear();
        self.part
            .read_block(block, &mut self.decoder, &mut self.states)?;
        self.block = block + 1;
        self.at = 0;
        Ok(&self.states)
    }
}

impl Iterator for Stream<'_> {
    type Item = Result<u64>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.states.len() {
            if self.block == self.part.blocks() {
                return None;
            }
            if let Err(error) = self.seek(self.block) {
                self.block = self.part.blocks();
                return Some(Err(error));
            }
        }
        self.at += 1;
        Some(Ok(self.states[self.at - 1]))
    }
}
