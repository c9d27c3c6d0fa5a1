//! A row of the table, and its columns.

use serde::{Deserialize, Serialize};

use crate::run::Fingerprint;

/// Columns that every table has; those after them are extensions.
pub(super) const SHORT: usize = 7;

/// The columns of the CSV. They are a contract: new ones go to the end.
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

/// A part's counts: all canonical states of one sum and largest tile. The fields are the columns of
/// `layers.csv`, in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Sum of the tiles.
    pub sum: u32,
    /// Largest tile, as a value.
    pub max_tile: u32,
    /// Canonical states with a legal move.
    pub live: u64,
    /// Canonical states without one.
    pub dead: u64,
    /// Boards that the live and dead states stand for: the sum of their orbit sizes.
    pub labeled: u64,
    /// Canonical afterstates of this sum and largest tile, winning ones left out.
    pub afterstates: u64,
    /// Fingerprint of the live states.
    pub fingerprint: Fingerprint,
    /// Empty cells of the afterstates: each is a place to spawn a 2 and a 4 in.
    #[serde(default)]
    pub empty_cells: u64,
    /// States that spawns and starts made, repeats included.
    #[serde(default)]
    pub candidates: u64,
    /// Candidates that were dropped because they had come before.
    #[serde(default)]
    pub duplicates: u64,
    /// Legal moves of the live states, winning ones among them.
    #[serde(default)]
    pub moves: u64,
    /// Moves that make the winning tile.
    #[serde(default)]
    pub wins: u64,
}

impl Row {
    /// Live and dead states.
    #[must_use]
    pub fn states(&self) -> u64 {
        self.live.saturating_add(self.dead)
    }

    /// The row as it stands in a CSV.
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
