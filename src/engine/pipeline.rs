//! The pipeline: parts from any source, through blocks, into files.
//!
//! A source gives the boards of a part in *tasks*. Any thread can do a task, which gives a range of
//! sorted boards. The ranges of all tasks, in order, are the part. They are cut into blocks of a
//! fixed number of boards, regardless of tasks, so the files do not depend on the division into
//! tasks. Counting writes a block of boards into one file; solving writes a block of values into a
//! file for each goal.
//!
//! Key idea: tasks run in batches, each as large as memory allows, and three batches are under way
//! at once. In one [round](super::round), the threads produce the boards of a batch, visit and
//! encode the boards of the batch before it, and write the blocks of the batch before that. A
//! thread waits only at the end of a round, and the last tasks of a round are small. A batch holds
//! some tasks of one large part, or all tasks of many small parts, as one small part would not keep
//! all threads busy.
//!
//! ```text
//! round       n            n + 1              n + 2
//! batch n     Produce ---> Visit, Encode ---> Write
//! batch n+1                Produce ---------> Visit, Encode
//! batch n+2                                   Produce
//! ```

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

use super::round::{Round, ready_parts};
use super::visit::Visit;
use super::workers::{Worker, Workers};
use crate::error::Result;
use crate::game::{Board, Tally};
use crate::part::Block;
use crate::progress::Cuts;
use crate::store::Writer;

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

    /// How the work was divided to fit in memory.
    fn cuts(&self) -> Cuts {
        Cuts::default()
    }

    /// Put the boards of a task into `boards`, sorted and without repeats. They are greater than
    /// the boards of earlier tasks. Counts the different boards and the repeats.
    fn produce(&self, task: usize, worker: &mut Worker, boards: &mut Vec<Board>) -> Result<Tally>;

    /// Free the memory of some tasks, which produced `boards`.
    fn release(&mut self, _tasks: Range<usize>, _boards: &[Vec<Board>]) {}
}

/// A part that is being built: its source, its visit and its files.
pub(crate) struct PartBuild<S, V> {
    pub(crate) source: S,
    pub(crate) visit: V,
    /// A writer for each file of the part: [`Visit::encode`] makes a block for each file.
    pub(super) writers: Mutex<Vec<Writer>>,
    /// Boards of every block but the last.
    pub(super) block: usize,
    pub(crate) tally: Tally,
}

impl<S: Source, V> PartBuild<S, V> {
    /// A part whose blocks go to `writers`, at least one.
    pub(crate) fn new(source: S, visit: V, writers: Vec<Writer>) -> Self {
        Self {
            block: writers[0].block(),
            writers: Mutex::new(writers),
            tally: source.tally(),
            source,
            visit,
        }
    }

    /// The source and the writers, once the part is built.
    pub(crate) fn into_built(self) -> (S, Vec<Writer>) {
        let writers = self.writers.into_inner();
        (self.source, writers.expect("no thread panics"))
    }
}

/// The buffers of the pipeline. They are reused for all parts.
pub(crate) struct Pipeline<F> {
    /// Most candidates of a batch.
    batch: usize,
    /// The boards of each task of a batch.
    produced: DoubleBuffer<Vec<Board>>,
    /// The findings of each block's visits.
    found: Vec<Mutex<F>>,
    /// The blocks of a batch, one for each file.
    encoded: DoubleBuffer<Vec<Block>>,
}

impl<F: Default + Send> Pipeline<F> {
    /// A pipeline for batches of up to `batch` candidates.
    pub(crate) fn new(batch: usize) -> Self {
        Self {
            batch,
            produced: DoubleBuffer::default(),
            found: Vec::new(),
            encoded: DoubleBuffer::default(),
        }
    }

    /// Build parts into their writers, and visit their boards. `report` gets the counts of each
    /// round.
    pub(crate) fn build<S: Source, V: Visit<Found = F>>(
        &mut self,
        parts: &mut [PartBuild<S, V>],
        workers: &Workers,
        mut report: impl FnMut(Tally),
    ) -> Result<()> {
        let sizes: Vec<Vec<usize>> = parts.iter().map(|part| part.source.tasks()).collect();
        let batches = batches(&sizes, self.batch);
        let tallies = workers.per_thread(|| vec![Tally::default(); parts.len()]);
        let (mut produced, mut writes) = (&[][..], Vec::new());
        // Boards that do not fill a block yet. The boards of the next batch follow them.
        let mut rest = Vec::new();
        // The last batch takes two more rounds, one to be encoded and one to be written.
        for round in 0..batches.len() + 2 {
            let batch = batches.get(round).map_or(&[][..], Vec::as_slice);
            let tasks = batch.last().map_or(0, |part| part.slots().end);
            self.produced.prepare(tasks);
            let ready = ready_parts(parts, produced, &rest, self.produced.filled());
            let blocks = ready.last().map_or(0, |part| part.slots.end);
            self.encoded.prepare(blocks);
            let found = self.found.len().max(blocks);
            self.found.resize_with(found, Mutex::default);
            let round = Round {
                parts,
                ready,
                produced: &self.produced,
                found: &self.found,
                encoded: &self.encoded,
                tallies: &tallies,
            };
            let all = round.tasks(batch, mem::take(&mut writes));
            report(workers.each(&all, |worker, task| round.perform(task, worker))?);

            writes = round.writes();
            rest = round.rest();
            self.produced.swap(tasks);
            self.encoded.swap(blocks);
            self.produced.shrink_to(2 * self.batch / tasks.max(1));
            for part in batch {
                let boards = &self.produced.filled()[part.slots()];
                let source = &mut parts[part.part].source;
                source.release(part.tasks.clone(), boards);
            }
            produced = batch;
        }
        for tallies in tallies.into_values() {
            for (part, counted) in parts.iter_mut().zip(tallies) {
                part.tally += counted;
            }
        }
        Ok(())
    }
}

/// The tasks of one part in a batch.
pub(super) struct PartOfBatch {
    pub(super) part: usize,
    pub(super) tasks: Range<usize>,
    /// The slot of the first task in the batch.
    slot: usize,
    /// Whether the part ends with these tasks.
    pub(super) last: bool,
}

impl PartOfBatch {
    /// The slots of the tasks.
    pub(super) fn slots(&self) -> Range<usize> {
        self.slot..self.slot + self.tasks.len()
    }
}

/// Cut the tasks of all parts, in order, into batches. `sizes` has the sizes of each part's tasks.
/// The sizes of a batch add up to at most `most`, unless it is a single task.
fn batches(sizes: &[Vec<usize>], most: usize) -> Vec<Vec<PartOfBatch>> {
    let mut batches = Vec::new();
    for batch in ranges(&sizes.concat(), most) {
        let (mut parts, mut begin) = (Vec::new(), 0);
        for (part, tasks) in sizes.iter().enumerate() {
            let end = begin + tasks.len();
            let (from, to) = (begin.max(batch.start), end.min(batch.end));
            if from < to {
                parts.push(PartOfBatch {
                    part,
                    tasks: from - begin..to - begin,
                    slot: from - batch.start,
                    last: to == end,
                });
            }
            begin = end;
        }
        batches.push(parts);
    }
    batches
}

/// Cut items of these sizes, in order, into ranges whose sizes add up to at most `most`. A larger
/// item is a range of its own.
pub(crate) fn ranges(sizes: &[usize], most: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut total = 0;
    for (item, size) in sizes.iter().enumerate() {
        total += size;
        match ranges.last_mut() {
            Some(range) if total <= most => range.end = item + 1,
            _ => {
                ranges.push(item..item + 1);
                total = *size;
            }
        }
    }
    ranges
}

/// Slots on two sides. The threads fill one side and read the other, which they filled in the round
/// before. A slot keeps its memory for its next content.
#[derive(Default)]
pub(super) struct DoubleBuffer<T> {
    filling: Vec<Mutex<T>>,
    filled: Vec<T>,
    /// Number of slots of `filled` that hold data. The other slots are spare.
    count: usize,
}

impl<T: Default> DoubleBuffer<T> {
    /// Make at least `count` slots available to fill.
    fn prepare(&mut self, count: usize) {
        let slots = self.filling.len().max(count);
        self.filling.resize_with(slots, Mutex::default);
    }

    /// A slot to fill.
    pub(super) fn slot(&self, slot: usize) -> MutexGuard<'_, T> {
        self.filling[slot].lock().expect("no thread panics")
    }

    /// Swap the sides: the first `count` slots are filled and can be read.
    fn swap(&mut self, count: usize) {
        let slots = self.filled.len().max(count);
        self.filled.resize_with(slots, T::default);
        for (filled, filling) in self.filled.iter_mut().zip(&mut self.filling).take(count) {
            mem::swap(filled, filling.get_mut().expect("no thread panics"));
        }
        self.count = count;
    }

    /// The slots that were filled before the last swap.
    pub(super) fn filled(&self) -> &[T] {
        &self.filled[..self.count]
    }
}

impl DoubleBuffer<Vec<Board>> {
    /// Shrink to `capacity` the buffers that are filled in the next round, because the next content of
    /// a buffer may be much smaller than its last content.
    fn shrink_to(&mut self, capacity: usize) {
        for buffer in &mut self.filling {
            let buffer = buffer.get_mut().expect("no thread panics");
            buffer.shrink_to(capacity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_holds_tasks_of_a_large_part_or_many_small_parts() {
        let sizes = [vec![5, 5], vec![], vec![1], vec![2, 9, 3]];
        let of = |part: &PartOfBatch| (part.part, part.tasks.clone(), part.slots(), part.last);
        let found: Vec<Vec<_>> = batches(&sizes, 8)
            .iter()
            .map(|batch| batch.iter().map(of).collect())
            .collect();
        let expected = vec![
            vec![(0, 0..1, 0..1, false)],
            vec![
                (0, 1..2, 0..1, true),
                (2, 0..1, 1..2, true),
                (3, 0..1, 2..3, false),
            ],
            vec![(3, 1..2, 0..1, false)],
            vec![(3, 2..3, 0..1, true)],
        ];
        assert_eq!(found, expected);
        assert!(batches(&[vec![], vec![]], 8).is_empty());
    }

    #[test]
    fn ranges_are_as_long_as_the_limit_allows() {
        let sizes = [3, 4, 0, 9, 5, 5, 1];
        assert_eq!(ranges(&sizes, 7), [0..3, 3..4, 4..5, 5..7]);
        assert_eq!(ranges(&sizes, 26), [0..6, 6..7]);
        assert!(
            ranges(&sizes, 0)
                .into_iter()
                .eq((0..7).map(|at| at..at + 1))
        );
        assert!(ranges(&[], 7).is_empty());
    }

    #[test]
    fn one_side_is_read_while_the_other_is_filled() {
        let mut buffer = DoubleBuffer::<Vec<u64>>::default();
        assert!(buffer.filled().is_empty());
        for round in 0..5u64 {
            let slots = (5 - round) as usize;
            buffer.prepare(slots);
            for slot in 0..slots {
                let mut slot = buffer.slot(slot);
                slot.clear();
                slot.push(round);
            }
            let before: Vec<_> = buffer.filled().concat();
            assert!(before.iter().all(|&old| old + 1 == round), "{before:?}");
            buffer.swap(slots);
            assert_eq!(buffer.filled(), vec![vec![round]; slots]);
        }
    }

    #[test]
    fn buffers_shrink_to_a_given_capacity() {
        let mut buffer = DoubleBuffer::<Vec<u64>>::default();
        buffer.prepare(1);
        *buffer.slot(0) = Vec::with_capacity(1000);
        buffer.shrink_to(10);
        assert!(buffer.slot(0).capacity() < 1000);
    }
}
