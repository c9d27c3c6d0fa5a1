//! A block of a solved layer, whose values are made again from the layers above.

use super::Terms;
use super::layer::{ValuedBlock, ValuedLayer, Window};
use super::worth::GoalWorth;
use crate::error::{Error, Result};
use crate::game::{Board, Exp, empty_cells};

/// States whose moves are made together.
const SLICE: usize = 1 << 10;

/// A block whose values are being made, with the states of one spawned tile at a time.
pub(super) struct Rebuilt {
    pub(super) block: ValuedBlock,
    /// For each afterstate and goal: the weighted sum of its states' worths so far.
    totals: Vec<i64>,
    /// Each canonical state with the place of an afterstate that leads to it, in order of states.
    /// If two spawns into an afterstate give one state, the state is listed twice.
    states: Vec<(Board, u32)>,
    /// For each different state and goal: its worth as far as it is known.
    worths: Vec<i64>,
    /// The error for an afterstate that a move leads to, but no file has.
    absent: Option<Error>,
}

impl Rebuilt {
    /// Nothing is known yet.
    pub(super) fn new(block: ValuedBlock) -> Self {
        Self {
            totals: vec![0; block.values.len()],
            states: Vec::new(),
            worths: Vec::new(),
            absent: None,
            block,
        }
    }

    /// Put a tile into every empty cell. The worth of a state starts as its worth if the game ended
    /// there.
    pub(super) fn spawn(&mut self, terms: &Terms, tile: Exp) {
        let (mut boards, mut places) = (Vec::new(), Vec::new());
        for (&afterstate, place) in self.block.boards.iter().zip(0..) {
            let before = boards.len();
            boards.extend(terms.game.spawns(afterstate, tile));
            places.resize(places.len() + boards.len() - before, place);
        }
        terms.game.canonicalise(&mut boards);
        self.states = boards.into_iter().zip(places).collect();
        self.states.sort_unstable();
        self.worths.clear();
        for same in self.states.chunk_by(|a, b| a.0 == b.0) {
            let ended = terms.worths.iter().map(|worth| worth.ended(same[0].0));
            self.worths.extend(ended);
        }
    }

    /// Make all moves of the states. Raise the worths of states by moves that win, or lead to an
    /// afterstate of `window`.
    pub(super) fn move_into(&mut self, terms: &Terms, window: &Window) {
        let absent = self.try_move_into(terms, window).err();
        self.absent = self.absent.take().or(absent);
    }

    fn try_move_into(&mut self, terms: &Terms, window: &Window) -> Result<()> {
        let goals = terms.worths.len();
        let states: Vec<Board> = self
            .states
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| same[0].0)
            .collect();
        let slices = states.chunks(SLICE);
        for (states, worths) in slices.zip(self.worths.chunks_mut(SLICE * goals)) {
            let (mut moves, mut afterstates) = (Vec::new(), Vec::new());
            for (&state, from) in states.iter().zip((0..).step_by(goals)) {
                for made in terms.moves.legal(state) {
                    if made.wins {
                        let won = |worth: &GoalWorth| worth.earned(made) + worth.won();
                        raise(
                            &mut worths[from..from + goals],
                            terms.worths.iter().map(won),
                        );
                    } else {
                        moves.push((from, made));
                        afterstates.push(made.after);
                    }
                }
            }
            terms.game.canonicalise(&mut afterstates);
            for ((from, made), afterstate) in moves.into_iter().zip(afterstates) {
                if let Some(rest) = window.find(afterstate)? {
                    let worths_of_move = terms.worths.iter().zip(rest);
                    let worths_of_move =
                        worths_of_move.map(|(worth, rest)| worth.earned(made) + rest);
                    raise(&mut worths[from..from + goals], worths_of_move);
                }
            }
        }
        Ok(())
    }

    /// Add the worths of the states, times `times`, to the totals of the afterstates that lead to
    /// them.
    pub(super) fn add(&mut self, terms: &Terms, times: i64) {
        let goals = terms.worths.len();
        let groups = self.states.chunk_by(|a, b| a.0 == b.0);
        for (same, worths) in groups.zip(self.worths.chunks_exact(goals)) {
            for &(_, place) in same {
                let from = place as usize * goals;
                let totals = self.totals[from..from + goals].iter_mut();
                totals
                    .zip(worths)
                    .for_each(|(total, worth)| *total += times * worth);
            }
        }
    }

    /// The findings of the block with this number in its part of `layer`. For each goal, by index,
    /// the finding is the first value that differs from the rebuilt value. A missing afterstate is
    /// the only finding.
    pub(super) fn into_findings(
        self,
        terms: &Terms,
        layer: &ValuedLayer,
        (part, number): (usize, usize),
    ) -> Vec<(usize, Error)> {
        if let Some(absent) = self.absent {
            return vec![(0, absent)];
        }
        let goals = terms.worths.len();
        let cells = terms.game.size().cells();
        let mut findings = Vec::new();
        for (goal, worth) in terms.worths.iter().enumerate() {
            let of_goal = |all: usize| all * goals + goal;
            let wrong = self
                .block
                .boards
                .iter()
                .enumerate()
                .find_map(|(place, &board)| {
                    let mean = worth.mean(self.totals[of_goal(place)], empty_cells(board, cells));
                    let (made, stored) =
                        (mean + worth.base(board), self.block.values[of_goal(place)]);
                    (made != i64::from(stored)).then(|| {
                        format!(
                            "block {number}: the value of {board:#x} is {stored}, made again {made}"
                        )
                    })
                });
            findings.extend(wrong.map(|what| {
                let path = layer.column(part, goal).path().to_owned();
                (goal, Error::Damaged { path, what })
            }));
        }
        findings
    }
}

/// Raise worths to greater worths.
fn raise(worths: &mut [i64], others: impl Iterator<Item = i64>) {
    for (worth, other) in worths.iter_mut().zip(others) {
        *worth = other.max(*worth);
    }
}
