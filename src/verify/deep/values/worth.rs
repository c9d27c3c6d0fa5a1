//! The worth of a board to a goal. It follows the definition of the goal, not the solver.

use super::super::follow::{LineMoves, Move};
use crate::game::{Board, Exp, Objective, Size, exps};
use crate::store::{Goal, Rounding};

/// The rules, and the payoffs of the goals.
pub(super) struct Terms<'a> {
    pub(super) moves: &'a LineMoves,
    pub(super) worths: Vec<GoalWorth>,
}

/// The payoffs of a goal, move by move, as its definition states them. Worths are in units of the goal.
///
/// The solver has no rewards in its recursion: it takes them out with a potential
/// (`solve/goal.rs`). Here each move earns its reward, and the potential is needed only to compare
/// a value with the stored value.
#[derive(Clone, Copy)]
pub(super) struct GoalWorth {
    pub(super) goal: Goal,
    /// The size of the boards, which tells their stones.
    pub(super) size: Size,
}

impl GoalWorth {
    /// The greatest difference of a sound value from the value made again. Without guard bits they are
    /// equal. With guard bits, the values above are off by half a unit, and both means are rounded, so
    /// that they differ by less than two units.
    pub(super) fn slack(self) -> i64 {
        i64::from(self.goal.guard > 0)
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
                let tiles = exps(self.size.tiles(board)).filter(|&exp| exp > Exp::EMPTY);
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
                guard: 0,
                objective,
                fraction,
                rounding,
                four: FourRate::default(),
            },
            size: "4x4".parse().unwrap(),
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
