//! Canonical boards of a layer, listed row by row.
//!
//! Key idea: boards with one top half are neighbours in the order of boards, and one row has them
//! all. So each row is sorted alone, in a core's first caches. Then the rows are laid end to end in
//! the order of their top halves.
//!
//! The boards of a row have one top half, so four bytes per board are enough. A file takes the rows
//! that do not fit in memory, in the same four bytes per board.

use std::mem;
use std::ops::Range;
use std::path::Path;
use std::sync::RwLockWriteGuard;

use bytemuck::must_cast_slice;

use super::half::Half;
use crate::engine::PerThread;
use crate::engine::batch::ranges;
use crate::engine::chunks::{CHUNK, CHUNK_BYTES, Chunk, ChunkPool};
use crate::engine::job::Source;
use crate::engine::plan::Plan;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::{Board, Exp, Tally, holds};
use crate::store::Spill;

/// Number of boards that a task reads.
const TASK: usize = 1 << 16;

/// Number of rows that count as a chunk of memory: 128 bytes for all entries of a row.
const ROWS_OF_CHUNK: usize = CHUNK_BYTES / 128;

/// Bytes of a word.
const WORD: usize = size_of::<u32>();

/// The boards of all parts of a layer, while they are collected.
pub(crate) struct Listing(PerThread<Lister>);

/// The boards that one thread listed.
pub(crate) struct Lister {
    /// By largest exponent, beginning with 1.
    parts: Vec<Rows>,
    pool: ChunkPool,
}

impl Lister {
    /// Add boards of a row, given their bottom halves. The largest exponents of the boards are in
    /// `exponents`, which begins with the largest exponent of the top half.
    pub(crate) fn add(&mut self, exponents: Range<u8>, bottoms: &[u32]) {
        for &bottom in bottoms {
            let mut max = exponents.start;
            for exp in exponents.start + 1..exponents.end {
                if holds(bottom.into(), Exp::of_digit(exp.into())) {
                    max = exp;
                }
            }
            self.parts[usize::from(max) - 1].row.push(bottom);
        }
    }

    /// End the row of a top half.
    pub(crate) fn end_row(&mut self, top: Half) -> Result<()> {
        let mut parts = self.parts.iter_mut().filter(|rows| !rows.row.is_empty());
        parts.try_for_each(|rows| rows.end_row(top, &mut self.pool))
    }
}

impl Listing {
    /// A listing of parts with largest tiles up to `top`, in the memory of a plan. Boards that do not
    /// fit are spilled to a file in `dir`.
    pub(crate) fn new(top: Exp, plan: &Plan, dir: &Path) -> Self {
        let granted = plan.granted / CHUNK_BYTES;
        let lister = |_| Lister {
            parts: top
                .up_to()
                .map(|_| Rows::new(granted, Spill::new(dir)))
                .collect(),
            pool: ChunkPool::new(plan.chunks / CHUNK_BYTES),
        };
        Self(PerThread::of((0..plan.threads()).map(lister)))
    }

    /// The lister of a thread.
    pub(crate) fn of_thread(&self, thread: usize) -> RwLockWriteGuard<'_, Lister> {
        self.0.lock(thread)
    }

    /// The sources of the parts, by largest tile.
    pub(crate) fn into_sources(self) -> Vec<RowSource> {
        let mut threads: Vec<_> = self
            .0
            .into_values()
            .into_iter()
            .map(|lister| lister.parts.into_iter())
            .collect();
        let mut sources = Vec::new();
        loop {
            let part: Vec<Rows> = threads.iter_mut().filter_map(Iterator::next).collect();
            if part.is_empty() {
                return sources;
            }
            sources.push(RowSource::new(part));
        }
    }
}

/// The rows of one part that one thread listed.
struct Rows {
    /// The digits of the bottom halves of the row that is being listed.
    row: Vec<u32>,
    listed: Vec<ListedRow>,
    /// The digits of the rows' bottom halves, in words, without the words in the file.
    bottoms: Vec<Chunk>,
    /// Number of words in the file, and of all words.
    spilled: usize,
    end: usize,
    spill: Spill,
    /// Number of chunks that these rows may have in any case.
    granted: usize,
}

#[derive(Clone, Copy)]
struct ListedRow {
    top: Half,
    /// Number of boards.
    boards: u32,
    /// The number of the first word.
    begin: usize,
    /// CRC-32 of the words, because they may be read from a disk.
    crc: u32,
}

impl Rows {
    fn new(granted: usize, spill: Spill) -> Self {
        Self {
            row: Vec::new(),
            listed: Vec::new(),
            bottoms: Vec::new(),
            spilled: 0,
            end: 0,
            spill,
            granted,
        }
    }

    /// End the row of a top half.
    fn end_row(&mut self, top: Half, pool: &mut ChunkPool) -> Result<()> {
        self.row.sort_unstable();
        self.listed.push(ListedRow {
            top,
            boards: self.row.len() as u32,
            begin: self.end,
            crc: crc32fast::hash(must_cast_slice(&self.row)),
        });
        let mut rest = self.row.as_slice();
        while !rest.is_empty() {
            let at = self.end % CHUNK;
            if at == 0 {
                self.bottoms.push(pool.take());
            }
            let chunk = self.bottoms.last_mut().expect("a chunk was just taken");
            let (here, after) = rest.split_at(rest.len().min(CHUNK - at));
            chunk.0[at..][..here.len()].copy_from_slice(here);
            self.end += here.len();
            rest = after;
        }
        self.row.clear();
        if self.listed.len().is_multiple_of(ROWS_OF_CHUNK) {
            pool.cede();
        }
        if pool.used_up() && self.bottoms.len() > self.granted {
            self.make_room(pool)?;
        }
        Ok(())
    }

    /// Write all chunks to the file.
    fn make_room(&mut self, pool: &mut ChunkPool) -> Result<()> {
        for chunk in self.bottoms.drain(..) {
            self.spill.append(must_cast_slice(chunk.0))?;
            pool.give(chunk);
        }
        self.end = self.end.next_multiple_of(CHUNK);
        self.spilled = self.end;
        Ok(())
    }

    /// Append the boards of a row to `boards`. `bytes` is scratch memory.
    fn read(&self, row: ListedRow, bytes: &mut Vec<u8>, boards: &mut Vec<Board>) -> Result<()> {
        let top = u64::from(row.top.0) << 32;
        let Some(begin) = row.begin.checked_sub(self.spilled) else {
            bytes.resize(row.boards as usize * WORD, 0);
            self.spill.read((row.begin * WORD) as u64, row.crc, bytes)?;
            let bottoms = bytes.as_chunks().0.iter();
            boards.extend(bottoms.map(|&bottom| top | u64::from(u32::from_ne_bytes(bottom))));
            return Ok(());
        };
        let mut words = begin..begin + row.boards as usize;
        while !words.is_empty() {
            let at = words.start % CHUNK;
            let here = words.len().min(CHUNK - at);
            let bottoms = self.bottoms[words.start / CHUNK].0[at..][..here].iter();
            boards.extend(bottoms.map(|&bottom| top | u64::from(bottom)));
            words.start += here;
        }
        Ok(())
    }
}

/// The rows of a part, as a source of its boards.
pub(crate) struct RowSource {
    threads: Vec<Rows>,
    /// All rows in order, each with the number of its thread.
    rows: Vec<(ListedRow, usize)>,
    /// The rows that each task reads.
    tasks: Vec<Range<usize>>,
}

impl RowSource {
    fn new(mut threads: Vec<Rows>) -> Self {
        let all = threads.iter().map(|rows| rows.listed.len()).sum();
        let mut rows = Vec::with_capacity(all);
        for (thread, of_thread) in threads.iter_mut().enumerate() {
            // The rows of all parts are in memory at once, so the rows of a thread are freed here.
            let listed = mem::take(&mut of_thread.listed).into_iter();
            rows.extend(listed.map(|row| (row, thread)));
        }
        rows.sort_unstable_by_key(|(row, _)| row.top);
        let boards: Vec<usize> = rows.iter().map(|(row, _)| row.boards as usize).collect();
        Self {
            tasks: ranges(&boards, TASK),
            threads,
            rows,
        }
    }
}

impl Source for RowSource {
    fn tasks(&self) -> Vec<usize> {
        let boards = |task: &Range<usize>| {
            let rows = self.rows[task.clone()].iter();
            rows.map(|(row, _)| row.boards as usize).sum()
        };
        self.tasks.iter().map(boards).collect()
    }

    fn spilled(&self) -> u64 {
        self.threads.iter().map(|rows| rows.spill.bytes()).sum()
    }

    fn produce(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
        states.clear();
        for &(row, thread) in &self.rows[self.tasks[task].clone()] {
            self.threads[thread].read(row, &mut worker.bytes, states)?;
        }
        Ok(Tally {
            unique: states.len() as u64,
            ..Tally::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::canonical::Canonical;
    use super::super::class::PADDING;
    use super::super::kernels::{LINE, bit, versions::lines};
    use super::super::tables::Halves;
    use super::*;
    use crate::engine::workers::Workers;
    use crate::game::{Game, max_exp};

    #[test]
    fn rows_are_read_in_order_from_memory_and_from_a_file() {
        let game: Game = "4x4-16".parse().unwrap();
        let (top, bottom) = (5, 12);
        let halves = Halves::new(&game, top + bottom, |_| true);
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let place = tempfile::tempdir().unwrap();
        let mut expected = vec![Vec::new(); usize::from(game.top().get()) + 1];
        let bits = |position: u32| lines(columns.class.lines(), u64::from(position));
        for (position, half) in rows.class.halves() {
            let row = bits(position);
            for (_, other) in columns.class.halves().filter(|&(at, _)| bit(&row, at)) {
                let board = Half::board(half, other);
                if game.canonical(board) == board {
                    expected[usize::from(max_exp(board).get())].push(board);
                }
            }
        }
        expected
            .iter_mut()
            .for_each(|boards| boards.sort_unstable());
        for (plan, spills) in [
            (Plan::new(1 << 30, 3).unwrap(), false),
            (Plan::tiny(3), true),
        ] {
            let workers = Workers::start(&plan).unwrap();
            let listing = Listing::new(game.top(), &plan, place.path());
            let mut canonical = Canonical::default();
            for (position, half) in rows.class.halves() {
                let mut row = bits(position);
                // The padding has no boards.
                for at in 0..row.len() * LINE {
                    if columns.class.digits[at] == PADDING {
                        row[at / LINE].0[at % LINE / 64] &= !(1 << (at % 64));
                    }
                }
                let exponents = rows.census.exponents(half);
                let lister = &mut listing.of_thread(position as usize % 3);
                canonical.find(half, &row, columns, false, |_, bottoms| {
                    lister.add(exponents.clone(), bottoms);
                });
                lister.end_row(half).unwrap();
            }
            let mut spilled = 0;
            for (source, expected) in listing.into_sources().iter().zip(&expected[1..]) {
                let tally = source.tally();
                spilled += source.spilled();
                assert_eq!(tally.candidates, expected.len() as u64);
                let tasks: Vec<usize> = (0..source.tasks().len()).collect();
                let found = std::sync::Mutex::new(vec![Vec::new(); tasks.len()]);
                let unpacked = workers.each(&tasks, |worker, &task| {
                    let mut boards = vec![1, 2, 3];
                    let tally = source.produce(task, worker, &mut boards)?;
                    found.lock().unwrap()[task] = boards;
                    Ok(tally)
                });
                assert_eq!(unpacked.unwrap().unique, expected.len() as u64);
                assert!(found.into_inner().unwrap().concat() == *expected);
            }
            assert_eq!(spilled > 0, spills);
        }
    }
}
