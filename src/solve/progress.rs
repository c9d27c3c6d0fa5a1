//! What a solver tells while it runs.

use super::passes::Pass;

/// Told how a solver gets on, by one of its threads at a time.
pub trait Progress: Send {
    /// A pass over the layers begins.
    fn begin(&mut self, pass: &Pass);
    /// So many more afterstates of the layer of this sum have their values.
    fn step(&mut self, sum: u32, afterstates: u64);
    /// A layer is solved; its files take so many bytes.
    fn end(&mut self, sum: u32, bytes: u64);
    /// Asked when a layer is solved: whether to stop there.
    fn stop(&mut self) -> bool {
        false
    }
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&mut self, _: &Pass) {}
    fn step(&mut self, _: u32, _: u64) {}
    fn end(&mut self, _: u32, _: u64) {}
}
