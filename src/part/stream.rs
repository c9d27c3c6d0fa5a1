//! Reads the boards of parts block by block, in order or on all threads.

use std::borrow::Borrow;
use std::iter::FusedIterator;
use std::sync::atomic::{AtomicU64, Ordering};
use std::vec::IntoIter;

use rayon::prelude::*;

use super::block::Decoder;
use super::fingerprint::{Fingerprint, fingerprint};
use super::segments::Part;
use crate::error::{Error, Result};
use crate::game::Board;
use crate::progress::Stop;

/// Streams the boards of parts, one part after another. It holds one block at a time, about 1 MiB.
/// `P` is a [`Part`] or a reference to a part. An error ends the stream.
pub struct Stream<P> {
    parts: IntoIter<P>,
    /// The current part, and its next block.
    part: Option<(P, usize)>,
    decoder: Decoder,
    /// The block decoded last.
    boards: Vec<Board>,
    /// The index of the next board in the block.
    at: usize,
}

impl<P: Borrow<Part>> Stream<P> {
    /// A stream from the first state of a part on.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if no decoder can be started.
    pub fn new(part: P) -> Result<Self> {
        Self::over(vec![part])
    }

    /// A stream over several parts, in their order.
    ///
    /// # Errors
    ///
    /// As for [`Stream::new`].
    pub fn over(parts: Vec<P>) -> Result<Self> {
        let mut parts = parts.into_iter();
        Ok(Self {
            part: parts.next().map(|part| (part, 0)),
            parts,
            decoder: Decoder::new()?,
            boards: Vec::new(),
            at: 0,
        })
    }

    /// The states of the next block, or `None` at the end. This is faster than an iterator over
    /// states.
    ///
    /// # Errors
    ///
    /// As for [`Part::read_block`].
    pub fn next_block(&mut self) -> Result<Option<&[Board]>> {
        self.at = 0;
        self.boards.clear();
        while let Some((part, next)) = &mut self.part {
            let part: &Part = (*part).borrow();
            if *next < part.blocks() {
                let read = part.read_block(*next, &mut self.decoder, &mut self.boards);
                *next += 1;
                if let Err(error) = read {
                    self.part = None;
                    self.boards.clear();
                    return Err(error);
                }
                self.at = self.boards.len();
                return Ok(Some(&self.boards));
            }
            self.part = self.parts.next().map(|part| (part, 0));
        }
        Ok(None)
    }
}

impl<P: Borrow<Part>> Iterator for Stream<P> {
    type Item = Result<Board>;

    fn next(&mut self) -> Option<Result<Board>> {
        if self.at == self.boards.len() {
            match self.next_block() {
                Ok(Some(_)) => self.at = 0,
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        self.at += 1;
        Some(Ok(self.boards[self.at - 1]))
    }
}

impl<P: Borrow<Part>> FusedIterator for Stream<P> {}

/// Decode blocks on the threads of the caller's pool. `act` gets the boards of each block, and the
/// value that was given with the block.
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

/// Decode a part on the threads of the caller's pool, and check its fingerprint.
///
/// # Errors
///
/// As for [`Part::read_block`]; [`Error::Mismatch`] if the boards have another fingerprint.
pub(crate) fn check_boards(part: &Part, stop: &Stop) -> Result<()> {
    let found = AtomicU64::new(0);
    let blocks = (0..part.blocks()).map(|block| (part, block, ())).collect();
    each_block(blocks, stop, |boards, ()| {
        found.fetch_add(fingerprint(boards).0, Ordering::Relaxed);
    })?;
    let (said, found) = (part.fingerprint(), Fingerprint(found.into_inner()));
    if said == found {
        return Ok(());
    }
    Err(Error::Mismatch {
        path: part.path().to_owned(),
        what: format!("its footer says fingerprint {said}, its boards have {found}"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::block::BLOCK;
    use super::super::boards::tests::part_of;
    use super::*;

    #[test]
    fn a_stream_gives_states_in_order_one_by_one_or_by_blocks() {
        let states: Vec<u64> = (0..2 * BLOCK as u64 + 3).map(|i| i * i).collect();
        let part = part_of(&states);
        let one_by_one: Result<Vec<u64>> = Stream::new(&part).unwrap().collect();
        assert_eq!(one_by_one.unwrap(), states);
        let mut mixed = Stream::new(&part).unwrap();
        assert_eq!(mixed.next().unwrap().unwrap(), 0);
        // `next_block` skips the rest of the current block.
        assert_eq!(
            mixed.next_block().unwrap().unwrap(),
            &states[BLOCK..2 * BLOCK]
        );
        let rest: Result<Vec<u64>> = mixed.collect();
        assert_eq!(rest.unwrap(), states[2 * BLOCK..]);
    }

    #[test]
    fn a_stream_gives_one_part_after_another_and_skips_empty_parts() {
        let states: Vec<u64> = (0..BLOCK as u64 + 9).collect();
        let parts = [&[][..], &states, &[], &[7, 8]].map(part_of);
        let expected = [&states[..], &[7, 8]].concat();
        let found: Result<Vec<u64>> = Stream::over(parts.iter().collect()).unwrap().collect();
        assert_eq!(found.unwrap(), expected);
        let mut blocks = Stream::over(parts.into()).unwrap();
        for expected in [&states[..BLOCK], &states[BLOCK..], &[7, 8]] {
            assert_eq!(blocks.next_block().unwrap().unwrap(), expected);
        }
        assert!(blocks.next_block().unwrap().is_none() && blocks.next().is_none());
    }
}
