//! How long layers take.

use super::Layer;
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

/// A straight line through points, by least squares.
#[derive(Default)]
struct Line {
    points: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl Line {
    fn add(&mut self, x: f64, y: f64) {
        self.points += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
    }

    /// The height at `x`; none without a point. A line that falls, or begins below nothing, is
    /// replaced by one through nothing.
    fn at(&self, x: f64) -> Option<f64> {
        let spread = self.points * self.xx - self.x * self.x;
        let slope = (self.points * self.xy - self.x * self.y) / spread;
        let height = (self.y - slope * self.x) / self.points;
        if slope >= 0.0 && height >= 0.0 && slope.is_finite() {
            return Some(height + slope * x);
        }
        (self.x > 0.0).then(|| self.y / self.x * x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> Line {
        let mut line = Line::default();
        for &(x, y) in points {
            line.add(x, y);
        }
        line
    }

    #[test]
    fn a_line_goes_through_its_points() {
        let at = line(&[(10.0, 3.0), (20.0, 5.0), (30.0, 7.0)]).at(1000.0);
        assert!((at.unwrap() - 201.0).abs() < 1e-6, "{at:?}");
        assert_eq!(line(&[]).at(5.0), None);
    }

    #[test]
    fn no_line_tells_of_less_than_nothing() {
        for points in [
            &[(10.0, 4.0)][..],
            &[(10.0, 4.0), (10.0, 4.0)],
            &[(5.0, 5.0), (15.0, 3.0)],
            &[(5.0, 1.0), (15.0, 7.0)],
        ] {
            let at = line(points).at(100.0).unwrap();
            assert!((at - 40.0).abs() < 1e-6, "{points:?}: {at}");
        }
    }
}
