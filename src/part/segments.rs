//! Open files of boards, values or matrices, which many threads read block by block.
//!
//! Key idea: a part of many boards is cut into *segments*, files of equal size except the last. A
//! segment is a whole number of blocks, so blocks are numbered across all files. Code that reads a
//! part need not know its files.

use std::path::Path;
use std::sync::Arc;

use super::block::Payload;
use super::bytes::Bytes;
use super::contents::{About, FileContents, Label, LayerLabel};
use super::fingerprint::Fingerprint;
use super::frame::Frame;
use super::writer::Sealed;
use crate::error::{Error, Result};
use crate::game::Rules;

/// An open [`Part`], [`ValueColumn`] or [`MatrixFile`]. Opening checks header, index and footer;
/// blocks are checked when decoded. Clones share the open files.
#[derive(Clone)]
pub struct Segments<C> {
    /// The contents of the first file.
    pub(super) contents: C,
    /// At least one file.
    files: Vec<Arc<Frame>>,
    /// Blocks of each file but the last.
    each: usize,
    /// The rules that audit the boards of each decoded block; `None` for values, and for boards that
    /// need no audit.
    pub(super) rules: Option<Rules>,
}

/// The open boards of a part.
pub type Part = Segments<Label>;

/// The open values of a part.
///
/// Values and afterstates have the same blocks: value `i` of a block belongs to afterstate `i` of
/// the block with this number in the file of afterstates.
pub type ValueColumn = Segments<About>;

/// The open matrices of a layer, each in a block of its own.
pub type MatrixFile = Segments<LayerLabel>;

impl<C: FileContents> Segments<C> {
    /// Open a file and check everything except its blocks. This takes time and memory in proportion
    /// to the index, which has 16 bytes for each block.
    ///
    /// # Errors
    ///
    /// If the file is foreign, cut, damaged, unfinished or of a newer format, if it has other
    /// contents than `C`, or if the system cannot open it.
    pub fn open(path: &Path) -> Result<Self> {
        Self::of(Frame::of(path, Bytes::open(path)?)?)
    }

    /// Open a file that is in memory; errors name it by `path`.
    ///
    /// # Errors
    ///
    /// As for [`Segments::open`].
    pub fn from_memory(path: &Path, bytes: Arc<[u8]>) -> Result<Self> {
        Self::of(Frame::of(path, Bytes::Memory(bytes))?)
    }

    fn of(file: Frame) -> Result<Self> {
        let found = file.header.contents;
        match C::of(found) {
            Some(contents) => Ok(Self {
                contents,
                each: file.blocks().max(1),
                files: vec![Arc::new(file)],
                rules: None,
            }),
            None => {
                let what = format!("it holds {found}, not {}", C::NOUN);
                Err(Error::mismatch(&file.path, what))
            }
        }
    }

    /// Join the segments of a part; there must be at least one.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] if a segment does not follow the segment before it.
    pub(crate) fn join(segments: impl IntoIterator<Item = Result<Self>>) -> Result<Self> {
        let mut segments = segments.into_iter();
        let mut joined = segments.next().expect("a part has a file")?;
        for next in segments {
            let mut files = next?.files.into_iter();
            files.try_for_each(|file| joined.append(file))?;
        }
        Ok(joined)
    }

    fn append(&mut self, file: Arc<Frame>) -> Result<()> {
        let (first, last) = (&self.files[0], &self.files[self.files.len() - 1]);
        let (boards, block) = (first.footer.states, self.block_size());
        let (got, size) = (file.footer.states, u64::from(file.header.block));
        let are_full = boards > 0 && boards.is_multiple_of(block) && last.footer.states == boards;
        let fits = size == block && (1..=boards).contains(&got);
        if are_full && fits && file.first(0) > last.first(last.blocks() - 1) {
            self.files.push(file);
            return Ok(());
        }
        let before = last.footer.states;
        let what = format!(
            "expected segments in order, of {boards} boards in full blocks of {block}: got {got} boards in blocks of \
             {size}, after {before}"
        );
        Err(Error::mismatch(&file.path, what))
    }

    /// Check that the file is the file that was sealed. Its blocks are not read.
    pub(crate) fn expect(self, contents: C, sealed: Sealed) -> Result<Self> {
        let got = Sealed {
            states: self.states(),
            bytes: self.bytes(),
            fingerprint: self.fingerprint(),
        };
        let what = if self.contents != contents {
            format!("expected {contents}, got {}", self.contents)
        } else if got != sealed {
            format!("expected {sealed}, got {got}")
        } else {
            return Ok(self);
        };
        Err(Error::mismatch(self.path(), what))
    }
}

impl<C> Segments<C> {
    /// The file that holds a block, and the number of the block in that file.
    fn at(&self, block: usize) -> (&Frame, usize) {
        let file = (block / self.each).min(self.files.len() - 1);
        (&self.files[file], block - file * self.each)
    }

    /// The error that a block is damaged. It names the file, and the number of the block in it.
    pub(crate) fn damaged(&self, block: usize, what: &str) -> Error {
        let (file, block) = self.at(block);
        file.damaged(block, what)
    }

    /// The first file.
    pub fn path(&self) -> &Path {
        &self.files[0].path
    }

    /// Number of boards, values or matrices.
    pub fn states(&self) -> u64 {
        self.files.iter().map(|file| file.footer.states).sum()
    }

    /// Fingerprint of the boards, or of the values and their boards, from the footers.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprints().sum()
    }

    /// The fingerprint of each file.
    pub(crate) fn fingerprints(&self) -> impl Iterator<Item = Fingerprint> {
        self.files.iter().map(|file| file.footer.fingerprint)
    }

    /// Bytes of the files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.header.length).sum()
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        let last = &self.files[self.files.len() - 1];
        (self.files.len() - 1) * self.each + last.blocks()
    }

    /// First board of a block, or the board of its first value, from the index.
    ///
    /// # Panics
    ///
    /// If `block` is not below [`Segments::blocks`].
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
    /// [`Error::Damaged`], which names the first block that fails; [`Error::Read`].
    pub fn check_blocks(&self) -> Result<()> {
        self.files.iter().try_for_each(|file| file.check_blocks())
    }

    /// Number of open files; small files are in memory.
    pub(crate) fn open_files(&self) -> u64 {
        self.files.iter().filter(|file| file.is_open()).count() as u64
    }

    /// Give a block to `decode` if it agrees with the index and the footer.
    pub(super) fn decode<T>(
        &self,
        block: usize,
        decode: impl FnOnce(Payload<'_>) -> Result<T, &'static str>,
    ) -> Result<T> {
        let (file, block) = self.at(block);
        file.decode(block, decode)
    }

    /// Number of boards or values in a full block.
    pub(crate) fn block_size(&self) -> u64 {
        self.files[0].header.block.into()
    }

    /// The block that holds a board or its value, if the part has the board: the last block that
    /// does not begin after the board.
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
    use super::super::block::Decoder;
    use super::super::contents::BLOCK;
    use super::super::fingerprint;
    use super::super::ranks::tests::{boards_at, number_of_boards};
    use super::super::stream::tests::{label, part_of, sample};
    use super::*;

    /// A part in files of `lengths` states each.
    fn joined(states: &[u64], lengths: &[usize]) -> Result<Part> {
        let mut rest = states;
        let files = lengths.iter().map(|&length| {
            let (file, others) = rest.split_at(length);
            rest = others;
            part_of(file)
        });
        Part::join(files.map(Ok))
    }

    #[test]
    fn concatenated_files_are_one_part() {
        let states = sample(5 * BLOCK + 700);
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
    fn boards_with_the_highest_bit_are_in_the_last_blocks() {
        let step = number_of_boards(label()) / (4 * BLOCK as u64);
        let states = boards_at(label(), (0..4 * BLOCK as u64).map(|at| at * step));
        assert!(states[states.len() - 1] >> 63 == 1);
        let part = part_of(&states);
        for at in (0..states.len()).step_by(BLOCK / 7) {
            assert_eq!(part.block_of(states[at]), Some(at / BLOCK), "{at}");
            assert_eq!(part.block_of(states[at] + 1), Some(at / BLOCK), "{at}");
        }
    }

    #[test]
    fn files_that_do_not_belong_together_are_refused() {
        let states = sample(4 * BLOCK);
        let wrong = |lengths: &[usize]| joined(&states, lengths).err().unwrap().to_string();
        for (lengths, said) in [
            (&[700, 700][..], "of 700 boards in full blocks"),
            (&[0, BLOCK], "of 0 boards in full blocks"),
            (
                &[2 * BLOCK, BLOCK, BLOCK],
                "of 262144 boards in full blocks of 131072: got 131072 boards in blocks of 131072, after 131072",
            ),
            (
                &[BLOCK, 2 * BLOCK],
                "of 131072 boards in full blocks of 131072: got 262144 boards",
            ),
            (&[BLOCK, 0], "got 0 boards in blocks"),
        ] {
            assert!(wrong(lengths).contains(said), "{}", wrong(lengths));
        }
        let (low, high) = states.split_at(2 * BLOCK);
        let swapped = Part::join([high, low].map(|states| Ok(part_of(states))));
        let said = swapped.err().unwrap().to_string();
        assert!(said.contains("expected segments in order"), "{said}");
    }
}
