//! Builds the columns of a layer: the values of all its afterstates, in files.
//!
//! Key idea: a block of afterstates gives a block of each column, whatever part it is of. It is read
//! by one thread, its values are found in pieces by all, as a small layer has few blocks, and who is
//! done with its last piece encodes it. Blocks are made in batches; those of a batch are written
//! while the next one is read.

use std::iter;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::AcqRel};

use super::expand::{Expand, Scratch};
use super::layer::{self, Draft, LayerBlock};
use crate::engine::{Done, DoubleBuffer, Worker, Workers};
use crate::error::Result;
use crate::game::Board;
use crate::part::{Block, Part, ValueEncoder};
use crate::per_thread::PerThread;
use crate::store::Writer;

/// Blocks of a batch for each thread.
const BATCH: usize = 8;

/// Afterstates of a piece: some tenths of a millisecond of work.
const PIECE: usize = 1 << 11;

/// Builds columns; keeps its buffers from each layer to the next.
pub(crate) struct Builder<'w> {
    workers: &'w Workers,
    threads: PerThread<Thread>,
    /// For each block of a batch, its afterstates.
    boards: Vec<Mutex<Vec<Board>>>,
    /// For each piece of a batch, the values of the first afterstate, one for each goal, then of the
    /// next.
    values: Vec<Mutex<Vec<u32>>>,
    /// For each block of a batch, its block in each column.
    blocks: DoubleBuffer<Vec<Block>>,
}

/// A thread's buffers.
struct Thread {
    scratch: Scratch,
    encoder: ValueEncoder,
    /// The values of a block for one goal.
    column: Vec<u32>,
}

/// A part of a layer, with a file in the making for each goal.
pub(crate) struct Job {
    pub(crate) afterstates: Part,
    pub(crate) writers: Vec<Writer>,
}

/// What a thread does before values are found.
enum Task {
    /// Write the blocks of a job that were made in the batch before.
    Write { job: usize, slots: Range<usize> },
    /// Read a block of afterstates.
    Read { block: LayerBlock, slot: usize },
}

/// A piece of a block: its number in the batch, and which afterstates of the block it has.
struct Piece {
    slot: usize,
    number: usize,
    range: Range<usize>,
}

impl<'w> Builder<'w> {
    /// Make ready.
    pub(crate) fn new(workers: &'w Workers) -> Result<Self> {
        let thread = |_| {
            Ok(Thread {
                scratch: Scratch::default(),
                encoder: ValueEncoder::new()?,
                column: Vec::new(),
            })
        };
        Ok(Self {
            workers,
            threads: PerThread::new(workers.threads(), thread)?,
            boards: Vec::new(),
            values: Vec::new(),
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
            let slots = self.boards.len().max(batch.len());
            self.boards.resize_with(slots, Mutex::default);
            let reading = Reading {
                draft,
                parts: jobs.iter_mut().map(JobPart::new).collect(),
                boards: &self.boards,
                made: &self.blocks,
            };
            let tasks = tasks(written, batch);
            let Done = self
                .workers
                .each(&tasks, |worker, task| reading.perform(task, worker))?;

            let boards = self.boards.iter_mut().take(batch.len());
            let boards = boards.map(|boards| &**boards.get_mut().expect("no thread panics"));
            let boards: Vec<&[Board]> = boards.collect();
            let pieces = pieces(&boards);
            let slots = self.values.len().max(pieces.len());
            self.values.resize_with(slots, Mutex::default);
            self.blocks.prepare(batch.len());
            let valuing = Valuing {
                expand,
                left: boards
                    .iter()
                    .map(|boards| AtomicUsize::new(boards.len()))
                    .collect(),
                boards,
                pieces: &pieces,
                values: &self.values,
                threads: &self.threads,
                blocks: &self.blocks,
            };
            let made = self.workers.each(&pieces, |worker, piece| {
                valuing.perform(piece, worker.index)
            })?;
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
    let read = batch.iter().enumerate();
    tasks.extend(read.map(|(slot, &block)| Task::Read { block, slot }));
    tasks
}

/// The pieces of blocks, in order.
fn pieces(blocks: &[&[Board]]) -> Vec<Piece> {
    let of_block = |(slot, boards): (usize, &&[Board])| {
        let length = boards.len();
        let ranges = (0..length).step_by(PIECE);
        ranges.map(move |begin| (slot, begin..length.min(begin + PIECE)))
    };
    let all = blocks.iter().enumerate().flat_map(of_block).enumerate();
    let piece = |(number, (slot, range))| Piece {
        slot,
        number,
        range,
    };
    all.map(piece).collect()
}

/// A job, as the threads share it.
struct JobPart<'a> {
    afterstates: &'a Part,
    writers: Mutex<&'a mut [Writer]>,
}

impl<'a> JobPart<'a> {
    fn new(job: &'a mut Job) -> Self {
        Self {
            afterstates: &job.afterstates,
            writers: Mutex::new(&mut job.writers),
        }
    }
}

/// What is shared by those who read a batch, and write the one before.
struct Reading<'a> {
    draft: &'a Draft<'a>,
    parts: Vec<JobPart<'a>>,
    boards: &'a [Mutex<Vec<Board>>],
    made: &'a DoubleBuffer<Vec<Block>>,
}

impl Reading<'_> {
    fn perform(&self, task: &Task, worker: &mut Worker) -> Result<Done> {
        match *task {
            Task::Write { job, ref slots } => {
                let mut writers = self.parts[job].writers.lock().expect("no thread panics");
                let mut blocks = self.made.filled()[slots.clone()].iter();
                blocks.try_for_each(|blocks| write(&mut writers, blocks))?;
            }
            Task::Read { block, slot } => {
                let part = self.parts[block.part].afterstates;
                let boards = &mut *self.boards[slot].lock().expect("no thread panics");
                boards.clear();
                part.read_block(block.number, &mut worker.decoder, boards)?;
                self.draft.take(block, part, boards)?;
            }
        }
        Ok(Done)
    }
}

/// What is shared by those who find the values of a batch.
struct Valuing<'a> {
    expand: &'a Expand<'a>,
    boards: Vec<&'a [Board]>,
    /// How many afterstates of each block have no values yet.
    left: Vec<AtomicUsize>,
    pieces: &'a [Piece],
    values: &'a [Mutex<Vec<u32>>],
    threads: &'a PerThread<Thread>,
    blocks: &'a DoubleBuffer<Vec<Block>>,
}

impl Valuing<'_> {
    /// Returns how many afterstates got their values.
    fn perform(&self, piece: &Piece, thread: usize) -> Result<u64> {
        let Piece {
            slot,
            number,
            ref range,
        } = *piece;
        let thread = &mut *self.threads.lock(thread);
        let boards = &self.boards[slot][range.clone()];
        let mut values = self.values[number].lock().expect("no thread panics");
        values.clear();
        self.expand
            .values(boards, &mut thread.scratch, &mut values)?;
        drop(values);
        if self.left[slot].fetch_sub(boards.len(), AcqRel) == boards.len() {
            self.encode(slot, thread)?;
        }
        Ok(boards.len() as u64)
    }

    /// Encode a block, all of whose pieces have their values.
    fn encode(&self, slot: usize, thread: &mut Thread) -> Result<()> {
        let first = self.pieces.partition_point(|piece| piece.slot < slot);
        let goals = self.expand.payoffs.len();
        let mut blocks = self.blocks.slot(slot);
        blocks.resize_with(goals, Block::default);
        for (goal, block) in blocks.iter_mut().enumerate() {
            thread.column.clear();
            let pieces = iter::zip(&self.pieces[first..], &self.values[first..]);
            for (_, values) in pieces.take_while(|(piece, _)| piece.slot == slot) {
                let values = values.lock().expect("no thread panics");
                let of_goal = values.iter().skip(goal).step_by(goals);
                thread.column.extend(of_goal);
            }
            let boards = self.boards[slot];
            thread.encoder.encode(boards, &thread.column, block)?;
        }
        Ok(())
    }
}

/// Write a block to each file of a part.
fn write(writers: &mut [Writer], blocks: &[Block]) -> Result<()> {
    for (writer, block) in writers.iter_mut().zip(blocks) {
        writer.append(block)?;
    }
    Ok(())
}
