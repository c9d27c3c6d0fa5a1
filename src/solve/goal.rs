//! The goals for which a run can be solved: the bits of their values, and their payoffs in integers.
//!
//! Key idea: a *potential* takes the rewards out of the recursion. Let Phi be the sum of (k - 1)
//! 2^k over the tiles 2^k of a board. A merge that makes 2^k scores 2^k and raises Phi by 2^k; a
//! spawned 4 raises Phi by 4. Let W = V + Phi, where V is the expected score from a position on. In
//! W a move earns nothing, a spawned 4 costs 4, and at the end of a game W is Phi.
//!
//! Values are fixed-point numbers of 32 bits. The mean over an afterstate's candidates is computed
//! exactly and rounded once. So values do not depend on the machine or the number of threads.
//! Neither a maximum nor a mean enlarges an error. So each afterstate until the end of the game
//! adds at most half a unit to it, or a unit if values are rounded up or down.
//!
//! [`goal()`] limits the bits of values by the greatest value of the game, so no sum
//! overflows. Only a forged file can have values out of bounds. They saturate, and `verify --deep`
//! finds them.

use crate::error::{Error, Result, SolvingError};
use crate::game::{Board, FourRate, Game, Objective};
use crate::store::{Goal, Rounding, Run, Solution, fits, greatest, most_bits};

/// The goal for an objective, at the usual rate of 4s: its values are computed with the most bits that
/// fit 32 bits, and kept with `fraction` bits after the binary point, or with all. No value of the game
/// can then overflow.
///
/// # Errors
///
/// [`SolvingError::Goal`] for a tile that the game never reaches, for more bits than fit, or if the
/// error of a value could reach the greatest value.
pub fn goal(
    run: &Run,
    objective: Objective,
    fraction: Option<u32>,
    rounding: Rounding,
) -> Result<Goal> {
    let greatest = greatest(run, objective)?;
    let most = most_bits(objective, greatest);
    let of = |fraction| Goal {
        objective,
        fraction,
        guard: most.saturating_sub(fraction),
        rounding: match objective {
            Objective::Sure(_) => Rounding::Down,
            _ => rounding,
        },
        four: FourRate::default(),
    };
    let goal = of(fraction.unwrap_or(most));
    fits(run, goal)?;
    let last = run.last_afterstates();
    let error_with = |fraction| of(fraction).error(4, last);
    let is_useful = |fraction| error_with(fraction) < f64::from(greatest);
    if is_useful(goal.fraction) {
        return Ok(goal);
    }
    let (fraction, error) = (goal.fraction, error_with(goal.fraction));
    let least = (fraction..u32::BITS).find(|&fraction| is_useful(fraction));
    Err(refused(format!(
        "for {objective}:{fraction}: values could be off by {error}, and none is more than {greatest}: give {} bits \
         or more, or no number for the most that fit",
        least.unwrap_or(u32::BITS)
    )))
}

/// The goals of the objectives `wanted`, in order and without repeats. If `wanted` is empty, all
/// goals for which the run is solved.
///
/// # Errors
///
/// [`SolvingError::Goal`] if no goal is solved down to the first layer, or if one of `wanted` is not
/// solved.
pub fn goals(solution: &Solution, wanted: &[Objective]) -> Result<Vec<Goal>> {
    let solved: Vec<Goal> = solution.goals().collect();
    let path = solution.run().dir().display();
    if solved.is_empty() {
        let begun = names(&solution.begun_goals().collect::<Vec<_>>());
        return Err(refused(format!(
            "{path}: not solved down to the first layer: enum48 solve {path} --for {begun}"
        )));
    }
    if wanted.is_empty() {
        return Ok(solved);
    }
    let mut goals = Vec::new();
    for &wanted in wanted {
        let Some(&found) = solved.iter().find(|goal| goal.objective == wanted) else {
            goal(solution.run(), wanted, None, Rounding::Nearest)
                .map_err(|cause| refused(format!("{path}: {cause}")))?;
            return Err(refused(format!(
                "{path}: solved for {}, not for {wanted}: enum48 solve {path} --for {wanted}",
                names(&solved)
            )));
        };
        if !goals.contains(&found) {
            goals.push(found);
        }
    }
    Ok(goals)
}

/// Check that a solution is solved for these goals. The files of another goal would be read as wrong
/// numbers.
///
/// # Errors
///
/// [`SolvingError::Goal`] for a goal that is not in [`Solution::goals`].
pub(super) fn check_solved(solution: &Solution, wanted: &[Goal]) -> Result<()> {
    for &goal in wanted {
        goals(solution, &[goal.objective])?;
        solution.reached(goal)?;
    }
    Ok(())
}

fn refused(why: String) -> Error {
    SolvingError::Goal(why).into()
}

/// The objectives of some goals, such as `score,512`.
pub(crate) fn names(goals: &[Goal]) -> String {
    let names: Vec<_> = goals
        .iter()
        .map(|goal| goal.objective.to_string())
        .collect();
    names.join(",")
}

/// The payoffs of a goal: the constants of the recursion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payoff {
    pub(crate) goal: Goal,
    game: Game,
    /// Added to the value of a state for its move.
    pub(crate) step: u32,
    /// Subtracted from the value of a state with a spawned 4.
    pub(crate) four: u32,
    /// The weights of a spawned 2 and of a spawned 4 in a mean.
    pub(crate) weights: [u64; 2],
}

/// Convert a stored value of a game's board to a number: the expected score or number of moves to come,
/// or the chance of a tile.
pub fn number(goal: Goal, game: &Game, board: Board, value: u32) -> f64 {
    Payoff::new(goal, game).number(board, value)
}

impl Payoff {
    pub(crate) fn new(goal: Goal, game: &Game) -> Self {
        let one = 1 << goal.fraction;
        let (step, four) = match goal.objective {
            Objective::Score => (0, 4 * one),
            Objective::Moves => (one, 0),
            Objective::Tile(_) | Objective::Sure(_) => (0, 0),
        };
        Self {
            goal,
            game: *game,
            step,
            four,
            weights: goal.four.weights(),
        }
    }

    /// The payoffs of some goals.
    pub(crate) fn all(goals: &[Goal], game: &Game) -> Vec<Self> {
        goals.iter().map(|&goal| Self::new(goal, game)).collect()
    }

    /// The value of an afterstate that wins. No goal is a tile beyond the winning tile, so a win reaches every
    /// goal.
    #[inline(always)]
    pub(crate) fn won(&self, board: Board) -> u32 {
        match self.goal.objective {
            Objective::Tile(_) | Objective::Sure(_) => 1 << self.goal.fraction,
            Objective::Score | Objective::Moves => self.ended(board),
        }
    }

    /// The value of a board where the game has ended: of a dead state, or of an afterstate with the
    /// winning tile, or at the horizon.
    // Few boards have ended. Inlined, the loop makes callers need more registers for all other boards.
    #[inline(never)]
    pub(crate) fn ended(&self, board: Board) -> u32 {
        match self.goal.objective {
            Objective::Score => potential(self.game.size().tiles(board)) << self.goal.fraction,
            Objective::Moves => 0,
            Objective::Tile(tile) | Objective::Sure(tile) => {
                u32::from(self.game.reaches(board, tile)) << self.goal.fraction
            }
        }
    }

    /// Convert the value `units` of a board to a number: the expected score or number of moves to
    /// come, or the chance of a tile.
    pub(crate) fn number(&self, board: Board, units: u32) -> f64 {
        self.goal.number(self.units_to_come(board, units))
    }

    /// The expected score or number of moves to come, or the chance of a tile, in units of the goal.
    pub(crate) fn units_to_come(&self, board: Board, units: u32) -> u32 {
        let before = match self.goal.objective {
            Objective::Score => potential(self.game.size().tiles(board)) << self.goal.fraction,
            Objective::Moves | Objective::Tile(_) | Objective::Sure(_) => 0,
        };
        units.saturating_sub(before)
    }

    /// The value of an afterstate with `empty` empty cells. `total` is the sum of its candidates'
    /// values, times their weights. For a tile to be forced, the mean of zeros and ones is rounded
    /// down: it is 1 only if no candidate has 0.
    #[inline(always)]
    pub(crate) fn mean(&self, total: u64, empty: u64) -> u32 {
        let weight = (self.weights[0] + self.weights[1]) * empty;
        let up = match self.goal.rounding {
            Rounding::Nearest => weight / 2,
            Rounding::Down => 0,
            Rounding::Up => weight - 1,
        };
        ((total + up) / weight) as u32
    }
}

/// The sum of (k - 1) 2^k over the tiles 2^k: their score if no 4 was spawned. A table of two cells
/// makes it fast, because every won or dead board needs it. Stones must be taken off before.
pub(crate) fn potential(board: Board) -> u32 {
    let pairs = board.to_ne_bytes();
    pairs
        .map(|pair| OF_TWO_CELLS[usize::from(pair)])
        .iter()
        .sum()
}

/// The potential of each pair of cells.
const OF_TWO_CELLS: [u32; 256] = {
    let mut table = [0; 256];
    let mut pair = 0;
    while pair < 256 {
        table[pair] = of_cell(pair as u32 >> 4) + of_cell(pair as u32 & 15);
        pair += 1;
    }
    table
};

/// The potential of a cell.
const fn of_cell(exp: u32) -> u32 {
    exp.saturating_sub(1) << exp
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::Plan;
    use crate::game::FourRate;
    use crate::part::Kind;
    use crate::read::Reader;

    /// The run of 2x2 to 32.
    fn run() -> Run {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v1/2x2-32");
        Run::open(dir.as_ref()).unwrap()
    }

    /// From tests/data/v1/2x2-32/layers.csv: games are won up to sum 40, which scores at most 40
    /// times 4, as 32 is 2^5. Lost games score less. No game has more than 20 moves.
    #[test]
    fn values_get_the_most_bits_that_fit_and_one_more_is_refused() {
        let run = run();
        for (name, greatest, most) in [("score", 160, 24), ("moves", 20, 27), ("32", 1, 31)] {
            let objective: Objective = name.parse().unwrap();
            assert_eq!(super::greatest(&run, objective).unwrap(), greatest);
            assert!(u64::from(greatest) << most < 1 << 32, "{name} overflows");
            let wanted = |fraction| goal(&run, objective, fraction, Rounding::Nearest);
            assert_eq!(wanted(None).unwrap().fraction, most);
            assert_eq!(wanted(Some(most)).unwrap().fraction, most);
            for fewer in 0..most {
                let goal = wanted(Some(fewer)).unwrap();
                assert_eq!((goal.fraction, goal.guard), (fewer, most - fewer));
            }
            for more in [most + 1, 32, 64, u32::MAX] {
                let refused = wanted(Some(more)).unwrap_err().to_string();
                assert!(
                    refused.contains(&format!("leave room for {most} bits")),
                    "{refused}"
                );
                let forged = Goal {
                    fraction: more,
                    ..wanted(None).unwrap()
                };
                assert_eq!(fits(&run, forged).unwrap_err().to_string(), refused);
            }
        }
    }

    /// A chance of 0 or 1 alone, rounded down, tells nothing.
    #[test]
    fn bits_that_tell_nothing_are_refused() {
        let tile = Objective::of_tile(32).unwrap();
        let wanted = |bits| goal(&run(), tile, Some(bits), Rounding::Down);
        let refused = wanted(0).unwrap_err().to_string();
        assert!(refused.contains("give 1 bits or more"), "{refused}");
        assert!(wanted(1).is_ok());
    }

    #[test]
    fn a_tile_beyond_the_largest_is_refused() {
        let of = |tile| {
            goal(
                &run(),
                Objective::of_tile(tile).unwrap(),
                None,
                Rounding::Nearest,
            )
        };
        assert!(of(32).is_ok());
        for tile in [64, 65536] {
            let refused = of(tile).unwrap_err();
            let said = format!("for {tile}: no game of 2x2-32 reaches it: the largest tile is 32");
            assert_eq!(refused.to_string(), said);
        }
    }

    #[test]
    fn no_state_has_a_potential_beyond_the_greatest_score() {
        let run = run();
        let greatest = greatest(&run, Objective::Score).unwrap();
        let mut states = 0;
        let reader = Reader::new(run, &Plan::new(64 << 20, 1).unwrap());
        for key in reader.run().parts(Kind::States) {
            for state in reader.layer(key.sum).unwrap() {
                assert!(potential(state.unwrap()) < greatest);
                states += 1;
            }
        }
        assert!(states > 57);
    }

    const ROUNDINGS: [Rounding; 3] = [Rounding::Nearest, Rounding::Down, Rounding::Up];

    fn payoff(objective: &str, fraction: u32, rounding: Rounding) -> Payoff {
        let goal = Goal {
            objective: objective.parse().unwrap(),
            fraction,
            guard: 0,
            rounding,
            four: FourRate::default(),
        };
        Payoff::new(goal, &"4x4".parse().unwrap())
    }

    #[test]
    fn the_potential_of_a_tile_is_its_score_from_2s() {
        // An 8 is made from two 4s, and each 4 from two 2s: 8 + 4 + 4. A 2 scores nothing.
        assert_eq!(potential(0x3010), 16);
        // The score of a tile is its value and the score of its two halves.
        for cell in 0..16 {
            for exp in 2..16 {
                let [halves, tile] = [exp - 1, exp].map(|exp| potential(exp << (4 * cell)));
                assert_eq!(tile, (1 << exp) + 2 * halves);
            }
        }
        let score = payoff("score", 3, Rounding::Nearest);
        assert_eq!(score.ended(0x3010), 16 << 3);
        assert!(score.number(0x3010, 17 << 3).eq(&1.0));
        let tile = payoff("8", 3, Rounding::Nearest);
        assert_eq!([0x3010, 0x2010].map(|board| tile.ended(board)), [8, 0]);
    }

    proptest! {
        /// It follows that no value exceeds the greatest value at the end of a game.
        #[test]
        fn a_mean_lies_between_the_least_and_the_greatest_of_its_candidates(
            pairs in prop::collection::vec((any::<u32>(), any::<u32>()), 1..16),
            narrow in 0..32,
        ) {
            let all: Vec<u32> = pairs.iter().flat_map(|&(two, four)| [two >> narrow, four >> narrow]).collect();
            let total = all.chunks(2).map(|pair| 9 * u64::from(pair[0]) + u64::from(pair[1])).sum();
            let (least, greatest) = (all.iter().min().unwrap(), all.iter().max().unwrap());
            let means = ROUNDINGS.map(|rounding| payoff("moves", 0, rounding).mean(total, pairs.len() as u64));
            let [nearest, down, up] = means;
            prop_assert!(*least <= down && down <= nearest && nearest <= up && up <= *greatest);
            prop_assert!(up - down <= 1);
        }
    }

    #[test]
    fn the_mean_of_the_greatest_values_is_one_of_them() {
        for empty in 1..16 {
            let total = 10 * empty * u64::from(u32::MAX);
            for rounding in ROUNDINGS {
                assert_eq!(payoff("moves", 0, rounding).mean(total, empty), u32::MAX);
            }
        }
    }
}
