//! The boards of a part, block by block: in order, or on all threads.

use std::borrow::Borrow;

use rayon::prelude::*;

use super::block::Decoder;
use super::reader::Part;
use crate::error::Result;
use crate::game::Board;
use crate::progress::Stop;

/// Streams a part, a [`Part`] or a reference to one, block by block; holds one block at a time,
/// about 1 MiB.
pub struct Stream<P> {
    part: P,
    decoder: Decoder,
    /// The next block to decode.
    next: usize,
    /// The block decoded last.
    boards: Vec<Board>,
    /// The next of its boards to give.
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
            part,
            decoder: Decoder::new()?,
            next: 0,
            boards: Vec::new(),
            at: 0,
        })
    }

    /// The states of the next block, or none at the end; faster than one by one.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`](crate::Error::Damaged), naming the block.
    pub fn next_block(&mut self) -> Result<Option<&[Board]>> {
        let part = self.part.borrow();
        if self.next == part.blocks() {
            return Ok(None);
        }
        self.next += 1;
        self.at = 0;
        self.boards.clear();
        let read = part.read_block(self.next - 1, &mut self.decoder, &mut self.boards);
        read.inspect_err(|_| self.boards.clear())?;
        self.at = self.boards.len();
        Ok(Some(&self.boards))
    }
}

impl<P: Borrow<Part>> Iterator for Stream<P> {
    type Item = Result<Board>;

    /// After an error the stream is at its end.
    fn next(&mut self) -> Option<Result<Board>> {
        if self.at == self.boards.len() {
            match self.next_block() {
                Ok(Some(_)) => self.at = 0,
                Ok(None) => return None,
                Err(error) => {
                    self.next = self.part.borrow().blocks();
                    return Some(Err(error));
                }
            }
        }
        self.at += 1;
        Some(Ok(self.boards[self.at - 1]))
    }
}

/// Decode blocks on the threads of the pool that this is called on. `act` gets the boards of each
/// block and the value that was given with it.
pub(crate) fn each_block<P: Borrow<Part> + Send, T: Send>(
    blocks: Vec<(P, usize, T)>,
    stop: &Stop,
    act: impl Fn(&[Board], T) + Sync,
) -> Result<()> {
    blocks.into_par_iter().try_for_each_init(
        || (None, Vec::new()),
        |(decoder, boards), (part, block, value)| {
            stop.check()?;
            let decoder = match decoder {
                Some(decoder) => decoder,
                None => decoder.insert(Decoder::new()?),
            };
            boards.clear();
            part.borrow().read_block(block, decoder, boards)?;
            act(boards, value);
            Ok(())
        },
    )
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
