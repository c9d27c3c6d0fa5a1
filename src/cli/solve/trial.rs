//! A solver at the last layers of a run, to learn what it takes.

use std::time::{Duration, Instant};

use super::work::Work;
use crate::cli::signals::TemporaryDir;
use crate::engine::Plan;
use crate::error::Result;
use crate::solve::{self, Pass, Progress};
use crate::store::{Solution, SolutionStore};

/// How long to solve.
const DURATION: Duration = Duration::from_millis(1500);

/// What was solved in a moment.
pub(super) struct Trial {
    /// Bytes of all files, if every layer of every pass was solved.
    pub(super) bytes: Option<u64>,
    pub(super) seconds: f64,
}

impl Trial {
    /// Solve the last layers of each pass for a moment, in a temporary directory; `work` learns what
    /// they took.
    pub(super) fn new(
        solution: &Solution,
        passes: &[Pass],
        plan: &Plan,
        place: &TemporaryDir,
        work: &mut Work,
    ) -> Result<Self> {
        let mut store = SolutionStore::apart(solution.run().dir(), place.path())?;
        let begin = Instant::now();
        let (mut bytes, mut complete) = (0, true);
        for pass in passes {
            let whole = Pass {
                solved_sum: solution.last_sum() + 2,
                ..pass.clone()
            };
            let mut watch = Watch {
                pass: &whole,
                work,
                layer: Instant::now(),
                end: Instant::now() + DURATION / passes.len() as u32,
                bytes: 0,
                complete: false,
            };
            solve::try_out(&mut store, &whole, plan, &mut watch)?;
            bytes += watch.bytes;
            complete &= watch.complete;
        }
        Ok(Self {
            bytes: complete.then_some(bytes),
            seconds: begin.elapsed().as_secs_f64(),
        })
    }
}

/// Notes what layers take, and ends the trial when enough is known.
struct Watch<'a> {
    pass: &'a Pass,
    work: &'a mut Work,
    layer: Instant,
    end: Instant,
    bytes: u64,
    complete: bool,
}

impl Progress for Watch<'_> {
    fn begin(&mut self, _: &Pass) {
        self.layer = Instant::now();
    }

    fn step(&mut self, _: u32, _: u64) {}

    fn end(&mut self, sum: u32, bytes: u64) {
        let seconds = self.layer.elapsed().as_secs_f64();
        self.work.learn(self.pass, sum, seconds);
        self.layer = Instant::now();
        self.bytes += bytes;
        self.complete = sum == 4;
    }

    fn stop(&mut self) -> bool {
        Instant::now() >= self.end
    }
}
