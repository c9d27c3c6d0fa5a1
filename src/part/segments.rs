//! The concatenated files of a part, or of its values.
//!
//! Key idea: a part of many boards is cut into *segments*, files of equal size except the last. A
//! segment is a whole number of blocks, so blocks are numbered across all files. Code that reads a
//! part block by block need not know its files.

use std::path::Path;

use super::block::Payload;
use super::fingerprint::Fingerprint;
use super::frame::Frame;
use crate::error::{Error, Result};

/// The common base of an open [`Part`](super::Part) and an open [`ValueColumn`](super::Column):
/// everything except the contents of the blocks.
pub struct Segments {
    /// At least one file.
    files: Vec<Frame>,
    /// Blocks of each file but the last.
    each: usize,
}

impl From<Frame> for Segments {
    fn from(file: Frame) -> Self {
        Self {
            each: file.blocks().max(1),
            files: vec![file],
        }
    }
}

impl Segments {
    /// Concatenate files; there must be at least one.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] if a file does not follow the file before it.
    pub(super) fn join(all: impl IntoIterator<Item = Self>) -> Result<Self> {
        let mut all = all.into_iter();
        let mut joined = all.next().expect("a part has a file");
        for next in all {
            for file in next.files {
                joined.append(file)?;
            }
        }
        Ok(joined)
    }

    fn append(&mut self, file: Frame) -> Result<()> {
        let mismatch = |what: String| {
            let path = file.path().to_owned();
            Err(Error::Mismatch { path, what })
        };
        let (first, last) = (&self.files[0], &self.files[self.files.len() - 1]);
        let (boards, block) = (first.states(), first.block_size());
        if last.states() != boards || !boards.is_multiple_of(block) || boards == 0 {
            let path = last.path().to_owned();
            let what = format!(
                "expected {boards} boards, in whole blocks, in every segment but the last, got {}",
                last.states()
            );
            return Err(Error::Mismatch { path, what });
        }
        if file.block_size() != block || !(1..=boards).contains(&file.states()) {
            return mismatch(format!(
                "expected up to {boards} boards in blocks of {block}, as in the segments before, got {} in blocks of {}",
                file.states(),
                file.block_size()
            ));
        }
        if file.first(0) <= last.first(last.blocks() - 1) {
            return mismatch("begins before the segment before it ends".to_owned());
        }
        self.files.push(file);
        Ok(())
    }

    /// The file that holds a block, and the number of the block in that file.
    fn at(&self, block: usize) -> (&Frame, usize) {
        let file = (block / self.each).min(self.files.len() - 1);
        (&self.files[file], block - file * self.each)
    }

    pub(super) fn damaged(&self, block: usize, what: &str) -> Error {
        let (file, block) = self.at(block);
        file.damaged(block, what)
    }

    /// The first file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.files[0].path()
    }

    /// Number of boards, or of values.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.files.iter().map(Frame::states).sum()
    }

    /// Fingerprint of the boards, or of the values and their boards, from the footers.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let files = self.files.iter().map(Frame::fingerprint);
        files.fold(Fingerprint::default(), |all, file| all + file)
    }

    /// Bytes of the files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(Frame::bytes).sum()
    }

    /// Number of blocks.
    #[must_use]
    pub fn blocks(&self) -> usize {
        let last = &self.files[self.files.len() - 1];
        (self.files.len() - 1) * self.each + last.blocks()
    }

    /// First board of a block, or the board of its first value, from the index.
    ///
    /// # Panics
    ///
    /// If `block` is not below [`Segments::blocks`].
    #[must_use]
    pub fn first(&self, block: usize) -> u64 {
        let (file, block) = self.at(block);
        file.first(block)
    }

    /// The first boards of all blocks: an even sample of the part.
    pub fn firsts(&self) -> impl Iterator<Item = u64> {
        (0..self.blocks()).map(|block| self.first(block))
    }

    /// Check every block against its checksum without decoding, at the speed of reading.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], which names the first block that fails.
    pub fn check_blocks(&self) -> Result<()> {
        self.files.iter().try_for_each(Frame::check_blocks)
    }

    /// A block that agrees with the index and the footer; its payload is not checked.
    pub(super) fn payload(&self, block: usize) -> Result<Payload<'_>> {
        let (file, block) = self.at(block);
        file.payload(block)
    }

    /// Boards, or values, in every block but the last.
    pub(crate) fn block_size(&self) -> u64 {
        self.files[0].block_size()
    }

    /// The block that would hold a board, or its value: the last block that does not begin after
    /// the board.
    #[must_use]
    pub fn block_of(&self, board: u64) -> Option<usize> {
        let (mut low, mut high) = (0, self.blocks());
        while low < high {
            let middle = (low + high) / 2;
            if self.first(middle) <= board {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::{BLOCK, Decoder};
    use super::super::fingerprint;
    use super::super::reader::Part;
    use super::super::reader::tests::part_of;
    use super::*;

    /// A part whose files hold `lengths` of the states.
    fn joined(states: &[u64], lengths: &[usize]) -> Result<Part> {
        let mut rest = states;
        let files = lengths.iter().map(|&length| {
            let (file, others) = rest.split_at(length);
            rest = others;
            part_of(file)
        });
        Part::join(files.collect())
    }

    #[test]
    fn concatenated_files_are_one_part() {
        let states: Vec<u64> = (0..5 * BLOCK as u64 + 700).map(|i| i * 3 + 1).collect();
        let whole = part_of(&states);
        for lengths in [
            vec![states.len()],
            vec![2 * BLOCK, 2 * BLOCK, BLOCK + 700],
            vec![BLOCK, BLOCK, BLOCK, BLOCK, BLOCK, 700],
        ] {
            let part = joined(&states, &lengths).unwrap();
            assert_eq!(part.states(), states.len() as u64);
            assert_eq!(part.fingerprint(), fingerprint(&states));
            assert_eq!(part.blocks(), whole.blocks());
            assert!(part.firsts().eq(whole.firsts()));
            let (mut decoder, mut found) = (Decoder::new().unwrap(), Vec::new());
            for block in 0..part.blocks() {
                part.read_block(block, &mut decoder, &mut found).unwrap();
            }
            assert!(found == states);
            for at in [0, BLOCK - 1, BLOCK, 2 * BLOCK, states.len() - 1] {
                assert_eq!(part.block_of(states[at]), Some(at / BLOCK));
            }
            assert!(part.check_blocks().is_ok());
        }
    }

    #[test]
    fn files_that_do_not_belong_together_are_refused() {
        let states: Vec<u64> = (0..4 * BLOCK as u64).collect();
        let wrong = |lengths: &[usize]| joined(&states, lengths).err().unwrap().to_string();
        for (lengths, said) in [
            (&[700, 700][..], "expected 700 boards, in whole blocks"),
            (&[0, BLOCK], "expected 0 boards, in whole blocks"),
            (
                &[2 * BLOCK, BLOCK, BLOCK],
                "in every segment but the last, got",
            ),
            (&[BLOCK, 2 * BLOCK], "expected up to 131072 boards"),
            (&[BLOCK, 0], "got 0 in blocks"),
        ] {
            assert!(wrong(lengths).contains(said), "{}", wrong(lengths));
        }
        let (low, high) = states.split_at(2 * BLOCK);
        let swapped = Part::join(vec![part_of(high), part_of(low)]);
        let said = swapped.err().unwrap().to_string();
        assert!(
            said.contains("begins before the segment before it ends"),
            "{said}"
        );
    }
}
