//! Builds the columns of a layer: the values of all its afterstates, in files.
//!
//! Key idea: a block of afterstates is a task, whatever part it is of, and gives a block of each
//! column. Blocks are made in batches; those of a batch are written while the next one is made.

use std::ops::Range;
use std::sync::Mutex;

use super::expand::{Expand, Scratch};
use super::layer::{self, Draft, LayerBlock};
use crate::engine::{DoubleBuffer, Worker, Workers};
use crate::error::Result;
use crate::part::{Block, Part, ValueEncoder};
use crate::per_thread::PerThread;
use crate::store::Writer;

/// Blocks of a batch for each thread.
const BATCH: usize = 8;

/// Builds columns; keeps its buffers from each layer to the next.
pub(crate) struct Builder<'w> {
    workers: &'w Workers,
    threads: PerThread<Thread>,
    /// For each block of a batch, its block in each column.
    blocks: DoubleBuffer<Vec<Block>>,
}

/// A thread's buffers.
struct Thread {
    scratch: Scratch,
    encoder: ValueEncoder,
    /// The values of a block, those of all goals of the first afterstate, then of the next.
    values: Vec<u32>,
    /// Those of one goal.
    column: Vec<u32>,
}

/// A part of a layer, with a file in the making for each goal.
pub(crate) struct Job {
    pub(crate) afterstates: Part,
    pub(crate) writers: Vec<Writer>,
}

/// What a thread does next.
enum Task {
    /// Write the blocks of a job that were made in the batch before.
    Write { job: usize, slots: Range<usize> },
    /// Make the blocks of a block of afterstates.
    Make { block: LayerBlock, slot: usize },
}

impl<'w> Builder<'w> {
    /// Make ready.
    pub(crate) fn new(workers: &'w Workers) -> Result<Self> {
        let thread = |_| {
            Ok(Thread {
                scratch: Scratch::default(),
                encoder: ValueEncoder::new()?,
                values: Vec::new(),
                column: Vec::new(),
            })
        };
        Ok(Self {
            workers,
            threads: PerThread::new(workers.threads(), thread)?,
            blocks: DoubleBuffer::default(),
        })
    }

    /// Build the columns of all jobs into their writers; `draft` takes the afterstates. After each
    /// batch `report` is told how many it had.
    pub(crate) fn build(
        &mut self,
        expand: &Expand,
        draft: &Draft,
        jobs: &mut [Job],
        mut report: impl FnMut(u64),
    ) -> Result<()> {
        let blocks = layer::blocks(jobs.iter().map(|job| &job.afterstates));
        let mut written = &blocks[..0];
        for batch in blocks.chunks(BATCH * self.workers.threads()) {
            self.blocks.prepare(batch.len());
            let round = Round {
                expand,
                draft,
                parts: jobs.iter_mut().map(RoundPart::new).collect(),
                threads: &self.threads,
                blocks: &self.blocks,
            };
            let tasks = tasks(written, batch);
            let made = self
                .workers
                .each(&tasks, |worker, task| round.perform(task, worker))?;
            self.blocks.swap(batch.len());
            report(made);
            written = batch;
        }
        // Too little to wake threads for.
        for (block, made) in written.iter().zip(self.blocks.filled()) {
            write(&mut jobs[block.part].writers, made)?;
        }
        Ok(())
    }
}

/// The tasks of a batch: first what was made in the one before is written.
fn tasks(written: &[LayerBlock], batch: &[LayerBlock]) -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut slot = 0;
    for of_job in written.chunk_by(|one, other| one.part == other.part) {
        let slots = slot..slot + of_job.len();
        slot = slots.end;
        tasks.push(Task::Write {
            job: of_job[0].part,
            slots,
        });
    }
    let made = batch.iter().enumerate();
    tasks.extend(made.map(|(slot, &block)| Task::Make { block, slot }));
    tasks
}

/// A job, as the threads of a round share it.
struct RoundPart<'a> {
    afterstates: &'a Part,
    writers: Mutex<&'a mut [Writer]>,
}

impl<'a> RoundPart<'a> {
    fn new(job: &'a mut Job) -> Self {
        Self {
            afterstates: &job.afterstates,
            writers: Mutex::new(&mut job.writers),
        }
    }
}

/// What the tasks of a batch share.
struct Round<'a> {
    expand: &'a Expand<'a>,
    draft: &'a Draft<'a>,
    parts: Vec<RoundPart<'a>>,
    threads: &'a PerThread<Thread>,
    blocks: &'a DoubleBuffer<Vec<Block>>,
}

impl Round<'_> {
    /// Returns how many afterstates got their values.
    fn perform(&self, task: &Task, worker: &mut Worker) -> Result<u64> {
        match *task {
            Task::Write { job, ref slots } => self.write(job, slots.clone()),
            Task::Make { block, slot } => self.make(block, slot, worker),
        }
    }

    fn write(&self, job: usize, slots: Range<usize>) -> Result<u64> {
        let mut writers = self.parts[job].writers.lock().expect("no thread panics");
        for blocks in &self.blocks.filled()[slots] {
            write(&mut writers, blocks)?;
        }
        Ok(0)
    }

    fn make(&self, block: LayerBlock, slot: usize, worker: &mut Worker) -> Result<u64> {
        let part = self.parts[block.part].afterstates;
        let thread = &mut *self.threads.lock(worker.index);
        worker.boards.clear();
        part.read_block(block.number, &mut worker.decoder, &mut worker.boards)?;
        self.draft.take(block, part, &worker.boards)?;
        thread.values.clear();
        self.expand
            .values(&worker.boards, &mut thread.scratch, &mut thread.values)?;
        let goals = self.expand.payoffs.len();
        let mut blocks = self.blocks.slot(slot);
        blocks.resize_with(goals, Block::default);
        for (goal, block) in blocks.iter_mut().enumerate() {
            thread.column.clear();
            thread
                .column
                .extend(thread.values.iter().skip(goal).step_by(goals));
            thread
                .encoder
                .encode(&worker.boards, &thread.column, block)?;
        }
        Ok(worker.boards.len() as u64)
    }
}

/// Write a block to each file of a part.
fn write(writers: &mut [Writer], blocks: &[Block]) -> Result<()> {
    for (writer, block) in writers.iter_mut().zip(blocks) {
        writer.append(block)?;
    }
    Ok(())
}
