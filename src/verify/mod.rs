//! Reads a run again: checks that no file has changed, and that every state is right.
//!
//! Three modules answer three questions. Can a count go on? `store` answers when it opens the
//! directory: the manifest must agree with itself, with the laws (`laws`) and with the headers of
//! its files. Are the numbers right? `check` compares them with published numbers. Do the bytes
//! still match the manifest? *Verify* reads all of them, and checks:
//!
//! - `layers.csv` and the names of the files against the manifest;
//! - each file: header, index, footer, the checksum of each block, strict order, counts, size,
//!   fingerprint;
//! - each state: it is canonical and live, it has the sum and largest tile of its part, and it has no
//!   more large tiles than play can make;
//! - each afterstate: likewise, but with an empty cell instead of a legal move;
//! - each file of matrices: each matrix, and the numbers of its afterstates and of their empty cells
//!   in the table;
//! - each file of values, if the run is solved: its bytes, and that its values belong to the
//!   afterstates.
//!
//! Key idea: the check goes on after a finding, so that one pass names all damage. [`deep`] goes
//! further: it makes every layer again from the layers before it, by another algorithm than the
//! engine's, and every value from later values, by another algorithm than the solver's.

pub mod deep;
mod files;

use std::collections::HashSet;
use std::sync::Mutex;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::counts::Row;
use crate::error::{Error, Result};
use crate::part::{Fingerprint, Kind};
use crate::progress::Progress;
use crate::read::Reader;
use crate::store::{Expected, Run};
pub use files::Solved;

/// The result of [`verify`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Damage. Each finding names the file, the place, the kind of damage, and the remedy.
    pub findings: Vec<Error>,
    /// Unusual but harmless observations, such as the files that a count leaves if it is killed in
    /// a commit.
    pub remarks: Vec<String>,
    /// Number of files of boards or of matrices that the manifest names. A file in `findings` may not
    /// have been read.
    pub files: u64,
    /// Live states in the part files without a finding.
    pub states: u64,
    /// The fingerprint of these states. It differs from the run's fingerprint if states were dropped
    /// ([`Keep`](crate::store::Keep)).
    pub fingerprint: Fingerprint,
    /// Afterstates in the files of boards or of matrices without a finding.
    pub afterstates: u64,
    /// Bytes that all these files should have.
    pub bytes: u64,
    /// The solved goals, in order of objective.
    pub solved: Vec<Solved>,
}

impl Report {
    /// Values in the files of the solution without a finding.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.solved.iter().map(|solved| solved.values).sum()
    }
}

/// The progress that many threads report to.
type Watch<'a, 'p> = &'a Mutex<&'p mut dyn Progress>;

/// Report boards that were read.
fn advance(watch: Watch, boards: u64) {
    watch.lock().expect("no thread panics").advance(boards);
}

/// Number of boards and values that [`verify`] reads. A solution without a readable manifest has none.
#[must_use]
pub fn work(run: &Run) -> u64 {
    let solution = files::open_solution(run).ok().flatten();
    run.boards() + solution.map_or(0, |solution| solution.values_in_all())
}

/// Read a whole run again, and its solution if it has one, on the threads of `pool`. Takes about
/// 1 MiB of memory per thread, and for matrices the memory of the reader's plan.
///
/// # Errors
///
/// Only if the check as a whole is impossible, such as [`Error::MatrixMemory`], or if the reader is
/// stopped ([`Error::Stopped`]); the report holds all faults of the run.
pub fn verify(reader: &Reader, pool: &ThreadPool, progress: &mut dyn Progress) -> Result<Report> {
    let run = reader.run();
    let watch = &Mutex::new(progress);
    let solution = files::open_solution(run);
    let (findings, remarks) = run.surroundings(|name| match &solution {
        Ok(solution) => solution
            .as_ref()
            .is_some_and(|solution| solution.names(name)),
        // The names in a damaged manifest are unknown, so no file counts as foreign.
        Err(_) => true,
    })?;
    let (table, expected) = (run.table(), run.expected().collect::<Vec<_>>());
    let mut report = Report {
        findings,
        remarks,
        files: expected.iter().map(Expected::count).sum(),
        bytes: expected.iter().map(|expected| expected.sealed.bytes).sum(),
        ..Report::default()
    };

    let verify = |expected: &Expected| {
        files::verify_part(run, expected, table.row(expected.name.key), watch)
    };
    let verified: Vec<Result<()>> = pool.install(|| expected.par_iter().map(verify).collect());
    let mut broken = HashSet::new();
    for (Expected { name, sealed, .. }, verified) in expected.iter().zip(verified) {
        match (verified, name.kind()) {
            (Ok(()), Kind::States) => {
                report.states += sealed.states;
                report.fingerprint += sealed.fingerprint;
            }
            (Ok(()), Kind::Afterstates) => report.afterstates += sealed.states,
            (Err(error), kind) => {
                report.findings.push(error);
                if kind == Kind::Afterstates {
                    broken.insert(name.key);
                }
            }
        }
    }
    for sum in run.sums_in_matrices() {
        report.files += 1;
        match reader.check_matrices(sum) {
            Ok(afterstates) => {
                report.afterstates += afterstates;
                advance(watch, afterstates);
            }
            Err(error @ (Error::MatrixMemory { .. } | Error::Stopped)) => return Err(error),
            Err(error) => {
                report.findings.push(error);
                broken.extend(run.rows(sum).iter().filter_map(Row::key));
            }
        }
    }
    report.bytes += run.bytes_of_matrices(None);
    match solution {
        Ok(None) => {}
        Ok(Some(solution)) => {
            let verify = || files::verify_solution((&solution, reader), &broken, watch);
            let (solved, wrong) = pool.install(verify)?;
            report.solved = solved;
            report.findings.extend(wrong);
        }
        Err(error) => report.findings.push(error),
    }
    drop_repeats(&mut report.findings);
    Ok(report)
}

/// Drop findings that were found before: several parts can fail for one reason.
fn drop_repeats(findings: &mut Vec<Error>) {
    let mut known = HashSet::new();
    findings.retain(|finding| known.insert(finding.to_string()));
}
