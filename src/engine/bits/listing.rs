//! Canonical boards of a layer, listed row by row.
//!
//! Key idea: boards with one top half are neighbours in the order of boards, and one row has them
//! all. So each row is sorted alone, in a core's first caches. Then the rows are laid end to end in
//! the order of their top halves.

use std::mem;
use std::ops::Range;
use std::path::Path;

use super::counts::EXPONENTS;
use super::half::Half;
use super::rows::{ListedRow, Rows};
use crate::engine::batch::ranges;
use crate::engine::chunk::{CHUNK_BYTES, ChunkPool};
use crate::engine::job::Source;
use crate::engine::plan::Plan;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::{Board, Exp, Tally, holds};
use crate::per_thread::PerThread;
use crate::progress::Cuts;
use crate::store::Spill;

/// Number of boards that a task reads.
const TASK: usize = 1 << 16;

/// The boards of all parts of a layer, while they are collected.
pub(crate) struct Listing {
    /// By largest exponent, beginning with 1.
    parts: Vec<PerThread<Rows>>,
    pools: PerThread<ChunkPool>,
}

/// The boards of the row that a thread lists.
#[derive(Default)]
pub(crate) struct Lister {
    pub(super) thread: usize,
    /// The digits of the bottom halves, by largest exponent.
    bottoms: [Vec<u32>; EXPONENTS],
}

impl Lister {
    /// Add boards, given their bottom halves. The largest exponents of the boards are in
    /// `exponents`, which begins with the largest exponent of the top half.
    pub(crate) fn add(&mut self, exponents: Range<u8>, bottoms: &[u32]) {
        for &bottom in bottoms {
            let mut max = exponents.start;
            for exp in exponents.start + 1..exponents.end {
                if holds(bottom.into(), Exp::of_digit(exp.into())) {
                    max = exp;
                }
            }
            self.bottoms[usize::from(max)].push(bottom);
        }
    }
}

impl Listing {
    /// A listing of parts with largest tiles up to `top`, in the memory of a plan. Boards that do not
    /// fit are spilled to a file in `dir`.
    pub(crate) fn new(top: Exp, plan: &Plan, dir: &Path) -> Self {
        let granted = plan.granted / CHUNK_BYTES;
        let rows = |_| Rows::new(granted, Spill::new(dir));
        let pool = |_| ChunkPool::new(plan.chunks / CHUNK_BYTES);
        let threads = 0..plan.threads();
        Self {
            parts: top
                .up_to()
                .map(|_| PerThread::of(threads.clone().map(rows)))
                .collect(),
            pools: PerThread::of(threads.map(pool)),
        }
    }

    /// Add the row of a top half.
    pub(crate) fn add(&self, top: Half, lister: &mut Lister) -> Result<()> {
        let pool = &mut *self.pools.lock(lister.thread);
        for (exp, bottoms) in lister.bottoms.iter_mut().enumerate() {
            if !bottoms.is_empty() {
                bottoms.sort_unstable();
                let mut rows = self.parts[exp - 1].lock(lister.thread);
                rows.add(top, bottoms, pool)?;
                bottoms.clear();
            }
        }
        Ok(())
    }

    /// The sources of the parts, by largest tile.
    pub(crate) fn into_sources(self) -> impl Iterator<Item = RowSource> {
        self.parts.into_iter().map(RowSource::new)
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
    fn new(rows: PerThread<Rows>) -> Self {
        let mut threads = rows.into_values();
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

    fn cuts(&self) -> Cuts {
        Cuts {
            ranges: self.tasks.len() as u64,
            spilled: self.threads.iter().map(|rows| rows.spill.bytes()).sum(),
            ..Cuts::default()
        }
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
    use super::super::class::NONE;
    use super::super::kernels::{LINE, bit, versions::lines};
    use super::super::tables::Halves;
    use super::*;
    use crate::engine::workers::Workers;
    use crate::game::{Game, max_exp};

    #[test]
    fn rows_are_read_in_order_from_memory_and_from_a_file() {
        let game: Game = "4x4-16".parse().unwrap();
        let (top, bottom) = (5, 12);
        let halves = Halves::new(&game, top + bottom);
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let place = tempfile::tempdir().unwrap();
        let mut expected = vec![Vec::new(); usize::from(game.top().get()) + 1];
        let bits = |position: u32| lines(columns.class.lines(), u64::from(position));
        for (position, half) in rows.class.halves() {
            let row = bits(position);
            for (_, other) in columns.class.halves().filter(|&(at, _)| bit(&row, at)) {
                let board = Half::board(half, other);
                if game.canonical(board).0 == board {
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
            let mut listers: [Lister; 3] = Default::default();
            for (thread, lister) in listers.iter_mut().enumerate() {
                lister.thread = thread;
            }
            for (position, half) in rows.class.halves() {
                let mut row = bits(position);
                // The padding has no boards.
                for at in 0..row.len() * LINE {
                    if columns.class.digits[at] == NONE {
                        row[at / LINE].0[at % LINE / 64] &= !(1 << (at % 64));
                    }
                }
                let exponents = rows.census.exponents(position);
                let lister = &mut listers[position as usize % 3];
                canonical.find(half, &row, columns, false, |_, bottoms| {
                    lister.add(exponents.clone(), bottoms);
                });
                listing.add(half, lister).unwrap();
            }
            let mut spilled = 0;
            for (source, expected) in listing.into_sources().zip(&expected[1..]) {
                let tally = source.tally();
                spilled += source.cuts().spilled;
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
