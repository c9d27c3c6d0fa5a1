//! The memory that solving takes, computed before it begins.
//!
//! Memory holds two layers at a time, and the ranks of the layer that is solved and then read. Only
//! the number of records of an index is not known in advance; it is at most one for each
//! afterstate. Large layers of 3x3 had one record for 10 afterstates, and large layers of 4x4 to 32
//! had one for 7. The estimate is one for 2.

use super::index::{GROUP_BYTES, Index, RECORD_BYTES};
use super::rank::RankTables;
use crate::engine::Plan;
use crate::error::{Result, SolvingError};
use crate::store::Run;

/// Layers of up to this many afterstates are assumed to have a record for each.
const FEW: u64 = 1 << 16;

/// The memory that the layers of a run take.
pub(crate) struct LayerMemory {
    /// From the lowest sum on.
    layers: Vec<LayerSize>,
}

/// The size of a layer, before it is read.
#[derive(Clone, Copy)]
struct LayerSize {
    sum: u32,
    afterstates: u64,
    /// Bytes of the groups of its index.
    groups: u64,
    /// An upper estimate of the bytes of its index's records.
    records: u64,
}

impl LayerSize {
    /// Bytes while the layer is solved.
    fn draft(&self) -> u64 {
        self.groups + self.afterstates * size_of::<u64>() as u64
    }

    /// Bytes while its values are read.
    fn reading(&self, goals: u64) -> u64 {
        self.draft() + self.records + self.values(goals)
    }

    /// Bytes after the layer is read.
    fn read(&self, goals: u64) -> u64 {
        self.groups + self.records + self.values(goals)
    }

    fn values(&self, goals: u64) -> u64 {
        self.afterstates * goals * size_of::<u32>() as u64
    }
}

impl LayerMemory {
    /// The memory for the layers of a run up to sum `last`.
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

    /// The peak of memory for `goals` goals, in bytes, and the sum of the layer that causes it.
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

    /// The peak of memory for `goals` goals, in bytes.
    pub(crate) fn bytes(&self, goals: usize) -> u64 {
        self.peak(goals).0
    }

    /// The number of goals, up to `most`, that can be solved together in the memory of a plan.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Memory`] if one goal does not fit.
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
