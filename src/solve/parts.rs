//! The values of each part's afterstates: the least, the greatest and the mean, for tables and
//! pictures.

use rayon::prelude::*;

use super::layer::SolvedPart;
use super::payoff::Payoff;
use crate::error::Result;
use crate::game::{Objective, PartKey};
use crate::part::{Decoder, Kind, ValueDecoder};
use crate::store::{Goal, Solution};

/// The values of a part's afterstates.
#[derive(Clone, Debug, PartialEq)]
pub struct PartWorth {
    /// The part.
    pub key: PartKey,
    /// Number of afterstates.
    pub afterstates: u64,
    /// The values for each goal.
    pub worth: Vec<Worth>,
}

/// The values of some afterstates as numbers: the future score, the number of moves, or the chance
/// of a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// The least.
    pub least: f64,
    /// The mean, in which each afterstate counts once, whatever the size of its orbit.
    pub mean: f64,
    /// The greatest.
    pub greatest: f64,
}

/// Partial sums of values, in units of the goal.
#[derive(Clone, Copy)]
struct Sums {
    least: u32,
    total: u128,
    greatest: u32,
}

impl Sums {
    const NONE: Self = Self {
        least: u32::MAX,
        total: 0,
        greatest: 0,
    };

    fn add(self, units: u32) -> Self {
        self.join(Self {
            least: units,
            total: units.into(),
            greatest: units,
        })
    }

    fn join(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            total: self.total + other.total,
            greatest: self.greatest.max(other.greatest),
        }
    }
}

/// The values of each part's afterstates in a solution, in order of sum, then largest tile. Reads
/// every value, on the threads of the current pool.
///
/// # Errors
///
/// Damaged files.
pub fn parts(solution: &Solution, goals: &[Goal]) -> Result<Vec<PartWorth>> {
    let keys: Vec<PartKey> = solution.run().parts(Kind::Afterstates).collect();
    let objectives: Vec<Objective> = goals.iter().map(|goal| goal.objective).collect();
    let parts = keys.into_par_iter().map(|key| {
        let part = SolvedPart::open(solution, &objectives, key)?;
        part.map(|part| worth(&part, key, goals)).transpose()
    });
    let parts: Result<Vec<Option<PartWorth>>> = parts.collect();
    Ok(parts?.into_iter().flatten().collect())
}

fn worth(part: &SolvedPart, key: PartKey, goals: &[Goal]) -> Result<PartWorth> {
    let payoffs: Vec<Payoff> = goals.iter().map(|&goal| Payoff::new(goal)).collect();
    let blocks = (0..part.afterstates.blocks()).into_par_iter();
    let none = || vec![Sums::NONE; goals.len()];
    let sums = blocks.map(|block| {
        let (mut boards, mut units) = (Vec::new(), Vec::new());
        part.afterstates
            .read_block(block, &mut Decoder::new()?, &mut boards)?;
        let mut decoder = ValueDecoder::new()?;
        let sums = part.columns.iter().zip(&payoffs).map(|(column, payoff)| {
            units.clear();
            column.read_block(block, &mut decoder, &mut units)?;
            let worth = boards.iter().zip(&units);
            let worth = worth.map(|(&board, &units)| payoff.ahead(board, units));
            Ok(worth.fold(Sums::NONE, Sums::add))
        });
        sums.collect::<Result<Vec<Sums>>>()
    });
    let join = |all: Vec<Sums>, other: Vec<Sums>| {
        let joined = all.into_iter().zip(other);
        Ok(joined.map(|(one, other)| one.join(other)).collect())
    };
    let sums = sums.try_reduce(none, join)?;
    let afterstates = part.afterstates.states();
    let worth = sums.into_iter().zip(goals).map(|(sums, goal)| Worth {
        least: goal.number(sums.least),
        mean: goal.number(1) * (sums.total as f64 / afterstates as f64),
        greatest: goal.number(sums.greatest),
    });
    Ok(PartWorth {
        key,
        afterstates,
        worth: worth.collect(),
    })
}
