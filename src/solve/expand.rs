//! The values of afterstates, from the values of the two layers above, and their columns in files.
//!
//! Key idea: states are made on the fly, not looked up. The spawned states of a slice of
//! afterstates are moved in all directions ([`LineTables`]). The resulting afterstates are looked
//! up, and the greatest value of each state goes into the mean of its afterstate. On average a
//! state is made one and a half times, but states take no memory.
//!
//! Each legal move must lead to a known afterstate or to a win. A state without a legal move is
//! dead. An unknown afterstate is an error, never a loss.
//!
//! The [pipeline](crate::engine::Pipeline) builds files of columns like files of states. The source
//! of a part is its blocks of afterstates. The visit of a slice finds its values, and the last slice
//! of a block encodes the block of each column. So a small layer of few blocks keeps all threads
//! busy.

use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use super::goal::Payoff;
use super::layer::{Draft, FindScratch, SolvedLayer};
use crate::engine::{PerThread, Source, Visit, Worker, Workers};
use crate::error::{Result, SolvingError};
use crate::game::{Board, Game, LineTables, SpawnedMoves, Tally, empty_cells};
use crate::part::{Block, Part, ValueEncoder};
use crate::store::Goal;
use crate::wide::prefetch;

/// Afterstates of a slice: enough for a few thousand look-ups in flight, and few enough for a
/// core's caches.
const SLICE: usize = 512;

/// Most goals that are solved together. More goals would not share enough work.
pub(crate) const MOST_GOALS: usize = 4;

/// Finds values of afterstates of one sum.
pub struct Expand<'a> {
    pub(crate) game: Game,
    pub(crate) lines: &'a LineTables,
    pub(crate) payoffs: &'a [Payoff],
    /// The layers above: afterstates of states with a spawned 2, and with a spawned 4.
    pub(crate) above: [&'a SolvedLayer; 2],
}

/// A thread's buffers for [`Expand`].
#[derive(Default)]
pub struct ExpandScratch {
    /// The moves of the candidates with a 2, and of the candidates with a 4.
    moves: [SpawnedMoves; 2],
    found: FindScratch,
}

impl Expand<'_> {
    /// Append the values of afterstates of one sum: for the first afterstate a value for each goal, then
    /// for the next. About 50 ns for each candidate, mostly for its look-ups.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Absent`] if a move leads to an afterstate that the layer does not have.
    pub fn values(
        &self,
        afterstates: &[Board],
        scratch: &mut ExpandScratch,
        values: &mut Vec<u32>,
    ) -> Result<()> {
        if afterstates
            .first()
            .is_some_and(|&first| self.game.is_beyond(first))
        {
            for &board in afterstates {
                values.extend(self.payoffs.iter().map(|payoff| payoff.ended(board)));
            }
            return Ok(());
        }
        // The number of goals is a constant of `slice`, so the compiler unrolls the loops over
        // goals.
        for slice in afterstates.chunks(SLICE) {
            match self.payoffs {
                [one] => self.slice(&[*one], slice, scratch, values),
                [one, two] => self.slice(&[*one, *two], slice, scratch, values),
                [one, two, three] => self.slice(&[*one, *two, *three], slice, scratch, values),
                [one, two, three, four] => {
                    self.slice(&[*one, *two, *three, *four], slice, scratch, values)
                }
                _ => unreachable!("a pass has one to {MOST_GOALS} goals"),
            }?;
        }
        Ok(())
    }

    fn slice<const GOALS: usize>(
        &self,
        payoffs: &[Payoff; GOALS],
        afterstates: &[Board],
        scratch: &mut ExpandScratch,
        values: &mut Vec<u32>,
    ) -> Result<()> {
        let cells = self.game.size().cells();
        let empties: Vec<u32> = afterstates
            .iter()
            .map(|&board| empty_cells(board, cells))
            .collect();
        let mut totals = [[0; GOALS]; SLICE];
        let ExpandScratch { moves, found } = scratch;
        self.lines.moves(afterstates, moves);
        let [twos, fours] = moves;
        let spawned = [
            (twos, self.above[0], [0; GOALS]),
            (fours, self.above[1], payoffs.map(|payoff| payoff.four)),
        ];
        for (tile, (moves, layer, fours)) in spawned.into_iter().enumerate() {
            let weights = payoffs.map(|payoff| payoff.weights[tile]);
            let best = self.best(payoffs, layer, moves, found)?;
            let mut best = best.iter();
            for (&empty, totals) in empties.iter().zip(&mut totals) {
                let mut sums = [0; GOALS];
                for best in best.by_ref().take(empty as usize) {
                    for goal in 0..GOALS {
                        sums[goal] += u64::from(best[goal].saturating_sub(fours[goal]));
                    }
                }
                for goal in 0..GOALS {
                    totals[goal] += weights[goal] * sums[goal];
                }
            }
        }
        for (&empty, totals) in empties.iter().zip(&totals) {
            let means = totals.iter().zip(payoffs);
            values.extend(means.map(|(&total, payoff)| payoff.mean(total, empty.into())));
        }
        Ok(())
    }

    /// The best value of each candidate. The moves lead to afterstates of `layer`.
    fn best<const GOALS: usize>(
        &self,
        payoffs: &[Payoff; GOALS],
        layer: &SolvedLayer,
        moves: &mut SpawnedMoves,
        found: &mut FindScratch,
    ) -> Result<Vec<[u32; GOALS]>> {
        let mut best = vec![[0; GOALS]; moves.candidates];
        let mut raise = |mover: u32, values: [u32; GOALS]| {
            let best = &mut best[mover as usize];
            for goal in 0..GOALS {
                best[goal] = values[goal].max(best[goal]);
            }
        };
        let values = layer.values();
        for reached in &mut moves.reached {
            let (boards, movers) = reached.parts();
            self.game.rules().canonicalise(boards);
            let places = layer.find(boards, found);
            for &place in places {
                prefetch(values, place as usize);
            }
            for ((&place, &mover), &afterstate) in places.iter().zip(movers).zip(&*boards) {
                // The place of an absent afterstate is out of bounds.
                let Some(values) = values.get(place as usize) else {
                    let sum = self.game.sum(afterstate);
                    return Err(SolvingError::Absent { sum, afterstate }.into());
                };
                let values = values.each_ref();
                raise(mover, values.map(|value| value.load(Relaxed)));
            }
        }
        for &(mover, board) in &moves.won {
            raise(mover, payoffs.each_ref().map(|payoff| payoff.won(board)));
        }
        let steps = payoffs.map(|payoff| payoff.step);
        for best in &mut best {
            for goal in 0..GOALS {
                best[goal] = best[goal].saturating_add(steps[goal]);
            }
        }
        for &(number, board) in &moves.dead {
            best[number as usize] = payoffs.each_ref().map(|payoff| payoff.ended(board));
        }
        Ok(best)
    }
}

/// Afterstates of a batch for each thread: eight blocks.
pub(crate) const BATCH: usize = 1 << 17;

/// A thread's buffers for finding and writing values.
pub(crate) struct Buffers {
    scratch: ExpandScratch,
    encoder: ValueEncoder,
    /// The values of a slice for all goals, or of a block for one goal.
    values: Vec<u32>,
}

impl Buffers {
    pub(crate) fn each(workers: &Workers) -> Result<PerThread<Self>> {
        let new = |_| {
            Ok(Self {
                scratch: ExpandScratch::default(),
                encoder: ValueEncoder::new()?,
                values: Vec::new(),
            })
        };
        let each = (0..workers.threads()).map(new);
        Ok(PerThread::of(each.collect::<Result<Vec<_>>>()?))
    }
}

/// The afterstates of a part, block by block.
pub(crate) struct BlockSource<'a> {
    pub(crate) afterstates: Part,
    /// The number of the part's first block in the layer.
    pub(crate) first: usize,
    /// Takes the afterstates for the layers below.
    pub(crate) draft: &'a Draft,
}

impl Source for BlockSource<'_> {
    fn tasks(&self) -> Vec<usize> {
        let (states, block) = (self.afterstates.states(), self.afterstates.block_size());
        (0..states)
            .step_by(block as usize)
            .map(|begin| block.min(states - begin) as usize)
            .collect()
    }

    fn produce(&self, task: usize, worker: &mut Worker, boards: &mut Vec<Board>) -> Result<Tally> {
        boards.clear();
        self.afterstates
            .read_block(task, &mut worker.decoder, boards)?;
        self.draft.take(self.first + task, boards);
        Ok(Tally::default())
    }
}

/// Finds the values of afterstates.
#[derive(Clone, Copy)]
pub(crate) struct FindValues<'a> {
    pub(crate) expand: &'a Expand<'a>,
    pub(crate) goals: &'a [Goal],
    pub(crate) buffers: &'a PerThread<Buffers>,
}

impl Visit for FindValues<'_> {
    /// The values of a block: for its first afterstate a value for each goal, then for the next.
    type Found = Vec<u32>;

    const ENCODES_WHAT_IT_FOUND: bool = true;

    fn visit(
        &self,
        boards: &[Board],
        at: usize,
        found: &Mutex<Vec<u32>>,
        worker: &mut Worker,
    ) -> Result<Tally> {
        let Buffers {
            scratch, values, ..
        } = &mut *self.buffers.lock(worker.index);
        values.clear();
        self.expand.values(boards, scratch, values)?;
        let begin = at * self.expand.payoffs.len();
        let end = begin + values.len();
        let mut found = found.lock().expect("no thread panics");
        if found.len() < end {
            found.resize(end, 0);
        }
        found[begin..end].copy_from_slice(values);
        Ok(Tally {
            unique: boards.len() as u64,
            ..Tally::default()
        })
    }

    fn encode(
        &self,
        boards: &[Board],
        found: &mut Vec<u32>,
        worker: &mut Worker,
        blocks: &mut Vec<Block>,
    ) -> Result<()> {
        let Buffers {
            encoder, values, ..
        } = &mut *self.buffers.lock(worker.index);
        let goals = self.goals.len();
        let found = &found[..goals * boards.len()];
        let written = self.goals.iter().map(|goal| goal.written().count());
        blocks.resize_with(written.sum(), Block::default);
        let mut blocks = blocks.iter_mut();
        for (at, goal) in self.goals.iter().enumerate() {
            values.clear();
            values.extend(found.iter().skip(at).step_by(goals));
            for (written, block) in goal.written().zip(blocks.by_ref()) {
                if written == *goal {
                    values
                        .iter_mut()
                        .for_each(|value| *value = goal.rounded(*value));
                }
                encoder.encode(boards, values, block)?;
            }
        }
        Ok(())
    }
}
