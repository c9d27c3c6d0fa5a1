//! A layer that was counted, as it is sealed.

use std::ops::AddAssign;

use crate::counts::Row;
use crate::part::Kind;

/// A layer that the engine has finished.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Layer {
    /// Its sum.
    pub sum: u32,
    /// The counts of its parts, in order of largest tile.
    pub rows: Vec<Row>,
    /// Whether no state and no afterstate is left to go on from.
    pub last: bool,
    /// Bytes of its files of states.
    pub bytes: u64,
    /// Bytes of the files of afterstates that were written with it.
    pub afterstate_bytes: u64,
    /// Bytes that it took on disk at most: its files and what went through temporary ones. Engines
    /// that seal several layers together count what they wrote in between to the next one.
    pub disk: u64,
    /// How the work on it was cut up to fit in memory.
    pub cuts: Cuts,
}

/// How the work on parts was cut up to fit in memory. Nothing that is written depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cuts {
    /// Ranges that candidates were sorted in.
    pub ranges: u64,
    /// Ranges that had too many candidates to sort at once, and were split.
    pub splits: u64,
    /// Bytes that did not fit in memory and went through temporary files.
    pub spilled: u64,
}

impl AddAssign for Cuts {
    fn add_assign(&mut self, other: Self) {
        self.ranges += other.ranges;
        self.splits += other.splits;
        self.spilled += other.spilled;
    }
}

impl Layer {
    /// A layer of which nothing is counted yet.
    pub(crate) fn new(sum: u32) -> Self {
        Self {
            sum,
            ..Self::default()
        }
    }

    /// Add what work on it took of the disk, and how it was cut.
    pub(crate) fn took(&mut self, cuts: Cuts) {
        self.disk += cuts.spilled;
        self.cuts += cuts;
    }

    /// Add what one of its files took.
    pub(crate) fn wrote(&mut self, kind: Kind, bytes: u64, cuts: Cuts) {
        match kind {
            Kind::States => self.bytes += bytes,
            Kind::Afterstates => self.afterstate_bytes += bytes,
        }
        self.disk += bytes;
        self.took(cuts);
    }
}
