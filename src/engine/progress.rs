//! What a count tells while it runs.

use crate::game::Tally;
use crate::store::Layer;

/// How far a layer has come.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Step {
    /// Sum of the layer.
    pub sum: u32,
    /// Live canonical states of the layer found so far.
    pub live: u64,
    /// Dead ones.
    pub dead: u64,
}

impl Step {
    /// Nothing is found yet.
    #[must_use]
    pub fn begin(sum: u32) -> Self {
        let (live, dead) = (0, 0);
        Self { sum, live, dead }
    }

    /// Some more states are found; returns where that leads.
    pub(crate) fn add(&mut self, counted: Tally) -> Self {
        self.live += counted.unique - counted.dead;
        self.dead += counted.dead;
        *self
    }
}

/// Told how a count goes, by one of its threads at a time.
pub trait Progress: Send {
    /// A layer begins.
    fn begin(&mut self, sum: u32);
    /// More of the layer's states are found.
    fn step(&mut self, step: Step);
    /// The states of a layer are counted. It is sealed later; its afterstates may be counted only
    /// then.
    fn end(&mut self, layer: &Layer);
    /// Asked when a layer is counted: whether the count is to stop there, as it does after that of
    /// `until`.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&mut self, _: u32) {}
    fn step(&mut self, _: Step) {}
    fn end(&mut self, _: &Layer) {}
}
