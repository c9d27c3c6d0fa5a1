//! The blocks of a part, decoded one at a time.

use std::borrow::Borrow;

use super::block::Decoder;
use super::reader::Part;
use crate::error::Result;
use crate::game::Board;

/// Decodes blocks of a part and keeps the last one, about 1 MiB. `P` is a [`Part`] or a reference
/// to one.
pub(crate) struct Blocks<P> {
    part: P,
    decoder: Decoder,
    /// The block that `states` are of.
    at: Option<usize>,
    states: Vec<Board>,
}

impl<P: Borrow<Part>> Blocks<P> {
    /// The blocks of `part`; none is decoded yet.
    pub(crate) fn new(part: P) -> Result<Self> {
        Ok(Self {
            part,
            decoder: Decoder::new()?,
            at: None,
            states: Vec::new(),
        })
    }

    pub(crate) fn part(&self) -> &Part {
        self.part.borrow()
    }

    /// The states of a block; decoded unless it is the one kept.
    pub(crate) fn block(&mut self, block: usize) -> Result<&[Board]> {
        if self.at != Some(block) {
            self.at = None;
            self.states.clear();
            let part = self.part.borrow();
            if let Err(error) = part.read_block(block, &mut self.decoder, &mut self.states) {
                self.states.clear();
                return Err(error);
            }
            self.at = Some(block);
        }
        Ok(&self.states)
    }

    /// The states of the block decoded last.
    pub(crate) fn last(&self) -> &[Board] {
        &self.states
    }
}
