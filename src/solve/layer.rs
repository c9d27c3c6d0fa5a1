//! A solved layer in memory: where each of its afterstates stands, and its values.

use std::mem;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

use super::index::Index;
use super::rank::{RankTables, Ranking};
use crate::engine::{Worker, Workers};
use crate::error::{Error, Result};
use crate::game::{Board, Claim, Game, Objective, PartKey};
use crate::part::{Column, Kind, Part, ValueDecoder};
use crate::per_thread::PerThread;
use crate::store::Solution;

/// The afterstates of a part, with a column of values for each goal.
pub(crate) struct SolvedPart {
    pub(crate) afterstates: Part,
    pub(crate) columns: Vec<Column>,
}

impl SolvedPart {
    /// Open the files of a part; `None` if it has no afterstates, or they are not solved for one of
    /// the objectives.
    pub(crate) fn open(
        solution: &Solution,
        objectives: &[Objective],
        key: PartKey,
    ) -> Result<Option<Self>> {
        let Some(afterstates) = solution.run().part(Kind::Afterstates, key)? else {
            return Ok(None);
        };
        let columns = objectives.iter().map(|&objective| {
            let column = solution.values(objective, key)?;
            if let Some(column) = &column {
                column.expect_blocks_of(&afterstates)?;
            }
            Ok(column)
        });
        let columns: Option<Vec<Column>> = columns.collect::<Result<_>>()?;
        Ok(columns.map(|columns| Self {
            afterstates,
            columns,
        }))
    }
}

/// A layer of afterstates with their values, in memory.
pub(crate) struct Layer<'a> {
    ranking: Ranking<'a>,
    index: Index,
    /// The values of the afterstate in the first place, one for each goal, then of the next.
    values: Vec<AtomicU32>,
}

/// A thread's buffers for looking boards up.
#[derive(Default)]
pub(crate) struct Found {
    ranks: Vec<u64>,
    places: Vec<u32>,
}

/// A thread's buffers for reading a layer.
struct Reader {
    places: Vec<u32>,
    decoder: ValueDecoder,
    values: Vec<u32>,
}

impl<'a> Layer<'a> {
    /// Read the layer of a sum from its files, which have columns for so many goals.
    pub(crate) fn read(
        tables: &'a RankTables,
        game: &Game,
        sum: u32,
        goals: usize,
        parts: &[SolvedPart],
        workers: &Workers,
    ) -> Result<Self> {
        let ranking = tables.of_sum(sum);
        let mut index = Index::new(ranking.boards());
        let mut values = Vec::new();
        let blocks = Blocks::new(parts, workers)?;
        blocks.each(|block, worker, _| {
            let ranks = block.rank(game, &ranking, worker)?;
            index.announce(&ranks);
            *block.ranks() = ranks;
            Ok(())
        })?;
        index.make_records();
        blocks.each(|block, _, _| {
            index.insert(&block.ranks());
            Ok(())
        })?;
        let boards = index.number() as usize;
        values.resize_with(boards * goals, AtomicU32::default);
        blocks.each(|block, _, reader| {
            index.places(&mem::take(&mut *block.ranks()), &mut reader.places);
            for (goal, column) in block.part.columns.iter().enumerate() {
                reader.read(column, block.number)?;
                for (&place, &value) in reader.places.iter().zip(&reader.values) {
                    values[place as usize * goals + goal].store(value, Relaxed);
                }
            }
            Ok(())
        })?;
        Ok(Self {
            ranking,
            index,
            values,
        })
    }

    /// The places of afterstates of the layer's sum; see [`Index::places`].
    pub(crate) fn find<'f>(&self, afterstates: &[Board], found: &'f mut Found) -> &'f [u32] {
        found.ranks.clear();
        self.ranking.ranks(afterstates, &mut found.ranks);
        self.index.places(&found.ranks, &mut found.places);
        &found.places
    }

    /// The values in each place.
    pub(crate) fn values<const GOALS: usize>(&self) -> &[[AtomicU32; GOALS]] {
        let (values, rest) = self.values.as_chunks();
        assert!(
            rest.is_empty(),
            "a layer has the goals that it was read with"
        );
        values
    }
}

/// The blocks of a layer, read by all threads.
struct Blocks<'b> {
    blocks: Vec<Block<'b>>,
    workers: &'b Workers,
    readers: PerThread<Reader>,
}

/// A block of a part.
struct Block<'b> {
    part: &'b SolvedPart,
    number: usize,
    /// The ranks of its afterstates, while the layer is read.
    ranks: Mutex<Vec<u64>>,
}

impl Reader {
    fn read(&mut self, column: &Column, block: usize) -> Result<()> {
        self.values.clear();
        column.read_block(block, &mut self.decoder, &mut self.values)
    }
}

impl Block<'_> {
    /// The ranks of its afterstates, read from the file.
    fn rank(&self, game: &Game, ranking: &Ranking, worker: &mut Worker) -> Result<Vec<u64>> {
        let part = &self.part.afterstates;
        worker.boards.clear();
        part.read_block(self.number, &mut worker.decoder, &mut worker.boards)?;
        // A board of another sum would stand in the place of one of this.
        let claim = Claim {
            key: part.label().key,
            room: true,
        };
        if let Some((board, what)) = game.rules().audit(&worker.boards, claim) {
            return Err(Error::Damaged {
                path: part.path().to_owned(),
                what: format!("block {}: {board:#x} {what}", self.number),
            });
        }
        let mut ranks = Vec::with_capacity(worker.boards.len());
        ranking.ranks(&worker.boards, &mut ranks);
        Ok(ranks)
    }

    fn ranks(&self) -> MutexGuard<'_, Vec<u64>> {
        self.ranks.lock().expect("no thread panics")
    }
}

impl<'b> Blocks<'b> {
    fn new(parts: &'b [SolvedPart], workers: &'b Workers) -> Result<Self> {
        let blocks = parts.iter().flat_map(|part| {
            let numbers = 0..part.afterstates.blocks();
            numbers.map(move |number| Block {
                part,
                number,
                ranks: Mutex::default(),
            })
        });
        let reader = |_| {
            Ok(Reader {
                places: Vec::new(),
                decoder: ValueDecoder::new()?,
                values: Vec::new(),
            })
        };
        Ok(Self {
            blocks: blocks.collect(),
            workers,
            readers: PerThread::new(workers.threads(), reader)?,
        })
    }

    /// Do something with each block.
    fn each(
        &self,
        act: impl Fn(&Block, &mut Worker, &mut Reader) -> Result<()> + Sync,
    ) -> Result<()> {
        let read: u64 = self.workers.each(&self.blocks, |worker, block| {
            act(block, worker, &mut self.readers.lock(worker.index))?;
            Ok(1)
        })?;
        debug_assert_eq!(read, self.blocks.len() as u64);
        Ok(())
    }
}
