//! A row of the table: the counts of one part.

use serde::{Deserialize, Serialize};

use crate::game::{Exp, PartKey};
use crate::part::Fingerprint;

/// Number of columns that every table has; those after them are extensions.
pub(super) const SHORT: usize = 7;

/// The columns of the CSV. Users rely on their order: add new ones at the end.
pub(super) const COLUMNS: [&str; 12] = [
    "sum",
    "max_tile",
    "live",
    "dead",
    "labeled",
    "afterstates",
    "fingerprint",
    "empty_cells",
    "candidates",
    "duplicates",
    "moves",
    "wins",
];

/// The counts of a part, which is all canonical states of one sum and largest tile. The fields are
/// the columns of `layers.csv`, in the same order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Row {
    /// Sum of the tiles.
    pub sum: u32,
    /// Largest tile, as a value.
    pub max_tile: u32,
    /// Canonical states with a legal move.
    pub live: u64,
    /// Canonical states without a legal move.
    pub dead: u64,
    /// Boards that the live and dead states stand for, symmetric images included: the sum of their
    /// orbit sizes.
    pub labeled: u64,
    /// Canonical afterstates of this sum and largest tile, without winning ones.
    pub afterstates: u64,
    /// Fingerprint of the live states.
    pub fingerprint: Fingerprint,
    /// Empty cells of all afterstates: in each a 2 or a 4 can be spawned.
    #[serde(default)]
    pub empty_cells: u64,
    /// States made by spawns and starts, repeats included.
    #[serde(default)]
    pub candidates: u64,
    /// Candidates that were dropped as repeats.
    #[serde(default)]
    pub duplicates: u64,
    /// Legal moves of the live states, winning ones included.
    #[serde(default)]
    pub moves: u64,
    /// Moves that make the winning tile.
    #[serde(default)]
    pub wins: u64,
}

impl Row {
    /// The row of a part in which nothing was counted.
    #[must_use]
    pub fn of(key: PartKey) -> Self {
        Self {
            sum: key.sum,
            max_tile: key.max.tile(),
            ..Self::default()
        }
    }

    /// The row of a part among the rows of its layer; an empty row if there is none.
    #[must_use]
    pub(crate) fn among(layer: &[Self], key: PartKey) -> Self {
        let found = layer.iter().find(|row| row.key() == Some(key));
        found.copied().unwrap_or(Self::of(key))
    }

    /// The part. `None` if `max_tile` is not a tile, which can happen in a table made by other
    /// programs.
    #[must_use]
    pub fn key(&self) -> Option<PartKey> {
        let (sum, max) = (self.sum, Exp::of_tile(self.max_tile)?);
        Some(PartKey { sum, max })
    }

    /// Live and dead states.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.live.saturating_add(self.dead)
    }

    /// The row as in a CSV.
    pub(super) fn fields(&self) -> [String; COLUMNS.len()] {
        [
            self.sum.to_string(),
            self.max_tile.to_string(),
            self.live.to_string(),
            self.dead.to_string(),
            self.labeled.to_string(),
            self.afterstates.to_string(),
            self.fingerprint.to_string(),
            self.empty_cells.to_string(),
            self.candidates.to_string(),
            self.duplicates.to_string(),
            self.moves.to_string(),
            self.wins.to_string(),
        ]
    }

    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live == 0 && self.dead == 0 && self.labeled == 0 && self.afterstates == 0
    }
}
