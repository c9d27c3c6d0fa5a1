//! The values of afterstates, from those of the two layers above.
//!
//! Key idea: states are made on the fly, not looked up. What can be spawned into a slice of
//! afterstates is moved in all directions; what the moves lead to is looked up, and the greatest
//! value of each state goes into the mean of its afterstate. A state is made about one and a half
//! times that way, but it needs neither a list of states nor a place for their values.
//!
//! Each move must lead to an afterstate that is there, to a win, or nowhere. A state none of whose
//! moves leads anywhere is dead; an afterstate that is not there is an error, never a loss.

use std::sync::atomic::Ordering::Relaxed;

use super::layer::{Found, Layer};
use super::payoff::Payoff;
use crate::error::{Result, SolvingError};
use crate::game::{Board, Exp, Game, empty_cells, holds, sum};

/// Afterstates whose states are made at once: a few thousand look-ups, so that those of one kind
/// are in flight together, and no more than fits a core's caches.
const SLICE: usize = 512;

/// Most goals that are solved together: more would not share enough of the work.
pub(crate) const MOST_GOALS: usize = 4;

/// Finds values of afterstates of one sum.
pub struct Expand<'a> {
    pub(crate) game: Game,
    pub(crate) payoffs: &'a [Payoff],
    /// The afterstates of the states with a 2 more, and with a 4 more.
    pub(crate) above: [&'a Layer<'a>; 2],
}

/// A thread's buffers.
#[derive(Default)]
pub struct Scratch {
    /// The candidates of a slice, and what the four moves of each lead to.
    states: Vec<Board>,
    slid: [Vec<Board>; 4],
    /// The afterstates that are reached, and the candidates that they are reached from.
    reached: Vec<Board>,
    movers: Vec<u32>,
    /// Winning moves: the candidate, and the board with the winning tile.
    won: Vec<(u32, Board)>,
    found: Found,
}

impl Expand<'_> {
    /// Append the values of afterstates: those of the first one, one for each goal, then of the
    /// next. About 50 ns for each state that can follow, mostly for its look-ups.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Absent`] if an afterstate that a move leads to is not there.
    pub fn values(
        &self,
        afterstates: &[Board],
        scratch: &mut Scratch,
        values: &mut Vec<u32>,
    ) -> Result<()> {
        let slices = afterstates.chunks(SLICE);
        // The number of goals is known to the compiler: loops over them are none.
        for slice in slices {
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
        scratch: &mut Scratch,
        values: &mut Vec<u32>,
    ) -> Result<()> {
        let cells = self.game.size().cells();
        let empties = afterstates.iter().map(|&board| empty_cells(board, cells));
        let empties: Vec<u32> = empties.collect();
        let mut totals = [[0; GOALS]; SLICE];
        for (tile, layer, weight) in [(Exp::TWO, self.above[0], 9), (Exp::FOUR, self.above[1], 1)] {
            scratch.states.clear();
            let rules = self.game.rules();
            rules.spawn(afterstates, tile, &mut scratch.states);
            let best = self.best(payoffs, layer, scratch)?;
            let fours = payoffs.map(|payoff| if tile == Exp::FOUR { payoff.four } else { 0 });
            let mut best = best.iter();
            for (&empty, totals) in empties.iter().zip(&mut totals) {
                let mut sums = [0; GOALS];
                for best in best.by_ref().take(empty as usize) {
                    for goal in 0..GOALS {
                        sums[goal] += u64::from(best[goal].saturating_sub(fours[goal]));
                    }
                }
                for goal in 0..GOALS {
                    totals[goal] += weight * sums[goal];
                }
            }
        }
        for (&empty, totals) in empties.iter().zip(&totals) {
            let means = totals.iter().zip(payoffs);
            values.extend(means.map(|(&total, payoff)| payoff.mean(total, empty.into())));
        }
        Ok(())
    }

    /// The best values of `scratch.states`, whose moves lead to afterstates of `layer`.
    fn best<const GOALS: usize>(
        &self,
        payoffs: &[Payoff; GOALS],
        layer: &Layer,
        scratch: &mut Scratch,
    ) -> Result<Vec<[u32; GOALS]>> {
        let Scratch {
            states,
            slid,
            reached,
            movers,
            won,
            found,
        } = scratch;
        let rules = self.game.rules();
        for slid in slid.iter_mut() {
            slid.resize(states.len(), 0);
        }
        // Winning moves are told apart below, as it matters what they lead to.
        rules.slide(states, Exp::LAST, slid.each_mut().map(Vec::as_mut_slice));
        let count = self.part_moves(slid, reached, movers, won);
        let (reached, movers) = (&mut reached[..count], &movers[..count]);
        rules.canonicalise(reached);
        let places = layer.find(reached, found);
        let mut best = vec![[0; GOALS]; states.len()];
        let mut raise = |mover: u32, values: [u32; GOALS]| {
            let best = &mut best[mover as usize];
            for goal in 0..GOALS {
                best[goal] = values[goal].max(best[goal]);
            }
        };
        let values = layer.values();
        for ((&place, &mover), &afterstate) in places.iter().zip(movers).zip(&*reached) {
            // The place of what is not there is beyond all values.
            let Some(values) = values.get(place as usize) else {
                let sum = sum(afterstate);
                return Err(SolvingError::Absent { sum, afterstate }.into());
            };
            let values = values.each_ref();
            raise(mover, values.map(|value| value.load(Relaxed)));
        }
        for &(mover, board) in won.iter() {
            raise(mover, payoffs.map(|payoff| payoff.won(board)));
        }
        let [up, right, down, left] = slid.each_ref().map(|slid| &slid[..best.len()]);
        for (at, best) in best.iter_mut().enumerate() {
            let moves = up[at] | right[at] | down[at] | left[at];
            if moves == 0 {
                *best = payoffs.map(|payoff| payoff.lost(states[at]));
            } else {
                for goal in 0..GOALS {
                    best[goal] = best[goal].saturating_add(payoffs[goal].step);
                }
            }
        }
        Ok(best)
    }

    /// Take the moves of all states apart: those that lead to an afterstate, and those that win.
    /// Returns how many of the former there are; what is behind them is left from others.
    fn part_moves(
        &self,
        slid: &[Vec<Board>; 4],
        reached: &mut Vec<Board>,
        movers: &mut Vec<u32>,
        won: &mut Vec<(u32, Board)>,
    ) -> usize {
        let most = slid.iter().map(Vec::len).sum();
        if reached.len() < most {
            reached.resize(most, 0);
            movers.resize(most, 0);
        }
        let (reached, movers) = (&mut reached[..most], &mut movers[..most]);
        won.clear();
        let win = self.game.win();
        let can_win = win < Exp::LAST;
        let mut count = 0;
        for slid in slid {
            for (&board, mover) in slid.iter().zip(0..) {
                reached[count] = board;
                movers[count] = mover;
                if can_win && holds(board, win) {
                    won.push((mover, board));
                } else {
                    count += usize::from(board != 0);
                }
            }
        }
        count
    }
}
