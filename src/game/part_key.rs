//! The part that a board belongs to.

use std::fmt;

use super::board::{Board, max_exp, sum};
use super::exp::Exp;

/// A part: all canonical states, or afterstates, of one sum and one largest tile.
///
/// Parts are ordered by sum, then by largest tile, as the rows of a table are.
///
/// ```
/// use enum48::game::PartKey;
/// assert_eq!(PartKey::of(0x0132).to_string(), "sum 14, largest tile 8");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartKey {
    /// Sum of the tiles of every board.
    pub sum: u32,
    /// Largest tile of every board.
    pub max: Exp,
}

impl PartKey {
    /// The part that a board belongs to.
    #[must_use]
    pub fn of(board: Board) -> Self {
        Self {
            sum: sum(board),
            max: max_exp(board),
        }
    }

    /// The parts of afterstates that a spawn turns into states of this part, each with the spawned
    /// tile. The spawned tile may itself be the largest.
    pub fn spawned_from(self) -> impl Iterator<Item = (Self, Exp)> {
        [Exp::TWO, Exp::FOUR].into_iter().flat_map(move |tile| {
            let sum = self.sum.checked_sub(tile.tile());
            let maxima = self
                .max
                .up_to()
                .filter(move |&max| max.max(tile) == self.max);
            maxima.filter_map(move |max| Some((Self { sum: sum?, max }, tile)))
        })
    }
}

impl fmt::Display for PartKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sum {}, largest tile {}", self.sum, self.max.tile())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spawn_leads_to_a_part_from_the_parts_listed() {
        let key = |sum, tile| PartKey {
            sum,
            max: Exp::of_tile(tile).unwrap(),
        };
        let from = |sum, tile| key(sum, tile).spawned_from().collect::<Vec<_>>();
        let (two, four) = (Exp::TWO, Exp::FOUR);
        assert_eq!(from(20, 8), [(key(18, 8), two), (key(16, 8), four)]);
        // A 4 may be the largest tile because it was spawned.
        let fours = [(key(6, 4), two), (key(4, 2), four), (key(4, 4), four)];
        assert_eq!(from(8, 4), fours);
        assert_eq!(from(6, 2), [(key(4, 2), two)]);
        assert_eq!(from(2, 4), [(key(0, 4), two)]);
    }
}
