//! Canonical boards of a layer, listed row by row.
//!
//! Key idea: boards with the same top half are neighbours in the order of boards, and one row has
//! them all. So the boards of a row are sorted among themselves, in a core's first caches, and
//! packed at once; the rows need only be laid end to end in the order of their top halves.

use std::mem;
use std::ops::Range;

use super::canonical::Canonical;
use super::census::EXPONENTS;
use super::half::Half;
use super::kernels::Line;
use super::tables::Tables;
use crate::engine::build::{Source, stretches};
use crate::engine::chunk::CHUNK_BYTES;
use crate::engine::chunk_pool::ChunkPool;
use crate::engine::packed::{Bounds, PackedRun, Packer};
use crate::engine::plan::Plan;
use crate::engine::tally::Tally;
use crate::engine::workers::Worker;
use crate::error::Result;
use crate::game::{Board, Exp};
use crate::per_thread::PerThread;
use crate::store::{Cuts, Spill, Store};

/// Boards that a task unpacks.
const TASK: usize = 1 << 16;

/// Rows of which what is known takes as much memory as a chunk of boards.
const ROWS_OF_CHUNK: usize = CHUNK_BYTES / 64;

/// The boards of all parts of a layer, while they are collected.
pub(crate) struct Listing {
    /// By largest exponent, from 1 on.
    parts: Vec<PerThread<Rows>>,
    pools: PerThread<ChunkPool>,
    /// Chunks that the rows of a part and a thread may have whatever the others take.
    granted: usize,
}

/// A thread's memory for the boards of a row.
pub(crate) struct Lister {
    thread: usize,
    canonical: Canonical,
    /// By largest exponent.
    boards: [Vec<Board>; EXPONENTS],
}

impl Lister {
    /// For the thread of this number.
    pub(crate) fn new(thread: usize) -> Self {
        Self {
            thread,
            canonical: Canonical::new(),
            boards: Default::default(),
        }
    }
}

/// Rows of one part that one thread made.
struct Rows {
    places: Vec<Place>,
    runs: Vec<PackedRun>,
    /// The run that goes on.
    open: Packer,
    spill: Spill,
}

/// Where a row is.
#[derive(Clone, Copy)]
struct Place {
    top: Half,
    run: u32,
    piece: u32,
}

impl Rows {
    /// Add the boards of a row, in order.
    fn add(
        &mut self,
        top: Half,
        boards: &[Board],
        granted: usize,
        pool: &mut ChunkPool,
    ) -> Result<()> {
        let (run, piece) = (self.runs.len() as u32, self.open.pieces() as u32);
        self.places.push(Place { top, run, piece });
        self.open.append(boards, pool)?;
        if self.places.len().is_multiple_of(ROWS_OF_CHUNK) {
            pool.cede();
        }
        if pool.used_up() && self.open.chunks() > granted {
            let mut run = mem::take(&mut self.open).finish();
            run.spill(&mut self.spill, pool)?;
            self.runs.push(run);
        }
        Ok(())
    }
}

impl Listing {
    /// For parts with largest tiles up to `top`, in the memory of a plan.
    pub(crate) fn new(top: Exp, plan: &Plan, store: &Store) -> Self {
        let rows = |_| {
            Ok(Rows {
                places: Vec::new(),
                runs: Vec::new(),
                open: Packer::default(),
                spill: store.spill(),
            })
        };
        let per_thread = |_| PerThread::new(plan.threads(), rows).expect("nothing here fails");
        let pool = |_| Ok(ChunkPool::new(plan.chunks / CHUNK_BYTES));
        Self {
            parts: top.up_to().map(per_thread).collect(),
            pools: PerThread::new(plan.threads(), pool).expect("nothing here fails"),
            granted: plan.granted / CHUNK_BYTES,
        }
    }

    /// Add the canonical boards of a row, but for those that have a bit in `dead`. The top `half`
    /// has largest exponent `max`.
    pub(crate) fn add(
        &self,
        (half, max): (Half, u8),
        row: &[Line],
        dead: Option<&[Line]>,
        columns: &Tables,
        lister: &mut Lister,
    ) -> Result<()> {
        let Lister {
            thread,
            canonical,
            boards,
        } = lister;
        canonical.find((half, max), row, dead, columns, false, |exp, some| {
            boards[usize::from(exp)].extend_from_slice(some);
        });
        let pool = &mut *self.pools.lock(*thread);
        for (exp, boards) in boards.iter_mut().enumerate() {
            if !boards.is_empty() {
                boards.sort_unstable();
                let mut rows = self.parts[exp - 1].lock(*thread);
                rows.add(half, boards, self.granted, pool)?;
                boards.clear();
            }
        }
        Ok(())
    }

    /// The parts, by largest tile.
    pub(crate) fn into_sources(self) -> impl Iterator<Item = RowSource> {
        self.parts.into_iter().map(RowSource::new)
    }
}

/// The rows of a part, as a source of its boards.
pub(crate) struct RowSource {
    /// Of each thread.
    rows: Vec<Rows>,
    /// All of them in order, each with the number of its thread.
    places: Vec<(Place, usize)>,
    /// Which of them are unpacked at once.
    tasks: Vec<Range<usize>>,
}

impl RowSource {
    fn new(rows: PerThread<Rows>) -> Self {
        let mut rows = rows.into_values();
        let mut places = Vec::new();
        for (thread, rows) in rows.iter_mut().enumerate() {
            rows.runs.push(mem::take(&mut rows.open).finish());
            places.extend(rows.places.drain(..).map(|place| (place, thread)));
        }
        places.sort_unstable_by_key(|(place, _)| place.top);
        let counts: Vec<usize> = places.iter().map(|&place| count(&rows, place)).collect();
        let tasks = stretches(&counts, TASK);
        Self {
            rows,
            places,
            tasks,
        }
    }
}

/// Number of boards of a row.
fn count(rows: &[Rows], (place, thread): (Place, usize)) -> usize {
    rows[thread].runs[place.run as usize].count(place.piece as usize)
}

impl Source for RowSource {
    fn tasks(&self) -> Vec<usize> {
        let size = |task: &Range<usize>| {
            let places = self.places[task.clone()].iter();
            places.map(|&place| count(&self.rows, place)).sum()
        };
        self.tasks.iter().map(size).collect()
    }

    fn tally(&self) -> Tally {
        Tally {
            candidates: self.tasks().into_iter().sum::<usize>() as u64,
            cuts: Cuts {
                ranges: self.tasks.len() as u64,
                spilled: self.rows.iter().map(|rows| rows.spill.bytes()).sum(),
                ..Cuts::default()
            },
            ..Tally::default()
        }
    }

    fn sort(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
        states.clear();
        for &(Place { run, piece, .. }, thread) in &self.places[self.tasks[task].clone()] {
            let Rows { runs, spill, .. } = &self.rows[thread];
            let (run, piece) = (&runs[run as usize], piece as usize);
            run.read(piece, Bounds::ALL, spill, &mut worker.bytes, states)?;
        }
        Ok(Tally {
            unique: states.len() as u64,
            ..Tally::default()
        })
    }

    fn sorted(&mut self, _: Range<usize>, _: &[Vec<Board>]) {}
}

#[cfg(test)]
mod tests {
    use super::super::halves::Halves;
    use super::super::kernels::{LINE, bit, ways::lines};
    use super::*;
    use crate::engine::workers::Workers;
    use crate::game::{Game, max_exp};

    #[test]
    fn rows_come_back_in_order_also_from_a_file() {
        let game: Game = "4x4-16".parse().unwrap();
        let (top, bottom) = (5, 12);
        let halves = Halves::new(&game, top + bottom);
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let place = tempfile::tempdir().unwrap();
        let store = Store::open(place.path(), &game, None).unwrap();
        let mut expected = vec![Vec::new(); usize::from(game.top().get()) + 1];
        let bits = |position: u32| lines(columns.class.lines(), u64::from(position));
        for (position, half) in rows.class.halves() {
            let row = bits(position);
            for (at, other) in columns.class.halves().filter(|&(at, _)| bit(&row, at)) {
                let board = Half::board(half, other);
                let alive = !(at as usize / LINE).is_multiple_of(3);
                if alive && game.canonical(board).0 == board {
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
            let listing = Listing::new(game.top(), &plan, &store);
            let mut listers: Vec<Lister> = (0..3).map(Lister::new).collect();
            for (position, half) in rows.class.halves() {
                let mut row = bits(position);
                let mut dead = vec![Line::ZERO; row.len()];
                for line in (0..row.len()).step_by(3) {
                    dead[line] = Line([u64::MAX; 8]);
                }
                // What is no half has no board.
                for at in 0..row.len() * LINE {
                    if columns.class.half(at as u32).is_none() {
                        row[at / LINE].0[at % LINE / 64] &= !(1 << (at % 64));
                    }
                }
                let of_half = (half, rows.max[position as usize]);
                let lister = &mut listers[position as usize % 3];
                listing
                    .add(of_half, &row, Some(&dead), columns, lister)
                    .unwrap();
            }
            let mut spilled = 0;
            for (source, expected) in listing.into_sources().zip(&expected[1..]) {
                let tally = source.tally();
                spilled += tally.cuts.spilled;
                assert_eq!(tally.candidates, expected.len() as u64);
                let tasks: Vec<usize> = (0..source.tasks().len()).collect();
                let found = std::sync::Mutex::new(vec![Vec::new(); tasks.len()]);
                let unpacked = workers.each(&tasks, |worker, &task| {
                    let mut boards = vec![1, 2, 3];
                    let tally = source.sort(task, worker, &mut boards)?;
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
