//! How long layers take.

use super::{Layer, Line};
use crate::engine::{Choice, Engine};
use crate::store::Keep;

/// How many times as long as bits lists take, until they have counted a layer.
const SLOWER: f64 = 3.0;

/// Afterstates for a state in layers that take time: in those of 4x4 to 64.
const AFTERSTATES: f64 = 0.36;

/// The time that each engine takes for a layer, learned from layers that were counted: so much for
/// any layer, and so much for a unit of work. The work of lists is states; that of bits is boards,
/// reached or not, and states and afterstates where those are listed.
pub(in crate::cli) struct Costs {
    /// Engines, and the greatest sum that each counts.
    stages: Vec<(Engine, u32)>,
    keep: Keep,
    lists: Line,
    bits: Line,
}

impl Costs {
    /// For a count that is to be made as `choice` says.
    pub(in crate::cli) fn new(choice: &Choice, keep: Keep) -> Self {
        let stages = choice.stages().iter();
        Self {
            stages: stages.map(|stage| (stage.engine, stage.last)).collect(),
            keep,
            lists: Line::default(),
            bits: Line::default(),
        }
    }

    /// The engine that counts the layer of a sum.
    pub(in crate::cli) fn engine(&self, sum: u32) -> Engine {
        let stage = self.stages.iter().find(|&&(_, last)| sum <= last);
        stage.map_or(Engine::Lists, |&(engine, _)| engine)
    }

    /// A layer was counted.
    pub(in crate::cli) fn learn(&mut self, engine: Engine, bound: u64, states: u64, seconds: f64) {
        let work = self.work(engine, bound, states as f64);
        match engine {
            Engine::Lists => self.lists.add(work, seconds),
            Engine::Bits => self.bits.add(work, seconds),
        }
    }

    /// Seconds for layers that have such a share of their bounds, or what was counted; none if
    /// nothing is known of an engine.
    pub(in crate::cli) fn seconds<'a>(
        &self,
        layers: impl Iterator<Item = &'a Layer>,
        share: f64,
    ) -> Option<f64> {
        let seconds = layers.map(|layer| {
            let states = layer.states(share);
            let of_bits = || self.bits.at(self.work(Engine::Bits, layer.bound, states));
            match self.engine(layer.sum) {
                Engine::Bits => of_bits(),
                Engine::Lists => {
                    let of_lists = self.lists.at(self.work(Engine::Lists, layer.bound, states));
                    of_lists.or_else(|| Some(SLOWER * of_bits()?))
                }
            }
        });
        seconds.sum()
    }

    fn work(&self, engine: Engine, bound: u64, states: f64) -> f64 {
        let listed = |listed: bool, boards| if listed { boards } else { 0.0 };
        match engine {
            Engine::Lists => states,
            Engine::Bits => {
                bound as f64
                    + listed(self.keep.states(), states)
                    + listed(self.keep.afterstates(), AFTERSTATES * states)
            }
        }
    }
}
