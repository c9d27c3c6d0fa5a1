//! Reads a part from memory-mapped files, block by block and from many threads.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use super::block::Decoder;
use super::contents::Contents;
use super::frame::Frame;
use super::label::Label;
use super::segments::Segments;
use crate::error::Result;

/// An open part. Opening checks header, index and footer; blocks are checked when decoded.
pub struct Part {
    segments: Segments,
    label: Label,
}

impl Part {
    /// Open a part file and check everything except its blocks. Takes time and memory in proportion
    /// to the index, which has 16 bytes per block.
    ///
    /// # Errors
    ///
    /// If the file is foreign, cut, damaged, unfinished, of a newer format or of values, or if the
    /// system cannot open it.
    pub fn open(path: &Path) -> Result<Self> {
        Self::of(Frame::open(path)?)
    }

    /// Open a part file that is in memory; errors name it by `path`.
    pub(crate) fn from_memory(path: &Path, bytes: Arc<[u8]>) -> Result<Self> {
        Self::of(Frame::from_memory(path, bytes)?)
    }

    fn of(frame: Frame) -> Result<Self> {
        match frame.contents() {
            Contents::Boards(label) => Ok(Self {
                segments: frame.into(),
                label,
            }),
            Contents::Values(_) => Err(frame.other_kind("boards")),
        }
    }

    /// Join the segments of a part, which must have the same label.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`](crate::Error::Mismatch) if a segment does not follow the segment before
    /// it.
    ///
    /// # Panics
    ///
    /// If `segments` is empty.
    pub(crate) fn join(segments: Vec<Self>) -> Result<Self> {
        let label = segments[0].label;
        Ok(Self {
            segments: Segments::join(segments.into_iter().map(|one| one.segments))?,
            label,
        })
    }

    /// The label in the file's header.
    #[must_use]
    pub fn label(&self) -> Label {
        self.label
    }

    /// Append the states of one block to `out`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`](crate::Error::Damaged), which names the block, if its bytes have changed.
    pub fn read_block(
        &self,
        block: usize,
        decoder: &mut Decoder,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        decoder
            .decode(self.payload(block)?, out)
            .map_err(|what| self.damaged(block, what))?;
        if block + 1 < self.blocks() && out[out.len() - 1] >= self.first(block + 1) {
            return Err(self.damaged(block, "states beyond the next block's first"));
        }
        Ok(())
    }
}

impl Deref for Part {
    type Target = Segments;

    fn deref(&self) -> &Segments {
        &self.segments
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::block::{BLOCK, Block, Encoder};
    use super::super::frame::tests::damage_is_an_error;
    use super::super::header::{HEADER, Header};
    use super::super::label::Kind;
    use super::super::writer::PartWriter;
    use super::*;
    use crate::error::Error;
    use crate::game::{Exp, PartKey};
    use std::io::Cursor;

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

    /// The bytes of a part file with these states.
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

    /// An open part with these states.
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
            assert_eq!(part.fingerprint(), super::super::fingerprint(&states));
            assert_eq!(part.blocks(), count.div_ceil(BLOCK));
        }
    }

    #[test]
    fn every_flipped_byte_cut_and_appended_byte_is_an_error() {
        let states: Vec<u64> = (0..BLOCK as u64 + 900).map(|i| i * i).collect();
        damage_is_an_error(&file_of(&states), |bytes| read(bytes).map(drop));
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
