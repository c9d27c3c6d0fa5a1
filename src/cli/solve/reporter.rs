//! Progress of a solver.

use crate::cli::progress::Gauge;
use crate::solve::Progress;
use crate::store::Goal;

/// Shows how many afterstates have their values, of all that need them.
pub(super) struct Reporter {
    quiet: bool,
    gauge: Option<Gauge>,
}

impl Reporter {
    pub(super) fn new(_: &[Goal], quiet: bool) -> Self {
        Self { quiet, gauge: None }
    }

    pub(super) fn finish(mut self) {
        if let Some(gauge) = self.gauge.take() {
            gauge.finish();
        }
    }
}

impl Progress for Reporter {
    fn begin(&mut self, _: &[Goal], afterstates: u64) {
        if let Some(before) = self.gauge.take() {
            before.finish();
        }
        self.gauge = Some(Gauge::new("solve", afterstates, self.quiet));
    }

    fn step(&mut self, _: u32, afterstates: u64) {
        if let Some(gauge) = &self.gauge {
            gauge.add(afterstates);
        }
    }

    fn end(&mut self, _: u32, _: u64) {}
}
