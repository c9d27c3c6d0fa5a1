//! Batches: the tasks that run at one time, and the buffers between the rounds of the
//! [pipeline](super::pipeline).
//!
//! A batch has a *share* of each of its jobs: some tasks of one large part, or all tasks of a small
//! part. In the next round the boards of these tasks are a [`ReadyShare`], cut into blocks.

use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel};
use std::sync::{Mutex, MutexGuard};

use super::workers::Worker;
use crate::game::Board;

/// The tasks of one job in a batch.
pub(super) struct Share {
    /// The number of the job.
    pub(super) job: usize,
    pub(super) tasks: Range<usize>,
    /// The slot of the first task in the batch.
    slot: usize,
    /// Whether the part ends with these tasks.
    last: bool,
}

impl Share {
    /// The slots of the tasks.
    pub(super) fn slots(&self) -> Range<usize> {
        self.slot..self.slot + self.tasks.len()
    }
}

/// Cut the tasks of all jobs, in order, into batches. `sizes` has the sizes of each job's tasks.
/// The sizes of a batch add up to at most `most`, unless it is a single task.
pub(super) fn batches(sizes: &[Vec<usize>], most: usize) -> Vec<Vec<Share>> {
    let mut batches = Vec::new();
    for batch in ranges(&sizes.concat(), most) {
        let (mut shares, mut begin) = (Vec::new(), 0);
        for (job, tasks) in sizes.iter().enumerate() {
            let end = begin + tasks.len();
            let (from, to) = (begin.max(batch.start), end.min(batch.end));
            if from < to {
                shares.push(Share {
                    job,
                    tasks: from - begin..to - begin,
                    slot: from - batch.start,
                    last: to == end,
                });
            }
            begin = end;
        }
        batches.push(shares);
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

/// The boards of a share to visit and encode: the rest of earlier batches, then the boards of the
/// last batch.
pub(super) struct ReadyShare<'a> {
    pub(super) job: usize,
    boards: Concat<'a>,
    /// The position after the last board to visit and encode now: the end of the last full block,
    /// or of the part.
    end: usize,
    /// Boards of a full block.
    block: usize,
    /// The slots of the blocks.
    pub(super) slots: Range<usize>,
    /// For each block, the number of boards not visited yet.
    left: Vec<AtomicUsize>,
}

impl<'a> ReadyShare<'a> {
    /// The boards of a share of the last batch, in blocks of `block` boards, with slots from `slot`
    /// on. `rest` has the boards of earlier batches that did not fill a block, and `produced` the
    /// boards of the last batch.
    pub(super) fn new(
        share: &Share,
        rest: &'a [Board],
        produced: &'a [Vec<Board>],
        block: usize,
        slot: usize,
    ) -> Self {
        // Only a part that began in an earlier batch has a rest.
        let rest = if share.tasks.start > 0 { rest } else { &[] };
        let produced = produced[share.slots()].iter().map(Vec::as_slice);
        let boards = Concat::new([rest].into_iter().chain(produced));
        let blocks = if share.last {
            boards.len().div_ceil(block)
        } else {
            boards.len() / block
        };
        let end = boards.len().min(blocks * block);
        let left = (0..blocks).map(|number| block.min(end - number * block));
        Self {
            job: share.job,
            boards,
            end,
            block,
            slots: slot..slot + blocks,
            left: left.map(AtomicUsize::new).collect(),
        }
    }

    /// The boards that do not fill a block yet.
    pub(super) fn rest(&self) -> Vec<Board> {
        let mut rest = Vec::new();
        self.boards.copy(self.end, self.boards.len(), &mut rest);
        rest
    }

    /// Note that `boards` more boards of a block were visited. Returns whether they were the last.
    pub(super) fn visited(&self, block: usize, boards: usize) -> bool {
        self.left[block].fetch_sub(boards, AcqRel) == boards
    }

    /// Call `act` with the boards of a range. They may be copied into a buffer of the worker.
    pub(super) fn with_boards<T>(
        &self,
        range: Range<usize>,
        worker: &mut Worker,
        act: impl FnOnce(&[Board], &mut Worker) -> T,
    ) -> T {
        let mut copy = mem::take(&mut worker.boards);
        let value = act(self.boards.slice(range, &mut copy), worker);
        worker.boards = copy;
        value
    }

    /// The positions of a block's boards.
    pub(super) fn range(&self, block: usize) -> Range<usize> {
        let from = block * self.block;
        from..self.end.min(from + self.block)
    }
}

/// Sorted slices of boards, read as one slice without copying them all.
pub(super) struct Concat<'a> {
    slices: Vec<&'a [Board]>,
    /// Where each slice begins, and where the last one ends.
    starts: Vec<usize>,
}

impl<'a> Concat<'a> {
    pub(super) fn new(slices: impl Iterator<Item = &'a [Board]>) -> Self {
        let slices: Vec<_> = slices.collect();
        let mut starts = vec![0];
        for slice in &slices {
            starts.push(starts[starts.len() - 1] + slice.len());
        }
        Self { slices, starts }
    }

    /// Number of boards.
    pub(super) fn len(&self) -> usize {
        self.starts[self.slices.len()]
    }

    /// The boards of a range: in place if one slice holds them all, else gathered in `copy`.
    pub(super) fn slice<'b>(&self, range: Range<usize>, copy: &'b mut Vec<Board>) -> &'b [Board]
    where
        'a: 'b,
    {
        let Range { start, end } = range;
        let slice = self.slice_at(start);
        if slice < self.slices.len() && end <= self.starts[slice + 1] {
            return &self.slices[slice][start - self.starts[slice]..end - self.starts[slice]];
        }
        copy.clear();
        self.copy(start, end, copy);
        copy
    }

    /// Append the boards from `from` to `to` to `out`.
    fn copy(&self, mut from: usize, to: usize, out: &mut Vec<Board>) {
        let mut slice = self.slice_at(from);
        while from < to {
            let start = self.starts[slice];
            let end = to.min(self.starts[slice + 1]);
            out.extend_from_slice(&self.slices[slice][from - start..end - start]);
            from = end;
            slice += 1;
        }
    }

    /// The number of the slice that holds a position; one past the last slice for the end.
    fn slice_at(&self, position: usize) -> usize {
        self.starts.partition_point(|&start| start <= position) - 1
    }
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
    pub(super) fn prepare(&mut self, count: usize) {
        let slots = self.filling.len().max(count);
        self.filling.resize_with(slots, Mutex::default);
    }

    /// A slot to fill.
    pub(super) fn slot(&self, slot: usize) -> MutexGuard<'_, T> {
        self.filling[slot].lock().expect("no thread panics")
    }

    /// Swap the sides: the first `count` slots are filled and can be read.
    pub(super) fn swap(&mut self, count: usize) {
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
    /// Shrink to `capacity` the buffers that are filled in the next round, because the next content
    /// of a buffer may be much smaller than its last content.
    pub(super) fn shrink_to(&mut self, capacity: usize) {
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
        let of = |share: &Share| (share.job, share.tasks.clone(), share.slots(), share.last);
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

    #[test]
    fn a_concatenation_has_the_slices_of_the_whole() {
        let whole: Vec<u64> = (0..20).collect();
        // Empty slices may lie anywhere.
        let slices = [
            &whole[..0],
            &whole[..5],
            &whole[5..5],
            &whole[5..6],
            &whole[6..],
            &[],
        ];
        let concat = Concat::new(slices.into_iter());
        assert_eq!(concat.len(), whole.len());
        for from in 0..=whole.len() {
            for to in from..=whole.len() {
                let mut buffer = vec![99];
                assert_eq!(concat.slice(from..to, &mut buffer), &whole[from..to]);
                let mut copy = vec![99];
                concat.copy(from, to, &mut copy);
                assert_eq!(copy[1..], whole[from..to]);
            }
        }
        assert_eq!(Concat::new([].into_iter()).len(), 0);
    }

    #[test]
    fn a_slice_within_one_slice_is_not_copied() {
        let whole: Vec<u64> = (0..20).collect();
        let concat = Concat::new([&whole[..5], &whole[5..]].into_iter());
        let mut buffer = Vec::new();
        concat.slice(5..20, &mut buffer);
        concat.slice(1..5, &mut buffer);
        assert!(buffer.is_empty());
        concat.slice(4..6, &mut buffer);
        assert_eq!(buffer, [4, 5]);
    }
}
