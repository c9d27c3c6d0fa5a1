//! Reads a part file where it lies: mapped, block by block, from many threads.

use std::fs::{self, File};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

use super::block::{Decoder, PREFIX, check};
use super::fingerprint::Fingerprint;
use super::header::{ENTRY, FOOTER, Footer, HEADER, Header, Label};
use super::little_endian::u64_at;
use crate::error::{Error, Result};

/// Where a part's bytes are.
enum Bytes {
    File(Mmap),
    Memory(Arc<[u8]>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::File(map) => map,
            Self::Memory(bytes) => bytes,
        }
    }
}

/// An open part file. Opening checks header, index and footer; blocks are checked when decoded.
pub struct Part {
    path: PathBuf,
    bytes: Bytes,
    header: Header,
    footer: Footer,
    index: Range<usize>,
}

impl Part {
    /// Open a part file and check all but its blocks. Costs time and memory in proportion to the
    /// index, 16 bytes for each block.
    ///
    /// # Errors
    ///
    /// A file that is foreign, cut, damaged, unfinished or of a newer format; what the system
    /// refuses.
    pub fn open(path: &Path) -> Result<Self> {
        // Opening a pipe would wait for somebody to write to it.
        let found = fs::metadata(path).map_err(Error::io(path, "open"))?;
        if !found.is_file() {
            return Err(Error::Foreign(path.to_owned()));
        }
        let file = File::open(path).map_err(Error::io(path, "open"))?;
        // SAFETY: the map is only read. The bytes could change under it only if another process
        // wrote to the file; a run's directory is locked against other runs, sealed files are never
        // written again, and every block is checked against its checksum when it is decoded.
        #[expect(unsafe_code, reason = "mapping a file has no safe form")]
        let bytes = unsafe { Mmap::map(&file) }.map_err(Error::io(path, "map"))?;
        Self::from_bytes(path, Bytes::File(bytes))
    }

    /// Open a part file that is in memory, and will be at `path`.
    pub(crate) fn from_memory(path: &Path, bytes: Arc<[u8]>) -> Result<Self> {
        Self::from_bytes(path, Bytes::Memory(bytes))
    }

    fn from_bytes(path: &Path, bytes: Bytes) -> Result<Self> {
        let header = Header::of(path, &bytes)?;
        let damaged = |what: &str| Error::Damaged {
            path: path.to_owned(),
            what: what.to_owned(),
        };
        let footer = bytes
            .last_chunk::<FOOTER>()
            .expect("the header was checked against the length");
        let footer = Footer::from_bytes(footer).map_err(damaged)?;
        let end = bytes.len() - FOOTER;
        let length = usize::try_from(footer.blocks)
            .ok()
            .and_then(|n| n.checked_mul(ENTRY));
        let start = length
            .and_then(|length| end.checked_sub(length))
            .filter(|&at| at >= HEADER);
        let index = start.ok_or_else(|| damaged("footer: impossible number of blocks"))?..end;
        // Every block but the last is full, and the last has at least one state.
        if footer.states.div_ceil(header.block.into()) != footer.blocks {
            return Err(damaged("footer: impossible number of states"));
        }
        if crc32fast::hash(&bytes[index.clone()]) != footer.index_crc {
            return Err(damaged("index: checksum differs"));
        }
        let part = Self {
            path: path.to_owned(),
            bytes,
            header,
            footer,
            index,
        };
        part.check_index()?;
        Ok(part)
    }

    /// Blocks lie end to end from the header to the index, and their first states increase.
    fn check_index(&self) -> Result<()> {
        let mut end = HEADER;
        for block in 0..self.blocks() {
            let place = self.place(block);
            if place.start != end
                || place.end < place.start + PREFIX
                || place.end > self.index.start
            {
                return Err(self.damaged(block, "index: impossible place"));
            }
            if block > 0 && self.first(block) <= self.first(block - 1) {
                return Err(self.damaged(block, "index: first states out of order"));
            }
            end = place.end;
        }
        if end != self.index.start {
            return Err(self.damaged(self.blocks(), "bytes between the blocks and the index"));
        }
        Ok(())
    }

    fn damaged(&self, block: usize, what: &str) -> Error {
        Error::Damaged {
            path: self.path.clone(),
            what: format!("block {block}: {what}"),
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says it holds.
    #[must_use]
    pub fn label(&self) -> Label {
        self.header.label
    }

    /// Number of states.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.footer.states
    }

    /// Fingerprint of the states, as the footer says it.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.footer.fingerprint
    }

    /// Bytes of the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Number of blocks.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.index.len() / ENTRY
    }

    /// First state of a block, from the index.
    ///
    /// # Panics
    ///
    /// If there is no such block.
    #[must_use]
    pub fn first(&self, block: usize) -> u64 {
        u64_at(&self.bytes, self.entry(block) + 8)
    }

    /// The first states of all blocks: an even sample of the part.
    pub fn firsts(&self) -> impl Iterator<Item = u64> {
        (0..self.blocks()).map(|block| self.first(block))
    }

    fn entry(&self, block: usize) -> usize {
        assert!(block < self.blocks(), "block {block} of {}", self.blocks());
        self.index.start + ENTRY * block
    }

    /// Where a block lies in the file; to be trusted once [`Part::check_index`] has passed.
    fn place(&self, block: usize) -> Range<usize> {
        let offset = |block| u64_at(&self.bytes, self.entry(block)) as usize;
        let end = if block + 1 < self.blocks() {
            offset(block + 1)
        } else {
            self.index.start
        };
        offset(block)..end
    }

    /// Check the bytes of every block against its checksum, without decoding them: as fast as they
    /// can be read.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], naming the first block that fails.
    pub fn check_blocks(&self) -> Result<()> {
        (0..self.blocks()).try_for_each(|block| {
            check(&self.bytes[self.place(block)]).map_err(|what| self.damaged(block, what))
        })
    }

    /// Append the states of one block to `out`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], naming the block, if its bytes are not what was written.
    pub fn read_block(
        &self,
        block: usize,
        decoder: &mut Decoder,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        let from = out.len();
        decoder
            .decode(&self.bytes[self.place(block)], self.header.block, out)
            .map_err(|what| self.damaged(block, what))?;
        let full = out.len() - from == self.header.block as usize;
        if block + 1 < self.blocks() && !full {
            return Err(self.damaged(block, "not full, and not the last"));
        }
        if out[from] != self.first(block) {
            return Err(self.damaged(block, "first state differs from the index"));
        }
        if block + 1 < self.blocks() && out[out.len() - 1] >= self.first(block + 1) {
            return Err(self.damaged(block, "states beyond the next block's first"));
        }
        Ok(())
    }

    /// States in every block but the last.
    pub(crate) fn block_size(&self) -> u64 {
        self.header.block.into()
    }

    /// The block that would hold `state`: the last one that does not begin after it.
    #[must_use]
    pub fn block_of(&self, state: u64) -> Option<usize> {
        let (mut low, mut high) = (0, self.blocks());
        while low < high {
            let middle = (low + high) / 2;
            if self.first(middle) <= state {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::block::{BLOCK, Block, Encoder};
    use super::super::header::Kind;
    use super::super::writer::PartWriter;
    use super::*;
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

    fn file_of(states: &[u64]) -> Vec<u8> {
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

    /// A part that holds these states.
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
    fn what_is_written_is_read() {
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
        let good = file_of(&states);
        assert!(read(&good).is_ok());
        // Blocks are large; all bytes of the frame around them and a sample of theirs.
        let interesting = |at: usize| at < 200 || at + 400 > good.len() || at.is_multiple_of(97);
        for at in (0..good.len()).filter(|&at| interesting(at)) {
            let mut bytes = good.clone();
            bytes[at] ^= 0x10;
            let error = read(&bytes)
                .err()
                .unwrap_or_else(|| panic!("flip at {at} was not seen"));
            let expected = if at < 8 {
                "not an enum48 part file"
            } else {
                "damaged"
            };
            assert!(
                error.to_string().contains(expected),
                "flip at {at}: {error}"
            );
            let error = read(&good[..at])
                .err()
                .unwrap_or_else(|| panic!("cut at {at} was not seen"));
            assert!(
                matches!(error, Error::Cut { .. } | Error::Foreign(_)),
                "cut at {at}: {error}"
            );
            assert_eq!(matches!(error, Error::Foreign(_)), at == 0);
        }
        let mut longer = good.clone();
        longer.push(0);
        assert!(
            read(&longer)
                .err()
                .unwrap()
                .to_string()
                .contains("1 bytes after the end")
        );
    }

    #[test]
    fn unfinished_and_newer_files_are_told_apart() {
        let mut unfinished = file_of(&[1, 2, 3]);
        let header = Header {
            label: LABEL,
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
