//! Builds a part: sorted states from any source, through blocks, into a file.
//!
//! A source gives the states in *tasks*, each a stretch of sorted states that any thread can
//! produce on its own; laid end to end, the stretches are the part. They are cut into blocks of a
//! fixed number of states wherever the tasks ended, so the file does not depend on how the work was
//! cut.
//!
//! Key idea: tasks are taken in batches, as many as memory allows, and three batches are under way
//! at once. In one *round* a batch is sorted, the batch before it is encoded and visited, and the
//! blocks of the one before that are written. A thread waits only at the end of a round, and the
//! last tasks of a round are small.
//!
//! ```text
//! round       n            n + 1              n + 2
//! batch n     Sort ------> Encode, Visit ---> Write
//! batch n+1                Sort ------------> Encode, Visit
//! batch n+2                                   Sort
//! ```

use std::mem;
use std::ops::Range;
use std::sync::Mutex;

use super::concat::Concat;
use super::double_buffer::DoubleBuffer;
use super::tally::Tally;
use super::visit::Visit;
use super::workers::{Worker, Workers};
use crate::error::Result;
use crate::game::Board;
use crate::part::Block;
use crate::store::Writer;

/// States that are visited at once: a slice fits a core's first caches.
pub(crate) const SLICE: usize = 1 << 12;

/// Where the sorted states of a part come from.
pub(crate) trait Source: Sync {
    /// The candidates of each task, about, in the order of their states.
    fn tasks(&self) -> Vec<usize>;

    /// What is known before any task is done: the candidates produced, and the repeats dropped
    /// already.
    fn tally(&self) -> Tally;

    /// Produce the states of a task into `states`, sorted and without repeats, all greater than
    /// those of the tasks before it. Counts the unique states and the repeats.
    fn sort(&self, task: usize, worker: &mut Worker, states: &mut Vec<Board>) -> Result<Tally>;

    /// A batch is sorted: `states` holds what is left of each of its tasks. Its memory can go.
    fn sorted(&mut self, batch: Range<usize>, states: &[Vec<Board>]);
}

/// The buffers of a part in the making; they live as long as the count.
pub(crate) struct Builder {
    /// Most candidates of a batch.
    batch: usize,
    /// The states of each task of a batch.
    sorted: DoubleBuffer<Vec<Board>>,
    /// States that did not fill a block yet; they come before those of the next batch.
    rest: Vec<Board>,
    /// A buffer for those of the next round.
    next_rest: Vec<Board>,
    /// The blocks of a batch.
    encoded: DoubleBuffer<Block>,
}

impl Builder {
    /// For batches of up to `batch` candidates.
    pub(crate) fn new(batch: usize) -> Self {
        Self {
            batch,
            sorted: DoubleBuffer::default(),
            rest: Vec::new(),
            next_rest: Vec::new(),
            encoded: DoubleBuffer::default(),
        }
    }

    /// Build the part that `source` gives into `writer`, and have its states visited. After each
    /// round `report` is told what was counted in it.
    pub(crate) fn build(
        &mut self,
        source: &mut impl Source,
        visit: &impl Visit,
        writer: &mut Writer,
        workers: &Workers,
        mut report: impl FnMut(Tally),
    ) -> Result<Tally> {
        let mut total = source.tally();
        let batches = stretches(&source.tasks(), self.batch);
        self.rest.clear();
        // The last batch takes two rounds more: to be encoded, and to be written.
        for round in 0..batches.len() + 2 {
            let batch = batches.get(round).cloned().unwrap_or_default();
            let last = round >= batches.len();
            let counted = self.round(batch.clone(), last, source, visit, writer, workers)?;
            report(counted);
            total += counted;
            self.sorted.shrink_to(2 * self.batch / batch.len().max(1));
            source.sorted(batch, self.sorted.filled());
        }
        Ok(total)
    }

    /// Sort a batch, encode and visit the batch before it, write the one before that. With the
    /// `last` states of the part its last block is encoded, too, full or not.
    fn round(
        &mut self,
        batch: Range<usize>,
        last: bool,
        source: &impl Source,
        visit: &impl Visit,
        writer: &mut Writer,
        workers: &Workers,
    ) -> Result<Tally> {
        self.sorted.prepare(batch.len());
        let sorted = self.sorted.filled().iter().map(Vec::as_slice);
        let states = Concat::new([self.rest.as_slice()].into_iter().chain(sorted));
        let block = writer.block();
        let blocks = if last {
            states.len().div_ceil(block)
        } else {
            states.len() / block
        };
        self.encoded.prepare(blocks);
        let round = Round {
            source,
            visit,
            ready: states.len().min(blocks * block),
            states,
            block,
            sorted: &self.sorted,
            encoded: &self.encoded,
            writer: Mutex::new(writer),
        };
        let tasks = round.tasks(batch.clone());
        let counted = workers.each(&tasks, |worker, &task| round.perform(task, worker))?;
        round.keep_rest(&mut self.next_rest);
        mem::swap(&mut self.rest, &mut self.next_rest);
        self.sorted.swap(batch.len());
        self.encoded.swap(blocks);
        Ok(counted)
    }
}

/// Cut things of these sizes, in order, into stretches of up to `most` together, or of one that is
/// larger.
pub(crate) fn stretches(sizes: &[usize], most: usize) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut begin = 0;
    while begin < sizes.len() {
        let mut together = 0;
        let fits = |&&size: &&usize| {
            together += size;
            together <= most
        };
        let end = begin + sizes[begin..].iter().take_while(fits).count().max(1);
        stretches.push(begin..end);
        begin = end;
    }
    stretches
}

/// What a thread does next in a round.
#[derive(Clone, Copy)]
enum Task {
    /// Write the blocks that were encoded in the round before.
    Write,
    /// Encode a block of the states that were sorted in the round before.
    Encode { block: usize },
    /// Sort a task of the source into a slot of the batch.
    Sort { task: usize, slot: usize },
    /// Visit a slice of the states that were sorted in the round before.
    Visit { from: usize },
}

/// What the tasks of a round share.
struct Round<'a, S, V> {
    source: &'a S,
    visit: &'a V,
    /// What was sorted in the round before, after the rest of those before it.
    states: Concat<'a>,
    /// How many of them are encoded and visited now: those that fill blocks.
    ready: usize,
    /// States of a full block.
    block: usize,
    sorted: &'a DoubleBuffer<Vec<Board>>,
    encoded: &'a DoubleBuffer<Block>,
    writer: Mutex<&'a mut Writer>,
}

impl<S: Source, V: Visit> Round<'_, S, V> {
    /// The tasks, large ones first and small ones last, so that all threads end together.
    fn tasks(&self, batch: Range<usize>) -> Vec<Task> {
        let write = (!self.encoded.filled().is_empty()).then_some(Task::Write);
        let encode = (0..self.ready.div_ceil(self.block)).map(|block| Task::Encode { block });
        let sort = batch
            .enumerate()
            .map(|(slot, task)| Task::Sort { task, slot });
        let visit = (0..self.ready)
            .step_by(SLICE)
            .map(|from| Task::Visit { from });
        write
            .into_iter()
            .chain(encode)
            .chain(sort)
            .chain(visit)
            .collect()
    }

    fn perform(&self, task: Task, worker: &mut Worker) -> Result<Tally> {
        match task {
            Task::Write => self.write(),
            Task::Encode { block } => self.encode(block, worker),
            Task::Sort { task, slot } => self.sort(task, slot, worker),
            Task::Visit { from } => self.visit(from, worker),
        }
    }

    fn write(&self) -> Result<Tally> {
        let mut writer = self.writer.lock().expect("no thread panics");
        let mut blocks = self.encoded.filled().iter();
        blocks.try_for_each(|block| writer.append(block))?;
        Ok(Tally::default())
    }

    fn encode(&self, block: usize, worker: &mut Worker) -> Result<Tally> {
        let from = block * self.block;
        let to = self.ready.min(from + self.block);
        let states = self.states.slice(from, to, &mut worker.boards);
        worker
            .encoder
            .encode(states, &mut self.encoded.slot(block))?;
        Ok(Tally::default())
    }

    fn sort(&self, task: usize, slot: usize, worker: &mut Worker) -> Result<Tally> {
        let mut states = self.sorted.slot(slot);
        let mut tally = self.source.sort(task, worker, &mut states)?;
        tally += self.visit.count(&mut states);
        Ok(tally)
    }

    fn visit(&self, from: usize, worker: &mut Worker) -> Result<Tally> {
        let mut copy = mem::take(&mut worker.boards);
        let states = self
            .states
            .slice(from, self.ready.min(from + SLICE), &mut copy);
        let tally = self.visit.expand(states, worker);
        worker.boards = copy;
        tally
    }

    /// Copy the states that do not fill a block yet to `rest`.
    fn keep_rest(&self, rest: &mut Vec<Board>) {
        rest.clear();
        self.states.copy(self.ready, self.states.len(), rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_as_long_as_they_may_be() {
        let sizes = [3, 4, 0, 9, 5, 5, 1];
        assert_eq!(stretches(&sizes, 7), [0..3, 3..4, 4..5, 5..7]);
        assert_eq!(stretches(&sizes, 26), [0..6, 6..7]);
        assert!(
            stretches(&sizes, 0)
                .into_iter()
                .eq((0..7).map(|at| at..at + 1))
        );
        assert!(stretches(&[], 7).is_empty());
    }
}
