//! A block of a solved layer, whose values are made again from the layers above.
//!
//! The *worth* of a board is its value without the potential (`solve/goal.rs`).

use super::super::follow::Move;
use super::{Terms, ValuedBlock, ValuedLayer, ValuedRange};
use crate::error::{Error, Result};
use crate::game::{Board, Exp, Objective, empty_cells, exps, max_exp};
use crate::store::{Goal, Rounding};

/// States whose moves are made together.
const SLICE: usize = 1 << 10;

/// A block whose values are being made, with the states of one spawned tile at a time.
pub(super) struct Rebuilt {
    pub(super) block: ValuedBlock,
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
    pub(super) fn new(block: ValuedBlock) -> Self {
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
            let largest = max_exp(same[0].0);
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
        let (goals, win) = (terms.worths.len(), terms.game.win());
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
            terms.game.canonicalise(&mut afterstates);
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
        let cells = terms.game.size().cells();
        let mut findings = Vec::new();
        for (goal, worth) in terms.worths.iter().enumerate() {
            for (place, &board) in self.block.boards.iter().enumerate() {
                let at = place * goals + goal;
                let mean = worth.mean(self.totals[at], empty_cells(board, cells));
                let (made, stored) = (mean + worth.potential(board), self.block.values[at]);
                if made != i64::from(stored) {
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

/// Raise worths to greater worths.
fn raise(worths: &mut [i64], others: impl Iterator<Item = i64>) {
    for (worth, other) in worths.iter_mut().zip(others) {
        *worth = other.max(*worth);
    }
}

/// The payoffs of a goal, move by move, as its definition states them. Worths are in units of the goal.
///
/// The solver has no rewards in its recursion: it takes them out with a potential
/// (`solve/goal.rs`). Here each move earns its reward, and the potential is needed only to compare
/// a value with the stored value.
#[derive(Clone, Copy)]
pub(super) struct GoalWorth {
    pub(super) goal: Goal,
}

impl GoalWorth {
    /// `number` in units of the goal.
    fn units(self, number: u32) -> i64 {
        i64::from(number) << self.goal.fraction
    }

    /// The reward of a move.
    pub(super) fn earned(self, made: Move) -> i64 {
        self.units(match self.goal.objective {
            Objective::Score => made.score,
            Objective::Moves => 1,
            Objective::Tile(_) | Objective::Sure(_) => 0,
        })
    }

    /// The worth of a board with this largest tile if the game ends there. No board is worth less.
    pub(super) fn ended(self, largest: Exp) -> i64 {
        self.units(match self.goal.objective {
            Objective::Score | Objective::Moves => 0,
            Objective::Tile(tile) | Objective::Sure(tile) => u32::from(largest >= tile),
        })
    }

    /// The addition of a state with a spawned tile to the total of its afterstate: its weighted
    /// worth. If a tile is to be forced, 1 for a state without worth.
    pub(super) fn weighed(self, tile: Exp, worth: i64) -> i64 {
        let (fours, spawns) = self.goal.four.ratio();
        match (self.goal.objective, tile) {
            (Objective::Sure(_), _) => i64::from(worth == 0),
            (_, Exp::FOUR) => i64::from(fours) * worth,
            _ => i64::from(spawns - fours) * worth,
        }
    }

    /// The worth of an afterstate with `empty` empty cells and the total `total` of its states.
    pub(super) fn mean(self, total: i64, empty: u32) -> i64 {
        if let Objective::Sure(_) = self.goal.objective {
            return i64::from(total == 0);
        }
        let (_, spawns) = self.goal.four.ratio();
        let weight = i64::from(spawns) * i64::from(empty);
        match self.goal.rounding {
            Rounding::Nearest => (total + weight / 2).div_euclid(weight),
            Rounding::Down => total.div_euclid(weight),
            Rounding::Up => -(-total).div_euclid(weight),
        }
    }

    /// The potential, which a stored value adds to the worth of an afterstate. For the score, it is the
    /// score of making the tiles from 2s alone.
    pub(super) fn potential(self, board: Board) -> i64 {
        self.units(match self.goal.objective {
            Objective::Score => {
                let tiles = exps(board).filter(|&exp| exp > Exp::EMPTY);
                tiles.map(|exp| u32::from(exp.get() - 1) << exp.get()).sum()
            }
            Objective::Moves | Objective::Tile(_) | Objective::Sure(_) => 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::FourRate;

    fn worth(objective: Objective, rounding: Rounding) -> GoalWorth {
        let fraction = 3;
        GoalWorth {
            goal: Goal {
                objective,
                fraction,
                rounding,
                four: FourRate::default(),
            },
        }
    }

    #[test]
    fn a_move_earns_its_merges_or_itself() {
        let made = Move {
            after: 0x3201,
            score: 12,
            wins: false,
        };
        let sixteen = Objective::of_tile(16).unwrap();
        for (objective, earned) in [(Objective::Score, 96), (Objective::Moves, 8), (sixteen, 0)] {
            assert_eq!(worth(objective, Rounding::Nearest).earned(made), earned);
        }
        let tile = worth(sixteen, Rounding::Nearest);
        let largest = [8, 16, 32].map(|tile| Exp::of_tile(tile).unwrap());
        assert_eq!(largest.map(|exp| tile.ended(exp)), [0, 8, 8]);
    }

    #[test]
    fn the_potential_of_a_tile_is_its_score_from_2s() {
        // 8 was made of two 4s, each made of two 2s: 8 + 4 + 4.
        for (objective, potential) in [(Objective::Score, 16 * 8), (Objective::Moves, 0)] {
            assert_eq!(
                worth(objective, Rounding::Down).potential(0x3010),
                potential
            );
        }
    }

    #[test]
    fn a_mean_is_rounded_once_as_the_goal_says() {
        for (rounding, means) in [
            (Rounding::Nearest, [0, 1, 1, 2]),
            (Rounding::Down, [0, 0, 1, 1]),
            (Rounding::Up, [1, 1, 1, 2]),
        ] {
            let worth = worth(Objective::Moves, rounding);
            // 4/10, 5/10, 10/10, 15/10.
            assert_eq!([4, 5, 10, 15].map(|total| worth.mean(total, 1)), means);
        }
    }

    #[test]
    fn a_state_counts_by_the_rate_of_its_spawned_tile() {
        let at = |objective, four: &str| {
            let mut worth = worth(objective, Rounding::Down);
            worth.goal = worth.goal.with_four(four.parse().unwrap());
            worth
        };
        for (four, two_and_four) in [("1/10", [9, 1]), ("2/7", [5, 2]), ("0", [1, 0])] {
            let worth = at(Objective::Moves, four);
            let weighed = [Exp::TWO, Exp::FOUR].map(|tile| worth.weighed(tile, 3));
            assert_eq!(weighed, two_and_four.map(|times| 3 * times));
        }
        // Two of 7 spawns have worth 7, and the others have 0.
        assert_eq!(at(Objective::Moves, "2/7").mean(14, 1), 2);
        // Each state without the tile counts, whatever its rate.
        let sure = at(Objective::sure(16).unwrap(), "0");
        assert_eq!([0, 1].map(|worth| sure.weighed(Exp::FOUR, worth)), [1, 0]);
        assert_eq!([0, 1].map(|total| sure.mean(total, 3)), [1, 0]);
    }
}
