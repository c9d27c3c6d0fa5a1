//! What the work on a part adds up to.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::store::Cuts;

/// Counts of one part, of states or of afterstates. Each task returns those of its own share, and
/// they are added up; nothing is counted in shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Candidates produced, repeats included.
    pub(crate) candidates: u64,
    /// Repeats.
    pub(crate) duplicates: u64,
    /// Different states or afterstates.
    pub(crate) unique: u64,
    /// States without a legal move.
    pub(crate) dead: u64,
    /// Boards that the states stand for: the sum of their orbit sizes.
    pub(crate) labeled: u64,
    /// Legal moves of the states, winning ones among them.
    pub(crate) moves: u64,
    /// Moves that make the winning tile.
    pub(crate) wins: u64,
    /// Empty cells of the afterstates.
    pub(crate) empty_cells: u64,
    /// How the work was cut up to fit in memory.
    #[serde(skip)]
    pub(crate) cuts: Cuts,
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
        self.cuts += other.cuts;
    }
}
