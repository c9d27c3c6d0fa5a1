//! How much memory solving takes, known before it begins.
//!
//! Two layers are in memory at a time, with the ranks of the one that is solved, then read. Of a
//! layer all is known but the number of records of its index: at least as many as there are groups of ranks,
//! at most one for each afterstate. Of the large layers that were solved, those of 3x3 had one for
//! 10 afterstates and those of 4x4 to 32 one for 7; one for 2 is taken here.

use super::index::{GROUP_BYTES, Index, RECORD_BYTES};
use super::rank::RankTables;
use crate::engine::Plan;
use crate::error::{Result, SolvingError};
use crate::store::Run;

/// Afterstates of a layer that may have a record each.
const FEW: u64 = 1 << 16;

/// What the layers of a run take.
pub(crate) struct Memory {
    /// From the lowest on.
    layers: Vec<LayerSize>,
}

/// What is known of a layer before it is read.
#[derive(Clone, Copy)]
struct LayerSize {
    sum: u32,
    afterstates: u64,
    /// Bytes of the groups of its index.
    groups: u64,
    /// Bytes of the records of its index, at most.
    records: u64,
}

impl LayerSize {
    /// Bytes while it is solved.
    fn draft(&self) -> u64 {
        self.groups + self.afterstates * size_of::<u64>() as u64
    }

    /// Bytes while its values are read.
    fn reading(&self, goals: u64) -> u64 {
        self.draft() + self.records + self.values(goals)
    }

    /// Bytes once it is read.
    fn read(&self, goals: u64) -> u64 {
        self.groups + self.records + self.values(goals)
    }

    fn values(&self, goals: u64) -> u64 {
        self.afterstates * goals * size_of::<u32>() as u64
    }
}

impl Memory {
    /// Of the layers of a run that are not above `last`.
    pub(crate) fn new(run: &Run, tables: &RankTables, last: u32) -> Self {
        let layers = (4..=last).step_by(2).map(|sum| {
            let afterstates = run.rows(sum).iter().map(|row| row.afterstates).sum();
            let boards = tables.of_sum(sum).boards();
            let records = if afterstates <= FEW {
                afterstates
            } else {
                afterstates / 2
            };
            LayerSize {
                sum,
                afterstates,
                groups: Index::groups(boards) * GROUP_BYTES,
                records: records * RECORD_BYTES,
            }
        });
        Self {
            layers: layers.collect(),
        }
    }

    /// The most bytes that are taken at once for so many goals, and the sum of the layer that is
    /// solved or read then.
    fn peak(&self, goals: usize) -> (u64, u32) {
        let goals = goals as u64;
        let above = |at: usize| self.layers.get(at).map_or(0, |layer| layer.read(goals));
        let peaks = self.layers.iter().enumerate().map(|(at, layer)| {
            let solving = layer.draft() + above(at + 1) + above(at + 2);
            let reading = layer.reading(goals) + above(at + 1);
            (solving.max(reading), layer.sum)
        });
        peaks.max().unwrap_or((0, 4))
    }

    /// The most bytes that are taken at once for so many goals.
    pub(crate) fn bytes(&self, goals: usize) -> u64 {
        self.peak(goals).0
    }

    /// How many goals, up to `most`, can be solved together in the memory of a plan.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Memory`] if not even one can.
    pub(crate) fn goals(&self, plan: &Plan, most: usize) -> Result<usize> {
        let fits = |&goals: &usize| self.peak(goals).0 <= plan.memory();
        (1..=most).rev().find(fits).ok_or_else(|| {
            let (bytes, sum) = self.peak(1);
            let refused = SolvingError::Memory {
                given: plan.memory_text(),
                least: format!("{}M", bytes.div_ceil(1 << 20)),
                sum,
            };
            refused.into()
        })
    }
}
