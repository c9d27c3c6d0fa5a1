//! Simulated games. The mean score of a policy checks its value without computing expectations.

use enum48::game::Direction;
use fastrand::Rng;

use super::{Objective, Solved};
use crate::plain::{Cells, Plain};

/// The mean score of simulated games.
#[derive(Debug)]
pub(crate) struct Mean {
    pub(crate) score: f64,
    pub(crate) standard_error: f64,
}

impl Mean {
    /// The difference between the mean and an expected score, in standard errors.
    pub(crate) fn above(&self, expected: f64) -> f64 {
        (self.score - expected) / self.standard_error
    }
}

/// Plays games from random starts. Of `fours.1` spawned tiles, `fours.0` are 4s on average. The
/// policy maps a state, in any orientation, to a legal move.
pub(crate) fn play(
    game: &Plain,
    games: u32,
    seed: u64,
    fours: (u32, u32),
    policy: impl Fn(u64) -> Direction,
) -> Mean {
    let mut random = Rng::with_seed(seed);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..games {
        let score = f64::from(play_one(game, &mut random, fours, &policy));
        sum += score;
        squares += score * score;
    }
    let games = f64::from(games);
    let score = sum / games;
    let variance = (squares - games * score * score) / (games - 1.0);
    Mean {
        score,
        standard_error: (variance / games).sqrt(),
    }
}

fn play_one(
    game: &Plain,
    random: &mut Rng,
    fours: (u32, u32),
    policy: &impl Fn(u64) -> Direction,
) -> u32 {
    let one = spawn(game, random, fours, &Cells::default());
    let mut state = spawn(game, random, fours, &one);
    let mut score = 0;
    while game.moves(&state).next().is_some() {
        let moved = game.moved(&state, policy(game.board(&state))).unwrap();
        score += moved.earned;
        if moved.won {
            break;
        }
        state = spawn(game, random, fours, &moved.after);
    }
    score
}

fn spawn(game: &Plain, random: &mut Rng, (fours, spawns): (u32, u32), cells: &Cells) -> Cells {
    let tile = if random.u32(..spawns) < fours { 2 } else { 1 };
    let states: Vec<Cells> = game.spawns(cells, tile).collect();
    states[random.usize(..states.len())]
}

#[test]
fn best_play_earns_its_value_and_a_fixed_policy_earns_less() {
    for (cols, win) in [(2, None), (2, Some(32)), (3, None), (3, Some(64))] {
        let game = Plain::new(2, cols, win);
        let solved = Solved::<f64>::new(Plain::new(2, cols, win), Objective::Score);
        let best = play(&game, 5000, 1, (1, 10), |state| solved.best(state));
        assert!(best.above(solved.start()).abs() < 4.0, "{best:?}");
        let fixed = play(&game, 5000, 1, (1, 10), |state| {
            let legal = |&way: &Direction| game.moved(&game.cells(state), way).is_some();
            Direction::ALL.into_iter().find(legal).unwrap()
        });
        assert!(fixed.above(solved.start()) < -4.0, "{fixed:?}");
    }
}
