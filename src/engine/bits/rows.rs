//! The rows of a part that one thread listed: for each top half, the bottom halves of its boards.
//!
//! Key idea: the boards of a row have one top half, so four bytes per board are enough. Rows stay in
//! this form while memory lasts. Then they are delta-coded. When coded rows take more memory than the
//! other rows, they are written to a file.

use std::collections::VecDeque;

use super::half::Half;
use crate::engine::chunk::{CHUNK, CHUNK_BYTES, Chunk, ChunkPool};
use crate::engine::packed::PackedRun;
use crate::error::Result;
use crate::game::Board;
use crate::store::Spill;

/// Number of rows that count as a chunk of memory: 128 bytes for all entries of a row.
const ROWS_OF_CHUNK: usize = CHUNK_BYTES / 128;

/// The rows of one part that one thread listed.
pub(crate) struct Rows {
    pub(super) listed: Vec<ListedRow>,
    /// Number of packed rows, which come first.
    packed: usize,
    /// The digits of the other rows' bottom halves, in words.
    bottoms: VecDeque<Chunk>,
    /// The number of the first word in `bottoms`, and of the next word.
    first: usize,
    end: usize,
    runs: Vec<PackedRun>,
    /// The file of the runs that are not in memory.
    pub(super) spill: Spill,
    /// Number of chunks that these rows may have in any case.
    granted: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct ListedRow {
    pub(crate) top: Half,
    /// Number of boards.
    pub(crate) boards: u32,
    place: RowPlace,
}

/// The location of a row's boards.
#[derive(Clone, Copy)]
enum RowPlace {
    /// The number of the first word.
    Words(usize),
    /// A block of a packed run.
    Packed { run: u32, block: u32 },
}

impl Rows {
    pub(crate) fn new(granted: usize, spill: Spill) -> Self {
        Self {
            listed: Vec::new(),
            packed: 0,
            bottoms: VecDeque::new(),
            first: 0,
            end: 0,
            runs: Vec::new(),
            spill,
            granted,
        }
    }

    /// Add a row of boards: their top half, and the sorted digits of their bottom halves.
    pub(crate) fn add(&mut self, top: Half, bottoms: &[u32], pool: &mut ChunkPool) -> Result<()> {
        self.listed.push(ListedRow {
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
            let chunk = self.bottoms.back_mut().expect("a chunk was just taken");
            let (here, after) = rest.split_at(rest.len().min(CHUNK - at));
            chunk[at..][..here.len()].copy_from_slice(here);
            self.end += here.len();
            rest = after;
        }
        if self.listed.len().is_multiple_of(ROWS_OF_CHUNK) {
            pool.cede();
        }
        if pool.used_up() {
            self.make_room(pool)?;
        }
        Ok(())
    }

    /// If the rows have more than `granted` chunks, pack the rows that are in words. If the
    /// packed rows take more memory, write them to the file instead.
    fn make_room(&mut self, pool: &mut ChunkPool) -> Result<()> {
        let packed = self.runs.iter().map(PackedRun::chunks).sum::<usize>();
        if self.bottoms.len() + packed <= self.granted {
            Ok(())
        } else if packed <= self.bottoms.len() {
            self.pack(pool)
        } else {
            self.runs
                .iter_mut()
                .try_for_each(|run| run.spill(&mut self.spill, pool))
        }
    }

    /// Pack the rows in words.
    fn pack(&mut self, pool: &mut ChunkPool) -> Result<()> {
        let number = self.runs.len() as u32;
        let (mut run, mut boards, mut bytes) = (PackedRun::default(), Vec::new(), Vec::new());
        for at in self.packed..self.listed.len() {
            let row = self.listed[at];
            if let RowPlace::Words(begin) = row.place {
                self.forget(begin, pool);
            }
            boards.clear();
            self.read(row, &mut bytes, &mut boards)?;
            let block = run.blocks() as u32;
            run.append(&boards, &mut bytes, pool)?;
            self.listed[at].place = RowPlace::Packed { run: number, block };
        }
        self.end = self.end.next_multiple_of(CHUNK);
        self.forget(self.end, pool);
        self.packed = self.listed.len();
        self.runs.push(run);
        Ok(())
    }

    /// Return to the pool the chunks whose words all come before word `begin`.
    fn forget(&mut self, begin: usize, pool: &mut ChunkPool) {
        while self.first + CHUNK <= begin {
            pool.give(self.bottoms.pop_front().expect("a chunk of words"));
            self.first += CHUNK;
        }
    }

    /// Append the boards of a row to `boards`. `bytes` is scratch memory for packed rows.
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
            RowPlace::Packed { run, block } => {
                self.runs[run as usize].read(block as usize, &self.spill, bytes, boards)
            }
        }
    }
}
