//! A packed run: sorted ranks, delta-coded, about 1.5 bytes each, one piece for each range.
//!
//! A run lies in chunks, like the candidates it was made of, or in a file.

use super::chunk::{CHUNK, Chunk};
use super::supplies::Supplies;
use crate::error::Result;
use crate::run::block::{put_deltas, take_deltas, walk_deltas};
use crate::store::Spill;

/// Bytes of a word.
const WORD: usize = size_of::<u32>();

/// Chunks that are written to a file at once.
const WRITE: usize = 256;

/// Where a run has its piece for one range.
#[derive(Clone, Copy)]
struct Piece {
    /// Place of its first byte; a whole number of words.
    at: u64,
    length: usize,
    first: u64,
    count: u32,
    /// CRC-32 of the bytes: they may have been on a disk.
    crc: u32,
}

/// Where a run's bytes are.
enum Place {
    Memory(Vec<Chunk>),
    /// From this byte of the spill file on.
    File(u64),
}

/// See the module.
pub(crate) struct Packed {
    pieces: Vec<Piece>,
    place: Place,
}

impl Packed {
    /// Chunks that the run takes.
    pub(crate) fn chunks(&self) -> usize {
        match &self.place {
            Place::Memory(chunks) => chunks.len(),
            Place::File(_) => 0,
        }
    }

    /// Ranks that it has in a range.
    pub(crate) fn count(&self, range: usize) -> usize {
        self.pieces[range].count as usize
    }

    /// Move what is in memory to the spill file.
    pub(crate) fn spill(&mut self, spill: &mut Spill, supplies: &mut Supplies) -> Result<()> {
        let Place::Memory(chunks) = &mut self.place else {
            return Ok(());
        };
        let begin = spill.bytes();
        for some in chunks.chunks(WRITE) {
            let words = some.iter().flat_map(|chunk| chunk.iter());
            supplies.bytes.clear();
            supplies
                .bytes
                .extend(words.flat_map(|word| word.to_le_bytes()));
            spill.append(&supplies.bytes)?;
        }
        chunks.drain(..).for_each(|chunk| supplies.give(chunk));
        self.place = Place::File(begin);
        Ok(())
    }

    /// Append the ranks of a range, those from `low` to before `high`, or to the end for the greatest
    /// `high`, sorted, to `out`. Takes no more memory than those and their bytes.
    pub(crate) fn read(
        &self,
        range: usize,
        (low, high): (u64, u64),
        spill: &Spill,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        let Some(Piece { first, count, .. }) = self.deltas(range, spill, scratch)? else {
            return Ok(());
        };
        if (low, high) == (0, u64::MAX) {
            take_deltas(scratch, first, count, out).expect("what put_deltas wrote is read");
        } else {
            let from_low = walk_deltas(scratch, first).skip_while(|&rank| rank < low);
            out.extend(from_low.take_while(|&rank| rank < high || high == u64::MAX));
        }
        Ok(())
    }

    /// Append every `stride`-th rank of a range to `out`.
    pub(crate) fn sample(
        &self,
        range: usize,
        stride: usize,
        spill: &Spill,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u64>,
    ) -> Result<()> {
        if let Some(piece) = self.deltas(range, spill, scratch)? {
            out.extend(walk_deltas(scratch, piece.first).step_by(stride));
        }
        Ok(())
    }

    /// Read the coded piece of a range into `bytes`; `None` if it is empty.
    fn deltas(&self, range: usize, spill: &Spill, bytes: &mut Vec<u8>) -> Result<Option<Piece>> {
        let piece = self.pieces[range];
        if piece.count == 0 {
            return Ok(None);
        }
        bytes.clear();
        match &self.place {
            Place::Memory(chunks) => {
                let from = piece.at as usize / WORD;
                let mut words = from..from + piece.length.div_ceil(WORD);
                while !words.is_empty() {
                    let begin = words.start % CHUNK;
                    let end = CHUNK.min(begin + words.len());
                    let some = &chunks[words.start / CHUNK][begin..end];
                    bytes.extend(some.iter().flat_map(|word| word.to_le_bytes()));
                    words.start += some.len();
                }
                bytes.truncate(piece.length);
            }
            Place::File(begin) => {
                bytes.resize(piece.length, 0);
                spill.read(begin + piece.at, piece.crc, bytes)?;
            }
        }
        Ok(Some(piece))
    }

    /// Give the chunks back.
    pub(crate) fn retire(self, supplies: &mut Supplies) {
        if let Place::Memory(chunks) = self.place {
            chunks.into_iter().for_each(|chunk| supplies.give(chunk));
        }
    }
}

/// Packs a run, range by range.
#[derive(Default)]
pub(crate) struct Packer {
    pieces: Vec<Piece>,
    chunks: Vec<Chunk>,
    /// Words that are filled.
    words: usize,
}

impl Packer {
    /// Add the ranks of the next range, strictly increasing.
    pub(crate) fn append(&mut self, ranks: &[u64], supplies: &mut Supplies) -> Result<()> {
        let mut bytes = std::mem::take(&mut supplies.bytes);
        let length = put_deltas(ranks, &mut bytes)?;
        self.pieces.push(Piece {
            at: (self.words * WORD) as u64,
            length,
            first: ranks.first().copied().unwrap_or(0),
            count: ranks.len() as u32,
            crc: crc32fast::hash(&bytes[..length]),
        });
        for four in bytes[..length].chunks(WORD) {
            let mut word = [0; WORD];
            word[..four.len()].copy_from_slice(four);
            let place = self.words % CHUNK;
            if place == 0 {
                self.chunks.push(supplies.take());
            }
            let chunk = self.chunks.last_mut().expect("one was just taken");
            chunk[place] = u32::from_le_bytes(word);
            self.words += 1;
        }
        supplies.bytes = bytes;
        Ok(())
    }

    /// The run.
    pub(crate) fn finish(self) -> Packed {
        Packed {
            pieces: self.pieces,
            place: Place::Memory(self.chunks),
        }
    }
}
