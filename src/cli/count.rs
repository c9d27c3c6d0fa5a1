//! `enum48 --size ...`, or `enum48 count`: count a game.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use crate::cli::job::estimate::CountEstimate;
use crate::cli::job::open::{self, WantedRun};
use crate::cli::job::progress::Reporter;
use crate::cli::out::Outcome;
use crate::cli::out::output::Results;
use crate::cli::out::talk;
use crate::cli::out::units;
use crate::counts::Totals;
use crate::engine::{self, Choice, Engine, Stop};
use crate::estimate;
use crate::game::Game;
use crate::known::{self, Verdict, What};
use crate::part::{Fingerprint, Kind};
use crate::store::Run;

/// Count a game, like enum48 without a subcommand
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 count --size 2 --max 32        count 2x2 to 32, like enum48 --size 2 --max 32
  enum48 count --size 3 --dry-run       estimate states, disk, memory and time
  enum48 count --size 4x3 --until 128   4 rows, 3 columns, up to sum 128")]
pub(super) struct Args {
    #[command(flatten)]
    wanted: WantedRun,

    /// How to hold a layer: as lists of states (any board, any memory), or as bits, a bit for every
    /// board of its sum (4x4, faster) [default: bits where they fit the memory, else lists]
    #[arg(long, value_name = "lists|bits", hide_possible_values = true, value_parser = engine_parser())]
    engine: Option<Engine>,

    /// Also write the table of parts to FILE, - for stdout (the summary then goes to stderr)
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Print one JSON object on stdout instead of the summary
    #[arg(long)]
    json: bool,

    /// Only estimate: print an upper bound for each layer, and the expected states, disk, memory and
    /// time of the whole count; measures for some seconds in a temporary directory
    #[arg(long, conflicts_with = "csv")]
    dry_run: bool,

    /// Print no progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

fn engine_parser() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(["lists", "bits"]).map(|word| match word.as_str() {
        "bits" => Engine::Bits,
        _ => Engine::Lists,
    })
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let begin = Instant::now();
    let (wanted, until) = (&args.wanted, args.wanted.until);
    let game = wanted.game()?;
    engine::last_sum(&game, until)?;
    let stop = Stop::default();
    let plan = wanted.plan()?.with_engine(args.engine);
    let plan = plan.with_stop(stop.clone());
    let dir = wanted.dir(&game);
    let results = Results::new(args.csv.as_deref(), args.json, &dir)?;
    let run = wanted.peek(&game)?;
    if args.dry_run {
        let keep = wanted.keep;
        results.print(&CountEstimate::new(&run, keep, &plan, until)?)?;
        return Ok(Outcome::Done);
    }

    // Opening drops files that `--keep` does not cover. A refused count must leave them.
    Choice::new(&run, &plan, until)?;
    let mut store = wanted.open(&game, open::SHORT)?;
    let before = store.run().table().totals();
    let choice = Choice::new(store.run(), &plan, until)?;
    let reporter = Reporter::of_count(&plan, &store, &choice, args.quiet);
    let (last, dir) = (choice.last(), store.run().dir().to_owned());
    let what_stays = move || format!("stopped: {}", kept(&dir, last));
    let counted = reporter.until_stopped(&stop, what_stays, |progress| {
        engine::count(&mut store, &plan, until, progress).map(drop)
    });
    let peak_memory = match counted {
        Err(error) if error.is_lack_of_space() => {
            bail!("{error}: {}", kept(store.run().dir(), last))
        }
        counted => counted?,
    };

    let run = store.run();
    results.write_csv(|to| Ok(run.table().until(until).write_csv(to)?))?;
    let summary = Summary::new(run, until, &before, &choice, begin.elapsed(), peak_memory);
    // Unlock the directory before the summary, which may wait for a reader.
    drop(store);
    results.print(&summary)?;
    Ok(match summary.agrees {
        Some(false) => Outcome::Disagreed,
        _ => Outcome::Done,
    })
}

/// Which layers of the count in `dir` are kept, and where the next start begins. `last` is the sum of
/// the last layer to count.
fn kept(dir: &Path, last: u32) -> String {
    let run = Run::peek(dir).ok();
    let Some((complete, sum)) = run.map(|run| (run.complete(), run.sealed_sum())) else {
        return "the same command resumes".to_owned();
    };
    match sum {
        ..4 => "no layer is kept; the same command begins again".to_owned(),
        _ if complete || sum >= last => {
            "all layers are kept; the same command prints the summary".to_owned()
        }
        _ => format!(
            "layers up to sum {sum} are kept; the same command resumes at sum {}",
            sum + 2
        ),
    }
}

/// The result of a count, and its cost. The fields are the keys of `--json`, in order. Users rely on
/// the order: add new keys at the end.
#[derive(Serialize)]
struct Summary {
    game: Game,
    rows: u8,
    cols: u8,
    max: Option<u32>,
    live: u64,
    dead: u64,
    labeled: u64,
    afterstates: u64,
    win: bool,
    loss: bool,
    total: u64,
    complete: bool,
    /// Number of sums with a state.
    layers: u64,
    seconds: f64,
    /// Bytes of the files of states.
    bytes: u64,
    fingerprint: Fingerprint,
    /// Greatest sum that has a state or afterstate.
    last_sum: u32,
    /// States that this process counted; earlier processes counted the others.
    counted: u64,
    /// Greatest anonymous memory seen, if the system tells.
    peak_memory: Option<u64>,
    /// Whether the counted figures equal the published figures; `None` without published figures.
    agrees: Option<bool>,
    dir: PathBuf,
    /// The engines of the layers; `None` if this process counted nothing.
    engine: Option<String>,
    /// Bytes of the files of afterstates; `None` unless the run keeps the afterstates of all layers.
    afterstate_bytes: Option<u64>,
    /// The reason for the engine.
    #[serde(skip)]
    why: String,
    /// Notes on the files of states and of afterstates.
    #[serde(skip)]
    notes: [String; 2],
    #[serde(skip)]
    verdicts: Vec<Verdict>,
    #[serde(skip)]
    in_matrices: bool,
}

impl Summary {
    /// The summary of a run up to the layer of `until`. The run had the totals `before` when this
    /// process began.
    fn new(
        run: &Run,
        until: Option<u32>,
        before: &Totals,
        choice: &Choice,
        time: Duration,
        peak_memory: Option<u64>,
    ) -> Self {
        let game = *run.game();
        let table = run.table().until(until);
        let (totals, last_sum) = (table.totals(), table.last_sum());
        let complete = run.complete() && until.is_none_or(|sum| sum >= run.sealed_sum());
        let counted = run.table().totals().states() - before.states();
        let verdicts = known::verdicts(&game, &table, complete);
        let agrees = verdicts.iter().all(|verdict| verdict.agrees);
        let bytes = |kind| run.bytes(kind, until);
        let bits = |kind, boards: u64| {
            let bits = bytes(kind) as f64 * 8.0 / boards.max(1) as f64;
            format!("{bits:.2}")
        };
        let each = |kind| bits(kind, run.listed(kind, until));
        let states = match run.first_sum(Kind::States) <= last_sum {
            true => format!("{} bits a live state", each(Kind::States)),
            false => format!("the states of sum {last_sum} are not kept"),
        };
        let afterstates = format!(
            "{} bits an afterstate, {} for each live state",
            each(Kind::Afterstates),
            bits(Kind::Afterstates, totals.live)
        );
        Self {
            game,
            rows: game.size().rows(),
            cols: game.size().cols(),
            max: game.max(),
            live: totals.live,
            dead: totals.dead,
            labeled: totals.labeled,
            afterstates: totals.afterstates,
            win: totals.win,
            loss: totals.loss(),
            total: totals.total(),
            complete,
            layers: totals.layers,
            seconds: (time.as_secs_f64() * 1e3).round() / 1e3,
            bytes: bytes(Kind::States),
            fingerprint: totals.fingerprint,
            last_sum,
            counted,
            peak_memory,
            agrees: (!verdicts.is_empty()).then_some(agrees),
            dir: run.dir().to_owned(),
            engine: (counted > 0).then(|| choice.to_string()),
            afterstate_bytes: run.keep().afterstates().then(|| bytes(Kind::Afterstates)),
            why: choice.why().to_owned(),
            notes: [states, afterstates],
            verdicts,
            in_matrices: run.keep().matrices(),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goal = match self.max {
            Some(tile) => format!("to {tile}"),
            None => "without a winning tile".to_owned(),
        };
        let (total, board) = (HumanCount(self.total), self.game.size());
        let extent = match self.complete {
            true => String::new(),
            false => format!(", up to sum {}", self.last_sum),
        };
        writeln!(f, "{total}  states of {board} {goal}{extent}\n")?;
        for (name, number, note) in self.lines() {
            let note = note.map_or(String::new(), |note| format!("  {note}"));
            writeln!(f, "{name:<11} {number:>21}{note}")?;
        }
        writeln!(f, "directory   {}", talk::plain(self.dir.display()))?;
        let Some(Verdict { source, .. }) = self.verdicts.first() else {
            return Ok(());
        };
        writeln!(f)?;
        for verdict in &self.verdicts {
            let word = if verdict.agrees {
                "agrees"
            } else {
                "DISAGREES"
            };
            let [expected, got] = [verdict.expected, verdict.got].map(HumanCount);
            match verdict.figure {
                What::Parts => writeln!(f, "{word} in {got} of {expected} published parts")?,
                what => writeln!(f, "{word} with the published {what} {expected}")?,
            }
        }
        writeln!(f, "({source})")
    }
}

impl Summary {
    /// The names and the numbers of the summary, with notes.
    fn lines(&self) -> Vec<(&'static str, String, Option<String>)> {
        let count = |n| HumanCount(n).to_string();
        let size = |bytes| HumanBytes(bytes).to_string();
        let reached = |reached| match reached {
            true => "+1, can be reached".to_owned(),
            false => " 0, not reached".to_owned(),
        };
        let without_symmetry = "boards, without symmetry".to_owned();
        let up_to = format!("up to sum {}", self.last_sum);
        let [states, afterstates] = self.notes.clone();
        let mut lines = vec![
            ("live", count(self.live), None),
            ("win", reached(self.win), None),
            ("loss", reached(self.loss), None),
            ("dead", count(self.dead), None),
            ("live + dead", count(self.live + self.dead), None),
            ("labeled", count(self.labeled), Some(without_symmetry)),
            ("afterstates", count(self.afterstates), None),
            ("layers", count(self.layers), Some(up_to)),
            ("fingerprint", self.fingerprint.to_string(), None),
        ];
        let bytes = self.afterstate_bytes;
        if self.in_matrices {
            lines.extend(bytes.map(|bytes| ("files", size(bytes), Some(afterstates))));
        } else {
            lines.push(("files", size(self.bytes), Some(states)));
            lines.extend(bytes.map(|bytes| ("", size(bytes), Some(afterstates))));
        }
        let peak = self.peak_memory;
        lines.extend(peak.map(|peak| ("memory", size(peak), Some("at most".to_owned()))));
        let engine = self.engine.clone();
        lines.extend(engine.map(|engine| ("engine", engine, Some(self.why.clone()))));
        let speed = match self.counted {
            0 => Some("nothing new to count".to_owned()),
            counted => estimate::rate(counted, Duration::from_secs_f64(self.seconds))
                .map(|rate| format!("{}, {:.1} ns a state", units::speed(rate), 1e9 / rate)),
        };
        lines.push(("time", format!("{:.2} s", self.seconds), speed));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Plan, Silent};
    use crate::store::Store;

    #[test]
    fn the_message_after_a_signal_names_the_kept_layers() {
        let place = tempfile::tempdir().unwrap();
        let said = |last| kept(place.path(), last);
        let game = "2x2-32".parse().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let none = "no layer is kept; the same command begins again";
        assert_eq!(said(u32::MAX), none);
        let plan = Plan::new(64 << 20, 1).unwrap();
        let mut count = |until| engine::count(&mut store, &plan, until, &mut Silent).unwrap();
        count(Some(20));
        assert_eq!(
            said(22),
            "layers up to sum 20 are kept; the same command resumes at sum 22"
        );
        let all = "all layers are kept; the same command prints the summary";
        assert_eq!(said(20), all);
        count(None);
        assert_eq!(said(u32::MAX), all);
    }
}
