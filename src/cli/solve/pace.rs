//! How fast a run is solved, and how much of that is left.

use std::time::{Duration, Instant};

use super::work::Work;
use crate::cli::progress::Left;
use crate::cli::units;
use crate::counts::Table;
use crate::solve::Pass;

/// Before layers took so much time, it cannot be said how long all will take.
const YOUNG: Duration = Duration::from_secs(3);

/// The pace of a solver.
pub(super) struct Pace {
    passes: Vec<Pass>,
    /// The pass that is made.
    pass: usize,
    /// Sum of the last layer solved in it.
    solved_sum: u32,
    /// Afterstates that are solved of the next one.
    of_layer: u64,
    /// Those of the layers that are solved, in every pass anew.
    solved: u64,
    values: u64,
    work: Work,
    begin: Instant,
    layer_begin: Instant,
    /// Time that layers took.
    age: Duration,
    /// The work of all passes, what is done of it, and seconds for what is left, when the last layer
    /// ended.
    whole: f64,
    done: f64,
    ahead: Option<f64>,
}

impl Pace {
    /// For passes that are to be made through a run with this table.
    pub(super) fn new(table: &Table, passes: Vec<Pass>) -> Self {
        let (now, work) = (Instant::now(), Work::new(table));
        Self {
            whole: passes
                .iter()
                .map(|pass| work.of(pass, pass.solved_sum))
                .sum(),
            passes,
            pass: 0,
            solved_sum: 0,
            of_layer: 0,
            solved: 0,
            values: 0,
            work,
            begin: now,
            layer_begin: now,
            age: Duration::ZERO,
            done: 0.0,
            ahead: None,
        }
    }

    /// A pass begins.
    pub(super) fn begin_pass(&mut self, pass: &Pass) {
        let found = self.passes.iter().position(|one| one.goals == pass.goals);
        self.pass = found.unwrap_or(self.pass);
        self.solved_sum = pass.solved_sum;
        self.layer_begin = Instant::now();
    }

    /// So many more afterstates of the layer are solved.
    pub(super) fn step(&mut self, afterstates: u64) {
        self.of_layer += afterstates;
    }

    /// A layer is solved; returns its afterstates.
    pub(super) fn end_layer(&mut self, sum: u32) -> u64 {
        let (pass, took) = (&self.passes[self.pass], self.layer_elapsed());
        self.work.learn(pass, sum, took.as_secs_f64());
        self.age += took;
        let done = self.work.of(pass, self.solved_sum) - self.work.of(pass, sum);
        self.done += done;
        self.solved_sum = sum;
        self.ahead = (self.age >= YOUNG).then(|| self.ahead()).flatten();
        self.layer_begin = Instant::now();
        let afterstates = std::mem::take(&mut self.of_layer);
        self.solved += afterstates;
        self.values += afterstates * self.passes[self.pass].goals.len() as u64;
        afterstates
    }

    /// Seconds for what is left.
    fn ahead(&self) -> Option<f64> {
        let mut seconds = self
            .work
            .seconds(&self.passes[self.pass], self.solved_sum)?;
        for pass in &self.passes[self.pass + 1..] {
            seconds += self.work.seconds(pass, pass.solved_sum)?;
        }
        Some(seconds)
    }

    /// Sum of the layer that is solved next.
    pub(super) fn sum(&self) -> u32 {
        self.solved_sum - 2
    }

    /// Whether that is the last layer.
    pub(super) fn is_at_the_end(&self) -> bool {
        self.solved_sum <= 4 && self.pass + 1 == self.passes.len()
    }

    /// The pass that is made, and its number.
    pub(super) fn pass(&self) -> (&Pass, usize) {
        (&self.passes[self.pass], self.pass + 1)
    }

    /// Afterstates of the layer that are solved, and all.
    pub(super) fn of_layer(&self) -> (u64, u64) {
        let layer = self.work.layer(self.sum());
        let all = layer.map_or(0, |layer| layer.afterstates);
        (self.of_layer, all)
    }

    /// Afterstates that are solved, in every pass anew.
    pub(super) fn solved(&self) -> u64 {
        self.solved + self.of_layer
    }

    /// Values that were made for them.
    pub(super) fn values(&self) -> u64 {
        self.values
    }

    /// Time since the beginning.
    pub(super) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Time since the layer began.
    pub(super) fn layer_elapsed(&self) -> Duration {
        self.layer_begin.elapsed()
    }

    /// Afterstates per second since the beginning, once that can be told.
    pub(super) fn rate(&self) -> Option<f64> {
        units::rate(self.solved(), self.elapsed())
    }

    /// What is left, once that can be told.
    pub(super) fn left(&self) -> Option<Left> {
        let ahead = self.ahead?;
        let (pass, _) = self.pass();
        let (solved, all) = self.of_layer();
        let share = solved as f64 / all.max(1) as f64;
        let sum = self.sum();
        let of_layer = self.work.of(pass, sum + 2) - self.work.of(pass, sum);
        let layer = self.work.layer(sum);
        let seconds = layer.and_then(|layer| self.work.layer_seconds(pass, layer));
        Some(Left {
            done: (self.done + share * of_layer) / self.whole.max(1.0),
            // A layer that takes longer than expected does not shorten the others.
            seconds: ahead - share * seconds.unwrap_or_default(),
        })
    }
}
