//! A solved layer in memory: where each of its afterstates stands, and its values.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::index::Index;
use super::rank::{RankTables, Ranking};
use crate::engine::{Worker, Workers};
use crate::error::{Error, Result};
use crate::game::{Board, Claim, Game};
use crate::part::{Column, Part, ValueDecoder};
use crate::per_thread::PerThread;

/// The afterstates of a part, with a column of values for each goal.
pub(crate) struct SolvedPart {
    pub(crate) afterstates: Part,
    pub(crate) columns: Vec<Column>,
}

/// A layer of afterstates with their values, in memory.
pub(crate) struct Layer<'a> {
    ranking: Ranking<'a>,
    index: Index,
    /// The values of the afterstate in the first place, one for each goal, then of the next.
    values: Vec<AtomicU32>,
    goals: usize,
}

/// A thread's buffers for looking boards up.
#[derive(Default)]
pub(crate) struct Found {
    ranks: Vec<u64>,
    places: Vec<u32>,
}

/// A thread's buffers for reading a layer.
struct Reader {
    found: Found,
    decoder: ValueDecoder,
    values: Vec<u32>,
}

impl<'a> Layer<'a> {
    /// Read the layer of a sum from its files.
    pub(crate) fn read(
        tables: &'a RankTables,
        game: &Game,
        sum: u32,
        goals: usize,
        parts: &[SolvedPart],
        workers: &Workers,
    ) -> Result<Self> {
        let ranking = tables.of_sum(sum);
        let index = Index::new(ranking.boards());
        let mut layer = Self {
            ranking,
            index,
            values: Vec::new(),
            goals,
        };
        let blocks = Blocks::new(parts, workers)?;
        let boards = blocks.each(|part, _, worker, Reader { found, .. }| {
            // A board of another sum would stand in the place of one of this.
            let claim = Claim {
                key: part.afterstates.label().key,
                room: true,
            };
            if let Some((board, what)) = game.rules().audit(&worker.boards, claim) {
                return Err(Error::Damaged {
                    path: part.afterstates.path().to_owned(),
                    what: format!("{board:#x} {what}"),
                });
            }
            layer.rank(&worker.boards, found);
            layer.index.announce(&found.ranks);
            Ok(())
        })?;
        layer.index.make_records();
        blocks.each(|_, _, worker, Reader { found, .. }| {
            layer.rank(&worker.boards, found);
            layer.index.insert(&found.ranks);
            Ok(())
        })?;
        layer.index.number();
        let values = boards as usize * goals;
        layer.values.resize_with(values, AtomicU32::default);
        blocks.each(|part, block, worker, reader| {
            let places = layer.find(&worker.boards, &mut reader.found);
            for (goal, column) in part.columns.iter().enumerate() {
                reader.values.clear();
                column.read_block(block, &mut reader.decoder, &mut reader.values)?;
                for (&place, &value) in places.iter().zip(&reader.values) {
                    layer.values[place as usize * goals + goal].store(value, Relaxed);
                }
            }
            Ok(())
        })?;
        Ok(layer)
    }

    fn rank(&self, boards: &[Board], found: &mut Found) {
        found.ranks.clear();
        self.ranking.ranks(boards, &mut found.ranks);
    }

    /// The places of afterstates of the layer's sum; see [`Index::places`].
    pub(crate) fn find<'f>(&self, afterstates: &[Board], found: &'f mut Found) -> &'f [u32] {
        self.rank(afterstates, found);
        self.index.places(&found.ranks, &mut found.places);
        &found.places
    }

    /// The values in a place, one for each goal.
    #[inline(always)]
    pub(crate) fn values(&self, place: u32) -> &[AtomicU32] {
        let from = place as usize * self.goals;
        &self.values[from..from + self.goals]
    }
}

/// The blocks of a layer, read by all threads.
struct Blocks<'b> {
    parts: &'b [SolvedPart],
    /// Each by its part and its number there.
    blocks: Vec<(usize, usize)>,
    workers: &'b Workers,
    readers: PerThread<Reader>,
}

impl<'b> Blocks<'b> {
    fn new(parts: &'b [SolvedPart], workers: &'b Workers) -> Result<Self> {
        let blocks = parts.iter().enumerate();
        let blocks = blocks.flat_map(|(at, part)| {
            let blocks = 0..part.afterstates.blocks();
            blocks.map(move |block| (at, block))
        });
        let reader = |_| {
            Ok(Reader {
                found: Found::default(),
                decoder: ValueDecoder::new()?,
                values: Vec::new(),
            })
        };
        Ok(Self {
            parts,
            blocks: blocks.collect(),
            workers,
            readers: PerThread::new(workers.threads(), reader)?,
        })
    }

    /// Do something with each block, whose afterstates are the worker's boards; returns how many
    /// afterstates there are.
    fn each(
        &self,
        act: impl Fn(&SolvedPart, usize, &mut Worker, &mut Reader) -> Result<()> + Sync,
    ) -> Result<u64> {
        self.workers.each(&self.blocks, |worker, &(at, block)| {
            let part = &self.parts[at];
            worker.boards.clear();
            part.afterstates
                .read_block(block, &mut worker.decoder, &mut worker.boards)?;
            let reader = &mut *self.readers.lock(worker.index);
            act(part, block, worker, reader)?;
            Ok(worker.boards.len() as u64)
        })
    }
}
