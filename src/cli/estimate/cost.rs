//! What the work on layers costs, learned from layers that are done.

use std::time::{Duration, Instant};

use crate::cli::progress::Memory;
use crate::progress::{FinishedLayer, Progress};

/// How long a job is tried.
pub(super) const TRIAL: Duration = Duration::from_millis(1500);

/// How many times as long as bits lists take, before any layer was counted as lists.
const SLOWER: f64 = 7.0;

/// Points that vary in `x` by less than this share of its mean square lie too close together: the
/// smallest error in one of them would turn the line.
const NARROW: f64 = 0.05;

/// How the boards of a layer are held. Each way has costs of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkKind {
    Lists,
    Bits,
    Solver,
}

/// A layer that is to be worked on.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct LayerWork {
    /// States to expect, or afterstates.
    pub(in crate::cli) boards: f64,
    /// The most states that there can be.
    pub(super) bound: f64,
    pub(super) way: WorkKind,
    /// What the time depends on, in a unit of the way's own.
    pub(super) work: f64,
}

impl WorkKind {
    /// The time is this scale times a straight line in the work divided by the scale. A layer of
    /// lists, or of a solver, takes some time and more for each unit of work. A layer of bits takes
    /// time for its boards, and for its tables and rows, which grow with the root of its boards.
    fn scale(self, work: f64) -> f64 {
        match self {
            Self::Lists | Self::Solver => 1.0,
            Self::Bits => work.max(1.0).sqrt(),
        }
    }
}

/// The costs of each way to hold a layer.
#[derive(Default)]
pub(super) struct Costs([CostLine; 3]);

impl Costs {
    /// A layer took so long.
    pub(super) fn learn(&mut self, layer: &LayerWork, seconds: f64) {
        let scale = layer.way.scale(layer.work);
        self.0[layer.way as usize].add(layer.work / scale, seconds / scale, scale * scale);
    }

    /// Seconds for layers; none if nothing is known of their way.
    pub(super) fn seconds(&self, layers: impl Iterator<Item = LayerWork>) -> Option<f64> {
        let seconds = layers.map(|layer| {
            let of_lists = layer.way == WorkKind::Lists;
            let like_bits = || Some(SLOWER * self.at(WorkKind::Bits, layer.bound)?);
            let learned = self.at(layer.way, layer.work);
            learned.or_else(|| of_lists.then(like_bits).flatten())
        });
        seconds.sum()
    }

    fn at(&self, way: WorkKind, work: f64) -> Option<f64> {
        let scale = way.scale(work);
        Some(scale * self.0[way as usize].at(work / scale)?)
    }
}

/// A job that is tried: stops when it has taken long enough, and notes what its layers took.
pub(super) struct Trial {
    length: Duration,
    begin: Option<Instant>,
    layer_begin: Instant,
    /// The layers, and seconds.
    pub(super) layers: Vec<(FinishedLayer, f64)>,
    pub(super) memory: Memory,
}

impl Trial {
    /// Try a job for so long.
    pub(super) fn new(length: Duration) -> Self {
        Self {
            length,
            begin: None,
            layer_begin: Instant::now(),
            layers: Vec::new(),
            memory: Memory::new(),
        }
    }
}

impl Progress for Trial {
    fn begin(&mut self, _: u32) {
        self.layer_begin = Instant::now();
        self.begin = self.begin.or(Some(self.layer_begin));
    }

    fn advance(&mut self, _: u64) {
        self.memory.look_if_due();
    }

    fn end(&mut self, layer: &FinishedLayer) {
        let seconds = self.layer_begin.elapsed().as_secs_f64();
        self.layers.push((layer.clone(), seconds));
    }

    fn stop(&mut self) -> bool {
        self.begin
            .is_some_and(|begin| begin.elapsed() >= self.length)
    }
}

/// A straight line through points with weights, by least squares.
#[derive(Default)]
struct CostLine {
    points: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
}

impl CostLine {
    /// Add a point.
    fn add(&mut self, x: f64, y: f64, weight: f64) {
        self.points += weight;
        self.x += weight * x;
        self.y += weight * y;
        self.xx += weight * x * x;
        self.xy += weight * x * y;
    }

    /// The height at `x`; none without a point. A line that falls, begins below zero, or goes through
    /// points that lie too close together is replaced by a line through zero.
    fn at(&self, x: f64) -> Option<f64> {
        let spread = self.points * self.xx - self.x * self.x;
        let slope = (self.points * self.xy - self.x * self.y) / spread;
        let height = (self.y - slope * self.x) / self.points;
        let wide = spread > NARROW * self.points * self.xx;
        if wide && slope >= 0.0 && height >= 0.0 {
            return Some(height + slope * x);
        }
        (self.x > 0.0).then(|| self.y / self.x * x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(points: &[(f64, f64)]) -> CostLine {
        let mut line = CostLine::default();
        for &(x, y) in points {
            line.add(x, y, 1.0);
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
            // They would lie on 3.9 + 0.01 x.
            &[(9.0, 3.99), (11.0, 4.01)],
        ] {
            let at = line(points).at(100.0).unwrap();
            assert!((at - 40.0).abs() < 1e-6, "{points:?}: {at}");
        }
    }

    /// Seconds of two cores for layers of 4x4 to 32 as bits, by their boards. The layers up to 302
    /// million boards are counted in the first seconds, and tell the time of the whole game.
    #[test]
    fn small_layers_of_bits_tell_the_time_of_large_ones() {
        let measured = [
            (1e3, 0.02),
            (1e5, 0.02),
            (3.2e6, 0.03),
            (20.7e6, 0.08),
            (37.2e6, 0.12),
            (62.1e6, 0.17),
            (97.0e6, 0.22),
            (142.8e6, 0.30),
            (199.7e6, 0.41),
            (302.2e6, 0.57),
            (555.2e6, 0.95),
            (666.4e6, 1.11),
        ];
        let layer = |work| LayerWork {
            boards: 0.0,
            bound: work,
            way: WorkKind::Bits,
            work,
        };
        let mut costs = Costs::default();
        for (work, seconds) in &measured[..10] {
            costs.learn(&layer(*work), *seconds);
        }
        for (work, seconds) in &measured[10..] {
            let expected = costs.seconds([layer(*work)].into_iter()).unwrap();
            assert!(
                (0.9..1.1).contains(&(expected / seconds)),
                "{work}: {expected}"
            );
        }
    }
}
