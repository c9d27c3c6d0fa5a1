//! The pipeline: parts from any source, through blocks, into files.
//!
//! A source gives the boards of a part in *tasks*. Any thread can do a task, which gives a range of
//! sorted boards. The ranges of all tasks, in order, are the part. They are cut into blocks of a
//! fixed number of boards, regardless of tasks, so the files do not depend on the division into
//! tasks. Counting writes a block of boards into one file; solving writes a block of values into a
//! file for each goal.
//!
//! Key idea: tasks run in batches, each as large as memory allows, and three batches are under way
//! at once. In one *round*, the threads produce the boards of a batch, visit and encode the boards
//! of the batch before it, and write the blocks of the batch before that. A thread waits only at
//! the end of a round, and the last tasks of a round are small. A batch holds some tasks of one
//! large part, or all tasks of many small parts, as one small part would not keep all threads busy.
//!
//! ```text
//! round       n            n + 1              n + 2
//! batch n     Produce ---> Visit, Encode ---> Write
//! batch n+1                Produce ---------> Visit, Encode
//! batch n+2                                   Produce
//! ```

use std::cmp::Reverse;
use std::mem;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel};

use super::batches::{BatchShare, batches};
use super::buffers::{Concat, DoubleBuffer};
use super::visit::Visit;
use super::workers::{Worker, Workers};
use crate::error::Result;
use crate::game::Board;
use crate::game::Tally;
use crate::part::Block;
use crate::per_thread::PerThread;
use crate::progress::Cuts;
use crate::store::Writer;

/// Boards of a slice, which are visited together: a slice fits a core's first caches.
pub(crate) const SLICE: usize = 1 << 11;

/// A source of the sorted boards of a part.
pub(crate) trait Source: Sync {
    /// The approximate number of candidates of each task; the tasks are in the order of their
    /// boards.
    fn tasks(&self) -> Vec<usize>;

    /// The counts that are known before any task is done: candidates, and repeats dropped already.
    fn tally(&self) -> Tally;

    /// How the work was divided to fit in memory.
    fn cuts(&self) -> Cuts {
        Cuts::default()
    }

    /// Put the boards of a task into `boards`, sorted and without repeats. All are greater than the
    /// boards of the tasks before it. Counts the different boards and the repeats.
    fn produce(&self, task: usize, worker: &mut Worker, boards: &mut Vec<Board>) -> Result<Tally>;

    /// Free the memory of some tasks, which produced `boards`.
    fn release(&mut self, _tasks: Range<usize>, _boards: &[Vec<Board>]) {}
}

/// A part that is being built: its source, its visit and its files.
pub(crate) struct PartBuild<S, V> {
    pub(crate) source: S,
    pub(crate) visit: V,
    /// A writer for each block that [`Visit::encode`] makes of a block of boards.
    writers: Mutex<Vec<Writer>>,
    /// Boards of every block but the last.
    block: usize,
    pub(crate) tally: Tally,
    pub(crate) cuts: Cuts,
}

impl<S: Source, V> PartBuild<S, V> {
    /// A part whose blocks go to `writers`, at least one.
    pub(crate) fn new(source: S, visit: V, writers: Vec<Writer>) -> Self {
        Self {
            block: writers[0].block(),
            writers: Mutex::new(writers),
            tally: source.tally(),
            cuts: source.cuts(),
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

/// The buffers of the pipeline; they live as long as the count, or the solver.
pub(crate) struct Pipeline<F> {
    /// Most candidates of a batch.
    batch: usize,
    /// The boards of each task of a batch.
    produced: DoubleBuffer<Vec<Board>>,
    /// Boards that did not fill a block yet; they come before the boards of the next batch.
    rest: Vec<Board>,
    /// A buffer for the rest of the next round.
    next_rest: Vec<Board>,
    /// The findings of each block's visit.
    found: Vec<Mutex<F>>,
    /// The blocks of a batch, one for each file.
    encoded: DoubleBuffer<Vec<Block>>,
}

impl<F: Default + Send> Pipeline<F> {
    /// For batches of up to `batch` candidates.
    pub(crate) fn new(batch: usize) -> Self {
        Self {
            batch,
            produced: DoubleBuffer::default(),
            rest: Vec::new(),
            next_rest: Vec::new(),
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
        let tallies = workers.per_thread(|_| vec![Tally::default(); parts.len()]);
        let (mut produced, mut encoded) = (Vec::new(), Vec::new());
        self.rest.clear();
        // The last batch takes two more rounds, one to be encoded and one to be written.
        for round in 0..batches.len() + 2 {
            let batch = batches.get(round).map_or(&[][..], Vec::as_slice);
            let tasks = batch.last().map_or(0, |share| share.slots().end);
            self.produced.prepare(tasks);
            let ready = ready_parts(&produced, &self.rest, self.produced.filled(), parts);
            let blocks = ready.last().map_or(0, |part| part.slots.end);
            self.encoded.prepare(blocks);
            self.found
                .resize_with(blocks.max(self.found.len()), Mutex::default);
            let round = Round {
                parts,
                ready,
                produced: &self.produced,
                found: &self.found,
                encoded: &self.encoded,
                tallies: &tallies,
            };
            let all = round.tasks(batch, &encoded);
            report(workers.each(&all, |worker, task| round.perform(task, worker))?);

            self.next_rest.clear();
            if let Some(last) = round.ready.last() {
                last.copy_rest(&mut self.next_rest);
            }
            encoded = round.ready.iter().map(ReadyPart::encoded).collect();
            mem::swap(&mut self.rest, &mut self.next_rest);
            self.produced.swap(tasks);
            self.encoded.swap(blocks);
            self.produced.shrink_to(2 * self.batch / tasks.max(1));
            for share in batch {
                let boards = &self.produced.filled()[share.slots()];
                parts[share.part]
                    .source
                    .release(share.tasks.clone(), boards);
            }
            produced = batch.to_vec();
        }
        for tallies in tallies.into_values() {
            for (part, counted) in parts.iter_mut().zip(tallies) {
                part.tally += counted;
            }
        }
        Ok(())
    }
}

/// Encoded blocks of one part.
struct EncodedBlocks {
    part: usize,
    slots: Range<usize>,
}

/// A task of a round.
enum RoundTask {
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

/// Boards of one part to visit and encode: the rest of earlier batches, then the boards of the last
/// batch.
struct ReadyPart<'a> {
    part: usize,
    boards: Concat<'a>,
    /// Number of boards to visit and encode now: full blocks, or all boards at the end of the part.
    ready: usize,
    /// Boards of a full block.
    block: usize,
    /// The slots of the blocks.
    slots: Range<usize>,
    /// For each block, the number of boards not visited yet.
    left: Vec<AtomicUsize>,
}

/// The boards that a batch produced, part by part.
fn ready_parts<'a, S, V>(
    batch: &[BatchShare],
    rest: &'a [Board],
    produced: &'a [Vec<Board>],
    parts: &[PartBuild<S, V>],
) -> Vec<ReadyPart<'a>> {
    let mut ready: Vec<ReadyPart> = Vec::new();
    for share in batch {
        let slot = ready.last().map_or(0, |part| part.slots.end);
        let block = parts[share.part].block;
        ready.push(ReadyPart::new(share, rest, produced, block, slot));
    }
    ready
}

impl<'a> ReadyPart<'a> {
    /// The boards of one part in a batch; its blocks take slots from `slot` on.
    fn new(
        share: &BatchShare,
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
        let ready = boards.len().min(blocks * block);
        let left = (0..blocks).map(|number| block.min(ready - number * block));
        Self {
            part: share.part,
            boards,
            ready,
            block,
            slots: slot..slot + blocks,
            left: left.map(AtomicUsize::new).collect(),
        }
    }

    /// The positions of a block's boards.
    fn range(&self, block: usize) -> Range<usize> {
        let from = block * self.block;
        from..self.ready.min(from + self.block)
    }

    fn slices(&self, block: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let Range { start, end } = self.range(block);
        (start..end)
            .step_by(SLICE)
            .map(move |from| from..end.min(from + SLICE))
    }

    /// Append the boards that do not fill a block yet to `rest`.
    fn copy_rest(&self, rest: &mut Vec<Board>) {
        self.boards.copy(self.ready, self.boards.len(), rest);
    }

    fn encoded(&self) -> EncodedBlocks {
        EncodedBlocks {
            part: self.part,
            slots: self.slots.clone(),
        }
    }
}

/// The data that the threads share in a round.
struct Round<'a, S, V: Visit> {
    parts: &'a [PartBuild<S, V>],
    ready: Vec<ReadyPart<'a>>,
    produced: &'a DoubleBuffer<Vec<Board>>,
    found: &'a [Mutex<V::Found>],
    encoded: &'a DoubleBuffer<Vec<Block>>,
    tallies: &'a PerThread<Vec<Tally>>,
}

impl<S: Source, V: Visit> Round<'_, S, V> {
    /// The tasks, large ones first and small ones last, so that all threads end together.
    fn tasks(&self, batch: &[BatchShare], encoded: &[EncodedBlocks]) -> Vec<RoundTask> {
        let mut tasks = Vec::new();
        for EncodedBlocks { part, slots } in encoded {
            if !slots.is_empty() {
                let (part, slots) = (*part, slots.clone());
                tasks.push(RoundTask::Write { part, slots });
            }
        }
        let ready = self.ready.iter().enumerate();
        let mut blocks: Vec<(usize, usize)> = ready
            .flat_map(|(ready, part)| (0..part.slots.len()).map(move |block| (ready, block)))
            .collect();
        blocks.sort_by_key(|&(ready, block)| Reverse(self.ready[ready].range(block).len()));
        if !V::ENCODES_WHAT_IT_FOUND {
            let encode = blocks.iter();
            tasks.extend(encode.map(|&(ready, block)| RoundTask::Encode { ready, block }));
        }
        for share in batch {
            for (task, slot) in share.tasks.clone().zip(share.slots()) {
                let part = share.part;
                tasks.push(RoundTask::Produce { part, task, slot });
            }
        }
        for (ready, block) in blocks {
            let slices = self.ready[ready].slices(block);
            tasks.extend(slices.map(|slice| RoundTask::Visit {
                ready,
                block,
                slice,
            }));
        }
        tasks
    }

    fn perform(&self, task: &RoundTask, worker: &mut Worker) -> Result<Tally> {
        let (part, counted) = match *task {
            RoundTask::Write { part, ref slots } => return self.write(part, slots.clone()),
            RoundTask::Encode { ready, block } => {
                return self.encode(&self.ready[ready], block, worker);
            }
            RoundTask::Produce { part, task, slot } => {
                (part, self.produce(part, task, slot, worker)?)
            }
            RoundTask::Visit {
                ready,
                block,
                ref slice,
            } => {
                let ready = &self.ready[ready];
                (ready.part, self.visit(ready, block, slice.clone(), worker)?)
            }
        };
        self.tallies.lock(worker.index)[part] += counted;
        Ok(counted)
    }

    fn write(&self, part: usize, slots: Range<usize>) -> Result<Tally> {
        let mut writers = self.parts[part].writers.lock().expect("no thread panics");
        for blocks in &self.encoded.filled()[slots] {
            for (writer, block) in writers.iter_mut().zip(blocks) {
                writer.append(block)?;
            }
        }
        Ok(Tally::default())
    }

    fn encode(&self, ready: &ReadyPart, block: usize, worker: &mut Worker) -> Result<Tally> {
        let Range { start, end } = ready.range(block);
        let mut copy = mem::take(&mut worker.boards);
        let boards = ready.boards.slice(start, end, &mut copy);
        let slot = ready.slots.start + block;
        let found = &mut self.found[slot].lock().expect("no thread panics");
        let blocks = &mut self.encoded.slot(slot);
        let encoded = self.parts[ready.part]
            .visit
            .encode(boards, found, worker, blocks);
        worker.boards = copy;
        encoded.map(|()| Tally::default())
    }

    fn produce(&self, part: usize, task: usize, slot: usize, worker: &mut Worker) -> Result<Tally> {
        let part = &self.parts[part];
        let mut boards = self.produced.slot(slot);
        let mut tally = part.source.produce(task, worker, &mut boards)?;
        tally += part.visit.retain_listed(&mut boards);
        Ok(tally)
    }

    /// Visit a slice. If blocks hold the findings of visits, the last visit of a block encodes it.
    fn visit(
        &self,
        ready: &ReadyPart,
        block: usize,
        slice: Range<usize>,
        worker: &mut Worker,
    ) -> Result<Tally> {
        let mut copy = mem::take(&mut worker.boards);
        let boards = ready.boards.slice(slice.start, slice.end, &mut copy);
        let found = &self.found[ready.slots.start + block];
        let at = slice.start - ready.range(block).start;
        let tally = self.parts[ready.part]
            .visit
            .visit(boards, at, found, worker);
        worker.boards = copy;
        if V::ENCODES_WHAT_IT_FOUND
            && tally.is_ok()
            && ready.left[block].fetch_sub(slice.len(), AcqRel) == slice.len()
        {
            self.encode(ready, block, worker)?;
        }
        tally
    }
}
