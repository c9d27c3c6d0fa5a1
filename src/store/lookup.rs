//! Where states stand in a run, for many states in any order.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::run::Run;
use crate::error::Result;
use crate::game::{Board, PartKey};
use crate::part::{Decoder, Kind, Part};

/// Finds live states in the parts of a run. Decoded blocks are kept, up to a bound, as questions
/// that follow one another often go to the same ones; to ask in order, within one part,
/// [`part::Lookup`](crate::part::Lookup) is leaner.
pub struct Lookup<'a> {
    run: &'a Run,
    parts: HashMap<PartKey, Option<Part>>,
    decoder: Decoder,
    blocks: HashMap<(PartKey, usize), Vec<Board>>,
    /// States in the blocks that are kept, and the most that may be.
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

    /// How many states of its part come before a canonical board; `None` if it is not among the
    /// live states of the run.
    ///
    /// # Errors
    ///
    /// What is wrong with the part's file.
    pub fn position(&mut self, board: Board) -> Result<Option<u64>> {
        let key = PartKey::of(board);
        let part = match self.parts.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(self.run.part(Kind::States, key)?),
        };
        let Some((part, block)) = part
            .as_ref()
            .and_then(|part| Some((part, part.block_of(board)?)))
        else {
            return Ok(None);
        };
        let before = block as u64 * part.block_size();
        let position = |states: &[Board]| {
            let within = states.binary_search(&board).ok()?;
            Some(before + within as u64)
        };
        if let Some(states) = self.blocks.get(&(key, block)) {
            return Ok(position(states));
        }
        let mut states = Vec::new();
        part.read_block(block, &mut self.decoder, &mut states)?;
        let found = position(&states);
        if self.kept + states.len() > self.bound {
            self.blocks.clear();
            self.kept = 0;
        }
        self.kept += states.len();
        self.blocks.insert((key, block), states);
        Ok(found)
    }

    /// Whether a canonical board is among the live states of the run.
    ///
    /// # Errors
    ///
    /// As for [`Lookup::position`].
    pub fn contains(&mut self, board: Board) -> Result<bool> {
        Ok(self.position(board)?.is_some())
    }
}
