//! How much work solving is, and what it costs.
//!
//! Key idea: for each candidate of a layer, a 2 or a 4 in an empty cell of an afterstate, four moves
//! are made and looked up. So a layer takes so much time, whatever it holds, and so much for each
//! candidate.

use crate::cli::forecast::Line;
use crate::counts::Table;
use crate::solve::Pass;

/// What each goal after the first adds to the work, as a share of it.
const MORE: f64 = 0.15;

/// A layer of afterstates.
#[derive(Clone, Copy)]
pub(super) struct Layer {
    pub(super) sum: u32,
    pub(super) afterstates: u64,
    candidates: u64,
}

/// The layers of a run, and what they cost.
pub(super) struct Work {
    /// In order of falling sum, as they are solved.
    layers: Vec<Layer>,
    costs: Line,
}

impl Layer {
    /// Its work for so many goals.
    fn work(&self, goals: usize) -> f64 {
        self.candidates as f64 * (1.0 + MORE * (goals as f64 - 1.0))
    }
}

impl Work {
    /// For the run that has this table; nothing is known of the costs.
    pub(super) fn new(table: &Table) -> Self {
        let sums = (2..=table.last_sum() / 2).rev().map(|half| 2 * half);
        let layers = sums.map(|sum| {
            let rows = table.layer(sum);
            Layer {
                sum,
                afterstates: rows.iter().map(|row| row.afterstates).sum(),
                candidates: rows.iter().map(|row| 2 * row.empty_cells).sum(),
            }
        });
        Self {
            layers: layers.filter(|layer| layer.afterstates > 0).collect(),
            costs: Line::default(),
        }
    }

    /// The layers below that of a sum, from the last on.
    pub(super) fn below(&self, sum: u32) -> impl Iterator<Item = &Layer> {
        self.layers.iter().filter(move |layer| layer.sum < sum)
    }

    /// The layer of a sum.
    pub(super) fn layer(&self, sum: u32) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.sum == sum)
    }

    /// Afterstates of the layers below that of a sum.
    pub(super) fn afterstates(&self, sum: u32) -> u64 {
        self.below(sum).map(|layer| layer.afterstates).sum()
    }

    /// The layers of a pass below that of a sum as work.
    pub(super) fn of(&self, pass: &Pass, sum: u32) -> f64 {
        let goals = pass.goals.len();
        self.below(sum).map(|layer| layer.work(goals)).sum()
    }

    /// A layer took so long.
    pub(super) fn learn(&mut self, pass: &Pass, sum: u32, seconds: f64) {
        if let Some(layer) = self.layer(sum) {
            let work = layer.work(pass.goals.len());
            self.costs.add(work, seconds);
        }
    }

    /// Seconds for the layers of a pass below that of a sum; none if nothing is known of the costs.
    pub(super) fn seconds(&self, pass: &Pass, sum: u32) -> Option<f64> {
        let mut layers = self.below(sum);
        layers.try_fold(0.0, |sum, layer| {
            Some(sum + self.layer_seconds(pass, layer)?)
        })
    }

    /// Seconds for one layer of a pass.
    pub(super) fn layer_seconds(&self, pass: &Pass, layer: &Layer) -> Option<f64> {
        self.costs.at(layer.work(pass.goals.len()))
    }
}
