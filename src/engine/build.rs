//! Builds parts: sorted states from any source, through blocks, into files.
//!
//! A source gives the states of a part in *tasks*, each a stretch of sorted states that any thread
//! can produce on its own; laid end to end, the stretches are the part. They are cut into blocks of
//! a fixed number of states wherever the tasks ended, so the file does not depend on how the work
//! was cut.
//!
//! Key idea: tasks are taken in batches, as many as memory allows, and three batches are under way
//! at once. In one *round* a batch is sorted, the batch before it is encoded and visited, and the
//! blocks of the one before that are written. A thread waits only at the end of a round, and the
//! last tasks of a round are small. A batch holds a stretch of one large part, or many small parts:
//! what is too small to keep all threads busy alone goes through the same rounds together.
//!
//! ```text
//! round       n            n + 1              n + 2
//! batch n     Sort ------> Encode, Visit ---> Write
//! batch n+1                Sort ------------> Encode, Visit
//! batch n+2                                   Sort
//! ```

use std::cmp::Reverse;
use std::mem;
use std::ops::Range;
use std::sync::Mutex;

use super::batches::{Piece, batches};
use super::concat::Concat;
use super::double_buffer::DoubleBuffer;
use super::tally::Tally;
use super::visit::Visit;
use super::workers::{Worker, Workers};
use crate::error::Result;
use crate::game::Board;
use crate::part::Block;
use crate::per_thread::PerThread;
use crate::store::Writer;

/// States that are visited at once: a slice fits a core's first caches.
pub(crate) const SLICE: usize = 1 << 11;

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

/// A part to build: where its states come from, what is done with them, and where they go.
pub(crate) struct Job<S, V> {
    pub(crate) source: S,
    pub(crate) visit: V,
    pub(crate) writer: Writer,
    /// What was counted.
    pub(crate) tally: Tally,
}

/// The buffers of parts in the making; they live as long as the count.
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

    /// Do the jobs: build the parts into their writers, and have their states visited. After each
    /// round `report` is told what was counted in it.
    pub(crate) fn build<S: Source, V: Visit>(
        &mut self,
        jobs: &mut [Job<S, V>],
        workers: &Workers,
        mut report: impl FnMut(Tally),
    ) -> Result<()> {
        let sizes: Vec<Vec<usize>> = jobs.iter().map(|job| job.source.tasks()).collect();
        let batches = batches(&sizes, self.batch);
        let tallies = workers.per_thread(|_| vec![Tally::default(); jobs.len()]);
        let (mut sorted, mut encoded) = (Vec::new(), Vec::new());
        self.rest.clear();
        // The last batch takes two rounds more: to be encoded, and to be written.
        for round in 0..batches.len() + 2 {
            let batch = batches.get(round).map_or(&[][..], Vec::as_slice);
            encoded = self.round(
                jobs,
                batch,
                &sorted,
                &encoded,
                &tallies,
                workers,
                &mut report,
            )?;
            let tasks = batch.iter().map(|piece| piece.tasks.len()).sum::<usize>();
            self.sorted.shrink_to(2 * self.batch / tasks.max(1));
            for piece in batch {
                let states = &self.sorted.filled()[piece.slots()];
                jobs[piece.job].source.sorted(piece.tasks.clone(), states);
            }
            sorted = batch.to_vec();
        }
        for tallies in tallies.into_values() {
            for (job, counted) in jobs.iter_mut().zip(tallies) {
                job.tally += counted;
            }
        }
        Ok(())
    }

    /// Sort a batch, encode and visit the batch before it, write the one before that. With the
    /// last states of a part its last block is encoded, too, full or not. Returns what was encoded.
    #[expect(clippy::too_many_arguments, reason = "three batches are under way")]
    fn round<S: Source, V: Visit>(
        &mut self,
        jobs: &mut [Job<S, V>],
        batch: &[Piece],
        sorted: &[Piece],
        encoded: &[Blocks],
        tallies: &PerThread<Vec<Tally>>,
        workers: &Workers,
        report: &mut impl FnMut(Tally),
    ) -> Result<Vec<Blocks>> {
        let slots = batch.last().map_or(0, |piece| piece.slots().end);
        self.sorted.prepare(slots);
        let (mut stretches, mut blocks) = (Vec::new(), 0);
        for piece in sorted {
            let stretch = Stretch::new(piece, &self.rest, self.sorted.filled(), jobs, blocks);
            blocks = stretch.blocks.end;
            stretches.push(stretch);
        }
        self.encoded.prepare(blocks);
        let round = Round {
            parts: jobs.iter_mut().map(RoundPart::new).collect(),
            stretches,
            sorted: &self.sorted,
            encoded: &self.encoded,
            tallies,
        };
        let tasks = round.tasks(batch, encoded);
        let counted = workers.each(&tasks, |worker, task| round.perform(task, worker))?;
        report(counted);
        self.next_rest.clear();
        if let Some(last) = round.stretches.last() {
            last.copy_rest(&mut self.next_rest);
        }
        let encoded = round.stretches.iter().map(Stretch::encoded).collect();
        mem::swap(&mut self.rest, &mut self.next_rest);
        self.sorted.swap(slots);
        self.encoded.swap(blocks);
        Ok(encoded)
    }
}

/// Encoded blocks of one job.
struct Blocks {
    job: usize,
    slots: Range<usize>,
}

/// What a thread does next in a round. Numbers are those of jobs and of stretches.
enum Task {
    /// Write the blocks of a job that were encoded in the round before.
    Write { job: usize, slots: Range<usize> },
    /// Encode a block of a stretch.
    Encode { stretch: usize, block: usize },
    /// Sort a task of a job's source into a slot of the batch.
    Sort {
        job: usize,
        task: usize,
        slot: usize,
    },
    /// Visit a slice of a stretch.
    Visit { stretch: usize, from: usize },
}

/// States of one part that were sorted in the round before, after the rest of those before them.
struct Stretch<'a> {
    job: usize,
    states: Concat<'a>,
    /// How many of them are encoded and visited now: those that fill blocks, or all of them at the
    /// end of the part.
    ready: usize,
    /// States of a full block.
    block: usize,
    /// The slots of their blocks.
    blocks: Range<usize>,
}

impl<'a> Stretch<'a> {
    /// What a piece of the batch came to; its blocks take slots from `slot` on.
    fn new<S, V>(
        piece: &Piece,
        rest: &'a [Board],
        sorted: &'a [Vec<Board>],
        jobs: &[Job<S, V>],
        slot: usize,
    ) -> Self {
        // Only a part that was begun in the batch before has left something.
        let rest = if piece.tasks.start > 0 { rest } else { &[] };
        let sorted = sorted[piece.slots()].iter().map(Vec::as_slice);
        let states = Concat::new([rest].into_iter().chain(sorted));
        let block = jobs[piece.job].writer.block();
        let blocks = if piece.last {
            states.len().div_ceil(block)
        } else {
            states.len() / block
        };
        Self {
            job: piece.job,
            ready: states.len().min(blocks * block),
            states,
            block,
            blocks: slot..slot + blocks,
        }
    }

    /// The states of a block.
    fn range(&self, block: usize) -> Range<usize> {
        let from = block * self.block;
        from..self.ready.min(from + self.block)
    }

    /// Append the states that do not fill a block yet to `rest`.
    fn copy_rest(&self, rest: &mut Vec<Board>) {
        self.states.copy(self.ready, self.states.len(), rest);
    }

    fn encoded(&self) -> Blocks {
        Blocks {
            job: self.job,
            slots: self.blocks.clone(),
        }
    }
}

/// A job, as the threads of a round share it.
struct RoundPart<'a, S, V> {
    source: &'a S,
    visit: &'a V,
    writer: Mutex<&'a mut Writer>,
}

impl<'a, S, V> RoundPart<'a, S, V> {
    fn new(job: &'a mut Job<S, V>) -> Self {
        Self {
            source: &job.source,
            visit: &job.visit,
            writer: Mutex::new(&mut job.writer),
        }
    }
}

/// What the tasks of a round share.
struct Round<'a, S, V> {
    parts: Vec<RoundPart<'a, S, V>>,
    stretches: Vec<Stretch<'a>>,
    sorted: &'a DoubleBuffer<Vec<Board>>,
    encoded: &'a DoubleBuffer<Block>,
    tallies: &'a PerThread<Vec<Tally>>,
}

impl<S: Source, V: Visit> Round<'_, S, V> {
    /// The tasks, large ones first and small ones last, so that all threads end together.
    fn tasks(&self, batch: &[Piece], encoded: &[Blocks]) -> Vec<Task> {
        let blocks = encoded.iter().filter(|blocks| !blocks.slots.is_empty());
        let write = blocks.map(|Blocks { job, slots }| Task::Write {
            job: *job,
            slots: slots.clone(),
        });
        let mut encode = Vec::new();
        let mut visit = Vec::new();
        for (number, stretch) in self.stretches.iter().enumerate() {
            encode.extend((0..stretch.blocks.len()).map(|block| (number, block)));
            let slices = (0..stretch.ready).step_by(SLICE);
            visit.extend(slices.map(|from| Task::Visit {
                stretch: number,
                from,
            }));
        }
        encode.sort_by_key(|&(stretch, block)| Reverse(self.stretches[stretch].range(block).len()));
        let encode = encode.into_iter();
        let sort = batch.iter().flat_map(|piece| {
            let tasks = piece.tasks.clone().zip(piece.slots());
            tasks.map(|(task, slot)| Task::Sort {
                job: piece.job,
                task,
                slot,
            })
        });
        write
            .chain(encode.map(|(stretch, block)| Task::Encode { stretch, block }))
            .chain(sort)
            .chain(visit)
            .collect()
    }

    fn perform(&self, task: &Task, worker: &mut Worker) -> Result<Tally> {
        let (job, counted) = match *task {
            Task::Write { job, ref slots } => return self.write(job, slots.clone()),
            Task::Encode { stretch, block } => return self.encode(stretch, block, worker),
            Task::Sort { job, task, slot } => (job, self.sort(job, task, slot, worker)?),
            Task::Visit { stretch, from } => {
                let stretch = &self.stretches[stretch];
                (stretch.job, self.visit(stretch, from, worker)?)
            }
        };
        self.tallies.lock(worker.index)[job] += counted;
        Ok(counted)
    }

    fn write(&self, job: usize, slots: Range<usize>) -> Result<Tally> {
        let mut writer = self.parts[job].writer.lock().expect("no thread panics");
        let mut blocks = self.encoded.filled()[slots].iter();
        blocks.try_for_each(|block| writer.append(block))?;
        Ok(Tally::default())
    }

    fn encode(&self, stretch: usize, block: usize, worker: &mut Worker) -> Result<Tally> {
        let stretch = &self.stretches[stretch];
        let Range { start, end } = stretch.range(block);
        let states = if let Some(codec) = self.parts[stretch.job].visit.keys() {
            worker.boards.clear();
            stretch.states.copy(start, end, &mut worker.boards);
            codec.encode(&mut worker.boards);
            &worker.boards
        } else {
            stretch.states.slice(start, end, &mut worker.boards)
        };
        let mut slot = self.encoded.slot(stretch.blocks.start + block);
        worker.encoder.encode(states, &mut slot)?;
        Ok(Tally::default())
    }

    fn sort(&self, job: usize, task: usize, slot: usize, worker: &mut Worker) -> Result<Tally> {
        let part = &self.parts[job];
        let mut states = self.sorted.slot(slot);
        let mut tally = part.source.sort(task, worker, &mut states)?;
        tally += part.visit.count(&mut states);
        Ok(tally)
    }

    fn visit(&self, stretch: &Stretch, from: usize, worker: &mut Worker) -> Result<Tally> {
        let mut copy = mem::take(&mut worker.boards);
        let to = stretch.ready.min(from + SLICE);
        let states = stretch.states.slice(from, to, &mut copy);
        let tally = self.parts[stretch.job].visit.expand(states, worker);
        worker.boards = copy;
        tally
    }
}
