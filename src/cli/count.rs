//! `enum48 --size ...`, or `enum48 count`: count a game.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::{HumanBytes, HumanCount};
use serde_json::json;

use crate::cli::job::estimate::estimate_count;
use crate::cli::job::open::{self, WantedRun};
use crate::cli::job::progress::Reporter;
use crate::cli::out::Outcome;
use crate::cli::out::output::{Reply, Results};
use crate::cli::out::talk;
use crate::cli::out::units;
use crate::engine::{self, Choice, Engine, Stop};
use crate::estimate;
use crate::known::{self, Verdict, What};
use crate::part::Kind;
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
    /// board of its sum (4x4 without masks, faster) [default: bits where they fit the memory, if there are at
    /// most 8 stones, else lists]
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
        results.print(&estimate_count(&run, keep, &plan, until)?)?;
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
    let table = run.table().until(until);
    results.write_csv(|to| Ok(table.write_csv(to)?))?;
    let complete = run.complete() && until.is_none_or(|sum| sum >= run.sealed_sum());
    let verdicts = known::verdicts(&game, &table, complete);
    let agrees = verdicts.iter().all(|verdict| verdict.agrees);
    let counted = run.table().totals().states() - before.states();
    let cost = Cost {
        choice: &choice,
        counted,
        seconds: (begin.elapsed().as_secs_f64() * 1e3).round() / 1e3,
        peak_memory,
    };
    let summary = summary(run, until, complete, &verdicts, &cost)?;
    // Unlock the directory before the summary, which may wait for a reader.
    drop(store);
    results.print(&summary)?;
    Ok(Outcome::of(agrees))
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

/// The time and the memory of a count.
struct Cost<'a> {
    choice: &'a Choice,
    /// States that this process counted; earlier processes counted the others.
    counted: u64,
    seconds: f64,
    /// Greatest anonymous memory seen, if the system tells.
    peak_memory: Option<u64>,
}

/// The result of a count up to the layer of `until`, and its cost.
fn summary(
    run: &Run,
    until: Option<u32>,
    complete: bool,
    verdicts: &[Verdict],
    cost: &Cost,
) -> Result<Reply> {
    let (game, table) = (run.game(), run.table().until(until));
    let (totals, last_sum) = (table.totals(), table.last_sum());
    let &Cost {
        choice,
        counted,
        seconds,
        peak_memory,
    } = cost;
    let bytes = |kind| run.bytes(kind, until);
    let afterstate_bytes = run.keep().afterstates().then(|| bytes(Kind::Afterstates));
    let agrees = verdicts.iter().all(|verdict| verdict.agrees);
    // Users rely on the order of the keys: add new keys at the end.
    let json = json!({
        "game": game,
        "rows": game.size().rows(),
        "cols": game.size().cols(),
        "max": game.max(),
        "live": totals.live,
        "dead": totals.dead,
        "labeled": totals.labeled,
        "afterstates": totals.afterstates,
        "win": totals.win,
        "loss": totals.loss(),
        "total": totals.total(),
        "complete": complete,
        // Number of sums with a state.
        "layers": totals.layers,
        "seconds": seconds,
        // Bytes of the files of states.
        "bytes": bytes(Kind::States),
        "fingerprint": totals.fingerprint.to_string(),
        // Greatest sum that has a state or afterstate.
        "last_sum": last_sum,
        "counted": counted,
        "peak_memory": peak_memory,
        // Whether the counted figures equal the published figures; null without published figures.
        "agrees": (!verdicts.is_empty()).then_some(agrees),
        "dir": run.dir().display().to_string(),
        // The engines of the layers; null if this process counted nothing.
        "engine": (counted > 0).then(|| choice.to_string()),
        // Bytes of the files of afterstates; null unless the run keeps the afterstates of all layers.
        "afterstate_bytes": afterstate_bytes,
    });

    let goal = match game.max() {
        Some(tile) => format!("to {tile}"),
        None => "without a winning tile".to_owned(),
    };
    let (total, board) = (HumanCount(totals.total()), game.size());
    let extent = match complete {
        true => String::new(),
        false => format!(", up to sum {last_sum}"),
    };
    let mut text = format!("{total}  states of {board} {goal}{extent}\n\n");
    let mut line = |name: &str, number: String, note: Option<String>| {
        let note = note.map_or(String::new(), |note| format!("  {note}"));
        text += &format!("{name:<11} {number:>21}{note}\n");
    };
    let count = |n| HumanCount(n).to_string();
    let size = |bytes| HumanBytes(bytes).to_string();
    let reached = |reached| match reached {
        true => "+1, can be reached".to_owned(),
        false => " 0, not reached".to_owned(),
    };
    line("live", count(totals.live), None);
    line("win", reached(totals.win), None);
    line("loss", reached(totals.loss()), None);
    line("dead", count(totals.dead), None);
    line("live + dead", count(totals.states()), None);
    let without_symmetry = "boards, without symmetry".to_owned();
    line("labeled", count(totals.labeled), Some(without_symmetry));
    line("afterstates", count(totals.afterstates), None);
    line(
        "layers",
        count(totals.layers),
        Some(format!("up to sum {last_sum}")),
    );
    line("fingerprint", totals.fingerprint.to_string(), None);
    let bits = |kind, boards: u64| {
        let bits = bytes(kind) as f64 * 8.0 / boards.max(1) as f64;
        format!("{bits:.2}")
    };
    let each = |kind| bits(kind, run.listed(kind, until));
    let mut files = "files";
    if !run.keep().matrices() {
        let states = match run.first_sum(Kind::States) <= last_sum {
            true => format!("{} bits a live state", each(Kind::States)),
            false => format!("the states of sum {last_sum} are not kept"),
        };
        line(files, size(bytes(Kind::States)), Some(states));
        files = "";
    }
    if let Some(bytes) = afterstate_bytes {
        let (each, of_live) = (
            each(Kind::Afterstates),
            bits(Kind::Afterstates, totals.live),
        );
        let note = format!("{each} bits an afterstate, {of_live} for each live state");
        line(files, size(bytes), Some(note));
    }
    if let Some(peak) = peak_memory {
        line("memory", size(peak), Some("at most".to_owned()));
    }
    let mut speed = Some("nothing new to count".to_owned());
    if counted > 0 {
        line("engine", choice.to_string(), Some(choice.why().to_owned()));
        speed = estimate::rate(counted, Duration::from_secs_f64(seconds))
            .map(|rate| format!("{}, {:.1} ns a state", units::speed(rate), 1e9 / rate));
    }
    line("time", format!("{seconds:.2} s"), speed);
    writeln!(text, "directory   {}", talk::plain(run.dir().display()))?;
    text += &published(verdicts);
    Ok(Reply { text, json })
}

/// The lines that compare a count with the published figures.
fn published(verdicts: &[Verdict]) -> String {
    let mut lines = String::from("\n");
    for verdict in verdicts {
        let word = if verdict.agrees {
            "agrees"
        } else {
            "DISAGREES"
        };
        let [expected, got] = [verdict.expected, verdict.got].map(HumanCount);
        lines += &match verdict.figure {
            What::Parts => format!("{word} in {got} of {expected} published parts\n"),
            what => format!("{word} with the published {what} {expected}\n"),
        };
    }
    match verdicts.first() {
        Some(Verdict { source, .. }) => format!("{lines}({source})\n"),
        None => String::new(),
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
