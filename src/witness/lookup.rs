//! Whether a run has a state, for many states.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::place;
use crate::error::{Error, Result};
use crate::game::Board;
use crate::run::{Decoder, Kind, Part};
use crate::store::Archive;

/// A run's live states, to ask for single ones. Decoded blocks are kept, up to a bound, as the ways back from many
/// boards go through the same ones.
pub(super) struct Lookup<'a> {
    archive: &'a Archive,
    /// By sum and largest tile.
    parts: HashMap<(u32, u32), Option<Part>>,
    decoder: Decoder,
    blocks: HashMap<(u32, u32, usize), Vec<Board>>,
    /// States in the blocks that are kept, and the most that may be.
    kept: usize,
    bound: usize,
}

impl<'a> Lookup<'a> {
    /// With about `memory` bytes for decoded blocks.
    pub(super) fn new(archive: &'a Archive, memory: u64) -> Result<Self> {
        Ok(Self {
            archive,
            parts: HashMap::new(),
            decoder: Decoder::new().map_err(Error::io(archive.dir(), "start zstd for"))?,
            blocks: HashMap::new(),
            kept: 0,
            bound: usize::try_from(memory / 8).unwrap_or(usize::MAX),
        })
    }

    /// Whether a canonical board is in its part.
    pub(super) fn has(&mut self, board: Board) -> Result<bool> {
        let (sum, max) = place(board);
        let part = match self.parts.entry((sum, max)) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(self.archive.part(Kind::States, sum, max)?),
        };
        let Some((part, block)) = part
            .as_ref()
            .and_then(|part| Some((part, part.block_of(board)?)))
        else {
            return Ok(false);
        };
        if let Some(states) = self.blocks.get(&(sum, max, block)) {
            return Ok(states.binary_search(&board).is_ok());
        }
        let mut states = Vec::new();
        part.read_block(block, &mut self.decoder, &mut states)?;
        let found = states.binary_search(&board).is_ok();
        if self.kept + states.len() > self.bound {
            self.blocks.clear();
            self.kept = 0;
        }
        self.kept += states.len();
        self.blocks.insert((sum, max, block), states);
        Ok(found)
    }
}
