//! What a solution says of the positions of a game.

use crate::error::Result;
use crate::game::Objective;
use crate::play::{Position, Status};
use crate::solve::{MoveValue, Values};
use crate::store::{Goal, Solution};

/// Memory for decoded blocks.
const MEMORY: u64 = 64 << 20;

/// Looks up moves in a solution. What is best is best for the first goal.
pub(super) struct Adviser<'a> {
    goals: Vec<Goal>,
    values: Values<'a>,
}

/// The moves of a position.
pub(super) struct Advice {
    /// The legal moves, in order of direction; none if the game is over.
    pub(super) moves: Vec<MoveValue>,
    /// What the position is worth to each goal.
    pub(super) worth: Vec<f64>,
}

impl<'a> Adviser<'a> {
    /// Advises on play for some goals of a solution, at least one.
    pub(super) fn new(solution: &'a Solution, goals: Vec<Goal>) -> Result<Self> {
        Ok(Self {
            values: Values::new(solution, &goals, MEMORY)?,
            goals,
        })
    }

    /// What is played for, first what matters most.
    pub(super) fn objectives(&self) -> impl Iterator<Item = Objective> {
        self.goals.iter().map(|goal| goal.objective)
    }

    /// What there is to say of a position of the game.
    pub(super) fn advise(&mut self, position: &Position) -> Result<Advice> {
        let live = position.status() == Status::Live;
        let moves = match position.board().filter(|_| live) {
            Some(board) => self.values.moves(board)?,
            None => Vec::new(),
        };
        let worth = self.objectives().enumerate().map(|(at, objective)| {
            let best = moves.iter().map(|of| of.numbers[at]).reduce(f64::max);
            best.unwrap_or_else(|| match objective {
                Objective::Score | Objective::Moves => 0.0,
                Objective::Tile(exp) => {
                    let reached = position.tiles().any(|tile| tile >= exp.tile());
                    u32::from(reached).into()
                }
            })
        });
        Ok(Advice {
            worth: worth.collect(),
            moves,
        })
    }
}

impl Advice {
    /// The best moves: several, if none is better than another.
    pub(super) fn best(&self) -> impl Iterator<Item = &MoveValue> {
        let most = self.moves.iter().map(|of| of.units[0]).max();
        self.moves
            .iter()
            .filter(move |of| Some(of.units[0]) == most)
    }

    /// What a move loses against the best: exactly 0 if it is one of these.
    pub(super) fn loss(&self, of: &MoveValue) -> f64 {
        self.best().next().map_or(0.0, |best| {
            if of.units[0] == best.units[0] {
                0.0
            } else {
                best.numbers[0] - of.numbers[0]
            }
        })
    }
}
