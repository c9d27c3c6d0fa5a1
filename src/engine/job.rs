//! Jobs: each builds one part.
//!
//! A job takes sorted boards from a [`Source`], does the work of a [`Visit`] on them, and puts them
//! into files or into a list. Sources and visits know nothing of each other. So counting, listing
//! matrices, solving and the tasks of a cluster all build their parts in one way.

use std::mem;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use super::workers::Worker;
use crate::counts::Row;
use crate::error::Result;
use crate::game::rank::Ranking;
use crate::game::{Board, PartKey, Rules, Tally};
use crate::laws;
use crate::part::Block;
use crate::store::Writer;

/// Boards of a slice, which are visited together. A slice fits a core's first caches.
pub(crate) const SLICE: usize = 1 << 11;

/// A part that is being built, or is built.
pub(crate) struct PartJob<S, V> {
    pub(crate) key: PartKey,
    pub(crate) source: S,
    pub(crate) visit: V,
    /// The counts of the boards so far.
    pub(crate) tally: Tally,
    /// A writer for each file of the part: [`Visit::encode`] makes a block for each file.
    writers: Mutex<Vec<Writer>>,
}

impl<S: Source, V> PartJob<S, V> {
    pub(crate) fn new(key: PartKey, source: S, visit: V) -> Self {
        Self {
            key,
            tally: source.tally(),
            source,
            visit,
            writers: Mutex::default(),
        }
    }

    /// Put the blocks into the files of `writers`, at least one.
    pub(crate) fn write_to(&mut self, writers: Vec<Writer>) {
        self.writers = Mutex::new(writers);
    }

    /// Boards of every block but the last; `None` if the job writes no files.
    pub(super) fn block(&self) -> Option<usize> {
        self.writers().first().map(Writer::block)
    }

    pub(super) fn writers(&self) -> MutexGuard<'_, Vec<Writer>> {
        self.writers.lock().expect("no thread panics")
    }

    /// The writers, once the part is built.
    pub(crate) fn take_writers(&self) -> Vec<Writer> {
        mem::take(&mut self.writers())
    }

    /// Check that every candidate was listed, dead or a duplicate.
    pub(super) fn check_conserved(&self, listed: u64) -> Result<()> {
        check_conserved(self.key, &self.tally, listed)
    }
}

/// Check that every candidate of a part was listed, dead or a duplicate.
pub(super) fn check_conserved(key: PartKey, tally: &Tally, listed: u64) -> Result<()> {
    let (row, kept) = (Row::of(key), listed + tally.dead);
    let split = tally.unique + tally.duplicates;
    let what = "candidates, and unique boards with duplicates";
    laws::equal(&row, what, tally.candidates, split)?;
    laws::equal(&row, "unique boards, and boards kept", tally.unique, kept)
}

/// A source of the sorted boards of a part.
pub(crate) trait Source: Sync {
    /// The approximate number of candidates of each task. The tasks are in the order of their
    /// boards.
    fn tasks(&self) -> Vec<usize>;

    /// The counts that are known before any task is done: candidates, and repeats that are already
    /// dropped. By default the numbers of [`Source::tasks`] are exact.
    fn tally(&self) -> Tally {
        Tally {
            candidates: self.tasks().iter().sum::<usize>() as u64,
            ..Tally::default()
        }
    }

    /// Bytes that went through temporary files, because they did not fit in memory.
    fn spilled(&self) -> u64 {
        0
    }

    /// Put the boards of a task into `boards`, sorted and without repeats. They are greater than
    /// the boards of earlier tasks. Counts the different boards and the repeats.
    fn produce(&self, task: usize, worker: &mut Worker, boards: &mut Vec<Board>) -> Result<Tally>;

    /// Free the memory of some tasks, which produced `boards`.
    fn release(&mut self, _tasks: Range<usize>, _boards: &[Vec<Board>]) {}
}

/// The work on the boards of a part while they are in a core's caches.
pub(crate) trait Visit: Sync {
    /// The findings of the visits of a block; `()` if its encoding needs none.
    type Found: Default + Send;

    /// Whether the encoding of a block needs the findings of its visits, and must come after them.
    const ENCODES_WHAT_IT_FOUND: bool = false;

    /// Count the boards of a sorted range, and drop the boards that the part's file does not list.
    fn count_and_filter(&self, _boards: &mut Vec<Board>, _worker: &mut Worker) -> Result<Tally> {
        Ok(Tally::default())
    }

    /// Visit a slice of the listed boards, which begins at position `at` of its block. `found`
    /// holds the findings of the block. Not called unless the encoding of a block needs them.
    fn visit(
        &self,
        _boards: &[Board],
        _at: usize,
        _found: &Mutex<Self::Found>,
        _worker: &mut Worker,
    ) -> Result<Tally> {
        Ok(Tally::default())
    }

    /// Encode a block of boards, for each file of the part.
    fn encode(
        &self,
        boards: &[Board],
        found: &mut Self::Found,
        worker: &mut Worker,
        blocks: &mut Vec<Block>,
    ) -> Result<()>;
}

/// The work on boards that go into the only file of their part.
pub(crate) trait CountBoards: Sync {
    /// The ranks of the boards.
    fn ranking(&self) -> &Ranking;

    /// As [`Visit::count_and_filter`].
    fn count_and_filter(&self, _boards: &mut Vec<Board>, _worker: &mut Worker) -> Result<Tally> {
        Ok(Tally::default())
    }
}

impl<C: CountBoards> Visit for C {
    type Found = ();

    fn count_and_filter(&self, boards: &mut Vec<Board>, worker: &mut Worker) -> Result<Tally> {
        CountBoards::count_and_filter(self, boards, worker)
    }

    fn encode(
        &self,
        boards: &[Board],
        (): &mut (),
        worker: &mut Worker,
        blocks: &mut Vec<Block>,
    ) -> Result<()> {
        blocks.resize_with(1, Block::default);
        worker
            .encoder
            .encode(self.ranking(), boards, &mut blocks[0])
    }
}

/// Counts the empty cells of afterstates. The next layers spawn into these cells.
pub(crate) struct CountAfterstates {
    pub(crate) rules: Rules,
    pub(crate) ranking: Arc<Ranking>,
}

impl CountBoards for CountAfterstates {
    fn count_and_filter(&self, afterstates: &mut Vec<Board>, _: &mut Worker) -> Result<Tally> {
        Ok(Tally {
            empty_cells: self.rules.empty_cells(afterstates),
            ..Tally::default()
        })
    }

    fn ranking(&self) -> &Ranking {
        &self.ranking
    }
}

/// Counts nothing: the boards are already counted.
pub(crate) struct OnlyList {
    /// The ranks of the boards.
    pub(crate) ranking: Arc<Ranking>,
}

impl CountBoards for OnlyList {
    fn ranking(&self) -> &Ranking {
        &self.ranking
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::Exp;

    /// A sorted list as the source of a part.
    pub(in crate::engine) struct ListSource<'a>(pub(in crate::engine) &'a [Board]);

    impl Source for ListSource<'_> {
        fn tasks(&self) -> Vec<usize> {
            self.0.chunks(SLICE).map(<[Board]>::len).collect()
        }

        fn produce(&self, task: usize, _: &mut Worker, states: &mut Vec<Board>) -> Result<Tally> {
            states.clear();
            states.extend_from_slice(self.0.chunks(SLICE).nth(task).unwrap());
            Ok(Tally {
                unique: states.len() as u64,
                ..Tally::default()
            })
        }
    }

    #[test]
    fn candidates_that_vanish_or_appear_break_conservation() {
        let conserved = |candidates, unique, duplicates, kept: u64| {
            let key = PartKey {
                sum: 8,
                max: Exp::FOUR,
            };
            let mut job = PartJob::new(key, ListSource(&[]), ());
            job.tally = Tally {
                candidates,
                unique,
                duplicates,
                dead: 1,
                ..Tally::default()
            };
            job.check_conserved(kept - 1).is_ok()
        };
        assert!(conserved(10, 7, 3, 7));
        for (candidates, unique, duplicates, kept) in [(10, 7, 2, 7), (10, 8, 3, 8), (10, 7, 3, 6)]
        {
            assert!(!conserved(candidates, unique, duplicates, kept));
        }
    }
}
