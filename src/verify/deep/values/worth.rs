//! The payoffs of a goal, move by move, as its definition states them.
//!
//! The solver has no rewards in its recursion: it takes them out with a potential
//! (`solve/payoff.rs`). Here each move earns its reward, and the potential is needed only to
//! compare a value with the stored one.

use super::super::super::line_moves::Move;
use crate::game::{Board, Exp, Objective, exps, max_exp};
use crate::store::{Goal, Rounding};

/// The payoffs of a goal in a game with a winning tile. Worths are in units of the goal.
#[derive(Clone, Copy)]
pub(super) struct GoalWorth {
    goal: Goal,
    win: Exp,
}

impl GoalWorth {
    pub(super) fn new(goal: Goal, win: Exp) -> Self {
        Self { goal, win }
    }

    /// `number` in units of the goal.
    fn units(self, number: u32) -> i64 {
        i64::from(number) << self.goal.fraction
    }

    /// The reward of a move.
    pub(super) fn earned(self, made: Move) -> i64 {
        self.units(match self.goal.objective {
            Objective::Score => made.score,
            Objective::Moves => 1,
            Objective::Tile(_) => 0,
        })
    }

    /// The worth of a board if the game ends there. No board is worth less.
    pub(super) fn ended(self, board: Board) -> i64 {
        self.ended_with(max_exp(board))
    }

    /// The worth of a board with the winning tile.
    pub(super) fn won(self) -> i64 {
        self.ended_with(self.win)
    }

    fn ended_with(self, largest: Exp) -> i64 {
        self.units(match self.goal.objective {
            Objective::Score | Objective::Moves => 0,
            Objective::Tile(tile) => u32::from(largest >= tile),
        })
    }

    /// The worth of an afterstate with `empty` empty cells. `total` adds the worths of its states:
    /// nine times for a spawned 2, and once for a spawned 4.
    pub(super) fn mean(self, total: i64, empty: u32) -> i64 {
        let weight = 10 * i64::from(empty);
        match self.goal.rounding {
            Rounding::Nearest => (total + weight / 2).div_euclid(weight),
            Rounding::Down => total.div_euclid(weight),
            Rounding::Up => -(-total).div_euclid(weight),
        }
    }

    /// The base that a stored value adds to the worth of an afterstate. For the score, it is the
    /// score of its tiles if all were made of 2s.
    pub(super) fn base(self, board: Board) -> i64 {
        self.units(match self.goal.objective {
            Objective::Score => {
                let tiles = exps(board).filter(|&exp| exp > Exp::EMPTY);
                tiles.map(|exp| u32::from(exp.get() - 1) << exp.get()).sum()
            }
            Objective::Moves | Objective::Tile(_) => 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(objective: Objective, rounding: Rounding) -> GoalWorth {
        let fraction = 3;
        GoalWorth::new(
            Goal {
                objective,
                fraction,
                rounding,
            },
            Exp::of_tile(32).unwrap(),
        )
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
        assert_eq!([0x3111, 0x4111].map(|board| tile.ended(board)), [0, 8]);
        assert_eq!(tile.won(), 8);
    }

    #[test]
    fn the_base_of_a_tile_is_its_score_from_2s() {
        // 8 was made of two 4s, each made of two 2s: 8 + 4 + 4.
        assert_eq!(worth(Objective::Score, Rounding::Down).base(0x3010), 16 * 8);
        assert_eq!(worth(Objective::Moves, Rounding::Down).base(0x3010), 0);
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
}
