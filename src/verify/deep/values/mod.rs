//! Makes every value of a solution again from the values of the states after it, by another algorithm
//! than the solver's. Every bit must be equal.
//!
//! | | the solver (`solve`) | here |
//! |---|---|---|
//! | a move | tables of lines, filled by arithmetic on whole boards | a table of lines, filled by the rule for a line |
//! | the reward of a move | none: a potential stands for all rewards | its own reward |
//! | a reached tile | counts where the game ends | counts where it is reached |
//! | looking up | rank, and a bitmap of all ranks | sorted lists, and binary search |
//! | a state | made again for each afterstate that leads to it | once for each block |
//!
//! Both share the canonical form, the count of empty cells, and the readers of files.
//!
//! Key idea: a layer is checked against the stored layers above it. The upper layers were checked
//! first, so by induction every value is right. A wrong value is reported where it is stored, and at
//! most where it is looked up, not at every later effect. Every move must win or lead to an afterstate
//! in a file: a game is lost only in a state without a legal move.
//!
//! Reading order: `rebuilt` (the recursion), this file (the passes, and the look-ups).

mod rebuilt;

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::follow::LineMoves;
use crate::error::{Error, Result, SolvingError};
use crate::game::{Board, Exp, Game, max_exp};
use crate::part::{Decoder, Kind, Part, ValueColumn};
use crate::progress::Progress;
use crate::read::Reader;
use crate::store::{Goal, Solution};
use rebuilt::{GoalWorth, Rebuilt};

/// Make all values of a solution again, and compare them with the values in its files, which
/// [`verify`](fn@crate::verify::verify) has found sound. `progress` gets the number of afterstates.
/// Returns at most one finding for each file. Takes about `memory` bytes, but at least a block of each
/// layer.
///
/// # Errors
///
/// Errors in reading a file.
pub fn verify(
    solution: &Solution,
    reader: &Reader,
    pool: &ThreadPool,
    memory: u64,
    progress: &mut dyn Progress,
) -> Result<Vec<Error>> {
    let game = *solution.run().game();
    let moves = LineMoves::new(&game);
    let mut findings = Vec::new();
    for sum in (4..=solution.last_sum()).rev().step_by(2) {
        let solved = |goal: &Goal| solution.solved_sum(goal.objective) <= Some(sum);
        let goals = solution.begun_goals().filter(solved);
        let terms = Terms {
            game,
            moves: &moves,
            worths: goals.map(|goal| GoalWorth { goal }).collect(),
        };
        if terms.worths.is_empty() {
            break;
        }
        let pass = || check_layer((solution, reader), &terms, sum, memory, progress);
        findings.extend(pool.install(pass)?);
    }
    Ok(findings)
}

/// Number of afterstates whose values [`verify`] makes.
#[must_use]
pub fn work(solution: &Solution) -> u64 {
    let solved = solution
        .begun_goals()
        .filter_map(|goal| solution.solved_sum(goal.objective));
    let from = solved.min().unwrap_or(u32::MAX);
    let table = solution.run().table();
    let rows = table.rows().iter().filter(|row| row.sum >= from);
    rows.map(|row| row.afterstates).sum()
}

/// The rules, and the payoffs of the goals.
struct Terms<'a> {
    game: Game,
    moves: &'a LineMoves,
    worths: Vec<GoalWorth>,
}

/// Make the values of a layer again, and compare.
fn check_layer(
    files: (&Solution, &Reader),
    terms: &Terms,
    sum: u32,
    memory: u64,
    progress: &mut dyn Progress,
) -> Result<Vec<Error>> {
    let layer = ValuedLayer::open(files, terms, sum)?;
    let mut above = Vec::new();
    for tile in [Exp::TWO, Exp::FOUR] {
        let layer = ValuedLayer::open(files, terms, sum + tile.tile())?;
        above.push((layer, tile));
    }
    let [in_batch, in_range] = blocks_at_once(&terms.game, terms.worths.len(), memory);
    // The first finding of a file stays.
    let mut findings = BTreeMap::new();
    for batch in layer.blocks.chunks(in_batch) {
        let read = |&(part, block): &(usize, usize)| layer.read(part, block).map(Rebuilt::new);
        let mut blocks: Vec<Rebuilt> = batch.par_iter().map(read).collect::<Result<_>>()?;
        for (above, tile) in &above {
            blocks
                .par_iter_mut()
                .for_each(|block| block.spawn(terms, *tile));
            for range in above.ranges(in_range) {
                let range = above.read_range(terms, range)?;
                blocks
                    .par_iter_mut()
                    .for_each(|block| block.move_into(terms, &range));
            }
            blocks
                .par_iter_mut()
                .for_each(|block| block.add(terms, *tile));
        }
        for (&place, block) in batch.iter().zip(blocks) {
            progress.advance(block.block.boards.len() as u64);
            for (goal, error) in block.into_findings(terms, &layer, place) {
                findings.entry((place.0, goal)).or_insert(error);
            }
        }
    }
    Ok(findings.into_values().collect())
}

/// Numbers of blocks in memory: blocks whose values are made, and blocks for look-ups. Each kind takes
/// half of the memory.
fn blocks_at_once(game: &Game, goals: usize, memory: u64) -> [usize; 2] {
    let block = Kind::Afterstates.block();
    let stored = size_of::<Board>() + size_of::<u32>() * goals;
    let looked_up = stored + size_of::<i64>() * goals;
    let state = size_of::<(Board, u32)>() + size_of::<i64>() * goals;
    let made = stored + size_of::<i64>() * goals + game.size().cells() as usize * state;
    [made, looked_up].map(|bytes| {
        let blocks = memory / 2 / (block * bytes) as u64;
        usize::try_from(blocks).unwrap_or(usize::MAX).max(1)
    })
}

/// The afterstates of a layer with their values for some goals, in files.
struct ValuedLayer {
    sum: u32,
    goals: usize,
    parts: Vec<(Part, Vec<ValueColumn>)>,
    /// The part of each block and its number in the part, in order of largest tile, then of boards.
    blocks: Vec<(usize, usize)>,
}

/// A block of a layer in memory: afterstates with their stored values.
struct ValuedBlock {
    boards: Vec<Board>,
    /// One value for each goal and afterstate, in order of afterstates.
    values: Vec<u32>,
}

/// A range of a layer's afterstates in memory.
struct ValuedRange {
    sum: u32,
    goals: usize,
    /// From a largest tile and board up to another.
    range: Range<(Exp, Board)>,
    /// The blocks with each largest tile, in order.
    blocks: [Vec<WorthBlock>; 16],
}

/// A block of a layer in memory, for look-ups.
struct WorthBlock {
    boards: Vec<Board>,
    /// One worth for each goal and afterstate, in order of afterstates.
    worths: Vec<i64>,
}

impl ValuedLayer {
    fn open((solution, reader): (&Solution, &Reader), terms: &Terms, sum: u32) -> Result<Self> {
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
    fn column(&self, part: usize, goal: usize) -> &ValueColumn {
        &self.parts[part].1[goal]
    }

    fn read(&self, part: usize, block: usize) -> Result<ValuedBlock> {
        let (part, columns) = &self.parts[part];
        let (mut boards, mut column) = (Vec::new(), Vec::new());
        part.read_block(block, &mut Decoder::new()?, &mut boards)?;
        let mut values = vec![0; boards.len() * columns.len()];
        let mut decoder = Decoder::new()?;
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
    fn ranges(&self, blocks: usize) -> impl Iterator<Item = Range<usize>> {
        let all = self.blocks.len();
        let starts = (0..all.max(1)).step_by(blocks);
        starts.map(move |start| start..all.min(start + blocks))
    }

    /// Read the blocks of a range.
    fn read_range(&self, terms: &Terms, range: Range<usize>) -> Result<ValuedRange> {
        let max = |part: usize| self.parts[part].0.label().key.max;
        let first = |&(part, block): &(usize, usize)| (max(part), self.parts[part].0.first(block));
        let begin = match range.start {
            0 => (Exp::EMPTY, 0),
            start => first(&self.blocks[start]),
        };
        let end = self.blocks.get(range.end).map_or((Exp::LAST, 0), first);
        let read = |&(part, block): &(usize, usize)| {
            let ValuedBlock { boards, values } = self.read(part, block)?;
            let mut worths = Vec::with_capacity(values.len());
            for (&board, values) in boards.iter().zip(values.chunks_exact(self.goals)) {
                let values = values.iter().zip(&terms.worths);
                worths.extend(
                    values.map(|(&value, worth)| i64::from(value) - worth.potential(board)),
                );
            }
            Ok((part, WorthBlock { boards, worths }))
        };
        let mut blocks: [Vec<WorthBlock>; 16] = Default::default();
        let found = self.blocks[range].par_iter().map(read);
        for (part, block) in found.collect::<Result<Vec<_>>>()? {
            blocks[usize::from(max(part).get())].push(block);
        }
        Ok(ValuedRange {
            sum: self.sum,
            goals: self.goals,
            range: begin..end,
            blocks,
        })
    }
}

impl ValuedRange {
    /// The worth of a canonical afterstate of the layer for each goal, if it is in this range.
    #[inline]
    fn find(&self, afterstate: Board) -> Result<Option<&[i64]>> {
        let (sum, max) = (self.sum, max_exp(afterstate));
        if !self.range.contains(&(max, afterstate)) {
            return Ok(None);
        }
        let blocks = &self.blocks[usize::from(max.get())];
        let found = || {
            let later = blocks.partition_point(|block| block.boards[0] <= afterstate);
            let block = &blocks[later.checked_sub(1)?];
            let place = block.boards.binary_search(&afterstate).ok()?;
            block.worths.chunks_exact(self.goals).nth(place)
        };
        let worths = found().ok_or(SolvingError::Absent { sum, afterstate })?;
        Ok(Some(worths))
    }
}
