//! What was found, as text or as JSON.

use std::io::{self, Write};

use indicatif::{HumanBytes, HumanCount};
use serde::Serialize;

use crate::Error;
use crate::cli::units;
use crate::part::{Fingerprint, Kind};
use crate::store::Run;
use crate::verify::{Report, Solved};

/// Print the findings, and whether the run is sound.
pub(super) fn print(run: &Run, report: &Report, deep: bool) -> io::Result<()> {
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
pub(super) struct Answer {
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
    solved: Vec<SolvedGoal>,
    /// Whether every value was made again, too.
    values_rebuilt: bool,
}

/// What is solved for a goal.
#[derive(Serialize)]
struct SolvedGoal {
    name: String,
    fraction: u32,
    /// Sum of the lowest layer that is solved.
    from_sum: u32,
    files: u64,
    bytes: u64,
    values: u64,
    fingerprint: Fingerprint,
}

impl SolvedGoal {
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

impl Answer {
    pub(super) fn new(run: &Run, report: &Report, deep: bool) -> Self {
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
            solved: report.solved.iter().map(SolvedGoal::new).collect(),
            values_rebuilt: deep && sound && !report.solved.is_empty(),
        }
    }

    /// The answer about a run that cannot be opened.
    pub(super) fn unread(error: &Error) -> Self {
        Self {
            findings: vec![error.to_string()],
            ..Self::default()
        }
    }
}
