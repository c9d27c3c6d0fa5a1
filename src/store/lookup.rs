//! Where boards stand in the files of a run, for many boards in any order.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::files::PartName;
use super::run::Run;
use crate::error::Result;
use crate::game::{Board, PartKey};
use crate::part::{Decoder, Kind, Part};

/// Finds live states and afterstates in the parts of a run. Decoded blocks are kept, up to a bound, as questions
/// that follow one another often go to the same ones; to ask in order, within one part,
/// [`part::Lookup`](crate::part::Lookup) is leaner.
pub struct Lookup<'a> {
    run: &'a Run,
    parts: HashMap<PartName, Option<Part>>,
    decoder: Decoder,
    blocks: HashMap<(PartName, usize), Vec<Board>>,
    /// Boards in the blocks that are kept, and the most that may be.
    kept: usize,
    bound: usize,
}

impl<'a> Lookup<'a> {
    /// With about `memory` bytes for decoded blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`](crate::Error::Zstd) if no decoder can be started.
    pub fn new(run: &'a Run, memory: u64) -> Result<Self> {
        Ok(Self {
            run,
            parts: HashMap::new(),
            decoder: Decoder::new()?,
            blocks: HashMap::new(),
            kept: 0,
            bound: usize::try_from(memory / 8).unwrap_or(usize::MAX),
        })
    }

    /// How many boards of its part come before a canonical one; `None` if it is not among those of
    /// this kind that the run has files of.
    ///
    /// # Errors
    ///
    /// What is wrong with the part's file.
    pub fn position(&mut self, kind: Kind, board: Board) -> Result<Option<u64>> {
        let key = PartKey::of(board);
        let name = PartName { kind, key };
        let part = match self.parts.entry(name) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(self.run.part(kind, key)?),
        };
        let Some((part, block)) = part
            .as_ref()
            .and_then(|part| Some((part, part.block_of(board)?)))
        else {
            return Ok(None);
        };
        let before = block as u64 * part.block_size();
        let position = |boards: &[Board]| {
            let within = boards.binary_search(&board).ok()?;
            Some(before + within as u64)
        };
        if let Some(boards) = self.blocks.get(&(name, block)) {
            return Ok(position(boards));
        }
        let mut boards = Vec::new();
        part.read_block(block, &mut self.decoder, &mut boards)?;
        let found = position(&boards);
        if self.kept + boards.len() > self.bound {
            self.blocks.clear();
            self.kept = 0;
        }
        self.kept += boards.len();
        self.blocks.insert((name, block), boards);
        Ok(found)
    }

    /// Whether a canonical board is among those of this kind that the run has files of.
    ///
    /// # Errors
    ///
    /// As for [`Lookup::position`].
    pub fn contains(&mut self, kind: Kind, board: Board) -> Result<bool> {
        Ok(self.position(kind, board)?.is_some())
    }
}
