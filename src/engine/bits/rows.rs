//! The rows of a part that one thread listed: of each top half, the bottom halves of its boards.
//!
//! Key idea: a row's boards have their top half in common, so 4 bytes are enough for each. That is
//! as quick as it can be while memory lasts. Only when it is used up are rows delta-coded, and only
//! when coded ones take more of it than others are they written to a file.

use std::collections::VecDeque;

use super::half::Half;
use crate::engine::chunk::ChunkPool;
use crate::engine::chunk::{CHUNK, CHUNK_BYTES, Chunk};
use crate::engine::packed::{Bounds, PackedRun, Packer};
use crate::error::Result;
use crate::game::Board;
use crate::store::Spill;

/// Rows of which what is known takes as much memory as a chunk of boards.
const ROWS_OF_CHUNK: usize = CHUNK_BYTES / 128;

/// Rows of one part that one thread listed.
pub(crate) struct Rows {
    rows: Vec<ListedRow>,
    /// How many of them are packed: the first ones.
    packed: usize,
    /// The digits of the bottom halves of the others, in words...
    bottoms: VecDeque<Chunk>,
    /// ...from that of this number...
    first: usize,
    /// ...to before this one.
    end: usize,
    runs: Vec<PackedRun>,
    /// The file of the runs that are not in memory.
    spill: Spill,
    /// Chunks that they may have whatever others take.
    granted: usize,
}

/// What is known of a row.
#[derive(Clone, Copy)]
pub(crate) struct ListedRow {
    pub(crate) top: Half,
    /// Number of its boards.
    pub(crate) boards: u32,
    place: RowPlace,
}

/// Where a row's boards are.
#[derive(Clone, Copy)]
enum RowPlace {
    /// The digits of their bottom halves, from the word of this number on.
    Words(usize),
    Packed {
        run: u32,
        piece: u32,
    },
}

impl Rows {
    /// No rows.
    pub(crate) fn new(granted: usize, spill: Spill) -> Self {
        Self {
            rows: Vec::new(),
            packed: 0,
            bottoms: VecDeque::new(),
            first: 0,
            end: 0,
            runs: Vec::new(),
            spill,
            granted,
        }
    }

    /// Add a row of boards: their top half, and the digits of the bottom ones, sorted.
    pub(crate) fn add(&mut self, top: Half, bottoms: &[u32], pool: &mut ChunkPool) -> Result<()> {
        self.rows.push(ListedRow {
            top,
            boards: bottoms.len() as u32,
            place: RowPlace::Words(self.end),
        });
        let mut rest = bottoms;
        while !rest.is_empty() {
            let at = self.end % CHUNK;
            if at == 0 {
                self.bottoms.push_back(pool.take());
            }
            let chunk = self.bottoms.back_mut().expect("one was just taken");
            let (here, after) = rest.split_at(rest.len().min(CHUNK - at));
            chunk[at..][..here.len()].copy_from_slice(here);
            self.end += here.len();
            rest = after;
        }
        if self.rows.len().is_multiple_of(ROWS_OF_CHUNK) {
            pool.cede();
        }
        if pool.used_up() {
            self.make_room(pool)?;
        }
        Ok(())
    }

    /// Pack what is not packed, or if it is less than what is packed write that to the file.
    fn make_room(&mut self, pool: &mut ChunkPool) -> Result<()> {
        let packed = self.runs.iter().map(PackedRun::chunks).sum::<usize>();
        if self.bottoms.len() + packed <= self.granted {
            Ok(())
        } else if packed <= self.bottoms.len() {
            self.pack(pool)
        } else {
            let mut runs = self.runs.iter_mut();
            runs.try_for_each(|run| run.spill(&mut self.spill, pool))
        }
    }

    /// Pack the rows that are not packed.
    fn pack(&mut self, pool: &mut ChunkPool) -> Result<()> {
        let run = self.runs.len() as u32;
        let mut packer = Packer::default();
        let mut boards = Vec::new();
        for at in self.packed..self.rows.len() {
            let row = self.rows[at];
            if let RowPlace::Words(begin) = row.place {
                self.forget(begin, pool);
            }
            boards.clear();
            self.read(row, &mut Vec::new(), &mut boards)?;
            let piece = packer.pieces() as u32;
            packer.append(&boards, pool)?;
            self.rows[at].place = RowPlace::Packed { run, piece };
        }
        self.end = self.end.next_multiple_of(CHUNK);
        self.forget(self.end, pool);
        self.packed = self.rows.len();
        self.runs.push(packer.finish());
        Ok(())
    }

    /// Give back the chunks of words before that of number `begin`.
    fn forget(&mut self, begin: usize, pool: &mut ChunkPool) {
        while self.first + CHUNK <= begin {
            pool.give(self.bottoms.pop_front().expect("it has words"));
            self.first += CHUNK;
        }
    }

    /// The rows that were added.
    pub(crate) fn rows(&self) -> &[ListedRow] {
        &self.rows
    }

    /// Bytes of the file.
    pub(crate) fn spilled(&self) -> u64 {
        self.spill.bytes()
    }

    /// Append the boards of a row to `boards`; coded ones go through `bytes`.
    pub(crate) fn read(
        &self,
        row: ListedRow,
        bytes: &mut Vec<u8>,
        boards: &mut Vec<Board>,
    ) -> Result<()> {
        match row.place {
            RowPlace::Words(begin) => {
                let top = u64::from(row.top.0) << 32;
                let mut words = begin - self.first..begin - self.first + row.boards as usize;
                while !words.is_empty() {
                    let at = words.start % CHUNK;
                    let here = words.len().min(CHUNK - at);
                    let bottoms = self.bottoms[words.start / CHUNK][at..][..here].iter();
                    boards.extend(bottoms.map(|&bottom| top | u64::from(bottom)));
                    words.start += here;
                }
                Ok(())
            }
            RowPlace::Packed { run, piece } => self.runs[run as usize].read(
                piece as usize,
                Bounds::ALL,
                &self.spill,
                bytes,
                boards,
            ),
        }
    }
}
