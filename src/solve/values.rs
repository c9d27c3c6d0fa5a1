//! What a board is worth, looked up in the files of a solution.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::goal::fits;
use super::layer::SolvedPart;
use super::payoff::Payoff;
use crate::error::{Result, SolvingError};
use crate::game::{Board, Direction, Exp, Game, Moved, Objective, PartKey, max_exp, sum};
use crate::part::{Decoder, ValueDecoder};
use crate::store::{Goal, Solution};
use crate::witness::Predecessors;

/// Most files that are mapped at a time: Linux has 65,530 maps for a process.
const MAPS: usize = 48 << 10;

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
/// solve::solve(&mut store, &[goal], &plan, &mut solve::Silent)?;
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
    pub(super) payoffs: Vec<Payoff>,
    parts: HashMap<PartKey, Option<OpenPart>>,
    /// Most parts that are kept open.
    open: usize,
    /// Afterstates in the blocks that are kept, and the most that may be.
    kept: usize,
    bound: usize,
    decoder: Decoder,
    values: ValueDecoder,
    /// Made for the first won board that is asked for.
    predecessors: Option<Predecessors>,
}

/// A part: its files, and those of its blocks that were decoded.
struct OpenPart {
    files: SolvedPart,
    blocks: HashMap<usize, Block>,
}

/// A decoded block: its afterstates, and their values in each column.
struct Block {
    afterstates: Vec<Board>,
    columns: Vec<Vec<u32>>,
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
    pub(crate) fn share(
        solution: &'a Solution,
        goals: &[Goal],
        memory: u64,
        threads: usize,
    ) -> Result<Self> {
        let memory = memory / threads as u64;
        let run = solution.run();
        goals.iter().try_for_each(|&goal| fits(run, goal))?;
        let bytes_each = size_of::<Board>() + goals.len() * size_of::<u32>();
        Ok(Self {
            solution,
            objectives: goals.iter().map(|goal| goal.objective).collect(),
            payoffs: goals.iter().map(|&goal| Payoff::new(goal)).collect(),
            parts: HashMap::new(),
            open: MAPS / threads / (1 + goals.len()),
            kept: 0,
            bound: usize::try_from(memory).unwrap_or(usize::MAX) / bytes_each,
            decoder: Decoder::new()?,
            values: ValueDecoder::new()?,
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

    /// What a state is worth, in units of each goal.
    pub(super) fn state(&mut self, board: Board) -> Result<Vec<u32>> {
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
        let game = *self.game();
        if max_exp(board) >= game.win() {
            return self.won(board);
        }
        if game.starts(sum(board)).contains(&game.canonical(board).0) {
            return Ok(true);
        }
        for cell in 0..game.size().cells() {
            let tile = board & 0xf << (4 * cell);
            let spawned = matches!(tile >> (4 * cell), 1 | 2);
            if spawned && self.find(game.canonical(board ^ tile).0)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
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
        let (afterstate, _) = self.game().canonical(board);
        match self.find(afterstate)? {
            Some((block, at)) => Ok(block.columns.iter().map(|values| values[at]).collect()),
            None => Err(SolvingError::Absent {
                sum: sum(afterstate),
                afterstate,
            }
            .into()),
        }
    }

    /// The block of a canonical afterstate, and its place there; `None` if the run has no such one.
    fn find(&mut self, afterstate: Board) -> Result<Option<(&Block, usize)>> {
        let key = PartKey::of(afterstate);
        if self.kept > self.bound || self.parts.len() > self.open {
            self.parts.clear();
            self.kept = 0;
        }
        let part = match self.parts.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let files = SolvedPart::open(self.solution, &self.objectives, key)?;
                let blocks = HashMap::new();
                entry.insert(files.map(|files| OpenPart { files, blocks }))
            }
        };
        let Some(part) = part else {
            return Ok(None);
        };
        let Some(block) = part.files.afterstates.block_of(afterstate) else {
            return Ok(None);
        };
        let block = match part.blocks.entry(block) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let (decoder, values) = (&mut self.decoder, &mut self.values);
                let decoded = Block::decode(&part.files, *entry.key(), decoder, values)?;
                self.kept += decoded.afterstates.len();
                entry.insert(decoded)
            }
        };
        let at = block.afterstates.binary_search(&afterstate);
        Ok(at.ok().map(|at| (&*block, at)))
    }
}

impl Block {
    fn decode(
        files: &SolvedPart,
        block: usize,
        decoder: &mut Decoder,
        values: &mut ValueDecoder,
    ) -> Result<Self> {
        let mut afterstates = Vec::new();
        files
            .afterstates
            .read_block(block, decoder, &mut afterstates)?;
        let columns = files.columns.iter().map(|column| {
            let mut decoded = Vec::new();
            column.read_block(block, values, &mut decoded)?;
            Ok(decoded)
        });
        Ok(Self {
            columns: columns.collect::<Result<_>>()?,
            afterstates,
        })
    }
}
