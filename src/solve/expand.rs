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

use super::index::ABSENT;
use super::layer::{Found, Layer};
use super::payoff::Payoff;
use crate::error::{Error, Result};
use crate::game::{Board, Exp, Game, empty_cells, holds, sum};

/// Afterstates whose states are made at once: a few thousand look-ups, so that those of one kind
/// are in flight together, and no more than fits a core's caches.
const SLICE: usize = 128;

/// Finds values of afterstates of one sum.
pub(crate) struct Expand<'a> {
    pub(crate) game: Game,
    pub(crate) payoffs: &'a [Payoff],
    /// The afterstates of the states with a 2 more, and with a 4 more.
    pub(crate) above: [&'a Layer<'a>; 2],
}

/// A thread's buffers.
#[derive(Default)]
pub(crate) struct Scratch {
    /// For each afterstate, for each goal: its candidates' sum.
    totals: Vec<u64>,
    states: Vec<Board>,
    slid: [Vec<Board>; 4],
    /// What the moves lead to, and the states they come from.
    reached: Vec<Board>,
    movers: Vec<u32>,
    /// Winning moves.
    won: Vec<(u32, Board)>,
    found: Found,
    /// For each state, for each goal: the greatest value of a move.
    best: Vec<u32>,
}

impl Expand<'_> {
    /// Append the values of afterstates: those of the first one, one for each goal, then of the
    /// next. About 50 ns for each state that can follow, mostly for its look-ups.
    pub(crate) fn values(
        &self,
        afterstates: &[Board],
        scratch: &mut Scratch,
        values: &mut Vec<u32>,
    ) -> Result<()> {
        for slice in afterstates.chunks(SLICE) {
            self.slice(slice, scratch, values)?;
        }
        Ok(())
    }

    fn slice(
        &self,
        afterstates: &[Board],
        scratch: &mut Scratch,
        values: &mut Vec<u32>,
    ) -> Result<()> {
        let goals = self.payoffs.len();
        let cells = self.game.size().cells();
        scratch.totals.clear();
        scratch.totals.resize(afterstates.len() * goals, 0);
        for (tile, layer, weight) in [(Exp::TWO, self.above[0], 9), (Exp::FOUR, self.above[1], 1)] {
            scratch.states.clear();
            self.game
                .rules()
                .spawn(afterstates, tile, &mut scratch.states);
            self.best(layer, scratch)?;
            let mut best = scratch.best.chunks_exact(goals);
            for (&afterstate, totals) in afterstates
                .iter()
                .zip(scratch.totals.chunks_exact_mut(goals))
            {
                for best in best.by_ref().take(empty_cells(afterstate, cells) as usize) {
                    for ((total, &best), payoff) in totals.iter_mut().zip(best).zip(self.payoffs) {
                        let four = if tile == Exp::FOUR { payoff.four } else { 0 };
                        *total += weight * u64::from(best - four);
                    }
                }
            }
        }
        for (&afterstate, totals) in afterstates.iter().zip(scratch.totals.chunks_exact(goals)) {
            let empty = empty_cells(afterstate, cells).into();
            let means = totals.iter().zip(self.payoffs);
            values.extend(means.map(|(&total, payoff)| payoff.mean(total, empty)));
        }
        Ok(())
    }

    /// The best values of `scratch.states`, whose moves lead to afterstates of `layer`.
    fn best(&self, layer: &Layer, scratch: &mut Scratch) -> Result<()> {
        let Scratch {
            states,
            slid,
            reached,
            movers,
            won,
            found,
            best,
            ..
        } = scratch;
        let goals = self.payoffs.len();
        let rules = self.game.rules();
        for slid in slid.iter_mut() {
            slid.resize(states.len(), 0);
        }
        // Winning moves are told apart below, as it matters what they lead to.
        rules.slide(states, Exp::LAST, slid.each_mut().map(Vec::as_mut_slice));
        self.part_moves(slid, reached, movers, won);
        rules.canonicalise(reached);
        let places = layer.find(reached, found);
        if let Some(at) = places.iter().position(|&place| place == ABSENT) {
            let afterstate = reached[at];
            let sum = sum(afterstate);
            return Err(Error::Absent { sum, afterstate });
        }
        best.clear();
        best.resize(states.len() * goals, 0);
        for (&place, &mover) in places.iter().zip(movers.iter()) {
            let from = mover as usize * goals;
            let values = layer.values(place);
            for (best, value) in best[from..from + goals].iter_mut().zip(values) {
                *best = value.load(Relaxed).max(*best);
            }
        }
        for &(mover, board) in won.iter() {
            let from = mover as usize * goals;
            for (best, payoff) in best[from..from + goals].iter_mut().zip(self.payoffs) {
                *best = payoff.won(board).max(*best);
            }
        }
        let [up, right, down, left] = slid;
        for (at, best) in best.chunks_exact_mut(goals).enumerate() {
            let moves = up[at] | right[at] | down[at] | left[at];
            for (best, payoff) in best.iter_mut().zip(self.payoffs) {
                if moves == 0 {
                    *best = payoff.lost(states[at]);
                } else {
                    *best += payoff.step;
                }
            }
        }
        Ok(())
    }

    /// Take the moves of all states apart: those that lead to an afterstate, and those that win.
    fn part_moves(
        &self,
        slid: &[Vec<Board>; 4],
        reached: &mut Vec<Board>,
        movers: &mut Vec<u32>,
        won: &mut Vec<(u32, Board)>,
    ) {
        let most = slid.iter().map(Vec::len).sum();
        reached.resize(most, 0);
        movers.resize(most, 0);
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
        reached.truncate(count);
        movers.truncate(count);
    }
}
