//! Progress, as a person likes it on a terminal, and as lines of `key=value` anywhere else.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

use super::machine;
use crate::engine::{Plan, Progress, Step};
use crate::game::Game;
use crate::known::{What, published};
use crate::store::{Layer, Store};

/// A layer that took this long leaves a line on the terminal.
const WORTH_A_LINE: Duration = Duration::from_millis(500);
/// While a job lasts, a line is written this often where there is no terminal.
pub(super) const LINE_EVERY: Duration = Duration::from_secs(10);

/// Memory is looked at, and a terminal's display changed, this often at most.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How progress is shown.
enum Form {
    Silent,
    Lines,
    Terminal(ProgressBar),
}

/// Canonical states, counted.
#[derive(Clone, Copy)]
struct Tally {
    live: u64,
    dead: u64,
}

impl Tally {
    fn states(self) -> u64 {
        self.live + self.dead
    }

    fn plus(self, live: u64, dead: u64) -> Self {
        Self {
            live: self.live + live,
            dead: self.dead + dead,
        }
    }
}

/// Shows the progress of a count, and keeps an eye on memory.
pub(super) struct Reporter {
    form: Form,
    begin: Instant,
    layer_begin: Instant,
    last_line: Instant,
    last_look: Instant,
    /// Sum at which the count ends at the latest.
    end: u32,
    /// Live states of the whole game, where they are known.
    expected: Option<u64>,
    /// What was in the directory at the beginning.
    before: Tally,
    /// What is sealed.
    sealed: Tally,
    bytes: u64,
    peak: Option<u64>,
    dir: PathBuf,
    /// Bytes on disk that the last two layers took.
    disk: [u64; 2],
    /// Whether it was said that the next layer may not fit.
    warned: bool,
}

impl Reporter {
    /// A reporter for a count that goes on from what is in `store`.
    pub(super) fn new(
        game: &Game,
        plan: &Plan,
        store: &Store,
        until: Option<u32>,
        quiet: bool,
    ) -> Self {
        let form = match (quiet, io::stderr().is_terminal()) {
            (true, _) => Form::Silent,
            (_, false) => Form::Lines,
            (_, true) => Form::Terminal(bar()),
        };
        let now = Instant::now();
        let totals = store.table().totals();
        let before = Tally {
            live: totals.live,
            dead: totals.dead,
        };
        let reporter = Self {
            form,
            begin: now,
            layer_begin: now,
            last_line: now,
            last_look: now,
            end: until.unwrap_or(u32::MAX).min(game.sum_bound()),
            expected: until.map_or_else(|| expected(game), |_| None),
            before,
            sealed: before,
            bytes: store.bytes(None),
            peak: None,
            dir: store.dir().to_owned(),
            disk: [0; 2],
            warned: false,
        };
        for note in store.notes() {
            reporter.say(note);
        }
        let (dir, threads) = (store.dir().display(), plan.threads());
        let memory = format!("{} for data", HumanBytes(plan.memory()));
        if let Some(machine) = machine::memory().filter(|&memory| memory < plan.memory()) {
            reporter.say(&format!(
                "WARNING: a memory bound of {}, but there are only {}: give less --memory",
                HumanBytes(plan.memory()),
                HumanBytes(machine)
            ));
        }
        if store.sealed_sum() > 2 && !store.complete() {
            let from = store.sealed_sum() + 2;
            reporter.say(&format!(
                "{game} in {dir}: going on from sum {from}, {threads} threads, {memory}"
            ));
        } else if !store.complete() {
            reporter.say(&format!("{game} in {dir}: {threads} threads, {memory}"));
        }
        reporter
    }

    /// Take the progress away; returns the greatest memory seen.
    pub(super) fn finish(mut self) -> Option<u64> {
        self.memory();
        if let Form::Terminal(bar) = self.form {
            bar.finish_and_clear();
        }
        self.peak
    }

    fn say(&self, text: &str) {
        match &self.form {
            Form::Silent => {}
            Form::Lines => eprintln!("enum48: {text}"),
            Form::Terminal(bar) => bar.println(text),
        }
    }

    /// States per second since the beginning.
    fn rate(&self, found: Tally) -> f64 {
        (found.states() - self.before.states()) as f64
            / self.begin.elapsed().as_secs_f64().max(1e-3)
    }

    /// Anonymous memory in bytes, 0 where the system does not tell.
    fn memory(&mut self) -> u64 {
        let now = machine::anonymous_memory();
        self.peak = self.peak.max(now);
        now.unwrap_or(0)
    }

    /// What is left, where it can be known.
    fn left(&self, found: Tally) -> Option<(f64, Duration)> {
        let expected = self.expected?;
        let done = found.live as f64 / expected as f64;
        let fresh = found.live - self.before.live;
        let pace = self.begin.elapsed().as_secs_f64() / fresh as f64;
        let seconds = expected.saturating_sub(found.live) as f64 * pace;
        (fresh > 0).then(|| (done, Duration::from_secs_f64(seconds)))
    }

    fn show(&mut self, step: Step) {
        let memory = self.memory();
        let found = self.sealed.plus(step.live, step.dead);
        let of_layer = step.live + step.dead;
        match &self.form {
            Form::Silent => {}
            Form::Lines => {
                if self.last_line.elapsed() >= LINE_EVERY {
                    self.last_line = Instant::now();
                    self.line(step.sum, "found", of_layer, found, memory);
                }
            }
            Form::Terminal(bar) => {
                let left = self.left(found).map_or_else(
                    || format!("at most {}", self.end),
                    |(done, left)| format!("{:.0}%, {} left", done * 100.0, clock(left)),
                );
                bar.set_message(format!(
                    "sum {} ({left})  {} in the layer\n  {} states, {}/s  {} memory  {} on disk",
                    step.sum,
                    HumanCount(of_layer),
                    HumanCount(found.states()),
                    HumanCount(self.rate(found) as u64),
                    HumanBytes(memory),
                    HumanBytes(self.bytes),
                ));
            }
        }
    }

    fn line(&self, sum: u32, what: &str, of_layer: u64, found: Tally, memory: u64) {
        let (states, rate) = (found.states(), self.rate(found) as u64);
        let (layer, all) = (
            self.layer_begin.elapsed().as_secs_f64(),
            self.begin.elapsed().as_secs_f64(),
        );
        let left = self.left(found).map_or(String::new(), |(done, left)| {
            format!(" done={done:.4} left_sec={:.0}", left.as_secs_f64())
        });
        eprintln!(
            "sum={sum} {what}={of_layer} states={states} states_per_sec={rate} memory={memory} \
             disk={} layer_sec={layer:.3} sec={all:.3}{left}",
            self.bytes
        );
    }
}

/// Bytes that a layer may take on disk after two that took `before` and `last`: as much more again, and
/// half as much to spare, since layers do not grow evenly.
fn forecast([before, last]: [u64; 2]) -> u64 {
    let growth = last.saturating_sub(before);
    last + growth + last / 2
}

impl Progress for Reporter {
    fn begin(&mut self, sum: u32) {
        let needed = forecast(self.disk);
        let free = machine::free_space(&self.dir).unwrap_or(u64::MAX);
        if free >= needed {
            self.warned = false;
        } else if !self.warned {
            self.warned = true;
            let (needed, free) = (HumanBytes(needed), HumanBytes(free));
            self.say(&format!(
                "WARNING: the layer of sum {sum} may take {needed} of disk, {} has {free} left: make space, \
                 or stop and go on later",
                self.dir.display()
            ));
        }
        self.layer_begin = Instant::now();
        self.step(Step {
            sum,
            live: 0,
            dead: 0,
        });
    }

    fn step(&mut self, step: Step) {
        if self.last_look.elapsed() >= LOOK_EVERY {
            self.last_look = Instant::now();
            self.show(step);
        }
    }

    fn seal(&mut self, layer: &Layer) {
        self.disk = [self.disk[1], layer.disk];
        let live = layer.rows.iter().map(|row| row.live).sum();
        let dead = layer.rows.iter().map(|row| row.dead).sum();
        let states = live + dead;
        self.sealed = self.sealed.plus(live, dead);
        self.bytes += layer.bytes;
        match &self.form {
            Form::Silent => {}
            Form::Lines => {
                self.last_line = Instant::now();
                let memory = self.memory();
                self.line(layer.sum, "layer", states, self.sealed, memory);
            }
            Form::Terminal(bar) => {
                let took = self.layer_begin.elapsed();
                if took >= WORTH_A_LINE {
                    let (states, seconds) = (HumanCount(states).to_string(), took.as_secs_f64());
                    bar.println(format!(
                        "sum {:>5}  {states:>17} states  {seconds:>8.1} s",
                        layer.sum
                    ));
                }
            }
        }
    }
}

/// Live states of a game, as far as they were published.
fn expected(game: &Game) -> Option<u64> {
    let figures = published(game)?.figures;
    let of = |what| {
        figures
            .iter()
            .find(|figure| figure.what == what)
            .map(|figure| figure.expected)
    };
    of(What::Live).or_else(|| Some(of(What::States)? - of(What::Dead)?))
}

fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {elapsed_precise}  {msg}");
    let bar = ProgressBar::new_spinner().with_style(style.expect("the template is sound"));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// `h:mm:ss`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_layer_is_expected_to_grow_as_the_last_did_and_more() {
        assert_eq!(forecast([0, 0]), 0);
        assert_eq!(forecast([100, 150]), 150 + 50 + 75);
        assert_eq!(forecast([150, 100]), 100 + 50);
    }
}
