//! `enum48 verify`: read a run again, and say whether it is what it was.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Result, bail};
use indicatif::{HumanBytes, HumanCount};

use super::Outcome;
use super::gauge::Gauge;
use super::resources::Resources;
use crate::Error;
use crate::engine;
use crate::store::Archive;
use crate::verify::{self, deep};

/// Read a run's directory again, every byte, and say what is damaged
///
/// Checks the manifest against itself, against layers.csv and the files; each file's header, index,
/// footer and the checksum of each block; that states are in order, canonical, live, and of their part's
/// sum and largest tile; all counts and fingerprints. Nothing is changed. Prints a line for whatever is
/// wrong: the file, the place, the kind of damage, and what to do. Exit code 1 if anything is.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The run's directory, such as enum48-data/3x3-1024
    #[arg(value_name = "DIR")]
    dir: PathBuf,

    /// Then make every layer again from those before it, in another way than the count does, and compare
    /// state for state (takes some ten times as long as counting; needs a run with --keep all)
    #[arg(long)]
    deep: bool,

    #[command(flatten)]
    resources: Resources,

    /// No progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

/// Verify, and print what was found.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let archive = match Archive::open(&args.dir) {
        Ok(archive) => archive,
        Err(error) if error.is_damage() => {
            writeln!(io::stdout(), "{error}")?;
            return Ok(Outcome::Disagreed);
        }
        Err(error) => return Err(error.into()),
    };
    if args.deep && archive.first_sum() > 4 {
        let (dir, sum) = (args.dir.display(), archive.first_sum());
        bail!("{dir}: --deep needs every layer: those below sum {sum} were dropped (--keep last)");
    }
    let plan = args.resources.plan()?;
    let pool = engine::pool(plan.threads())?;
    let begin = Instant::now();
    let totals = archive.table().totals();

    let gauge = Gauge::new("verify", archive.boards(), args.quiet);
    let report = verify::verify(&archive, &pool, &|states| gauge.add(states));
    gauge.finish();
    let report = report?;
    let seconds = begin.elapsed().as_secs_f64();
    for remark in report.remarks.iter().filter(|_| !args.quiet) {
        eprintln!("enum48: {remark}");
    }
    let mut findings = report.findings;
    if args.deep && findings.is_empty() {
        let gauge = Gauge::new("deep", totals.live, args.quiet);
        let found = deep::verify(&archive, &pool, plan.memory(), &|states| gauge.add(states));
        gauge.finish();
        findings = found?;
    }

    let mut out = io::stdout();
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    let (game, boards) = (archive.game(), report.states + report.afterstates);
    if findings.is_empty() {
        writeln!(
            out,
            "{game}: sound: {} files, {}, {} live states, {} afterstates, fingerprint {}",
            HumanCount(report.files),
            HumanBytes(report.bytes),
            HumanCount(report.states),
            HumanCount(report.afterstates),
            totals.fingerprint,
        )?;
        if args.deep {
            writeln!(
                out,
                "{game}: made again: every layer up to sum {}, state for state",
                archive.sealed_sum()
            )?;
        }
    } else {
        writeln!(out, "{game}: NOT sound: {} findings", findings.len())?;
    }
    if !args.quiet {
        let rate = HumanCount((boards as f64 / seconds) as u64);
        eprintln!("enum48: read in {seconds:.2} s, {rate} states/s");
    }
    if findings.is_empty() {
        return Ok(Outcome::Done);
    }
    if !findings.iter().any(Error::is_damage) {
        bail!("{game}: not all of it could be read");
    }
    Ok(Outcome::Disagreed)
}
