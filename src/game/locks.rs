//! Locks: a move must leave stones in all cells of a mask.
//!
//! Players keep their large tiles in a corner while they make the next one. So a game can have up to three
//! *masks*. A move is legal only if afterwards, for at least one mask, all cells of the mask hold stones.
//!
//! A mask is written as a board of stones. So one comparison tells whether a board keeps a mask: the board
//! has all bits of the mask.
//!
//! A game can also have *target cells*. It is won when a move leaves the winning tile in one of them. Elsewhere
//! the winning tile is a tile like any other.
//!
//! Only the symmetries that turn masks into masks, and target cells into target cells, are symmetries of the
//! game.

/// The most masks of a game.
pub(crate) const MASKS: usize = 3;

/// The masks of a game, its target cells, and its symmetries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Locks {
    /// In order, the last one repeated. Every board keeps the mask 0, so it stands for no lock.
    pub(super) masks: [u64; MASKS],
    /// The digit f in each target cell; all bits if every cell is one.
    pub(super) targets: u64,
    /// A bit for each of [`super::symmetry::images`] that is a symmetry of the game.
    pub(super) symmetries: u8,
}

impl Locks {
    /// No locks, and every cell is a target cell.
    pub(super) const NONE: Self = Self {
        masks: [0; MASKS],
        targets: u64::MAX,
        symmetries: u8::MAX,
    };

    /// Whether every move may leave the stones, and the winning tile, anywhere.
    pub(crate) fn is_none(self) -> bool {
        // Every mask has a cell.
        self.masks[0] == 0 && self.targets == u64::MAX
    }

    /// The masks, in order; none without locks.
    pub(crate) fn masks(self) -> Vec<u64> {
        let mut masks = self.masks.to_vec();
        masks.dedup();
        masks.retain(|&mask| mask != 0);
        masks
    }

    /// Number of stones of each mask.
    pub(crate) fn stones(self) -> u32 {
        self.masks[0].count_ones() / 4
    }

    /// The stones that all masks have, so that every board has them.
    pub(crate) fn fixed(self) -> u64 {
        self.masks
            .into_iter()
            .fold(u64::MAX, |fixed, mask| fixed & mask)
    }

    /// Whether the stones of a board are where a move may leave them.
    #[inline(always)]
    pub(crate) fn keeps(&self, board: u64) -> bool {
        let [first, second, third] = self.masks;
        (board & first == first) | (board & second == second) | (board & third == third)
    }

    /// The digit f in each target cell, if the winning tile must be in one of them.
    pub(crate) fn targets(self) -> Option<u64> {
        Some(self.targets).filter(|&targets| targets != u64::MAX)
    }

    /// Bits to be set in each of [`super::symmetry::images`], so that only images by the game's symmetries
    /// can be the least.
    #[inline(always)]
    pub(super) fn others(self) -> [u64; 8] {
        let mut others = [0; 8];
        for (symmetry, others) in others.iter_mut().enumerate() {
            if self.symmetries >> symmetry & 1 == 0 {
                *others = u64::MAX;
            }
        }
        others
    }

    /// Number of the game's symmetries among [`super::symmetry::images`], which has each symmetry of a
    /// rectangle twice.
    pub(super) fn symmetries(self) -> u32 {
        self.symmetries.count_ones()
    }
}
