//! `enum48 verify`: reread a run and its solution, and report what is damaged.

mod answer;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};

use self::answer::{Answer, print};
use super::Outcome;
use super::open;
use super::progress::Gauge;
use super::resources::Resources;
use super::{talk, units};
use crate::Error;
use crate::engine;
use crate::store::Solution;
use crate::verify::deep::values;
use crate::verify::{self, deep};

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

    let gauge = Gauge::new("verify", verify::work(&run), args.quiet);
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
    if args.deep && report.findings.is_empty() && !report.solved.is_empty() {
        let solution = Solution::open(&args.dir)?;
        let gauge = Gauge::new("values", values::work(&solution), args.quiet);
        let watch = |afterstates| gauge.add(afterstates);
        let found = values::verify(&solution, &pool, plan.memory(), &watch);
        gauge.finish();
        report.findings = found?;
    }

    if args.json {
        println(&Answer::new(&run, &report, args.deep))?;
    } else {
        print(&run, &report, args.deep)?;
    }
    if !args.quiet {
        let boards = report.states + report.afterstates + report.values();
        let rate = units::rate(boards, time);
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

fn println(answer: &Answer) -> Result<()> {
    Ok(writeln!(
        io::stdout(),
        "{}",
        serde_json::to_string(answer)?
    )?)
}
