//! A solved layer in memory: the place of each afterstate, and its values.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

use super::index::Index;
use super::rank::{RankTables, Ranking};
use crate::engine::{Done, Workers};
use crate::error::{Error, Result};
use crate::game::{Board, Claim, Game, Objective, PartKey};
use crate::pages::Pages;
use crate::part::{Kind, Part, ValueColumn, ValueDecoder};
use crate::per_thread::PerThread;
use crate::store::Solution;

/// The afterstates of a part, with a column of values for each goal.
pub(crate) struct SolvedPart {
    pub(crate) afterstates: Part,
    pub(crate) columns: Vec<ValueColumn>,
}

impl SolvedPart {
    /// Open the files of a part; `None` if it has no afterstates, or they are not solved for one of
    /// the objectives.
    pub(crate) fn open(
        solution: &Solution,
        objectives: &[Objective],
        key: PartKey,
    ) -> Result<Option<Self>> {
        let afterstates = solution.run().part(Kind::Afterstates, key)?;
        let part = afterstates.map(|part| Self::of(solution, objectives, part));
        Ok(part.transpose()?.flatten())
    }

    /// Like [`SolvedPart::open`], for a part whose afterstates are open.
    pub(crate) fn of(
        solution: &Solution,
        objectives: &[Objective],
        afterstates: Part,
    ) -> Result<Option<Self>> {
        let columns = columns(solution, objectives, &afterstates)?;
        Ok(columns.map(|columns| Self {
            afterstates,
            columns,
        }))
    }
}

/// Open the values of a part; `None` if it is not solved for one of the objectives.
pub(super) fn columns(
    solution: &Solution,
    objectives: &[Objective],
    afterstates: &Part,
) -> Result<Option<Vec<ValueColumn>>> {
    let columns = objectives.iter().map(|&objective| {
        let column = solution.values(objective, afterstates.label().key)?;
        if let Some(column) = &column {
            column.expect_blocks_of(afterstates)?;
        }
        Ok(column)
    });
    columns.collect()
}

/// A layer of afterstates with their values, in memory.
pub(crate) struct SolvedLayer<'a> {
    ranking: Ranking<'a>,
    index: Index,
    /// The values of the afterstate at the first place, one for each goal, then of the next.
    values: Pages<AtomicU32>,
}

/// A thread's buffers for looking boards up.
#[derive(Default)]
pub(crate) struct FindScratch {
    ranks: Vec<u64>,
    places: Vec<u32>,
}

impl SolvedLayer<'_> {
    /// The places of afterstates of the layer's sum; see [`Index::places`].
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

#[derive(Clone, Copy)]
pub(crate) struct LayerBlock {
    /// The number of its part, and its own number within the part and within the layer.
    pub(crate) part: usize,
    pub(crate) number: usize,
    pub(crate) at: usize,
}

/// The blocks of a layer, part by part.
pub(crate) fn blocks<'p>(parts: impl IntoIterator<Item = &'p Part>) -> Vec<LayerBlock> {
    let parts = parts.into_iter().enumerate();
    let blocks =
        parts.flat_map(|(part, file)| (0..file.blocks()).map(move |number| (part, number)));
    let numbered = blocks.enumerate();
    numbered
        .map(|(at, (part, number))| LayerBlock { part, number, at })
        .collect()
}

/// A layer that is being solved: it takes the afterstates block by block, so that no block is read
/// twice.
pub(crate) struct Draft<'a> {
    game: Game,
    ranking: Ranking<'a>,
    index: Index,
    /// The ranks of the afterstates of each block of the layer.
    ranks: Vec<Mutex<Vec<u64>>>,
}

/// A thread's buffers for reading values.
pub(crate) struct ValueReader {
    places: Vec<u32>,
    decoder: ValueDecoder,
    values: Vec<u32>,
}

impl<'a> Draft<'a> {
    /// A draft of the layer of sum `sum` with these parts.
    pub(crate) fn new<'p>(
        tables: &'a RankTables,
        game: Game,
        sum: u32,
        parts: impl Iterator<Item = &'p Part>,
    ) -> Result<Self> {
        let blocks: usize = parts.map(Part::blocks).sum();
        let ranking = tables.of_sum(sum);
        Ok(Self {
            game,
            index: Index::new(ranking.boards())?,
            ranking,
            ranks: (0..blocks).map(|_| Mutex::default()).collect(),
        })
    }

    /// Take the afterstates of a block of `part`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if a board does not belong to the part: with another sum, it would take
    /// the rank of another board.
    pub(crate) fn take(&self, block: LayerBlock, part: &Part, boards: &[Board]) -> Result<()> {
        let claim = Claim {
            key: part.label().key,
            room: true,
        };
        if let Some((board, what)) = self.game.rules().audit(boards, claim) {
            return Err(Error::Damaged {
                path: part.path().to_owned(),
                what: format!("block {}: {board:#x} {what}", block.number),
            });
        }
        let mut ranks = Vec::with_capacity(boards.len());
        self.ranking.ranks(boards, &mut ranks);
        self.index.announce(&ranks);
        *self.ranks(block) = ranks;
        Ok(())
    }

    /// Take the afterstates of all parts.
    pub(crate) fn take_all(&self, parts: &[SolvedPart], workers: &Workers) -> Result<()> {
        let taken = workers.each(&blocks_of(parts), |worker, &block| {
            let part = &parts[block.part].afterstates;
            worker.boards.clear();
            part.read_block(block.number, &mut worker.decoder, &mut worker.boards)?;
            self.take(block, part, &worker.boards)?;
            Ok(Done)
        });
        taken.map(|Done| ())
    }

    /// Read the values of all afterstates, which must have been taken: one column for each of
    /// `goals` goals.
    pub(crate) fn read(
        mut self,
        parts: &[SolvedPart],
        goals: usize,
        readers: &PerThread<ValueReader>,
        workers: &Workers,
    ) -> Result<SolvedLayer<'a>> {
        let blocks = blocks_of(parts);
        self.index.make_records()?;
        let Done = workers.each(&blocks, |_, &block| {
            self.index.insert(&self.ranks(block));
            Ok(Done)
        })?;
        let values: Pages<AtomicU32> = Pages::new(self.index.number() as usize * goals)?;
        let Done = workers.each(&blocks, |worker, &block| {
            let reader = &mut *readers.lock(worker.index);
            let ranks = mem::take(&mut *self.ranks(block));
            self.index.places(&ranks, &mut reader.places);
            for (goal, column) in parts[block.part].columns.iter().enumerate() {
                reader.read(column, block.number)?;
                for (&place, &value) in reader.places.iter().zip(&reader.values) {
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

    fn ranks(&self, block: LayerBlock) -> MutexGuard<'_, Vec<u64>> {
        self.ranks[block.at].lock().expect("no thread panics")
    }
}

fn blocks_of(parts: &[SolvedPart]) -> Vec<LayerBlock> {
    blocks(parts.iter().map(|part| &part.afterstates))
}

impl ValueReader {
    pub(crate) fn each(workers: &Workers) -> Result<PerThread<Self>> {
        PerThread::new(workers.threads(), |_| {
            Ok(Self {
                places: Vec::new(),
                decoder: ValueDecoder::new()?,
                values: Vec::new(),
            })
        })
    }

    fn read(&mut self, column: &ValueColumn, block: usize) -> Result<()> {
        self.values.clear();
        column.read_block(block, &mut self.decoder, &mut self.values)
    }
}
