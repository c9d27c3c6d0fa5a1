//! Progress of a job: a display for people on a terminal, lines of `key=value` anywhere else.
//!
//! [`Reporter`] makes the text for a count, a solver, a job on a known number of boards, and a search.
//! `form` shows the text, and [`Pace`] tells the remaining time.

mod form;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget};

use self::form::{ProgressForm, draw};
use crate::cli::job::signals;
use crate::cli::out::talk;
use crate::cli::out::units;
use crate::engine::{Choice, Plan};
use crate::error::Result;
use crate::estimate::{Forecast, LayerWork, Pace};
use crate::machine;
use crate::part::Kind;
use crate::progress::{FinishedLayer, Progress, Stop};
use crate::solve::{Pass, names, passes};
use crate::store::{Goal, Run, Solution, Store};

/// On a terminal, a layer gets a line of its own if it took at least this time.
const WORTH_A_LINE: Duration = Duration::from_millis(500);

/// Least time between two measurements of memory, and two changes of the display.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Shows the progress of a job, and measures its memory.
pub(crate) struct Reporter {
    form: ProgressForm,
    job: Job,
    pace: Pace,
    /// Sum of the current layer.
    sum: u32,
    /// Bytes of the files that the job makes and keeps.
    bytes: u64,
    last_look: Instant,
    /// The most bytes of anonymous memory seen, if the system tells.
    peak_memory: Option<u64>,
    /// The seconds that the last finished layer took. To write the finished layers after a stop takes
    /// less.
    last_layer: Arc<AtomicU64>,
}

/// A job whose progress is shown.
enum Job {
    /// A count, with the states to expect.
    Count(Forecast),
    /// A solver with its passes, and the remaining layers, each with the number of its pass.
    Solve {
        passes: Vec<Pass>,
        left: Vec<(usize, LayerWork)>,
    },
    /// Reading or finding a number of boards.
    Boards { name: &'static str, of: u64 },
    /// A search for a witness.
    Search,
}

impl Reporter {
    fn new(job: Job, quiet: bool, pace: Pace) -> Self {
        Self {
            form: ProgressForm::new(quiet),
            job,
            pace,
            sum: 0,
            bytes: 0,
            last_look: Instant::now(),
            peak_memory: None,
            last_layer: Arc::default(),
        }
    }

    /// A reporter for a count that continues `store` as `choice` says. Prints the threads and the
    /// memory of the count.
    pub(crate) fn of_count(plan: &Plan, store: &Store, choice: &Choice, quiet: bool) -> Self {
        let run = store.run();
        let kinds = [Kind::States, Kind::Afterstates];
        let kept = kinds.iter().take(1 + usize::from(run.keep().afterstates()));
        let reporter = Self {
            bytes: kept.map(|&kind| run.bytes(kind, None)).sum(),
            ..Self::new(
                Job::Count(Forecast::new(run, choice, run.keep())),
                quiet,
                Pace::new(run.table().totals().states()),
            )
        };
        let from = match run.sealed_sum() {
            2 => String::new(),
            sum => format!("resuming at sum {}, ", sum + 2),
        };
        let goes_on = !run.complete() && run.sealed_sum() < choice.last();
        let begins = goes_on.then(|| format!("{from}{}", resources(plan)));
        reporter.announce(plan, run, store.notes(), begins);
        reporter
    }

    /// A reporter for a solver of these goals, from the solution as it will be when the solver begins.
    /// Prints the notes of its store, its passes, threads and memory.
    pub(in crate::cli) fn of_solver(
        plan: &Plan,
        solution: &Solution,
        notes: &[String],
        goals: &[Goal],
        quiet: bool,
    ) -> Result<Self> {
        let run = solution.run();
        let passes = passes(solution, goals, plan)?;
        let layers = passes.iter().enumerate().flat_map(|(at, pass)| {
            let layers = LayerWork::of_pass(&run.table(), pass).into_iter();
            layers.map(move |layer| (at, layer))
        });
        let left = layers.collect();
        let pass_line = |pass: &Pass| {
            let goals = names(&pass.goals);
            if pass.solved_sum > solution.last_sum() {
                goals
            } else {
                format!("resuming at sum {} for {goals}", pass.solved_sum - 2)
            }
        };
        let pass_lines: Vec<String> = passes.iter().map(pass_line).collect();
        let number = pass_lines.len();
        let begins = match &pass_lines[..] {
            [] => None,
            [pass] => Some(format!("{pass}, {}", resources(plan))),
            _ => Some(format!("{number} passes, {}", resources(plan))),
        };
        let bytes = |goal: &Goal| solution.bytes(goal.objective);
        let reporter = Self {
            bytes: goals.iter().map(bytes).sum(),
            ..Self::new(Job::Solve { passes, left }, quiet, Pace::new(0))
        };
        reporter.announce(plan, run, notes, begins);
        for (at, line) in pass_lines.iter().enumerate().filter(|_| number > 1) {
            let line = format!("pass {} of {number}: {line}", at + 1);
            reporter.form.say(&line);
        }
        // The solver checks every file before the first layer, which can take long.
        if let ProgressForm::Terminal(bar) = &reporter.form {
            let bytes = run.bytes(Kind::Afterstates, None) + reporter.bytes;
            bar.set_message(format!("checking {} of files", HumanBytes(bytes)));
        }
        Ok(reporter)
    }

    /// A reporter for a job on a number of boards.
    pub(in crate::cli) fn of_boards(name: &'static str, of: u64, quiet: bool) -> Self {
        Self::new(Job::Boards { name, of }, quiet, Pace::new(0))
    }

    /// A reporter for the search for a witness.
    pub(in crate::cli) fn of_search(quiet: bool) -> Self {
        Self::new(Job::Search, quiet, Pace::new(0))
    }

    fn announce(&self, plan: &Plan, run: &Run, notes: &[String], begins: Option<String>) {
        for note in notes {
            self.form.say(note);
        }
        if let Some(machine) = machine::memory().filter(|&memory| memory < plan.memory()) {
            self.form.say(&format!(
                "WARNING: a memory bound of {}, but there are only {}: give less --memory",
                HumanBytes(plan.memory()),
                HumanBytes(machine)
            ));
        }
        if let Some(begins) = begins {
            let (game, dir) = (run.game(), run.dir().display());
            self.form.say(&format!("{game} in {dir}: {begins}"));
        }
    }

    /// Show a job, and the end of the display or the last line.
    pub(in crate::cli) fn during<T>(mut self, job: impl FnOnce(&mut Self) -> T) -> T {
        let outcome = job(&mut self);
        self.finish();
        outcome
    }

    /// Show a job that a signal stops. The first signal asks `stop`. Before a signal ends the process,
    /// the display is cleared, and `what_stays` is printed. Returns the greatest memory that was
    /// measured.
    pub(in crate::cli) fn until_stopped(
        mut self,
        stop: &Stop,
        what_stays: impl FnOnce() -> String + Send + 'static,
        job: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Option<u64>> {
        let bar = match &self.form {
            ProgressForm::Terminal(bar) => Some(bar.clone()),
            _ => None,
        };
        let shown = bar.clone();
        let last = self.last_layer.clone();
        let begin = move || {
            let took = last.load(Relaxed);
            let wait = match took {
                0 => String::new(),
                _ => format!(", in about {} at most", units::time(took as f64)),
            };
            let text = format!(
                "stopping: the layer under way is dropped, and the finished layers are written{wait}; \
                 a second signal ends at once"
            );
            match &shown {
                Some(bar) => bar.println(text),
                None => talk::say(text),
            }
        };
        let end = move || {
            let text = what_stays();
            if let Some(bar) = &bar {
                bar.finish_and_clear();
                bar.set_draw_target(ProgressDrawTarget::hidden());
                talk::line(talk::plain(text));
            } else {
                talk::say(text);
            }
        };
        signals::stoppable(stop, begin, end, move || {
            let outcome = job(&mut self);
            let peak_memory = self.finish();
            outcome.map(|()| peak_memory)
        })
    }

    /// End the display, or write the last line. Returns the greatest memory that was measured.
    fn finish(&mut self) -> Option<u64> {
        self.look();
        if let Job::Boards { .. } = self.job {
            self.log(None);
        }
        if let ProgressForm::Terminal(bar) = &self.form {
            bar.finish_and_clear();
        }
        self.peak_memory
    }

    /// Measure the memory of the process. Returns the bytes; 0 if the system does not tell.
    fn look(&mut self) -> u64 {
        self.last_look = Instant::now();
        let memory = machine::anonymous_memory();
        self.peak_memory = self.peak_memory.max(memory);
        memory.unwrap_or(0)
    }

    /// Draw the display of a terminal.
    fn draw(&self, bar: &ProgressBar, memory: u64) {
        let (sum, of_layer) = (self.sum, HumanCount(self.pace.of_layer));
        let (head, noun) = match &self.job {
            Job::Count(_) => (format!("sum {sum}, {of_layer} in the layer"), "state"),
            Job::Solve { passes, left } => {
                let Some((pass, layer)) = left.first() else {
                    return;
                };
                let goals = names(&passes[*pass].goals);
                let of_passes = match passes.len() {
                    1 => String::new(),
                    all => format!(", pass {} of {all}", pass + 1),
                };
                let boards = HumanCount(layer.boards as u64);
                let head = format!("{goals}{of_passes}: sum {sum}, {of_layer} of {boards}");
                (head, "afterstate")
            }
            Job::Boards { name, of } => (format!("{name}: {} in all", HumanCount(*of)), "board"),
            Job::Search => (format!("searching back from sum {sum}"), "board"),
        };
        let done = units::things(self.pace.done(), noun);
        let speed = |rate| format!(", {} {noun}s/s", units::count(rate));
        let rate = self.pace.rate().map_or(String::new(), speed);
        let disk = match self.bytes {
            0 => String::new(),
            bytes => format!(", {} on disk", HumanBytes(bytes)),
        };
        let memory = HumanBytes(memory);
        let message = format!("{head}\n  {done}{rate}, {memory} memory{disk}");
        let remaining = match self.job {
            Job::Boards { of, .. } => self.pace.remaining_of(of),
            _ => self.pace.remaining(),
        };
        draw(bar, remaining.as_ref(), message);
    }

    /// Write a line for scripts: for a finished layer with its boards and time, or for the current
    /// layer. Users rely on the keys.
    fn log(&mut self, layer: Option<(u64, Duration)>) {
        let memory = self.look();
        let ProgressForm::Lines(log) = &mut self.form else {
            return;
        };
        let (partial, noun) = match &self.job {
            Job::Count(_) => ("found", "states"),
            Job::Solve { .. } => ("solved", "afterstates"),
            Job::Boards { .. } => ("", "states"),
            Job::Search => return,
        };
        let rate = self.pace.rate();
        let rate = rate.map_or(String::new(), |rate| format!(" {noun}_per_sec={rate:.0}"));
        let (done, seconds) = (self.pace.done(), self.pace.elapsed().as_secs_f64());
        if let Job::Boards { name, of } = self.job {
            log.write(&format!(
                "job={name} {noun}={done} of={of}{rate} sec={seconds:.3}"
            ));
            return;
        }
        let pass = match &self.job {
            Job::Solve { passes, left } => left.first().map(|(pass, _)| {
                let (goals, number) = (names(&passes[*pass].goals), pass + 1);
                format!("for={goals} pass={number} passes={} ", passes.len())
            }),
            _ => None,
        };
        let (what, boards, took) = match layer {
            Some((boards, took)) => ("layer", boards, took),
            None => (partial, self.pace.of_layer, self.pace.layer_elapsed()),
        };
        let left = self.pace.remaining().map(|left| {
            let (done, seconds) = (left.done, units::rounded(left.seconds));
            let time = units::time(left.seconds).replace(' ', "");
            format!(" done={done:.4} left_sec={seconds} left={time}")
        });
        log.write(&format!(
            "sum={} {what}={boards} {}{noun}={done}{rate} memory={} disk={} layer_sec={:.3} sec={seconds:.3}{}",
            self.sum,
            pass.unwrap_or_default(),
            memory,
            self.bytes,
            took.as_secs_f64(),
            left.unwrap_or_default()
        ));
        log.has_layer |= layer.is_some();
    }
}

impl Progress for Reporter {
    fn begin(&mut self, sum: u32) {
        self.sum = sum;
        match self.job {
            // A search adds up the boards of all sums.
            Job::Search => {}
            _ => self.pace.begin_layer(),
        }
        self.advance(0);
    }

    fn advance(&mut self, boards: u64) {
        self.pace.advance(boards);
        if self.last_look.elapsed() < LOOK_EVERY {
            return;
        }
        let memory = self.look();
        match &self.form {
            ProgressForm::Lines(log) if log.due() => self.log(None),
            ProgressForm::Terminal(bar) => self.draw(bar, memory),
            _ => {}
        }
    }

    fn end(&mut self, layer: &FinishedLayer) {
        let took = self.pace.layer_elapsed();
        self.last_layer.store(took.as_secs(), Relaxed);
        let (noun, last) = match &mut self.job {
            Job::Count(forecast) => {
                let work = forecast.count(layer);
                self.pace.end_layer(work, layer.boards, || forecast.left());
                let last = layer.last || layer.sum >= forecast.last_sum();
                ("states", last)
            }
            Job::Solve { left, .. } => {
                let work = left.first().map(|(_, layer)| *layer);
                let others = || left.iter().skip(1).map(|(_, layer)| *layer).collect();
                self.pace.end_layer(work, layer.boards, others);
                ("afterstates", left.len() == 1)
            }
            Job::Boards { .. } | Job::Search => return,
        };
        self.bytes += layer.bytes;
        match &self.form {
            ProgressForm::Lines(log) if last || log.wants(took) => {
                self.log(Some((layer.boards, took)));
            }
            ProgressForm::Terminal(bar) if took >= WORTH_A_LINE => bar.println(format!(
                "sum {:>5}  {:>17} {noun}  {:>8.1} s",
                layer.sum,
                HumanCount(layer.boards).to_string(),
                took.as_secs_f64()
            )),
            _ => {}
        }
        // Another process may have deleted values since the layers were counted, so more end.
        if let Job::Solve { left, .. } = &mut self.job
            && !left.is_empty()
        {
            left.remove(0);
        }
    }
}

/// "2 threads, 1.00 GiB for data".
fn resources(plan: &Plan) -> String {
    let threads = units::things(plan.threads() as u64, "thread");
    format!("{threads}, {} for data", HumanBytes(plan.memory()))
}
