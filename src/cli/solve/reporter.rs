//! Progress of a solver, shown as that of a count is.

use std::path::Path;
use std::time::Duration;

use indicatif::{HumanBytes, HumanCount, ProgressBar};

use super::pace::Pace;
use crate::cli::progress::{Disk, Form, Memory, draw, left_in_log, tell_of_layer};
use crate::cli::units;
use crate::engine::Plan;
use crate::error::Result;
use crate::game::Objective;
use crate::part::Kind;
use crate::solve::{Pass, Progress, names, passes};
use crate::store::{Goal, Solution, SolutionStore};

/// Shows how much is solved of all that is to be, and measures memory meanwhile.
pub(super) struct Reporter {
    form: Form,
    passes: Vec<Pass>,
    pace: Pace,
    /// Bytes of the files of values of all goals.
    bytes: u64,
    memory: Memory,
    disk: Disk,
}

/// What a solver took.
pub(super) struct Took {
    /// Values that it made.
    pub(super) values: u64,
    /// Greatest anonymous memory seen, if the system tells.
    pub(super) peak_memory: Option<u64>,
}

impl Reporter {
    /// A reporter for what is left to solve of these goals. Prints what solving will use.
    pub(super) fn new(
        plan: &Plan,
        store: &SolutionStore,
        goals: &[Goal],
        quiet: bool,
    ) -> Result<Self> {
        let solution = store.solution();
        let passes = passes(solution, goals, plan)?;
        let bytes = goals.iter().map(|goal| solution.bytes(goal.objective));
        let reporter = Self {
            form: Form::new(quiet),
            pace: Pace::new(&solution.run().table(), passes.clone()),
            passes,
            bytes: bytes.sum(),
            memory: Memory::new(),
            disk: Disk::new(solution.run().dir()),
        };
        for note in store.notes() {
            reporter.form.say(note);
        }
        reporter.announce(plan, solution);
        reporter.tell_of_check(solution);
        let dir = solution.run().dir().to_owned();
        let objectives: Vec<Objective> = goals.iter().map(|goal| goal.objective).collect();
        let words = move || what_stays(&dir, &objectives);
        reporter.form.explain_interrupt(words);
        Ok(reporter)
    }

    fn announce(&self, plan: &Plan, solution: &Solution) {
        self.form.warn_of_memory(plan);
        let run = solution.run();
        let (game, dir) = (run.game(), run.dir().display());
        let threads = units::things(plan.threads() as u64, "thread");
        let resources = format!("{threads}, {} for data", HumanBytes(plan.memory()));
        let what = |pass: &Pass| {
            let goals = names(&pass.goals);
            if pass.solved_sum > solution.last_sum() {
                goals
            } else {
                format!("resuming at sum {} for {goals}", pass.solved_sum - 2)
            }
        };
        match &self.passes[..] {
            [] => {}
            [pass] => {
                let what = what(pass);
                let line = format!("{game} in {dir}: {what}, {resources}");
                self.form.say(&line);
            }
            passes => {
                let number = passes.len();
                let line = format!("{game} in {dir}: {number} passes, {resources}");
                self.form.say(&line);
                for (at, pass) in passes.iter().enumerate() {
                    let line = format!("pass {} of {number}: {}", at + 1, what(pass));
                    self.form.say(&line);
                }
            }
        }
    }

    /// Say on a terminal what is done before the first layer: every file is checked, which takes long
    /// if there are many.
    fn tell_of_check(&self, solution: &Solution) {
        if let Form::Terminal(bar) = &self.form {
            let bytes = solution.run().bytes(Kind::Afterstates, None) + self.bytes;
            bar.set_message(format!("checking {} of files", HumanBytes(bytes)));
        }
    }

    /// End the display; says what solving took.
    pub(super) fn finish(self) -> Took {
        self.form.finish();
        Took {
            values: self.pace.values(),
            peak_memory: self.memory.peak(),
        }
    }

    /// Draw the display of a terminal.
    fn draw(&self, bar: &ProgressBar, memory: u64) {
        let speed = self
            .pace
            .rate()
            .map_or(String::new(), |rate| format!(", {}/s", units::count(rate)));
        let (pass, number) = self.pace.pass();
        let of_passes = match self.passes.len() {
            1 => String::new(),
            all => format!(", pass {number} of {all}"),
        };
        let (solved, all) = self.pace.of_layer();
        let message = format!(
            "{}{of_passes}: sum {}, {} of {}\n  {}{speed}, {} memory, {} on disk",
            names(&pass.goals),
            self.pace.sum(),
            HumanCount(solved),
            HumanCount(all),
            units::things(self.pace.solved(), "afterstate"),
            HumanBytes(memory),
            HumanBytes(self.bytes),
        );
        draw(bar, self.pace.left().as_ref(), message);
    }

    /// Write a line for scripts: `what` is a whole `layer`, or what is `solved` of one that is not
    /// done. The keys are a contract.
    fn log(&mut self, sum: u32, what: &str, afterstates: u64, took: Duration) {
        let memory = self.memory.look();
        let (pass, number) = self.pace.pass();
        let rate = self.pace.rate().map_or(String::new(), |rate| {
            format!(" afterstates_per_sec={rate:.0}")
        });
        let line = format!(
            "sum={sum} {what}={afterstates} for={} pass={number} passes={} afterstates={}{rate} memory={memory} \
             disk={} layer_sec={:.3} sec={:.3}{}",
            names(&pass.goals),
            self.passes.len(),
            self.pace.solved(),
            self.bytes,
            took.as_secs_f64(),
            self.pace.elapsed().as_secs_f64(),
            left_in_log(self.pace.left().as_ref()),
        );
        if let Form::Lines(log) = &mut self.form {
            log.write(&line);
        }
    }
}

impl Progress for Reporter {
    fn begin(&mut self, pass: &Pass) {
        self.pace.begin_pass(pass);
        let memory = self.memory.look();
        if let Form::Terminal(bar) = &self.form {
            self.draw(bar, memory);
        }
    }

    fn step(&mut self, sum: u32, afterstates: u64) {
        self.pace.step(afterstates);
        let Some(memory) = self.memory.look_if_due() else {
            return;
        };
        match &self.form {
            Form::Lines(log) if log.due() => {
                let (solved, _) = self.pace.of_layer();
                self.log(sum, "solved", solved, self.pace.layer_elapsed());
            }
            Form::Terminal(bar) => self.draw(bar, memory),
            _ => {}
        }
    }

    fn end(&mut self, sum: u32, bytes: u64) {
        let took = self.pace.layer_elapsed();
        let afterstates = self.pace.end_layer(sum);
        self.bytes += bytes;
        self.disk.took(bytes);
        match &self.form {
            Form::Lines(log) if self.pace.is_at_the_end() || log.wants(took) => {
                self.log(sum, "layer", afterstates, took);
            }
            Form::Terminal(bar) => {
                let afterstates = HumanCount(afterstates).to_string();
                tell_of_layer(bar, sum, &format!("{afterstates:>17} afterstates"), took);
            }
            _ => {}
        }
        if sum > 4
            && let Some(warning) = self.disk.warning(sum - 2)
        {
            self.form.say(&warning);
        }
    }
}

/// What stays of the solution in `dir`: what its manifest names.
fn what_stays(dir: &Path, objectives: &[Objective]) -> String {
    let Ok(solution) = Solution::peek(dir) else {
        return "stopped; the same command goes on".to_owned();
    };
    let begun = objectives.iter().filter_map(|&objective| {
        let sum = solution.solved_sum(objective)?;
        (sum <= solution.last_sum()).then(|| match sum {
            4 => format!("{objective} is solved"),
            sum => format!("{objective} down to sum {sum}"),
        })
    });
    let begun: Vec<String> = begun.collect();
    if begun.is_empty() {
        "stopped before any layer was sealed; the same command begins again".to_owned()
    } else {
        format!("stopped: {}; the same command goes on", begun.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Silent};
    use crate::solve::{goal, solve};
    use crate::store::{Keep, Rounding, Store};

    /// Stops when the layer of a sum is solved.
    struct StopAt(u32, bool);

    impl Progress for StopAt {
        fn begin(&mut self, _: &Pass) {}
        fn step(&mut self, _: u32, _: u64) {}
        fn end(&mut self, sum: u32, _: u64) {
            self.1 = sum == self.0;
        }
        fn stop(&mut self) -> bool {
            self.1
        }
    }

    #[test]
    fn what_stays_is_what_the_manifest_names() {
        let place = tempfile::tempdir().unwrap();
        let game = "2x2-32".parse().unwrap();
        let plan = Plan::new(64 << 20, 1).unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Afterstates)).unwrap();
        engine::count(&mut store, &plan, None, &mut Silent).unwrap();
        drop(store);
        let objectives = ["score", "32"].map(|name| name.parse().unwrap());
        let stays = || what_stays(place.path(), &objectives);
        assert_eq!(
            stays(),
            "stopped before any layer was sealed; the same command begins again"
        );
        for (objective, last, expected) in [
            (
                0,
                20,
                "stopped: score down to sum 20; the same command goes on",
            ),
            (0, 4, "stopped: score is solved; the same command goes on"),
            (
                1,
                30,
                "stopped: score is solved, 32 down to sum 30; the same command goes on",
            ),
        ] {
            let mut store = SolutionStore::open(place.path()).unwrap();
            let run = store.solution().run();
            let goal = goal(run, objectives[objective], None, Rounding::Nearest).unwrap();
            solve(&mut store, &[goal], &plan, &mut StopAt(last, false)).unwrap();
            assert_eq!(stays(), expected);
        }
    }
}
