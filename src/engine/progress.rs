//! What a count tells while it runs.

use crate::store::Layer;

/// Something that happened within a layer.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Sum of the layer.
    pub sum: u32,
    /// Live canonical states of the layer found so far.
    pub live: u64,
    /// Dead ones.
    pub dead: u64,
}

/// Somebody who is told how a count goes. All calls come from the thread that counts.
pub trait Progress {
    /// A layer begins.
    fn begin(&mut self, sum: u32);
    /// Some more of the layer's states are found.
    fn step(&mut self, step: Step);
    /// A layer is sealed.
    fn seal(&mut self, layer: &Layer);
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&mut self, _: u32) {}
    fn step(&mut self, _: Step) {}
    fn seal(&mut self, _: &Layer) {}
}
