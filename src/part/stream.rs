//! The states of a part in order, from first to last.

use std::borrow::Borrow;

use super::blocks::Blocks;
use super::reader::Part;
use crate::error::Result;
use crate::game::Board;

/// Streams a part, a [`Part`] or a reference to one, block by block; holds one block at a time,
/// about 1 MiB.
pub struct Stream<P> {
    blocks: Blocks<P>,
    /// The next block to decode.
    next: usize,
    /// The next state to give of the block decoded last.
    at: usize,
}

impl<P: Borrow<Part>> Stream<P> {
    /// A stream from the first state on.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`](crate::Error::Zstd) if no decoder can be started.
    pub fn new(part: P) -> Result<Self> {
        Ok(Self {
            blocks: Blocks::new(part)?,
            next: 0,
            at: 0,
        })
    }

    /// The states of the next block, or none at the end; faster than one by one.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`](crate::Error::Damaged), naming the block.
    pub fn next_block(&mut self) -> Result<Option<&[Board]>> {
        if self.next == self.blocks.part().blocks() {
            return Ok(None);
        }
        self.next += 1;
        let states = self.blocks.block(self.next - 1)?;
        self.at = states.len();
        Ok(Some(states))
    }
}

impl<P: Borrow<Part>> Iterator for Stream<P> {
    type Item = Result<Board>;

    /// After an error the stream is at its end.
    fn next(&mut self) -> Option<Result<Board>> {
        if self.at == self.blocks.last().len() {
            match self.next_block() {
                Ok(Some(_)) => self.at = 0,
                Ok(None) => return None,
                Err(error) => {
                    self.next = self.blocks.part().blocks();
                    self.at = 0;
                    return Some(Err(error));
                }
            }
        }
        self.at += 1;
        Some(Ok(self.blocks.last()[self.at - 1]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::BLOCK;
    use super::super::reader::tests::part_of;
    use super::*;

    #[test]
    fn states_come_in_order_one_by_one_by_blocks_or_both() {
        let states: Vec<u64> = (0..2 * BLOCK as u64 + 3).map(|i| i * i).collect();
        let part = part_of(&states);
        let one_by_one: Result<Vec<u64>> = Stream::new(&part).unwrap().collect();
        assert_eq!(one_by_one.unwrap(), states);
        let mut mixed = Stream::new(&part).unwrap();
        assert_eq!(mixed.next().unwrap().unwrap(), 0);
        // What is left of a block is passed over.
        assert_eq!(
            mixed.next_block().unwrap().unwrap(),
            &states[BLOCK..2 * BLOCK]
        );
        let rest: Result<Vec<u64>> = mixed.collect();
        assert_eq!(rest.unwrap(), states[2 * BLOCK..]);
    }
}
