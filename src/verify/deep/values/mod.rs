//! Makes every value of a solution again from the values of the states after it, by another algorithm
//! than the solver's. Every bit must be equal; a value that was rounded once may be off by one unit, because
//! the values above it were rounded, too.
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
//! Reading order: `worth` (the payoffs), `layer` (the look-ups), `rebuilt` (the recursion), this file (the
//! passes).

mod layer;
mod rebuilt;
mod worth;

use std::collections::BTreeMap;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::follow::LineMoves;
use crate::error::{Error, Result};
use crate::game::{Board, Exp, Game};
use crate::part::Kind;
use crate::progress::Progress;
use crate::read::Reader;
use crate::store::{Goal, Solution};
use layer::ValuedLayer;
use rebuilt::Rebuilt;
use worth::{GoalWorth, Terms};

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
    let moves = LineMoves::new(solution.run().game());
    let mut findings = Vec::new();
    for sum in (4..=solution.last_sum()).rev().step_by(2) {
        let solved = |goal: &Goal| solution.solved_sum(goal.objective) <= Some(sum);
        let goals = solution.begun_goals().filter(solved);
        let terms = Terms {
            moves: &moves,
            worths: goals
                .map(|goal| GoalWorth {
                    goal,
                    size: moves.game.size(),
                })
                .collect(),
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
pub fn work(solution: &Solution) -> u64 {
    let solved = solution
        .begun_goals()
        .filter_map(|goal| solution.solved_sum(goal.objective));
    let from = solved.min().unwrap_or(u32::MAX);
    let table = solution.run().table();
    let rows = table.rows().iter().filter(|row| row.sum >= from);
    rows.map(|row| row.afterstates).sum()
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
    let [in_batch, in_range] = blocks_at_once(&terms.moves.game, terms.worths.len(), memory);
    // The first finding of a file stays.
    let mut findings = BTreeMap::new();
    for batch in layer.blocks.chunks(in_batch) {
        let read = |decoder: &mut _, &block: &_| layer.read(decoder, block).map(Rebuilt::new);
        let blocks = batch.par_iter().map_init(|| None, read);
        let mut blocks: Vec<Rebuilt> = blocks.collect::<Result<_>>()?;
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
