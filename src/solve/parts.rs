//! The values of many boards: of the states of a part, of all afterstates in summary, and of batches
//! of boards on all threads.

use rayon::prelude::*;

use super::goal::{Payoff, check_solved};
use super::layer::SolvedPart;
#[cfg(feature = "machine")]
use super::values::Values;
use crate::error::{Error, Result, SolvingError};
use crate::game::{Board, Exp, PartKey, holds};
use crate::part::{Decoder, Kind};
use crate::read::{Reader, by_block, lower_bound};
use crate::store::{Goal, Solution};

/// A block of a solved part, decoded, and the decoder for the next block.
pub(crate) struct SolvedBlock {
    pub(crate) afterstates: Vec<Board>,
    /// The values of the afterstates for each goal.
    pub(crate) values: Vec<Vec<u32>>,
    decoder: Decoder,
}

impl SolvedBlock {
    pub(crate) fn new(goals: usize) -> Result<Self> {
        Ok(Self {
            afterstates: Vec::new(),
            values: vec![Vec::new(); goals],
            decoder: Decoder::new()?,
        })
    }

    /// Replace the content by another block.
    pub(crate) fn read(&mut self, part: &SolvedPart, block: usize) -> Result<()> {
        self.afterstates.clear();
        part.afterstates
            .read_block(block, &mut self.decoder, &mut self.afterstates)?;
        for (values, column) in self.values.iter_mut().zip(&part.columns) {
            values.clear();
            column.read_block(block, &mut self.decoder, values)?;
        }
        Ok(())
    }
}

/// The values of a part's afterstates.
#[derive(Clone, Debug, PartialEq)]
pub struct PartSummary {
    /// The part.
    pub key: PartKey,
    /// Number of afterstates.
    pub afterstates: u64,
    /// The values for each goal.
    pub goals: Vec<ValueSummary>,
}

/// The values of some afterstates as numbers: the score or the number of moves to come, or the
/// chance of a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueSummary {
    /// The least value.
    pub least: f64,
    /// The mean, in which each afterstate counts once, regardless of the size of its orbit.
    pub mean: f64,
    /// The greatest value.
    pub greatest: f64,
}

/// The values of each part's afterstates in a solution, in order of sum, then largest tile. Reads
/// every value, on the threads of the current pool.
///
/// # Errors
///
/// [`SolvingError::Goal`] for a goal that is not in [`Solution::goals`]; damaged files.
pub fn parts(solution: &Solution, reader: &Reader, goals: &[Goal]) -> Result<Vec<PartSummary>> {
    check_solved(solution, goals)?;
    let keys: Vec<PartKey> = solution.run().parts(Kind::Afterstates).collect();
    let payoffs = Payoff::all(goals, solution.run().game());
    let summary = |&key: &PartKey| {
        let Some(part) = reader.part(Kind::Afterstates, key)? else {
            return Ok(None);
        };
        let part = SolvedPart::open(solution, &payoffs, part)?;
        part.map(|part| summarise(&part, &payoffs)).transpose()
    };
    let mut found = Vec::new();
    for keys in reader.groups(&keys) {
        let parts = keys.par_iter().map(summary);
        found.extend(parts.collect::<Result<Vec<Option<PartSummary>>>>()?);
    }
    Ok(found.into_iter().flatten().collect())
}

/// The least, the sum and the greatest of some values, in units of a goal.
type Sums = (u32, u128, u32);

fn join((one, other): (Sums, Sums)) -> Sums {
    let total = one.1 + other.1;
    (one.0.min(other.0), total, one.2.max(other.2))
}

fn summarise(part: &SolvedPart, payoffs: &[Payoff]) -> Result<PartSummary> {
    let none: Sums = (u32::MAX, 0, 0);
    let blocks = (0..part.afterstates.blocks()).into_par_iter();
    let sums = blocks.map_init(
        || None,
        |block, number| {
            let block = match block {
                Some(block) => block,
                None => block.insert(SolvedBlock::new(payoffs.len())?),
            };
            block.read(part, number)?;
            let sums = block.values.iter().zip(payoffs).map(|(values, payoff)| {
                let boards = block.afterstates.iter().zip(values);
                let units = boards.map(|(&board, &value)| payoff.units_to_come(board, value));
                units.fold(none, |sums, units| {
                    join((sums, (units, units.into(), units)))
                })
            });
            Ok::<_, Error>(sums.collect::<Vec<Sums>>())
        },
    );
    let join_all = |one: Vec<Sums>, other| Ok(one.into_iter().zip(other).map(join).collect());
    let total = sums.try_reduce(|| vec![none; payoffs.len()], join_all)?;
    let afterstates = part.afterstates.states();
    let totals = total.into_iter().zip(payoffs);
    let goals = totals.map(|(sums, Payoff { goal, .. })| ValueSummary {
        least: goal.number(sums.0),
        mean: goal.number(1) * (sums.1 as f64 / afterstates as f64),
        greatest: goal.number(sums.2),
    });
    Ok(PartSummary {
        key: part.afterstates.label().key,
        afterstates,
        goals: goals.collect(),
    })
}

/// Finds the values of many states in the files of a solution. For single boards use
/// [`Values`].
///
/// Key idea: look-ups in order. Some hundred thousand states are moved together. Their afterstates
/// are sorted, and each block that holds some of them is decoded once. So memory holds only these
/// states, however large the layer is.
pub struct StateValues<'a> {
    solution: &'a Solution,
    reader: Reader,
    payoffs: Vec<Payoff>,
    block: SolvedBlock,
}

/// A canonical afterstate, and the number of the state from which a move leads to it.
type Reached = (Board, u32);

impl<'a> StateValues<'a> {
    /// A finder for some goals of a solution, of which `reader` reads the run.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Goal`] for a goal that is not in [`Solution::goals`];
    /// [`Error::Zstd`] if no decoder can be started.
    pub fn new(solution: &'a Solution, reader: &Reader, goals: &[Goal]) -> Result<Self> {
        check_solved(solution, goals)?;
        Ok(Self {
            solution,
            reader: reader.clone(),
            payoffs: Payoff::all(goals, solution.run().game()),
            block: SolvedBlock::new(goals.len())?,
        })
    }

    /// The expected score to come, number of moves or chance of a tile for states of a part, under
    /// the best play for each goal. The numbers of the first state, one for each goal, come first,
    /// then the numbers of the next state. Takes about 100 bytes a state. With more states in a
    /// call, fewer blocks are decoded for each state.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Absent`] if a move leads to an afterstate that the run did not reach;
    /// damaged files.
    pub fn of(&mut self, key: PartKey, states: &[Board]) -> Result<Vec<f64>> {
        let game = self.solution.run().game();
        let (goals, larger) = (self.payoffs.len(), key.max.next());
        let has_targets = game.size().locks().targets().is_some();
        let wins = larger == game.win();
        // Without target cells, only a merge of two largest tiles wins.
        let is_won = |board| match has_targets {
            false => wins && holds(board, larger),
            true => game.is_won(board),
        };
        // Winning moves need their boards, too, so no tile is treated as winning.
        let mut slid = [(); 4].map(|()| vec![0; states.len()]);
        let to = slid.each_mut().map(Vec::as_mut_slice);
        game.rules().slide(states, Exp::LAST, to);
        let mut best = vec![0; states.len() * goals];
        // The afterstates with the largest tile of the states, and with a larger tile.
        let mut reached: [Vec<Reached>; 2] = Default::default();
        let (mut boards, mut movers) = (Vec::new(), Vec::new());
        for slid in &slid {
            boards.clear();
            movers.clear();
            for (mover, &board) in slid.iter().enumerate().filter(|&(_, &board)| board != 0) {
                if is_won(board) {
                    for (best, payoff) in best[mover * goals..].iter_mut().zip(&self.payoffs) {
                        *best = payoff.won(board).max(*best);
                    }
                } else {
                    boards.push(board);
                    movers.push(mover as u32);
                }
            }
            game.rules().canonicalise(&mut boards);
            for (&board, &mover) in boards.iter().zip(&movers) {
                reached[usize::from(holds(board, larger))].push((board, mover));
            }
        }
        for (max, reached) in [key.max, larger].into_iter().zip(&mut reached) {
            reached.sort_unstable();
            self.look_up(PartKey { max, ..key }, reached, &mut best)?;
        }
        let mut numbers = Vec::with_capacity(best.len());
        for (at, &state) in states.iter().enumerate() {
            let legal = slid.iter().any(|slid| slid[at] != 0);
            for (best, payoff) in best[at * goals..].iter().zip(&self.payoffs) {
                let units = if legal {
                    best.saturating_add(payoff.step)
                } else {
                    payoff.ended(state)
                };
                numbers.push(payoff.number(state, units));
            }
        }
        Ok(numbers)
    }

    /// Raise the best value of each state to the values of the afterstates in a part that its moves
    /// reach.
    fn look_up(&mut self, key: PartKey, reached: &mut [Reached], best: &mut [u32]) -> Result<()> {
        let absent = |afterstate| {
            let sum = key.sum;
            SolvingError::Absent { sum, afterstate }
        };
        let Some(&(first, _)) = reached.first() else {
            return Ok(());
        };
        let part = self.reader.part(Kind::Afterstates, key)?;
        // An audit would take a tenth of the time; `verify` audits the boards.
        let part = part.ok_or_else(|| absent(first))?.unaudited();
        let part = SolvedPart::open(self.solution, &self.payoffs, part)?;
        let part = part.ok_or_else(|| absent(first))?;
        let goals = self.payoffs.len();
        for (block, reached) in by_block(reached, |&(board, _)| part.afterstates.block_of(board)) {
            let block = block.ok_or_else(|| absent(reached[0].0))?;
            self.block.read(&part, block)?;
            let SolvedBlock {
                afterstates,
                values,
                ..
            } = &self.block;
            let mut at = 0;
            for &mut (board, mover) in reached {
                at = lower_bound(afterstates, at, board);
                if afterstates.get(at) != Some(&board) {
                    return Err(absent(board).into());
                }
                let best = best[mover as usize * goals..].iter_mut();
                for (best, values) in best.zip(values) {
                    *best = values[at].max(*best);
                }
            }
        }
        Ok(())
    }
}

/// Answers batches of questions. Each thread has its own [`Values`], which keep blocks from one batch
/// to the next.
#[cfg(feature = "machine")]
pub(crate) struct BatchValues<'a> {
    pool: std::sync::Arc<rayon::ThreadPool>,
    values: Vec<Values<'a>>,
}

#[cfg(feature = "machine")]
impl<'a> BatchValues<'a> {
    /// Look up values for some goals of a solution. The threads of `pool` share `memory` bytes for
    /// decoded blocks equally.
    ///
    /// # Errors
    ///
    /// As for [`Values::new`].
    pub(crate) fn new(
        solution: &'a Solution,
        reader: &Reader,
        goals: &[Goal],
        memory: u64,
        pool: std::sync::Arc<rayon::ThreadPool>,
    ) -> Result<Self> {
        let threads = pool.current_num_threads();
        let share = (memory, threads);
        let values = (0..threads).map(|_| Values::for_thread(solution, reader, goals, share));
        Ok(Self {
            values: values.collect::<Result<_>>()?,
            pool,
        })
    }

    /// Answer questions. Returns the answers in the order of the questions. The questions are
    /// sorted by `key` and divided equally among the threads. If neighbouring questions need one
    /// block, few blocks are decoded twice.
    ///
    /// # Errors
    ///
    /// The first error of `ask`.
    pub(crate) fn each<'q, Q: Sync, K: Ord, A: Send>(
        &mut self,
        questions: &'q [Q],
        key: impl Fn(&Q) -> K,
        ask: impl Fn(&mut Values<'a>, &'q Q) -> Result<A> + Sync,
    ) -> Result<Vec<A>> {
        let mut order: Vec<usize> = (0..questions.len()).collect();
        order.sort_by_cached_key(|&at| key(&questions[at]));
        let slice = order.len().div_ceil(self.values.len()).max(1);
        let mut answers: Vec<(usize, A)> = self.pool.install(|| {
            let slices = order.par_chunks(slice).zip(self.values.par_iter_mut());
            let answers = slices.flat_map_iter(|(slice, values)| {
                let answer = |&at: &usize| Ok((at, ask(values, &questions[at])?));
                slice.iter().map(answer)
            });
            answers.collect::<Result<_>>()
        })?;
        answers.sort_unstable_by_key(|&(at, _)| at);
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }
}
