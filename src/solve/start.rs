//! What a game is worth before its first move.

use super::values::Values;
use crate::error::Result;

/// What a game is worth at its start, for one goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// With each start as likely as it is: two cells, each with a 2 by 0.9 or a 4 by 0.1.
    pub all: f64,
    /// From two 2s, all places alike.
    pub two_2s: f64,
}

impl Values<'_> {
    /// What the game is worth at its start, for each goal.
    ///
    /// # Errors
    ///
    /// What is wrong with a file.
    pub fn start(&mut self) -> Result<Vec<Start>> {
        let game = *self.game();
        let mut totals = vec![[0.0; 3]; self.payoffs.len()];
        let mut counts = [0.0; 3];
        for (sum, count) in [4, 6, 8].into_iter().zip(&mut counts) {
            for state in game.starts(sum) {
                // An image of it is as likely as it is.
                let images = game.rules().census(&mut vec![state]).labeled as f64;
                *count += images;
                let units = self.state(state)?;
                let worth = self.payoffs.iter().zip(units);
                for (total, (payoff, units)) in totals.iter_mut().zip(worth) {
                    total[(sum as usize - 4) / 2] += images * payoff.from(state, units);
                }
            }
        }
        let starts = totals.into_iter().map(|totals| {
            let [twos, mixed, fours] = [0, 1, 2].map(|at| totals[at] / counts[at]);
            Start {
                all: (81.0 * twos + 18.0 * mixed + fours) / 100.0,
                two_2s: twos,
            }
        });
        Ok(starts.collect())
    }
}
