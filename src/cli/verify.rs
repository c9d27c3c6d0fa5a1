//! `enum48 verify`: reread a run and its solution, and report damage.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use indicatif::{HumanBytes, HumanCount};
use serde_json::{Value, json};

use crate::Error;
use crate::cli::args::Resources;
use crate::cli::job::open;
use crate::cli::job::progress::Reporter;
use crate::cli::out::Outcome;
use crate::cli::out::output::{self, print_json};
use crate::cli::out::talk;
use crate::cli::out::units;
use crate::counts::Totals;
use crate::engine;
use crate::estimate;
use crate::part::Kind;
use crate::read::Reader;
use crate::store::{Run, Sink};
use crate::verify::deep::values;
use crate::verify::{self, Report, deep};

/// Reread every byte of a run and of its solution, and report damage
///
/// Checks that the manifest agrees with itself, with layers.csv and with the files; the header,
/// index, footer and block checksums of each file; that states are in order, canonical, live, and
/// have the sum and largest tile of their part; all counts and fingerprints; and, if the run is
/// solved, that each value belongs to its afterstate. Changes nothing.
/// Prints a line for each fault: the file, the place, the kind of damage, and the remedy. The exit
/// code is 1 if there is a fault. Says which layers it could not reread because their states were
/// dropped (--keep).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 verify enum48-data/3x3-1024           is any file damaged?
  enum48 verify enum48-data/3x3-1024 --deep    is any state missing or wrong, or any value?")]
pub(super) struct Args {
    /// Directory of the run, such as enum48-data/3x3-1024
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Also rebuild every layer from the layers before it, by another algorithm than the count's, and
    /// compare all kept states and afterstates; takes about ten times as long as counting. If the run
    /// is solved, make every value again from the values after it, by another algorithm than the
    /// solver's, and demand equality to the last bit
    #[arg(long)]
    deep: bool,

    #[command(flatten)]
    resources: Resources,

    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,

    /// Print no progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let plan = args.resources.plan()?;
    let reader = match open::run(&args.dir) {
        Ok(run) => Reader::new(run, &plan),
        Err(error) if error.is_damage() => {
            output::print(|out| match args.json {
                false => Ok(writeln!(out, "{}", talk::plain(error))?),
                true => {
                    let mut report = Report::default();
                    report.findings.push(error);
                    print_json(out, &in_json(None, &report, args.deep))
                }
            })?;
            return Ok(Outcome::Disagreed);
        }
        Err(error) => return Err(error.into()),
    };
    let run = reader.run();
    let followed = args.deep.then(|| deep::work(run)).transpose()?;
    let (pool, memory) = (engine::pool(plan.threads())?, plan.memory());
    let show = |work, boards| Reporter::of_boards(work, boards, args.quiet);
    let begin = Instant::now();

    let mut report = show("verify", verify::work(run))
        .during(|progress| verify::verify(&reader, &pool, progress))?;
    let time = begin.elapsed();
    for remark in report.remarks.iter().filter(|_| !args.quiet) {
        talk::say(remark);
    }
    // Nothing is rebuilt from damaged files.
    let rebuilds = args.deep && report.findings.is_empty();
    if let Some(boards) = followed.filter(|_| rebuilds) {
        report.findings = show("deep", boards)
            .during(|progress| deep::verify(&reader, &pool, memory, progress))?;
    }
    if args.deep && report.findings.is_empty() && !report.solved.is_empty() {
        let solution = open::solution(&args.dir)?;
        let reader = Reader::new(solution.run().clone(), &plan);
        report.findings = show("values", values::work(&solution))
            .during(|progress| values::verify(&solution, &reader, &pool, memory, progress))?;
    }

    output::print(|out| match args.json {
        true => print_json(out, &in_json(Some(run), &report, args.deep)),
        false => Ok(print(run, &report, args.deep, out)?),
    })?;
    if !args.quiet {
        let boards = report.states + report.afterstates + report.values();
        let mut line = format!("read in {:.2} s", time.as_secs_f64());
        if let Some(rate) = estimate::rate(boards, time) {
            line += &format!(", {} boards and values/s", units::count(rate));
        }
        if rebuilds {
            let again = (begin.elapsed() - time).as_secs_f64();
            line += &format!("; rebuilt in {again:.2} s");
        }
        talk::say(line);
    }
    if report.findings.is_empty() {
        return Ok(Outcome::Done);
    }
    if !report.findings.iter().any(Error::is_damage) {
        bail!("{}: some files could not be read", run.game());
    }
    Ok(Outcome::Disagreed)
}

/// Print the findings, or how much of the run is sound.
fn print(run: &Run, report: &Report, deep: bool, out: &mut Sink) -> io::Result<()> {
    let game = run.game();
    for finding in &report.findings {
        writeln!(out, "{}", talk::plain(finding))?;
    }
    if !report.findings.is_empty() {
        let findings = units::things(report.findings.len() as u64, "finding");
        return writeln!(out, "{game}: NOT sound: {findings}");
    }
    let mut line = format!(
        "{game}: sound: {}, {}, {}, {}",
        units::things(report.files, "file"),
        HumanBytes(report.bytes),
        units::things(report.states, "live state"),
        units::things(report.afterstates, "afterstate"),
    );
    if report.states > 0 {
        line += &format!(", fingerprint {}", report.fingerprint);
    }
    writeln!(out, "{line}")?;
    for solved in &report.solved {
        let layers = match solved.from {
            4 => "every layer".to_owned(),
            from => format!("the layers from sum {from} on"),
        };
        writeln!(
            out,
            "{game}: sound: {} of {layers}: {}, {}, {}, fingerprint {}",
            solved.objective,
            units::things(solved.files, "file"),
            HumanBytes(solved.bytes),
            units::things(solved.values, "value"),
            solved.fingerprint,
        )?;
    }
    let (dropped, keep) = (dropped(run), run.keep());
    if let Some(dropped) = dropped {
        let totals = run.table().totals();
        let (live, print) = (HumanCount(totals.live), totals.fingerprint);
        writeln!(
            out,
            "{game}: NOT verified: the layers up to sum {dropped}, whose states were dropped (--keep {keep}): the \
             fingerprint {print} of all {live} live states comes from the manifest alone, and all counts obey the laws"
        )?;
    }
    if keep.matrices() && !deep {
        writeln!(
            out,
            "{game}: NOT verified: the live states, which are derived from the matrices: give --deep"
        )?;
    }
    if deep {
        let up_to = format!("every layer up to sum {}", run.sealed_sum());
        let rebuilt = match (dropped, keep.afterstates()) {
            (None, false) => format!("{up_to}, state by state"),
            (None, true) => format!("{up_to}, state by state, and its afterstates"),
            (Some(_), _) => format!("the afterstates of {up_to}, one by one"),
        };
        writeln!(out, "{game}: rebuilt: {rebuilt}")?;
        if !report.solved.is_empty() {
            writeln!(out, "{game}: rebuilt: every value, equal to the last bit")?;
        }
    }
    Ok(())
}

/// The greatest sum whose states were dropped.
fn dropped(run: &Run) -> Option<u32> {
    let first = run.first_sum(Kind::States);
    (first > 4).then(|| first - 2)
}

/// The answer as JSON, without a run if the run cannot be opened. Users rely on the order of the keys:
/// add new keys at the end.
fn in_json(run: Option<&Run>, report: &Report, deep: bool) -> Value {
    let totals = run.map_or(Totals::default(), |run| run.table().totals());
    let findings: Vec<String> = report.findings.iter().map(Error::to_string).collect();
    let sound = findings.is_empty();
    json!({
        "game": run.map(Run::game),
        "sound": sound,
        // The number of files that were read, and their contents.
        "files": report.files,
        "bytes": report.bytes,
        "live": report.states,
        "afterstates": report.afterstates,
        "fingerprint": report.fingerprint.to_string(),
        // The greatest sum whose states were dropped, so that they could not be verified.
        "dropped": run.and_then(dropped),
        "last_sum": run.map_or(0, Run::sealed_sum),
        // Of all live states in the manifest, including dropped states.
        "said_live": totals.live,
        "said_fingerprint": totals.fingerprint.to_string(),
        // Whether every layer was rebuilt: its states, or its afterstates if the states were dropped.
        "rebuilt": deep && sound,
        "findings": findings,
        "remarks": report.remarks,
        // The number of values in the sound files of the solution, and the solved goals.
        "values": report.values(),
        "solved": report.solved,
        "values_rebuilt": deep && sound && !report.solved.is_empty(),
        // Whether the live states are derived from matrices, so that only `--deep` verifies them.
        "derived": run.is_some_and(|run| run.keep().matrices()),
    })
}
