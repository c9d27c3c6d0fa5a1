//! A layer in memory, solved or being solved: the place of each afterstate, and its values.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard};

use super::goal::Payoff;
use super::index::Index;
use crate::engine::{Done, PerThread, Workers};
use crate::error::Result;
use crate::game::Board;
use crate::game::rank::{RankTables, Ranking};
use crate::pages::Pages;
use crate::part::{Kind, Part, ValueColumn};
use crate::read::Reader;
use crate::store::Solution;

/// The afterstates of a part, with a column of values for each goal.
pub(crate) struct SolvedPart {
    pub(crate) afterstates: Part,
    pub(crate) columns: Vec<ValueColumn>,
}

impl SolvedPart {
    /// Open the values of afterstates; `None` if they are not solved for all goals.
    pub(crate) fn open(
        solution: &Solution,
        payoffs: &[Payoff],
        afterstates: Part,
    ) -> Result<Option<Self>> {
        let columns = columns(solution, payoffs, &afterstates)?;
        Ok(columns.map(|columns| Self {
            afterstates,
            columns,
        }))
    }
}

/// As for [`SolvedPart::open`], but only the values.
pub(super) fn columns(
    solution: &Solution,
    payoffs: &[Payoff],
    afterstates: &Part,
) -> Result<Option<Vec<ValueColumn>>> {
    let columns = payoffs.iter();
    let columns = columns.map(|payoff| solution.values_for(payoff.goal, afterstates));
    columns.collect()
}

/// A layer of afterstates with their values, in memory.
pub(crate) struct SolvedLayer {
    ranking: Ranking,
    index: Index,
    /// For each place, the values of its afterstate, one for each goal.
    values: Pages<AtomicU32>,
}

/// A thread's buffers for looking boards up.
#[derive(Default)]
pub(crate) struct FindScratch {
    ranks: Vec<u64>,
    places: Vec<u32>,
}

impl SolvedLayer {
    /// Read the layer of sum `sum` from its files.
    pub(crate) fn read(
        (solution, reader): (&Solution, &Reader),
        payoffs: &[Payoff],
        tables: &Arc<RankTables>,
        sum: u32,
        workers: &Workers,
    ) -> Result<Self> {
        let mut parts = Vec::new();
        for afterstates in reader.parts_of(Kind::Afterstates, sum)? {
            parts.extend(SolvedPart::open(solution, payoffs, afterstates)?);
        }
        let blocks = blocks(&parts);
        let draft = Draft::new(tables, sum, parts.iter().map(|part| &part.afterstates))?;
        let Done = workers.each(&blocks, |worker, &(at, part, block)| {
            worker.boards.clear();
            part.afterstates
                .read_block(block, &mut worker.decoder, &mut worker.boards)?;
            draft.take(at, &worker.boards);
            Ok(Done)
        })?;
        draft.read(&parts, payoffs.len(), workers)
    }

    /// The places of afterstates, as [`Index::places`] gives them.
    pub(crate) fn find<'f>(&self, afterstates: &[Board], found: &'f mut FindScratch) -> &'f [u32] {
        found.ranks.clear();
        self.ranking.ranks(afterstates, &mut found.ranks);
        self.index.places(&found.ranks, &mut found.places);
        &found.places
    }

    /// The values at each place.
    pub(crate) fn values<const GOALS: usize>(&self) -> &[[AtomicU32; GOALS]] {
        let (values, rest) = self.values.as_chunks();
        assert!(
            rest.is_empty(),
            "a layer has the goals that it was read with"
        );
        values
    }
}

/// The blocks of a layer, part by part. Each has its number in the layer, its part, and its number in
/// the part.
fn blocks(parts: &[SolvedPart]) -> Vec<(usize, &SolvedPart, usize)> {
    let mut blocks = Vec::new();
    for part in parts {
        for block in 0..part.afterstates.blocks() {
            blocks.push((blocks.len(), part, block));
        }
    }
    blocks
}

/// A layer that is being solved. It takes the afterstates block by block while they are solved, so
/// that their files are read only once.
pub(crate) struct Draft {
    ranking: Ranking,
    index: Index,
    /// The ranks of the afterstates of each block of the layer.
    ranks: Vec<Mutex<Vec<u64>>>,
}

impl Draft {
    /// A draft of the layer of sum `sum`, which has these parts.
    pub(crate) fn new<'a>(
        tables: &Arc<RankTables>,
        sum: u32,
        parts: impl Iterator<Item = &'a Part>,
    ) -> Result<Self> {
        let ranking = tables.of_sum(sum);
        let (mut blocks, mut afterstates) = (0, 0);
        for part in parts {
            blocks += part.blocks();
            afterstates += part.states();
        }
        Ok(Self {
            index: Index::new(ranking.boards(), afterstates)?,
            ranking,
            ranks: (0..blocks).map(|_| Mutex::default()).collect(),
        })
    }

    /// Take the afterstates of block `at` of the layer. They must have been audited: with another sum,
    /// a board would take the rank of another board.
    pub(crate) fn take(&self, at: usize, boards: &[Board]) {
        let mut ranks = Vec::with_capacity(boards.len());
        self.ranking.ranks(boards, &mut ranks);
        self.index.announce(&ranks);
        *self.ranks(at) = ranks;
    }

    /// Read the values of all afterstates for `goals` goals. All afterstates must have been taken.
    pub(crate) fn read(
        mut self,
        parts: &[SolvedPart],
        goals: usize,
        workers: &Workers,
    ) -> Result<SolvedLayer> {
        let blocks = blocks(parts);
        self.index.make_records()?;
        let Done = workers.each(&blocks, |_, &(at, ..)| {
            self.index.insert(&self.ranks(at));
            Ok(Done)
        })?;
        let values: Pages<AtomicU32> = Pages::new(self.index.number() as usize * goals)?;
        let buffers = PerThread::of((0..workers.threads()).map(|_| (Vec::new(), Vec::new())));
        let Done = workers.each(&blocks, |worker, &(at, part, block)| {
            let (places, of_block) = &mut *buffers.lock(worker.index);
            let ranks = mem::take(&mut *self.ranks(at));
            self.index.places(&ranks, places);
            for (goal, column) in part.columns.iter().enumerate() {
                of_block.clear();
                column.read_block(block, &mut worker.decoder, of_block)?;
                for (&place, &value) in places.iter().zip(&*of_block) {
                    values[place as usize * goals + goal].store(value, Relaxed);
                }
            }
            Ok(Done)
        })?;
        Ok(SolvedLayer {
            ranking: self.ranking,
            index: self.index,
            values,
        })
    }

    fn ranks(&self, at: usize) -> MutexGuard<'_, Vec<u64>> {
        self.ranks[at].lock().expect("no thread panics")
    }
}
