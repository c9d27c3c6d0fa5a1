//! Reads the boards of parts block by block, in order or on all threads.
//!
//! Key idea: checksums find bytes that have changed, and an audit by the rules of the game finds
//! boards that never belonged to the part. Both are done when a block is decoded.

use std::iter::FusedIterator;
use std::sync::atomic::{AtomicU64, Ordering};
use std::vec::IntoIter;

use rayon::prelude::*;

use super::block::Decoder;
use super::contents::{Kind, Label};
use super::fingerprint::{Fingerprint, fingerprint};
use super::segments::Part;
use crate::error::{Error, Result};
use crate::game::{Board, Rules};
use crate::progress::Stop;

/// Boards that are audited together, so that they stay in a core's first cache.
const SLICE: usize = 1 << 12;

impl Part {
    /// The label in the header.
    pub fn label(&self) -> Label {
        self.contents
    }

    /// Audit the boards by the rules of the game: the first boards of blocks now, and all boards of
    /// each block when it is decoded.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], which names the first board that does not belong to the part.
    pub(crate) fn audited(mut self, rules: Rules) -> Result<Self> {
        self.rules = Some(rules);
        for block in 0..self.blocks() {
            self.audit(block, &[self.first(block)])?;
        }
        Ok(self)
    }

    /// The part without further audits, for boards that were audited before.
    pub(crate) fn unaudited(mut self) -> Self {
        self.rules = None;
        self
    }

    /// Check that boards of a block belong to the part.
    fn audit(&self, block: usize, boards: &[Board]) -> Result<()> {
        let Label { kind, key, .. } = self.label();
        let audit = |rules: Rules| rules.audit(boards, key, kind == Kind::Afterstates);
        let wrong = self.rules.and_then(audit);
        wrong.map_or(Ok(()), |(board, what)| Err(self.wrong(block, board, what)))
    }

    /// The error that a board of a block is wrong.
    pub(crate) fn wrong(&self, block: usize, board: Board, what: &str) -> Error {
        self.damaged(block, &format!("{board:#x} {what}"))
    }

    /// Append the states of one block to `out`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], which names the block, if its bytes have changed, or if the part belongs to
    /// a run and the block holds a board of another part; [`Error::Read`].
    pub fn read_block(
        &self,
        block: usize,
        decoder: &mut Decoder,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        let begin = out.len();
        self.decode(block, |payload| decoder.decode(payload, self.label(), out))?;
        if block + 1 < self.blocks() && out[out.len() - 1] >= self.first(block + 1) {
            return Err(self.damaged(block, "states beyond the next block's first"));
        }
        let mut slices = out[begin..].chunks(SLICE);
        slices.try_for_each(|boards| self.audit(block, boards))
    }
}

/// Streams the boards of parts, one part after another. It holds one block at a time, about 1 MiB.
/// An error ends the stream.
pub struct Stream {
    parts: Vec<Part>,
    /// The blocks that are left: the index of the part, and the number of the block.
    left: IntoIter<(usize, usize)>,
    decoder: Decoder,
    /// The block decoded last.
    boards: Vec<Board>,
    /// The index of the next board in the block.
    at: usize,
}

impl Stream {
    /// A stream from the first state of a part on.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if no decoder can be started.
    pub fn new(part: Part) -> Result<Self> {
        Self::over(vec![part])
    }

    /// A stream over several parts, in their order.
    ///
    /// # Errors
    ///
    /// As for [`Stream::new`].
    pub fn over(parts: Vec<Part>) -> Result<Self> {
        let mut blocks = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            blocks.extend((0..part.blocks()).map(|block| (index, block)));
        }
        Ok(Self {
            parts,
            left: blocks.into_iter(),
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
        let Some((index, block)) = self.left.next() else {
            return Ok(None);
        };
        let part = &self.parts[index];
        if let Err(error) = part.read_block(block, &mut self.decoder, &mut self.boards) {
            self.left = Vec::new().into_iter();
            self.boards.clear();
            return Err(error);
        }
        self.at = self.boards.len();
        Ok(Some(&self.boards))
    }
}

impl Iterator for Stream {
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

impl FusedIterator for Stream {}

/// Decode blocks on the threads of the caller's pool. `act` gets the boards of each block, and the
/// value that was given with the block.
pub(crate) fn each_block<T: Send>(
    blocks: Vec<(&Part, usize, T)>,
    stop: &Stop,
    act: impl Fn(&[Board], T) + Sync,
) -> Result<()> {
    blocks.into_par_iter().try_for_each_init(
        || (None, Vec::new()),
        |(decoder, boards), (part, block, value)| {
            stop.check()?;
            boards.clear();
            part.read_block(block, Decoder::of(decoder)?, boards)?;
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
    let what = format!("its footer says fingerprint {said}, its boards have {found}");
    Err(Error::mismatch(part.path(), what))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::block::{Block, Encoder};
    use super::super::contents::BLOCK;
    use super::super::frame::tests::damage_is_an_error;
    use super::super::header::{HEADER, Header};
    use super::super::ranks::tests::some_boards;
    use super::super::writer::PartWriter;
    use super::*;
    use crate::game::rank::Ranking;
    use crate::game::{Exp, PartKey};
    use std::io::Cursor;
    use std::path::Path;

    pub(in crate::part) fn label() -> Label {
        let max = Exp::of_tile(256).unwrap();
        let game = "4x4-1024".parse().unwrap();
        Label::new(&game, Kind::States, PartKey { sum: 400, max })
    }

    /// Boards of the part, with far and near ranks.
    pub(in crate::part) fn sample(count: usize) -> Vec<u64> {
        some_boards(label(), (0..).map(|i| i * 3 + i / 100 * 1000), count)
    }

    /// The bytes of a part file.
    pub(in crate::part) fn file_of(states: &[u64]) -> Vec<u8> {
        let mut writer =
            PartWriter::new(Cursor::new(Vec::new()), Path::new("memory"), label()).unwrap();
        let (mut encoder, ranking) = (
            Encoder::new(3).unwrap(),
            Ranking::of_part(label().size, label().key),
        );
        let mut block = Block::default();
        for states in states.chunks(BLOCK) {
            encoder.encode(&ranking, states, &mut block).unwrap();
            writer.append(&block).unwrap();
        }
        writer.finish().unwrap().0.into_inner()
    }

    pub(in crate::part) fn part_of(states: &[u64]) -> Part {
        read(&file_of(states)).unwrap().0
    }

    /// Open bytes as a file and read every block.
    fn read(bytes: &[u8]) -> Result<(Part, Vec<u64>)> {
        let part = Part::from_memory(Path::new("memory"), bytes.into())?;
        let mut decoder = Decoder::new().unwrap();
        let mut states = Vec::new();
        for block in 0..part.blocks() {
            part.read_block(block, &mut decoder, &mut states)?;
        }
        Ok((part, states))
    }

    #[test]
    fn states_are_read_back_as_written() {
        for count in [0, 1, 2, BLOCK, BLOCK + 1, 2 * BLOCK + 500] {
            let states = sample(count);
            let (part, found) = read(&file_of(&states)).unwrap();
            assert_eq!(found, states);
            assert_eq!(part.states(), count as u64);
            assert_eq!(part.label(), label());
            assert_eq!(part.fingerprint(), fingerprint(&states));
            assert_eq!(part.blocks(), count.div_ceil(BLOCK));
        }
    }

    #[test]
    fn every_flipped_byte_cut_and_appended_byte_is_an_error() {
        let states = sample(BLOCK + 900);
        damage_is_an_error(&file_of(&states), |bytes| read(bytes).map(drop));
    }

    #[test]
    fn an_index_that_asks_for_more_memory_than_a_block_can_need_is_refused() {
        for (more, refused) in [(4000, false), (5000, true)] {
            let mut bytes = file_of(&sample(1));
            let index = bytes.len() - 56;
            bytes.splice(index..index, vec![0; more]);
            let header = Header {
                contents: label().into(),
                block: 1,
                length: bytes.len() as u64,
            };
            bytes[..HEADER].copy_from_slice(&header.to_bytes());
            let error = read(&bytes).err().unwrap().to_string();
            assert_eq!(error.contains("impossible place"), refused, "{error}");
        }
    }

    #[test]
    fn unfinished_and_newer_files_are_told_apart() {
        let mut unfinished = file_of(&sample(3));
        let header = Header {
            contents: label().into(),
            block: BLOCK as u32,
            length: 0,
        };
        unfinished[..HEADER].copy_from_slice(&header.to_bytes());
        assert!(matches!(read(&unfinished), Err(Error::Unfinished(_))));

        let mut newer = file_of(&sample(3));
        newer[8] = 3;
        let crc = crc32fast::hash(&newer[..36]);
        newer[36..40].copy_from_slice(&crc.to_le_bytes());
        assert!(matches!(
            read(&newer),
            Err(Error::Format {
                found: 3,
                known: 2,
                ..
            })
        ));
    }

    #[test]
    fn a_stream_gives_states_in_order_one_by_one_or_by_blocks() {
        let states = sample(2 * BLOCK + 3);
        let part = part_of(&states);
        let one_by_one: Result<Vec<u64>> = Stream::new(part.clone()).unwrap().collect();
        assert_eq!(one_by_one.unwrap(), states);
        let mut mixed = Stream::new(part.clone()).unwrap();
        assert_eq!(mixed.next().unwrap().unwrap(), states[0]);
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
        let states = sample(BLOCK + 9);
        let few = &states[7..9];
        let parts = [&[][..], &states, &[], few].map(part_of);
        let expected = [&states[..], few].concat();
        let found: Result<Vec<u64>> = Stream::over(parts.to_vec()).unwrap().collect();
        assert_eq!(found.unwrap(), expected);
        let mut blocks = Stream::over(parts.into()).unwrap();
        for expected in [&states[..BLOCK], &states[BLOCK..], few] {
            assert_eq!(blocks.next_block().unwrap().unwrap(), expected);
        }
        assert!(blocks.next_block().unwrap().is_none() && blocks.next().is_none());
    }
}
