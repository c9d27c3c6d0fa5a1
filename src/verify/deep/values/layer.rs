//! The stored values of a layer: in files, in blocks, and in ranges of blocks for look-ups.

use std::ops::Range;

use rayon::prelude::*;

use super::worth::Terms;
use crate::error::{Result, SolvingError};
use crate::game::{Board, Exp, Game};
use crate::part::{Decoder, Kind, Part, ValueColumn};
use crate::read::Reader;
use crate::store::Solution;

/// The afterstates of a layer with their values for some goals, in files.
pub(super) struct ValuedLayer {
    sum: u32,
    parts: Vec<(Part, Vec<ValueColumn>)>,
    /// The part of each block and its number in the part, in order of largest tile, then of boards.
    pub(super) blocks: Vec<(usize, usize)>,
}

/// A block of a layer in memory: afterstates with their stored values, or with their worths.
pub(super) struct ValuedBlock<T> {
    pub(super) boards: Vec<Board>,
    /// One value for each goal and afterstate, in order of afterstates.
    pub(super) values: Vec<T>,
}

/// A range of a layer's afterstates in memory.
pub(super) struct ValuedRange {
    game: Game,
    sum: u32,
    goals: usize,
    /// From a largest tile and board up to another.
    range: Range<(Exp, Board)>,
    /// In order of largest tile, then of boards, with their worths.
    blocks: Vec<(Exp, ValuedBlock<i64>)>,
}

impl ValuedLayer {
    pub(super) fn open(
        (solution, reader): (&Solution, &Reader),
        terms: &Terms,
        sum: u32,
    ) -> Result<Self> {
        let mut parts = Vec::new();
        for part in reader.parts_of(Kind::Afterstates, sum)? {
            let mut columns = Vec::new();
            for worth in &terms.worths {
                let column = solution.values(worth.goal.objective, &part)?;
                columns.push(column.expect("a solved layer has values"));
            }
            parts.push((part, columns));
        }
        let blocks =
            |(at, (part, _)): (usize, &(Part, _))| (0..part.blocks()).map(move |block| (at, block));
        Ok(Self {
            sum,
            blocks: parts.iter().enumerate().flat_map(blocks).collect(),
            parts,
        })
    }

    /// The file of a part's values for a goal.
    pub(super) fn column(&self, part: usize, goal: usize) -> &ValueColumn {
        &self.parts[part].1[goal]
    }

    pub(super) fn read(
        &self,
        decoder: &mut Option<Decoder>,
        (part, block): (usize, usize),
    ) -> Result<ValuedBlock<u32>> {
        let decoder = Decoder::of(decoder)?;
        let (part, columns) = &self.parts[part];
        let (mut boards, mut column) = (Vec::new(), Vec::new());
        part.read_block(block, decoder, &mut boards)?;
        let mut values = vec![0; boards.len() * columns.len()];
        for (goal, file) in columns.iter().enumerate() {
            column.clear();
            file.read_block(block, decoder, &mut column)?;
            let places = values.iter_mut().skip(goal).step_by(columns.len());
            places
                .zip(&column)
                .for_each(|(place, &value)| *place = value);
        }
        Ok(ValuedBlock { boards, values })
    }

    /// Cut the layer into ranges of `blocks` blocks; an empty layer has one range.
    pub(super) fn ranges(&self, blocks: usize) -> impl Iterator<Item = Range<usize>> {
        let all = self.blocks.len();
        let starts = (0..all.max(1)).step_by(blocks);
        starts.map(move |start| start..all.min(start + blocks))
    }

    /// Read the blocks of a range.
    pub(super) fn read_range(&self, terms: &Terms, range: Range<usize>) -> Result<ValuedRange> {
        let max = |part: usize| self.parts[part].0.label().key.max;
        let first = |&(part, block): &(usize, usize)| (max(part), self.parts[part].0.first(block));
        let goals = terms.worths.len();
        let begin = match range.start {
            0 => (Exp::EMPTY, 0),
            start => first(&self.blocks[start]),
        };
        let end = self.blocks.get(range.end).map_or((Exp::LAST, 0), first);
        let read = |decoder: &mut _, &(part, block): &(usize, usize)| {
            let ValuedBlock { boards, values } = self.read(decoder, (part, block))?;
            let mut worths = Vec::with_capacity(values.len());
            for (&board, values) in boards.iter().zip(values.chunks_exact(goals)) {
                let values = values.iter().zip(&terms.worths);
                worths.extend(
                    values.map(|(&value, worth)| i64::from(value) - worth.potential(board)),
                );
            }
            let values = worths;
            Ok((max(part), ValuedBlock { boards, values }))
        };
        let blocks = self.blocks[range].par_iter().map_init(|| None, read);
        Ok(ValuedRange {
            game: terms.moves.game,
            sum: self.sum,
            goals,
            range: begin..end,
            blocks: blocks.collect::<Result<_>>()?,
        })
    }
}

impl ValuedRange {
    /// The worth of a canonical afterstate of the layer for each goal, if it is in this range.
    #[inline]
    pub(super) fn find(&self, afterstate: Board) -> Result<Option<&[i64]>> {
        let (sum, max) = (self.sum, self.game.max_exp(afterstate));
        if !self.range.contains(&(max, afterstate)) {
            return Ok(None);
        }
        let found = || {
            let is_before =
                |(of, block): &(Exp, ValuedBlock<i64>)| (*of, block.boards[0]) <= (max, afterstate);
            let later = self.blocks.partition_point(is_before);
            let (_, block) = &self.blocks[later.checked_sub(1)?];
            let place = block.boards.binary_search(&afterstate).ok()?;
            block.values.chunks_exact(self.goals).nth(place)
        };
        let worths = found().ok_or(SolvingError::Absent { sum, afterstate })?;
        Ok(Some(worths))
    }
}
