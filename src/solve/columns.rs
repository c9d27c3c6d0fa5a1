//! Builds the columns of a layer: the values of all its afterstates, in files.
//!
//! Key idea: the [pipeline](crate::engine::Pipeline) builds files of columns like files of states.
//! The source of a part is its blocks of afterstates. The visit of a slice finds its values, and
//! the last slice of a block encodes the block of each column. So a small layer of few blocks keeps
//! all threads busy.

use std::sync::Mutex;

use super::expand::{Expand, ExpandScratch};
use super::layer::Draft;
use crate::engine::{Source, Visit, Worker, Workers};
use crate::error::Result;
use crate::game::{Board, Tally};
use crate::part::{Block, Part, ValueEncoder};
use crate::per_thread::PerThread;

/// Afterstates of a batch for each thread: eight blocks.
pub(crate) const BATCH: usize = 1 << 17;

/// A thread's buffers for finding and writing values.
pub(crate) struct Buffers {
    scratch: ExpandScratch,
    encoder: ValueEncoder,
    /// The values of a slice for all goals, or of a block for one goal.
    values: Vec<u32>,
}

impl Buffers {
    pub(crate) fn each(workers: &Workers) -> Result<PerThread<Self>> {
        PerThread::new(workers.threads(), |_| {
            Ok(Self {
                scratch: ExpandScratch::default(),
                encoder: ValueEncoder::new()?,
                values: Vec::new(),
            })
        })
    }
}

/// The afterstates of a part, block by block.
pub(crate) struct BlockSource<'a> {
    pub(crate) afterstates: Part,
    /// The number of the part's first block in the layer.
    pub(crate) first: usize,
    /// Takes the afterstates for the layers below.
    pub(crate) draft: &'a Draft<'a>,
}

impl Source for BlockSource<'_> {
    fn tasks(&self) -> Vec<usize> {
        let (states, block) = (self.afterstates.states(), self.afterstates.block_size());
        (0..states)
            .step_by(block as usize)
            .map(|begin| block.min(states - begin) as usize)
            .collect()
    }

    fn produce(&self, task: usize, worker: &mut Worker, boards: &mut Vec<Board>) -> Result<Tally> {
        boards.clear();
        self.afterstates
            .read_block(task, &mut worker.decoder, boards)?;
        self.draft.take(self.first + task, boards);
        Ok(Tally::default())
    }
}

/// Finds the values of afterstates.
#[derive(Clone, Copy)]
pub(crate) struct FindValues<'a> {
    pub(crate) expand: &'a Expand<'a>,
    pub(crate) buffers: &'a PerThread<Buffers>,
}

impl Visit for FindValues<'_> {
    /// The values of a block: for its first afterstate a value for each goal, then for the next.
    type Found = Vec<u32>;

    const ENCODES_WHAT_IT_FOUND: bool = true;

    fn visit(
        &self,
        boards: &[Board],
        at: usize,
        found: &Mutex<Vec<u32>>,
        worker: &mut Worker,
    ) -> Result<Tally> {
        let Buffers {
            scratch, values, ..
        } = &mut *self.buffers.lock(worker.index);
        values.clear();
        self.expand.values(boards, scratch, values)?;
        let begin = at * self.expand.payoffs.len();
        let end = begin + values.len();
        let mut found = found.lock().expect("no thread panics");
        if found.len() < end {
            found.resize(end, 0);
        }
        found[begin..end].copy_from_slice(values);
        Ok(Tally {
            unique: boards.len() as u64,
            ..Tally::default()
        })
    }

    fn encode(
        &self,
        boards: &[Board],
        found: &mut Vec<u32>,
        worker: &mut Worker,
        blocks: &mut Vec<Block>,
    ) -> Result<()> {
        let Buffers {
            encoder, values, ..
        } = &mut *self.buffers.lock(worker.index);
        let goals = self.expand.payoffs.len();
        let found = &found[..goals * boards.len()];
        blocks.resize_with(goals, Block::default);
        for (goal, block) in blocks.iter_mut().enumerate() {
            values.clear();
            values.extend(found.iter().skip(goal).step_by(goals));
            encoder.encode(boards, values, block)?;
        }
        Ok(())
    }
}
