//! A solved layer on disk, and ranges of its afterstates in memory, for look-ups.

use std::ops::Range;

use rayon::prelude::*;

use super::Terms;
use crate::error::{Result, SolvingError};
use crate::game::{Board, Exp, max_exp};
use crate::part::{Decoder, Kind, Part, ValueColumn, ValueDecoder};
use crate::read::Reader;
use crate::store::Solution;

/// The afterstates of a layer with their values for some goals, in files.
pub(super) struct ValuedLayer {
    sum: u32,
    goals: usize,
    parts: Vec<(Part, Vec<ValueColumn>)>,
    /// The part of each block and its number in the part, in order of largest tile, then of boards.
    pub(super) blocks: Vec<(usize, usize)>,
}

/// A block of a layer in memory: afterstates with their stored values.
pub(super) struct ValuedBlock {
    pub(super) boards: Vec<Board>,
    /// One value for each goal and afterstate, in order of afterstates.
    pub(super) values: Vec<u32>,
}

/// A range of a layer's afterstates in memory.
pub(super) struct ValuedRange {
    sum: u32,
    goals: usize,
    /// From a largest tile and board up to another.
    range: Range<(Exp, Board)>,
    boards: Vec<Board>,
    /// The positions of the afterstates with each largest tile.
    parts: [Range<usize>; 16],
    /// One worth for each goal and afterstate, in order of afterstates.
    worths: Vec<i64>,
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
            goals: terms.worths.len(),
            blocks: parts.iter().enumerate().flat_map(blocks).collect(),
            parts,
        })
    }

    /// The file of a part's values for a goal.
    pub(super) fn column(&self, part: usize, goal: usize) -> &ValueColumn {
        &self.parts[part].1[goal]
    }

    pub(super) fn read(&self, part: usize, block: usize) -> Result<ValuedBlock> {
        let (part, columns) = &self.parts[part];
        let (mut boards, mut column) = (Vec::new(), Vec::new());
        part.read_block(block, &mut Decoder::new()?, &mut boards)?;
        let mut values = vec![0; boards.len() * columns.len()];
        let mut decoder = ValueDecoder::new()?;
        for (goal, file) in columns.iter().enumerate() {
            column.clear();
            file.read_block(block, &mut decoder, &mut column)?;
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
        let begin = |block: usize| {
            let (part, block) = self.blocks[block];
            let part = &self.parts[part].0;
            (part.label().key.max, part.first(block))
        };
        let first = match range.start {
            0 => (Exp::EMPTY, 0),
            start => begin(start),
        };
        let end = match range.end {
            end if end < self.blocks.len() => begin(end),
            _ => (Exp::LAST, 0),
        };
        let read = |&(part, block): &(usize, usize)| Ok((part, self.read(part, block)?));
        let blocks = self.blocks[range].par_iter().map(read);
        let mut found = ValuedRange {
            sum: self.sum,
            goals: self.goals,
            range: first..end,
            boards: Vec::new(),
            parts: Default::default(),
            worths: Vec::new(),
        };
        for (part, ValuedBlock { boards, values }) in blocks.collect::<Result<Vec<_>>>()? {
            let max = self.parts[part].0.label().key.max;
            let of_part = &mut found.parts[usize::from(max.get())];
            if of_part.end == 0 {
                of_part.start = found.boards.len();
            }
            for (&board, values) in boards.iter().zip(values.chunks_exact(self.goals)) {
                let values = values.iter().zip(&terms.worths);
                let worths =
                    values.map(|(&value, worth)| i64::from(value) - worth.potential(board));
                found.worths.extend(worths);
            }
            found.boards.extend(boards);
            of_part.end = found.boards.len();
        }
        Ok(found)
    }
}

impl ValuedRange {
    /// The worth of a canonical afterstate of the layer for each goal, if it is in this range.
    pub(super) fn find(&self, afterstate: Board) -> Result<Option<&[i64]>> {
        let (sum, max) = (self.sum, max_exp(afterstate));
        if !self.range.contains(&(max, afterstate)) {
            return Ok(None);
        }
        let part = self.parts[usize::from(max.get())].clone();
        match self.boards[part.clone()].binary_search(&afterstate) {
            Ok(at) => {
                let from = (part.start + at) * self.goals;
                Ok(Some(&self.worths[from..from + self.goals]))
            }
            Err(_) => Err(SolvingError::Absent { sum, afterstate }.into()),
        }
    }
}
