//! A block of a solved layer, whose values are made again from the layers above.
//!
//! The *worth* of a board is its value without the potential (`solve/goal.rs`).

use super::layer::{ValuedBlock, ValuedLayer, ValuedRange};
use super::worth::{GoalWorth, Terms};
use crate::error::{Error, Result};
use crate::game::{Board, Exp, Game, empty_cells};

/// States whose moves are made together.
const SLICE: usize = 1 << 10;

/// A block whose values are being made, with the states of one spawned tile at a time.
pub(super) struct Rebuilt {
    pub(super) block: ValuedBlock<u32>,
    /// For each afterstate and goal: the sum of its states so far, each as [`GoalWorth::weighed`].
    totals: Vec<i64>,
    /// Each canonical state with the place of an afterstate that leads to it, in order of states.
    /// If two spawns into an afterstate give one state, the state is here twice.
    states: Vec<(Board, u32)>,
    /// For each different state and goal: the greatest worth found so far.
    worths: Vec<i64>,
    /// The error for a move to an afterstate that no file holds.
    absent: Option<Error>,
}

impl Rebuilt {
    pub(super) fn new(block: ValuedBlock<u32>) -> Self {
        Self {
            totals: vec![0; block.values.len()],
            states: Vec::new(),
            worths: Vec::new(),
            absent: None,
            block,
        }
    }

    /// Put a tile into every empty cell. A state begins with its worth if the game ends there.
    pub(super) fn spawn(&mut self, terms: &Terms, tile: Exp) {
        let (mut boards, mut places) = (Vec::new(), Vec::new());
        let game = &terms.moves.game;
        // No tile is spawned into a board at the horizon.
        let goes_on = |(board, _): &(&Board, u32)| !game.is_beyond(**board);
        for (&afterstate, place) in self.block.boards.iter().zip(0..).filter(goes_on) {
            let before = boards.len();
            boards.extend(terms.moves.game.spawns(afterstate, tile));
            places.resize(places.len() + boards.len() - before, place);
        }
        terms.moves.game.canonicalise(&mut boards);
        self.states = boards.into_iter().zip(places).collect();
        self.states.sort_unstable();
        self.worths.clear();
        for same in self.states.chunk_by(|a, b| a.0 == b.0) {
            let largest = unwon(&terms.moves.game, same[0].0);
            let ended = terms.worths.iter().map(|worth| worth.ended(largest));
            self.worths.extend(ended);
        }
    }

    /// Make all moves of the states. Raise the worths of states whose moves win, or lead to an
    /// afterstate in `range`.
    pub(super) fn move_into(&mut self, terms: &Terms, range: &ValuedRange) {
        let absent = self.try_move_into(terms, range).err();
        self.absent = self.absent.take().or(absent);
    }

    fn try_move_into(&mut self, terms: &Terms, range: &ValuedRange) -> Result<()> {
        let (goals, win) = (terms.worths.len(), terms.moves.game.win());
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
                        let won = |worth: &GoalWorth| worth.earned(made) + worth.ended(win);
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
            terms.moves.game.canonicalise(&mut afterstates);
            for ((from, made), afterstate) in moves.into_iter().zip(afterstates) {
                if let Some(rest) = range.find(afterstate)? {
                    let worth = |(worth, rest): (&GoalWorth, &i64)| worth.earned(made) + rest;
                    raise(
                        &mut worths[from..from + goals],
                        terms.worths.iter().zip(rest).map(worth),
                    );
                }
            }
        }
        Ok(())
    }

    /// Add the states, in which `tile` was spawned, to the totals of their afterstates.
    pub(super) fn add(&mut self, terms: &Terms, tile: Exp) {
        let goals = terms.worths.len();
        let groups = self.states.chunk_by(|a, b| a.0 == b.0);
        for (same, worths) in groups.zip(self.worths.chunks_exact(goals)) {
            for &(_, place) in same {
                let from = place as usize * goals;
                let totals = self.totals[from..].iter_mut();
                for ((total, &worth), goal) in totals.zip(worths).zip(&terms.worths) {
                    *total += goal.weighed(tile, worth);
                }
            }
        }
    }

    /// The findings of the block with this number in its part of `layer`: for each goal, by index,
    /// the first value that differs from the rebuilt value. If an afterstate is missing, it is the only
    /// finding.
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
        let cells = terms.moves.game.size().cells();
        let mut findings = Vec::new();
        for (goal, worth) in terms.worths.iter().enumerate() {
            for (place, &board) in self.block.boards.iter().enumerate() {
                let at = place * goals + goal;
                let mean = match terms.moves.game.is_beyond(board) {
                    true => worth.ended(unwon(&terms.moves.game, board)),
                    false => worth.mean(self.totals[at], empty_cells(board, cells)),
                };
                let (made, stored) = (mean + worth.potential(board), self.block.values[at]);
                if (made - i64::from(stored)).abs() > worth.slack() {
                    let what = format!("the value of {board:#x} is {stored}, made again {made}");
                    let column = layer.column(part, goal);
                    findings.push((goal, column.damaged(number, &what)));
                    break;
                }
            }
        }
        findings
    }
}

/// The largest tile of a board that is not won, but at most the tile below the winning tile: elsewhere than
/// in a target cell, the winning tile counts for less.
fn unwon(game: &Game, board: Board) -> Exp {
    let below = game.win().up_to().rev().nth(1);
    game.max_exp(board).min(below.unwrap_or_default())
}

/// Raise worths to greater worths.
fn raise(worths: &mut [i64], others: impl Iterator<Item = i64>) {
    for (worth, other) in worths.iter_mut().zip(others) {
        *worth = other.max(*worth);
    }
}
