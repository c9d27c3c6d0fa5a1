//! The counts of some boards.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Counts of some states, or of some afterstates. Each thread counts its own boards, and the
/// tallies are added up; no counter is shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Candidates produced, repeats included.
    pub candidates: u64,
    /// Repeats among the candidates.
    pub duplicates: u64,
    /// Distinct states or afterstates.
    pub unique: u64,
    /// States without a legal move.
    pub dead: u64,
    /// Boards that the states represent: the sum of their orbit sizes.
    pub labeled: u64,
    /// Legal moves of the states, winning moves included.
    pub moves: u64,
    /// Moves that make the winning tile.
    pub wins: u64,
    /// Empty cells of the afterstates.
    pub empty_cells: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.duplicates += other.duplicates;
        self.unique += other.unique;
        self.dead += other.dead;
        self.labeled += other.labeled;
        self.moves += other.moves;
        self.wins += other.wins;
        self.empty_cells += other.empty_cells;
    }
}
