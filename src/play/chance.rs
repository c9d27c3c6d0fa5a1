//! Where the tiles of a game come from: a seeded generator, or a list.
//!
//! A seed gives the same tiles on every machine and in every version of this program.

use std::fmt;
use std::str::FromStr;

use super::position::{Position, Spawn};
use crate::error::{Error, Result};
use crate::random::Random;

/// A seed: a number, written in base 36.
///
/// ```
/// use enum48::play::Seed;
/// let seed: Seed = "tiles".parse()?;
/// assert_eq!((seed.0, seed.to_string().as_str()), (49_576_420, "tiles"));
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut left, mut digits) = (self.0, Vec::new());
        while left > 0 || digits.is_empty() {
            digits.push(char::from_digit((left % 36) as u32, 36).expect("below the base"));
            left /= 36;
        }
        f.write_str(&digits.iter().rev().collect::<String>())
    }
}

/// Reads only the form that [`fmt::Display`] writes, so that a seed has one spelling.
impl FromStr for Seed {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let seed = u64::from_str_radix(text, 36).ok().map(Self);
        seed.filter(|seed| seed.to_string() == text)
            .ok_or_else(|| Error::Seed(text.to_owned()))
    }
}

/// Where the tiles of a game come from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Luck {
    /// A generator with this seed.
    Seed(Seed),
    /// A list.
    Spawns {
        /// The two tiles of the start, in increasing order of cells.
        start: [Spawn; 2],
        /// The tile after each move that does not win.
        then: Vec<Spawn>,
    },
}

/// The generator of a seeded game. [`crate::play`] describes how its numbers become tiles.
#[derive(Clone, Debug)]
pub struct Chance(Random);

impl Chance {
    /// The generator for a seed, at its beginning.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self(Random::new(seed.0))
    }

    /// The next tile for a board: a 2 nine times in ten, else a 4, in any empty cell with equal
    /// chance.
    ///
    /// # Panics
    ///
    /// If the board is full. A board after a move has an empty cell.
    pub fn spawn(&mut self, position: &Position) -> Spawn {
        let empty = position.empty().count();
        let drawn = self.0.below(10 * empty as u64);
        let cell = position.empty().nth((drawn / 10) as usize);
        Spawn {
            cell: cell.expect("as many cells as were counted"),
            tile: if drawn % 10 == 9 { 4 } else { 2 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_one_spelling() {
        for (text, seed) in [("0", 0), ("z", 35), ("10", 36), ("3w5e11264sgsf", u64::MAX)] {
            assert_eq!(text.parse::<Seed>().unwrap(), Seed(seed));
            assert_eq!(Seed(seed).to_string(), text);
        }
        for bad in [
            "",
            "00",
            "01",
            "Z",
            "+1",
            "-1",
            "3w5e11264sgsg",
            "a.b",
            "ä",
            " 1",
            "zzzzzzzzzzzzzzzz",
        ] {
            assert!(bad.parse::<Seed>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn tiles_and_cells_come_with_their_probabilities() {
        let mut position = Position::new("3x3".parse().unwrap());
        position.place(Spawn { cell: 4, tile: 2 });
        let mut chance = Chance::new(Seed(1));
        let (mut cells, mut fours) = ([0u32; 9], 0);
        for _ in 0..80_000 {
            let spawn = chance.spawn(&position);
            cells[usize::from(spawn.cell)] += 1;
            fours += u32::from(spawn.tile == 4);
        }
        assert_eq!(cells[4], 0);
        // Expected: 10,000 spawns per cell, standard deviation 94; 8,000 fours, standard deviation
        // 85.
        let empty = cells.iter().enumerate().filter(|(cell, _)| *cell != 4);
        assert!(
            empty.clone().all(|(_, n)| (9_600..10_400).contains(n)),
            "{cells:?}"
        );
        assert!((7_650..8_350).contains(&fours), "{fours}");
    }
}
