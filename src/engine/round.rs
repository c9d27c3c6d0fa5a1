//! A round of the [pipeline](super::pipeline): the tasks that all threads do together.

use std::cmp::Reverse;
use std::mem;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel};

use super::pipeline::{DoubleBuffer, PartBuild, PartOfBatch, Source};
use super::visit::Visit;
use super::workers::Worker;
use crate::error::Result;
use crate::game::{Board, Tally};
use crate::part::Block;
use crate::per_thread::PerThread;

/// Boards of a slice, which are visited together. A slice fits a core's first caches.
pub(super) const SLICE: usize = 1 << 11;

/// A task of a round.
pub(super) enum RoundTask {
    /// Write the blocks of a part that were encoded in the round before.
    Write { part: usize, slots: Range<usize> },
    /// Encode a block of a part that is ready.
    Encode { ready: usize, block: usize },
    /// Produce the boards of a task of a part into a slot of the batch.
    Produce {
        part: usize,
        task: usize,
        slot: usize,
    },
    /// Visit a slice of a block of a part that is ready.
    Visit {
        ready: usize,
        block: usize,
        slice: Range<usize>,
    },
}

/// The data that the threads share in a round.
pub(super) struct Round<'a, S, V: Visit> {
    pub(super) parts: &'a [PartBuild<S, V>],
    pub(super) ready: Vec<ReadyPart<'a>>,
    /// The boards of each task of the batch.
    pub(super) produced: &'a DoubleBuffer<Vec<Board>>,
    /// The findings of each block's visits.
    pub(super) found: &'a [Mutex<V::Found>],
    pub(super) encoded: &'a DoubleBuffer<Vec<Block>>,
    pub(super) tallies: &'a PerThread<Vec<Tally>>,
}

impl<S: Source, V: Visit> Round<'_, S, V> {
    /// The boards that do not fill a block yet.
    pub(super) fn rest(&self) -> Vec<Board> {
        let mut rest = Vec::new();
        if let Some(last) = self.ready.last() {
            last.boards.copy(last.end, last.boards.len(), &mut rest);
        }
        rest
    }

    /// The tasks of the next round that write the blocks of this round.
    pub(super) fn writes(&self) -> Vec<RoundTask> {
        let ready = self.ready.iter().filter(|part| !part.slots.is_empty());
        let write = |ready: &ReadyPart| RoundTask::Write {
            part: ready.part,
            slots: ready.slots.clone(),
        };
        ready.map(write).collect()
    }

    /// All tasks of the round: `writes`, and the tasks that produce `batch`. Large tasks are first
    /// and small tasks last, so that all threads end together.
    pub(super) fn tasks(&self, batch: &[PartOfBatch], writes: Vec<RoundTask>) -> Vec<RoundTask> {
        let mut tasks = writes;
        let mut blocks = Vec::new();
        for (ready, part) in self.ready.iter().enumerate() {
            blocks.extend((0..part.slots.len()).map(|block| (ready, block)));
        }
        blocks.sort_by_key(|&(ready, block)| Reverse(self.ready[ready].range(block).len()));
        if !V::ENCODES_WHAT_IT_FOUND {
            let encode = |&(ready, block)| RoundTask::Encode { ready, block };
            tasks.extend(blocks.iter().map(encode));
        }
        for part in batch {
            for (task, slot) in part.tasks.clone().zip(part.slots()) {
                let part = part.part;
                tasks.push(RoundTask::Produce { part, task, slot });
            }
        }
        for (ready, block) in blocks {
            let Range { start, end } = self.ready[ready].range(block);
            for from in (start..end).step_by(SLICE) {
                tasks.push(RoundTask::Visit {
                    ready,
                    block,
                    slice: from..end.min(from + SLICE),
                });
            }
        }
        tasks
    }

    pub(super) fn perform(&self, task: &RoundTask, worker: &mut Worker) -> Result<Tally> {
        let (part, counted) = match *task {
            RoundTask::Write { part, ref slots } => {
                let mut writers = self.parts[part].writers.lock().expect("no thread panics");
                for blocks in &self.encoded.filled()[slots.clone()] {
                    for (writer, block) in writers.iter_mut().zip(blocks) {
                        writer.append(block)?;
                    }
                }
                return Ok(Tally::default());
            }
            RoundTask::Encode { ready, block } => {
                self.encode(&self.ready[ready], block, worker)?;
                return Ok(Tally::default());
            }
            RoundTask::Produce { part, task, slot } => {
                let PartBuild { source, visit, .. } = &self.parts[part];
                let mut boards = self.produced.slot(slot);
                let mut tally = source.produce(task, worker, &mut boards)?;
                tally += visit.retain_listed(&mut boards);
                (part, tally)
            }
            RoundTask::Visit {
                ready,
                block,
                ref slice,
            } => {
                let ready = &self.ready[ready];
                let found = &self.found[ready.slots.start + block];
                let at = slice.start - ready.range(block).start;
                let visit = &self.parts[ready.part].visit;
                let tally = ready.with_boards(slice.clone(), worker, |boards, worker| {
                    visit.visit(boards, at, found, worker)
                })?;
                // The last visit of a block encodes the findings of all its visits.
                if V::ENCODES_WHAT_IT_FOUND
                    && ready.left[block].fetch_sub(slice.len(), AcqRel) == slice.len()
                {
                    self.encode(ready, block, worker)?;
                }
                (ready.part, tally)
            }
        };
        self.tallies.lock(worker.index)[part] += counted;
        Ok(counted)
    }

    fn encode(&self, ready: &ReadyPart, block: usize, worker: &mut Worker) -> Result<()> {
        let slot = ready.slots.start + block;
        let found = &mut self.found[slot].lock().expect("no thread panics");
        let blocks = &mut self.encoded.slot(slot);
        let visit = &self.parts[ready.part].visit;
        ready.with_boards(ready.range(block), worker, |boards, worker| {
            visit.encode(boards, found, worker, blocks)
        })
    }
}

/// Boards of one part to visit and encode: the rest of earlier batches, then the boards of the last
/// batch.
pub(super) struct ReadyPart<'a> {
    part: usize,
    boards: Concat<'a>,
    /// The position after the last board to visit and encode now: the end of the last full block, or
    /// of the part.
    end: usize,
    /// Boards of a full block.
    block: usize,
    /// The slots of the blocks.
    pub(super) slots: Range<usize>,
    /// For each block, the number of boards not visited yet.
    left: Vec<AtomicUsize>,
}

/// The parts of the last batch to visit and encode. `rest` has the boards of earlier batches that
/// did not fill a block.
pub(super) fn ready_parts<'a, S, V>(
    parts: &[PartBuild<S, V>],
    batch: &[PartOfBatch],
    rest: &'a [Board],
    produced: &'a [Vec<Board>],
) -> Vec<ReadyPart<'a>> {
    let mut ready: Vec<ReadyPart> = Vec::new();
    for part in batch {
        // Only a part that began in an earlier batch has a rest.
        let rest = if part.tasks.start > 0 { rest } else { &[] };
        let produced = produced[part.slots()].iter().map(Vec::as_slice);
        let boards = Concat::new([rest].into_iter().chain(produced));
        let slot = ready.last().map_or(0, |part| part.slots.end);
        ready.push(ReadyPart::new(part, boards, parts[part.part].block, slot));
    }
    ready
}

impl<'a> ReadyPart<'a> {
    /// Cut boards into blocks of `block` boards, with slots from `slot` on.
    fn new(part: &PartOfBatch, boards: Concat<'a>, block: usize, slot: usize) -> Self {
        let blocks = if part.last {
            boards.len().div_ceil(block)
        } else {
            boards.len() / block
        };
        let end = boards.len().min(blocks * block);
        let left = (0..blocks).map(|number| block.min(end - number * block));
        Self {
            part: part.part,
            boards,
            end,
            block,
            slots: slot..slot + blocks,
            left: left.map(AtomicUsize::new).collect(),
        }
    }

    /// Call `act` with the boards of a range. They may be copied into a buffer of the worker.
    fn with_boards<T>(
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
    fn range(&self, block: usize) -> Range<usize> {
        let from = block * self.block;
        from..self.end.min(from + self.block)
    }
}

/// Sorted slices of boards, read as one slice without copying them all.
struct Concat<'a> {
    slices: Vec<&'a [Board]>,
    /// Where each slice begins, and where the last one ends.
    starts: Vec<usize>,
}

impl<'a> Concat<'a> {
    fn new(slices: impl Iterator<Item = &'a [Board]>) -> Self {
        let slices: Vec<_> = slices.collect();
        let mut starts = vec![0];
        for slice in &slices {
            starts.push(starts[starts.len() - 1] + slice.len());
        }
        Self { slices, starts }
    }

    /// Number of boards.
    fn len(&self) -> usize {
        self.starts[self.slices.len()]
    }

    /// The boards of a range: in place if one slice holds them all, else gathered in `copy`.
    fn slice<'b>(&self, range: Range<usize>, copy: &'b mut Vec<Board>) -> &'b [Board]
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

#[cfg(test)]
mod tests {
    use super::*;

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
