//! The values of many states of a part at once.
//!
//! Key idea: look-ups in order. Some hundred thousand states are moved together. Their afterstates
//! are sorted, then found in one pass over the blocks that hold them, each decoded once. So memory
//! holds only these states, however large the layer is.

use std::sync::Arc;

use super::layer::SolvedPart;
use super::payoff::Payoff;
use crate::cache::Cache;
use crate::error::{Result, SolvingError};
use crate::game::{Board, Exp, Objective, PartKey, holds};
use crate::part::{Decoder, ValueDecoder};
use crate::store::{Goal, Solution};

/// Finds the values of many states in the files of a solution. For single boards use
/// [`Values`](super::Values).
pub struct StateValues<'a> {
    solution: &'a Solution,
    objectives: Vec<Objective>,
    payoffs: Vec<Payoff>,
    /// `None` for parts that have no files.
    parts: Cache<PartKey, Option<Arc<SolvedPart>>>,
    decoder: Decoder,
    values: ValueDecoder,
}

/// Most parts that are open at a time. The states of a part lead to two.
const OPEN_PARTS: u64 = 2;

/// A canonical afterstate, and the number of the state that a move leads there from.
type Reached = (Board, u32);

/// The boards after the moves of some states.
struct MovedStates {
    /// By direction, not canonical; 0 for an illegal move.
    slid: [Vec<Board>; 4],
    /// The afterstates whose largest tile is the states', and the afterstates with a larger tile.
    reached: [Vec<Reached>; 2],
    /// Winning moves: the states, and the boards after them.
    won: Vec<(usize, Board)>,
}

impl<'a> StateValues<'a> {
    /// A finder for some goals of a solution.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`](crate::Error::Zstd) if no decoder can be started.
    pub fn new(solution: &'a Solution, goals: &[Goal]) -> Result<Self> {
        Ok(Self {
            solution,
            objectives: goals.iter().map(|goal| goal.objective).collect(),
            payoffs: goals.iter().map(|&goal| Payoff::new(goal)).collect(),
            parts: Cache::new(OPEN_PARTS),
            decoder: Decoder::new()?,
            values: ValueDecoder::new()?,
        })
    }

    /// The expected score to come, number of moves or chance of a tile for states of a part, under
    /// the best play for each goal. The numbers of the first state, one for each goal, then of the
    /// next. Takes about 100 bytes a state; with more states at once, fewer blocks are decoded for
    /// each.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Absent`] if a move leads to an afterstate that the run did not reach;
    /// damaged files.
    pub fn of(&mut self, key: PartKey, states: &[Board]) -> Result<Vec<f64>> {
        let goals = self.payoffs.len();
        let moved = self.moved(key, states);
        let mut best = vec![0; states.len() * goals];
        for (&max, reached) in [key.max, key.max.next()].iter().zip(&moved.reached) {
            self.look_up(PartKey { max, ..key }, reached, &mut best)?;
        }
        for (mover, board) in moved.won {
            let best = best[mover * goals..].iter_mut();
            for (best, payoff) in best.zip(&self.payoffs) {
                *best = payoff.won(board).max(*best);
            }
        }
        let mut numbers = Vec::with_capacity(best.len());
        for (at, &state) in states.iter().enumerate() {
            let legal = moved.slid.iter().any(|slid| slid[at] != 0);
            let best = best[at * goals..].iter();
            numbers.extend(best.zip(&self.payoffs).map(|(&best, payoff)| {
                let units = if legal {
                    best.saturating_add(payoff.step)
                } else {
                    payoff.lost(state)
                };
                payoff.from(state, units)
            }));
        }
        Ok(numbers)
    }

    /// Move states in all directions.
    fn moved(&self, key: PartKey, states: &[Board]) -> MovedStates {
        let game = self.solution.run().game();
        let larger = key.max.next();
        let wins = larger == game.win();
        let mut moved = MovedStates {
            slid: [(); 4].map(|()| vec![0; states.len()]),
            reached: Default::default(),
            won: Vec::new(),
        };
        // Boards after winning moves matter, too, so no tile is treated as winning.
        let slid = moved.slid.each_mut().map(Vec::as_mut_slice);
        game.rules().slide(states, Exp::LAST, slid);
        let mut boards = Vec::with_capacity(states.len());
        let mut movers = Vec::with_capacity(states.len());
        for slid in &moved.slid {
            boards.clear();
            movers.clear();
            for (mover, &board) in slid.iter().enumerate().filter(|&(_, &board)| board != 0) {
                if wins && holds(board, larger) {
                    moved.won.push((mover, board));
                } else {
                    boards.push(board);
                    movers.push(mover as u32);
                }
            }
            game.rules().canonicalise(&mut boards);
            for (&board, &mover) in boards.iter().zip(&movers) {
                let grown = usize::from(holds(board, larger));
                moved.reached[grown].push((board, mover));
            }
        }
        for reached in &mut moved.reached {
            reached.sort_unstable();
        }
        moved
    }

    /// Raise the best value of each state to the values of the afterstates of a part that it
    /// reaches.
    fn look_up(&mut self, key: PartKey, reached: &[Reached], best: &mut [u32]) -> Result<()> {
        let absent = |afterstate| {
            let sum = key.sum;
            SolvingError::Absent { sum, afterstate }
        };
        let goals = self.payoffs.len();
        let (mut afterstates, mut columns) = (Vec::new(), vec![Vec::new(); goals]);
        let Some(&(first, _)) = reached.first() else {
            return Ok(());
        };
        let part = self.parts.get_or_make(key, || {
            let part = SolvedPart::open(self.solution, &self.objectives, key)?;
            Ok((part.map(Arc::new), 1))
        })?;
        let part = part.ok_or_else(|| absent(first))?;
        let mut left = reached;
        while let Some(&(first, _)) = left.first() {
            let block = part.afterstates.block_of(first);
            let block = block.ok_or_else(|| absent(first))?;
            let inside = if block + 1 < part.afterstates.blocks() {
                let next = part.afterstates.first(block + 1);
                left.partition_point(|&(board, _)| board < next)
            } else {
                left.len()
            };
            let (inside, later) = left.split_at(inside);
            left = later;
            afterstates.clear();
            part.afterstates
                .read_block(block, &mut self.decoder, &mut afterstates)?;
            for (values, column) in columns.iter_mut().zip(&part.columns) {
                values.clear();
                column.read_block(block, &mut self.values, values)?;
            }
            let mut at = 0;
            for &(board, mover) in inside {
                while afterstates.get(at).is_some_and(|&other| other < board) {
                    at += 1;
                }
                if afterstates.get(at) != Some(&board) {
                    return Err(absent(board).into());
                }
                let best = best[mover as usize * goals..].iter_mut();
                for (best, values) in best.zip(&columns) {
                    *best = values[at].max(*best);
                }
            }
        }
        Ok(())
    }
}
