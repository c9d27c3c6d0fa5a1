//! `enum48 verify`: reread a run and its solution, and report what is damaged.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use super::output::print_json;
use super::progress::Reporter;
use super::resources::Resources;
use super::{Outcome, open, talk, units};
use crate::Error;
use crate::engine;
use crate::estimate;
use crate::part::{Fingerprint, Kind};
use crate::store::{Run, Solution};
use crate::verify::deep::values;
use crate::verify::{self, Report, Solved, deep};

/// Reread every byte of a run and of its solution, and report what is damaged
///
/// Checks that the manifest agrees with itself, with layers.csv and with the files; the header,
/// index, footer and block checksums of each file; that states are in order, canonical, live, and
/// have the sum and largest tile of their part; all counts and fingerprints; and, if the run is
/// solved, that each value belongs to its afterstate. Changes nothing.
/// Prints a line for each fault: the file, the place, the kind of damage, and what to do. The exit
/// code is 1 if there is any. States that were dropped (--keep) cannot be reread, and it says so.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 verify enum48-data/3x3-1024           is any file damaged?
  enum48 verify enum48-data/3x3-1024 --deep    is any state missing or wrong, or any value?")]
pub(super) struct Args {
    /// Directory of the run, such as enum48-data/3x3-1024
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Then also rebuild every layer from those before it, by another algorithm than the count's,
    /// and compare board by board, states or afterstates, whatever --keep kept of every layer; takes
    /// about ten times as long as counting. And if the run is solved, make every value again from
    /// those after it, by another algorithm than the solver's, and demand equality to the last bit
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
                print_json(&mut io::stdout(), &VerifiedRun::unread(&error))?;
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

    let mut reporter = Reporter::of_boards("verify", verify::work(&run), args.quiet);
    let report = verify::verify(&run, &pool, &mut reporter);
    reporter.finish();
    let mut report = report?;
    let time = begin.elapsed();
    for remark in report.remarks.iter().filter(|_| !args.quiet) {
        talk::say(remark);
    }
    if let Some(boards) = followed.filter(|_| report.findings.is_empty()) {
        let mut reporter = Reporter::of_boards("deep", boards, args.quiet);
        let found = deep::verify(&run, &pool, plan.memory(), &mut reporter);
        reporter.finish();
        report.findings = found?;
    }
    if args.deep && report.findings.is_empty() && !report.solved.is_empty() {
        let solution = Solution::open(&args.dir)?;
        let mut reporter = Reporter::of_boards("values", values::work(&solution), args.quiet);
        let found = values::verify(&solution, &pool, plan.memory(), &mut reporter);
        reporter.finish();
        report.findings = found?;
    }

    if args.json {
        print_json(
            &mut io::stdout(),
            &VerifiedRun::new(&run, &report, args.deep),
        )?;
    } else {
        print(&run, &report, args.deep)?;
    }
    if !args.quiet {
        let boards = report.states + report.afterstates + report.values();
        let rate = estimate::rate(boards, time);
        let speed = rate.map_or(String::new(), |rate| format!(", {}", units::speed(rate)));
        let seconds = time.as_secs_f64();
        let again = (begin.elapsed() - time).as_secs_f64();
        let rebuilt = if args.deep {
            format!("; rebuilt in {again:.2} s")
        } else {
            String::new()
        };
        talk::say(format_args!("read in {seconds:.2} s{speed}{rebuilt}"));
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
        let findings = units::things(report.findings.len() as u64, "finding");
        return writeln!(out, "{game}: NOT sound: {findings}");
    }
    // Without states there is nothing to have a fingerprint.
    let fingerprint = if report.states > 0 {
        format!(", fingerprint {}", report.fingerprint)
    } else {
        String::new()
    };
    writeln!(
        out,
        "{game}: sound: {}, {}, {}, {}{fingerprint}",
        units::things(report.files, "file"),
        HumanBytes(report.bytes),
        units::things(report.states, "live state"),
        units::things(report.afterstates, "afterstate"),
    )?;
    for solved in &report.solved {
        let Solved { goal, from, .. } = solved;
        let layers = match from {
            4 => "every layer".to_owned(),
            from => format!("the layers from sum {from} on"),
        };
        writeln!(
            out,
            "{game}: sound: {} of {layers}: {}, {}, {}, fingerprint {}",
            goal.objective,
            units::things(solved.files, "file"),
            HumanBytes(solved.bytes),
            units::things(solved.values, "value"),
            solved.fingerprint,
        )?;
    }
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
        if !report.solved.is_empty() {
            writeln!(out, "{game}: rebuilt: every value, equal to the last bit")?;
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
struct VerifiedRun {
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
    /// In the files of the solution that were found sound.
    values: u64,
    /// What is solved of the run.
    solved: Vec<VerifiedGoal>,
    /// Whether every value was made again, too.
    values_rebuilt: bool,
}

/// What is solved for a goal.
#[derive(Serialize)]
struct VerifiedGoal {
    name: String,
    fraction: u32,
    /// Sum of the lowest layer that is solved.
    from_sum: u32,
    files: u64,
    bytes: u64,
    values: u64,
    fingerprint: Fingerprint,
}

impl VerifiedGoal {
    fn new(solved: &Solved) -> Self {
        Self {
            name: solved.goal.objective.to_string(),
            fraction: solved.goal.fraction,
            from_sum: solved.from,
            files: solved.files,
            bytes: solved.bytes,
            values: solved.values,
            fingerprint: solved.fingerprint,
        }
    }
}

impl VerifiedRun {
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
            values: report.values(),
            solved: report.solved.iter().map(VerifiedGoal::new).collect(),
            values_rebuilt: deep && sound && !report.solved.is_empty(),
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
