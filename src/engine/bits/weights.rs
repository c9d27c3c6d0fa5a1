//! Weights of halves and boards, which also tell the number of stones.
//!
//! Key idea: a stone weighs more than all tiles of a board. So one number tells half the sum of the
//! tiles and the number of stones, and the weights of two halves add up to the weight of their board.

use crate::game::{Game, STONE};

/// Most stones of a half.
const CELLS: usize = 8;

/// The weights of the halves of a game.
#[derive(Clone, Copy)]
pub(crate) struct Weights {
    /// The weight of a stone.
    stone: usize,
    /// Number of stones of a board.
    stones: usize,
    /// The greatest weight of a half's tiles.
    pub(super) most: usize,
}

impl Weights {
    /// The weights of halves whose tiles weigh up to `most`.
    pub(crate) fn new(game: &Game, most: usize) -> Self {
        Self {
            // More than the tiles of two halves, even one layer after the last.
            stone: game.sum_bound() as usize + 4,
            stones: game.size().stones() as usize,
            most,
        }
    }

    /// The weight of some cells.
    pub(crate) fn of(self, cells: &[u8]) -> usize {
        let weight = |&exp| match exp {
            STONE => self.stone,
            _ => 1 << exp >> 1,
        };
        cells.iter().map(weight).sum()
    }

    /// The weight of the boards of a sum.
    pub(crate) fn of_sum(self, sum: u32) -> usize {
        self.stones * self.stone + sum as usize / 2
    }

    /// The sum of the boards of a weight.
    pub(crate) fn sum(self, weight: usize) -> u32 {
        2 * (weight - self.stones * self.stone) as u32
    }

    /// The weight of the tiles alone.
    pub(crate) fn of_tiles(self, weight: usize) -> usize {
        weight % self.stone
    }

    /// Whether halves can have a weight.
    pub(crate) fn has(self, weight: usize) -> bool {
        self.fits(weight) && weight >= self.stones.saturating_sub(CELLS) * self.stone
    }

    /// Whether a part of a half can have a weight.
    pub(crate) fn fits(self, weight: usize) -> bool {
        self.of_tiles(weight) <= self.most && weight <= self.heaviest()
    }

    /// The greatest weight of a half.
    pub(crate) fn heaviest(self) -> usize {
        self.stones.min(CELLS) * self.stone + self.most
    }

    /// Number of digits for cells, if the tiles have exponents below `exponents`.
    pub(crate) fn digits(self, exponents: u8) -> u8 {
        exponents + u8::from(self.has_stones())
    }

    pub(crate) fn has_stones(self) -> bool {
        self.stones > 0
    }

    /// The weights of the top halves of boards of weight `weight`, in order.
    pub(crate) fn tops(self, weight: usize) -> impl Iterator<Item = usize> {
        let Self {
            stone,
            stones,
            most,
        } = self;
        let tiles = weight.checked_sub(stones * stone);
        let of_tiles = tiles.map_or(0..0, |tiles| {
            tiles.saturating_sub(most)..tiles.min(most) + 1
        });
        let of_top = stones.saturating_sub(CELLS)..stones.min(CELLS) + 1;
        of_top.flat_map(move |stones| of_tiles.clone().map(move |tiles| stones * stone + tiles))
    }

    /// Whether a weight is among [`Self::tops`].
    pub(crate) fn has_top(self, weight: usize, top: usize) -> bool {
        let bottom = weight.checked_sub(top);
        weight >= self.stones * self.stone
            && self.has(top)
            && bottom.is_some_and(|bottom| self.has(bottom))
    }
}
