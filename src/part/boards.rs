//! The boards of an open part, decoded block by block.
//!
//! Key idea: checksums find bytes that have changed, and an audit by the rules of the game finds
//! boards that never belonged to the part. Both are done when a block is decoded.

use super::block::Decoder;
use super::contents::{Kind, Label};
use super::segments::Part;
use crate::error::{Error, Result};
use crate::game::{Board, Rules};

/// Boards that are audited together, so that they stay in a core's first cache.
const SLICE: usize = 1 << 12;

impl Part {
    /// The label in the header.
    #[must_use]
    pub fn label(&self) -> Label {
        self.contents
    }

    /// Audit the boards by the rules of the game: the first boards of blocks now, and all boards of
    /// each block when it is decoded.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], which names the first board that does not belong to the part.
    pub(crate) fn audited(mut self, rules: &'static dyn Rules) -> Result<Self> {
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
        let audit = |rules: &dyn Rules| rules.audit(boards, key, kind == Kind::Afterstates);
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
        self.decode(block, |payload| decoder.decode(payload, out))?;
        if block + 1 < self.blocks() && out[out.len() - 1] >= self.first(block + 1) {
            return Err(self.damaged(block, "states beyond the next block's first"));
        }
        let mut slices = out[begin..].chunks(SLICE);
        slices.try_for_each(|boards| self.audit(block, boards))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::block::{BLOCK, Block, Encoder};
    use super::super::fingerprint;
    use super::super::frame::tests::damage_is_an_error;
    use super::super::header::{HEADER, Header};
    use super::super::writer::PartWriter;
    use super::*;
    use crate::game::{Exp, PartKey};
    use std::io::Cursor;
    use std::path::Path;

    const LABEL: Label = Label {
        kind: Kind::States,
        rows: 3,
        cols: 3,
        win: Exp::of_tile(1024).unwrap(),
        key: PartKey {
            sum: 100,
            max: Exp::of_tile(64).unwrap(),
        },
    };

    /// The bytes of a part file.
    pub(in crate::part) fn file_of(states: &[u64]) -> Vec<u8> {
        let mut writer =
            PartWriter::new(Cursor::new(Vec::new()), Path::new("memory"), LABEL).unwrap();
        let mut encoder = Encoder::new(3).unwrap();
        let mut block = Block::default();
        for states in states.chunks(BLOCK) {
            encoder.encode(states, &mut block).unwrap();
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
            let states: Vec<u64> = (0..count as u64).map(|i| i * 3 + i / 100 * 1000).collect();
            let (part, found) = read(&file_of(&states)).unwrap();
            assert_eq!(found, states);
            assert_eq!(part.states(), count as u64);
            assert_eq!(part.label(), LABEL);
            assert_eq!(part.fingerprint(), fingerprint(&states));
            assert_eq!(part.blocks(), count.div_ceil(BLOCK));
        }
    }

    #[test]
    fn every_flipped_byte_cut_and_appended_byte_is_an_error() {
        let states: Vec<u64> = (0..BLOCK as u64 + 900).map(|i| i * i).collect();
        damage_is_an_error(&file_of(&states), |bytes| read(bytes).map(drop));
    }

    #[test]
    fn an_index_that_asks_for_more_memory_than_a_block_can_need_is_refused() {
        for (more, refused) in [(4000, false), (5000, true)] {
            let mut bytes = file_of(&[7]);
            let index = bytes.len() - 56;
            bytes.splice(index..index, vec![0; more]);
            let header = Header {
                contents: LABEL.into(),
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
        let mut unfinished = file_of(&[1, 2, 3]);
        let header = Header {
            contents: LABEL.into(),
            block: BLOCK as u32,
            length: 0,
        };
        unfinished[..HEADER].copy_from_slice(&header.to_bytes());
        assert!(matches!(read(&unfinished), Err(Error::Unfinished(_))));

        let mut newer = file_of(&[1, 2, 3]);
        newer[8] = 2;
        let crc = crc32fast::hash(&newer[..36]);
        newer[36..40].copy_from_slice(&crc.to_le_bytes());
        assert!(matches!(
            read(&newer),
            Err(Error::Newer {
                found: 2,
                known: 1,
                ..
            })
        ));
    }
}
