//! `enum48 verify`: reread a run, and report what is damaged.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use super::Outcome;
use super::open;
use super::progress::Gauge;
use super::resources::Resources;
use super::{talk, units};
use crate::Error;
use crate::engine;
use crate::part::{Fingerprint, Kind};
use crate::store::Run;
use crate::verify::{self, Report, deep};

/// Reread every byte of a run, and report what is damaged
///
/// Checks that the manifest agrees with itself, with layers.csv and with the files; the header,
/// index, footer and block checksums of each file; that states are in order, canonical, live, and
/// have the sum and largest tile of their part; all counts and fingerprints. Changes nothing.
/// Prints a line for each fault: the file, the place, the kind of damage, and what to do. The exit
/// code is 1 if there is any. States that were dropped (--keep) cannot be reread, and it says so.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 verify enum48-data/3x3-1024           is any file damaged?
  enum48 verify enum48-data/3x3-1024 --deep    is any state missing or wrong?")]
pub(super) struct Args {
    /// Directory of the run, such as enum48-data/3x3-1024
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Then also rebuild every layer from those before it, by another algorithm than the count's,
    /// and compare board by board, states or afterstates, whatever --keep kept of every layer; takes
    /// about ten times as long as counting
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

/// Verify, and print the findings.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let run = match open::run(&args.dir) {
        Ok(run) => run,
        Err(error) if error.is_damage() => {
            if args.json {
                println(&Answer::unread(&error))?;
            } else {
                writeln!(io::stdout(), "{error}")?;
            }
            return Ok(Outcome::Disagreed);
        }
        Err(error) => return Err(error.into()),
    };
    let followed = args.deep.then(|| deep::work(&run)).transpose()?;
    let plan = args.resources.plan()?;
    let pool = engine::pool(plan.threads())?;
    let begin = Instant::now();

    let gauge = Gauge::new("verify", run.boards(), args.quiet);
    let report = verify::verify(&run, &pool, &|states| gauge.add(states));
    gauge.finish();
    let mut report = report?;
    let time = begin.elapsed();
    for remark in report.remarks.iter().filter(|_| !args.quiet) {
        talk::say(remark);
    }
    if let Some(boards) = followed.filter(|_| report.findings.is_empty()) {
        let gauge = Gauge::new("deep", boards, args.quiet);
        let found = deep::verify(&run, &pool, plan.memory(), &|states| gauge.add(states));
        gauge.finish();
        report.findings = found?;
    }

    if args.json {
        println(&Answer::new(&run, &report, args.deep))?;
    } else {
        print(&run, &report, args.deep)?;
    }
    if !args.quiet {
        let rate = units::rate(report.states + report.afterstates, time);
        let speed = rate.map_or(String::new(), |rate| format!(", {}", units::speed(rate)));
        let seconds = time.as_secs_f64();
        talk::say(format_args!("read in {seconds:.2} s{speed}"));
    }
    if report.findings.is_empty() {
        return Ok(Outcome::Done);
    }
    if !report.findings.iter().any(Error::is_damage) {
        bail!("{}: some of it could not be read", run.game());
    }
    Ok(Outcome::Disagreed)
}

/// Print the findings, and whether the run is sound.
fn print(run: &Run, report: &Report, deep: bool) -> io::Result<()> {
    let (mut out, game) = (io::stdout(), run.game());
    for finding in &report.findings {
        writeln!(out, "{finding}")?;
    }
    if !report.findings.is_empty() {
        let findings = report.findings.len();
        return writeln!(out, "{game}: NOT sound: {findings} findings");
    }
    writeln!(
        out,
        "{game}: sound: {} files, {}, {} live states, {} afterstates, fingerprint {}",
        HumanCount(report.files),
        HumanBytes(report.bytes),
        HumanCount(report.states),
        HumanCount(report.afterstates),
        report.fingerprint,
    )?;
    if let Some(dropped) = dropped(run) {
        let totals = run.table().totals();
        let (live, print) = (HumanCount(totals.live), totals.fingerprint);
        writeln!(
            out,
            "{game}: NOT verified: the layers up to sum {dropped}, whose states were dropped (--keep {}): the \
             fingerprint {print} of all {live} live states is what the manifest says, and all counts obey the laws",
            run.keep()
        )?;
    }
    if deep {
        let (last, keep) = (run.sealed_sum(), run.keep());
        let up_to = format_args!("every layer up to sum {last}");
        write!(out, "{game}: rebuilt: ")?;
        match (dropped(run), keep.afterstates()) {
            (None, false) => writeln!(out, "{up_to}, state by state")?,
            (None, true) => writeln!(out, "{up_to}, state by state, and its afterstates")?,
            (Some(_), _) => writeln!(out, "the afterstates of {up_to}, one by one")?,
        }
    }
    Ok(())
}

/// The greatest sum whose states were dropped, if there is any.
fn dropped(run: &Run) -> Option<u32> {
    let first = run.first_sum(Kind::States);
    (first > 4).then(|| first - 2)
}

/// The answer as JSON. The keys are a contract: new ones go to the end.
#[derive(Default, Serialize)]
struct Answer {
    game: Option<String>,
    sound: bool,
    /// Of the files that were read.
    files: u64,
    bytes: u64,
    live: u64,
    afterstates: u64,
    fingerprint: Fingerprint,
    /// Greatest sum whose states were dropped, and so not verified.
    dropped: Option<u32>,
    last_sum: u32,
    /// Of all live states, those that were dropped included, as the manifest says.
    said_live: u64,
    said_fingerprint: Fingerprint,
    /// Whether every layer was rebuilt, too: its states, or its afterstates where those were dropped.
    rebuilt: bool,
    findings: Vec<String>,
    remarks: Vec<String>,
}

impl Answer {
    fn new(run: &Run, report: &Report, deep: bool) -> Self {
        let (totals, sound) = (run.table().totals(), report.findings.is_empty());
        Self {
            game: Some(run.game().to_string()),
            sound,
            files: report.files,
            bytes: report.bytes,
            live: report.states,
            afterstates: report.afterstates,
            fingerprint: report.fingerprint,
            dropped: dropped(run),
            last_sum: run.sealed_sum(),
            said_live: totals.live,
            said_fingerprint: totals.fingerprint,
            rebuilt: deep && sound,
            findings: report.findings.iter().map(Error::to_string).collect(),
            remarks: report.remarks.clone(),
        }
    }

    /// The answer about a run that cannot be opened.
    fn unread(error: &Error) -> Self {
        Self {
            findings: vec![error.to_string()],
            ..Self::default()
        }
    }
}

fn println(answer: &Answer) -> Result<()> {
    Ok(writeln!(
        io::stdout(),
        "{}",
        serde_json::to_string(answer)?
    )?)
}
