//! What a board is worth, looked up in the files of a solution.

use std::sync::Arc;

use super::goal::fits;
use super::layer::columns;
use super::payoff::Payoff;
use crate::cache::Cache;
use crate::error::{Result, SolvingError};
use crate::game::{Board, Direction, Exp, Game, Moved, Objective, PartKey, max_exp, sum};
use crate::part::{Kind, ValueColumn, ValueDecoder};
use crate::store::{Goal, Lookup, MAPS, Run, Solution};
use crate::witness::{Predecessors, is_spawned};

/// Finds the values of moves in the files of a solution. Decoded blocks are kept, up to a bound:
/// boards that follow one another often need the same ones. To ask for many boards, ask for those of
/// a sum together.
///
/// ```
/// use enum48::engine::{self, Plan};
/// use enum48::solve::{self, Values};
/// use enum48::store::{Keep, Rounding, SolutionStore, Store};
///
/// let game = enum48::Game::new("2".parse()?, Some(32))?;
/// let place = tempfile::tempdir().unwrap();
/// let plan = Plan::new(256 << 20, 2)?;
/// let mut store = Store::open(place.path(), &game, Some(Keep::Afterstates))?;
/// engine::count(&mut store, &plan, None, &mut engine::Silent)?;
/// drop(store); // one process, or one store, has a directory at a time
///
/// let mut store = SolutionStore::open(place.path())?;
/// let goal = solve::goal(store.solution().run(), "32".parse()?, None, Rounding::Nearest)?;
/// solve::solve(&mut store, &[goal], &plan, &mut engine::Silent)?;
///
/// let mut values = Values::new(store.solution(), &[goal], 16 << 20)?;
/// // The chance to win, as published in the tests of jdleesmiller/twenty48.
/// assert!((values.start()?[0].all - 0.08288728907155415).abs() < 1e-8);
/// // On 4 4 / 2 2, a move to the right leads to the mirror image of one to the left.
/// let moves = values.moves(0x2211)?;
/// assert_eq!(moves[0].numbers, moves[1].numbers);
/// # Ok::<(), enum48::Error>(())
/// ```
pub struct Values<'a> {
    solution: &'a Solution,
    objectives: Vec<Objective>,
    payoffs: Vec<Payoff>,
    afterstates: Lookup<&'a Run>,
    /// The open files of a part, one for each goal; `None` if it is not solved for all of them.
    columns: Cache<PartKey, Option<Arc<Vec<ValueColumn>>>>,
    /// The values of a block, for each goal.
    values: Cache<(PartKey, usize), Arc<Vec<Vec<u32>>>>,
    decoder: ValueDecoder,
    /// Made for the first won board that is asked for.
    predecessors: Option<Predecessors>,
}

/// A legal move and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveValue {
    /// Where to.
    pub direction: Direction,
    /// The board after it, not canonical; with the winning tile, if it makes that.
    pub after: Board,
    /// For each goal, what is to be expected if it is made and all later ones are the best for that
    /// goal, in units of the goal: only to be compared with other moves of the same board.
    pub units: Vec<u32>,
    /// The same as numbers: the score from the board on, the number of moves with this one, the
    /// chance of a tile.
    pub numbers: Vec<f64>,
}

/// What a game is worth at its start, for one goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// With each start as likely as it is: two cells, each with a 2 by 0.9 or a 4 by 0.1.
    pub all: f64,
    /// From two 2s, all places alike.
    pub two_2s: f64,
}

impl<'a> Values<'a> {
    /// For some goals of a solution, with about `memory` bytes for decoded blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`](crate::Error::Zstd) if no decoder can be started; those of
    /// [`goal()`](super::goal()).
    pub fn new(solution: &'a Solution, goals: &[Goal], memory: u64) -> Result<Self> {
        Self::share(solution, goals, memory, 1)
    }

    /// The same for one of so many threads, which share the memory and the files that a system maps.
    ///
    /// # Errors
    ///
    /// As for [`Values::new`].
    pub(super) fn share(
        solution: &'a Solution,
        goals: &[Goal],
        memory: u64,
        threads: usize,
    ) -> Result<Self> {
        let run = solution.run();
        goals.iter().try_for_each(|&goal| fits(run, goal))?;
        let (afterstate, values) = (size_of::<Board>(), goals.len() * size_of::<u32>());
        let share = memory / threads as u64 / (afterstate + values) as u64;
        let parts = MAPS / (threads * (1 + goals.len())) as u64;
        Ok(Self {
            solution,
            objectives: goals.iter().map(|goal| goal.objective).collect(),
            payoffs: goals.iter().map(|&goal| Payoff::new(goal)).collect(),
            afterstates: Lookup::with_parts(run, share * afterstate as u64, parts)?,
            columns: Cache::new(parts),
            values: Cache::new(share * values as u64),
            decoder: ValueDecoder::new()?,
            predecessors: None,
        })
    }

    /// The solution.
    #[must_use]
    pub fn solution(&self) -> &'a Solution {
        self.solution
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Game {
        self.solution.run().game()
    }

    /// What a board on which the game has ended is worth, for each goal, as a number.
    #[must_use]
    pub fn ended(&self, board: Board) -> Vec<f64> {
        let payoffs = self.payoffs.iter();
        payoffs
            .map(|payoff| payoff.from(board, payoff.lost(board)))
            .collect()
    }

    /// The legal moves of a board, in any orientation, in the order of their directions; none if
    /// there is no legal move.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Absent`] if a move leads to an afterstate that the run did not reach; what is
    /// wrong with a file.
    pub fn moves(&mut self, board: Board) -> Result<Vec<MoveValue>> {
        let game = *self.game();
        let mut moves = Vec::new();
        // What a winning move leads to matters, too.
        let moved = game.rules().moves(board, Exp::LAST);
        for (direction, moved) in Direction::ALL.into_iter().zip(moved) {
            let Moved::To(after) = moved else {
                continue;
            };
            let units = if max_exp(after) < game.win() {
                self.afterstate(after)?
            } else {
                let won = self.payoffs.iter().map(|payoff| payoff.won(after));
                won.collect()
            };
            let payoffs = self.payoffs.iter().zip(&units);
            let units: Vec<u32> = payoffs
                .map(|(payoff, unit)| unit.saturating_add(payoff.step))
                .collect();
            let goals = self.payoffs.iter().zip(&units);
            let numbers = goals.map(|(payoff, &units)| payoff.from(board, units));
            moves.push(MoveValue {
                direction,
                after,
                numbers: numbers.collect(),
                units,
            });
        }
        Ok(moves)
    }

    /// What the game is worth at its start, for each goal.
    ///
    /// # Errors
    ///
    /// What is wrong with a file.
    pub fn start(&mut self) -> Result<Vec<Start>> {
        let game = *self.game();
        let mut totals = vec![[0.0; 3]; self.payoffs.len()];
        let mut counts = [0.0; 3];
        for (sum, count) in [4, 6, 8].into_iter().zip(&mut counts) {
            for state in game.starts(sum) {
                // An image of it is as likely as it is.
                let images = game.rules().census(&mut vec![state]).labeled as f64;
                *count += images;
                let units = self.state(state)?;
                let worth = self.payoffs.iter().zip(units);
                for (total, (payoff, units)) in totals.iter_mut().zip(worth) {
                    total[(sum as usize - 4) / 2] += images * payoff.from(state, units);
                }
            }
        }
        let starts = totals.into_iter().map(|totals| {
            let [twos, mixed, fours] = [0, 1, 2].map(|at| totals[at] / counts[at]);
            Start {
                all: (81.0 * twos + 18.0 * mixed + fours) / 100.0,
                two_2s: twos,
            }
        });
        Ok(starts.collect())
    }

    /// What a state is worth, in units of each goal.
    fn state(&mut self, board: Board) -> Result<Vec<u32>> {
        let moves = self.moves(board)?;
        let lost = || {
            self.payoffs
                .iter()
                .map(|payoff| payoff.lost(board))
                .collect()
        };
        let best = moves
            .into_iter()
            .map(|of| of.units)
            .reduce(|best, other| best.into_iter().zip(other).map(|(a, b)| a.max(b)).collect());
        Ok(best.unwrap_or_else(lost))
    }

    /// Whether the run reaches a board, in any orientation: it is a start, or an afterstate of the run
    /// with a tile more; a won one, if a winning move leads to it from such a board.
    ///
    /// # Errors
    ///
    /// What is wrong with a file.
    pub fn reached(&mut self, board: Board) -> Result<bool> {
        if max_exp(board) >= self.game().win() {
            return self.won(board);
        }
        is_spawned(&mut self.afterstates, board)
    }

    /// Whether a winning move leads to a board from one that the run reaches.
    fn won(&mut self, board: Board) -> Result<bool> {
        let game = *self.game();
        let predecessors = self
            .predecessors
            .get_or_insert_with(|| Predecessors::new(&game));
        let before: Vec<Board> = predecessors.before_win(board).collect();
        for board in before {
            if self.reached(board)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The values of an afterstate that does not win.
    fn afterstate(&mut self, board: Board) -> Result<Vec<u32>> {
        match self.find(board)? {
            Some(values) => Ok(values),
            None => Err(SolvingError::Absent {
                sum: sum(board),
                afterstate: self.game().canonical(board).0,
            }
            .into()),
        }
    }

    /// The values of an afterstate; `None` if the run does not have it, or its part is not solved.
    fn find(&mut self, board: Board) -> Result<Option<Vec<u32>>> {
        let Some(position) = self.afterstates.position(Kind::Afterstates, board)? else {
            return Ok(None);
        };
        let key = PartKey::of(board);
        let columns = self.columns.get_or_make(key, || {
            let part = self.afterstates.part(Kind::Afterstates, key)?;
            let columns = part.map(|part| columns(self.solution, &self.objectives, &part));
            Ok((columns.transpose()?.flatten().map(Arc::new), 1))
        })?;
        let Some(columns) = columns else {
            return Ok(None);
        };
        let size = columns.first().map_or(1, ValueColumn::block_size);
        let (block, at) = ((position / size) as usize, (position % size) as usize);
        let values = self.values.get_or_make((key, block), || {
            let mut values = vec![Vec::new(); columns.len()];
            for (values, column) in values.iter_mut().zip(&*columns) {
                column.read_block(block, &mut self.decoder, values)?;
            }
            let number: usize = values.iter().map(Vec::len).sum();
            Ok((Arc::new(values), (number * size_of::<u32>()) as u64))
        })?;
        Ok(Some(values.iter().map(|values| values[at]).collect()))
    }
}
