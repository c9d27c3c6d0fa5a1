//! Reads a run again: checks that every file is as it was written, and that every state is right.
//!
//! Three questions are kept apart. Can a count go on? `store` answers when it opens the directory,
//! from the manifest alone, which must agree with itself and with the laws (`laws`). Are the
//! numbers right? `check` compares them with published numbers. Are the bytes still the run that
//! the manifest describes? *Verify* reads all of them, and checks:
//!
//! - `layers.csv` and the names of the files against the manifest;
//! - each file: header, index, footer, the checksum of each block, strict order, counts, size,
//!   fingerprint;
//! - each state: it is canonical and live, it belongs to the part it is in (sum and largest tile),
//!   and it has no more large tiles than play can make. Afterstates are checked in the same way,
//!   but need an empty cell instead of a legal move;
//! - each file of values, if the run is solved: its bytes likewise, and that its values belong to
//!   the afterstates.
//!
//! Key idea: it goes on after the first finding, so that one pass names all damage. [`deep`] goes
//! further. It makes every layer again from the layers before it, in another way than the engine,
//! and every value from later values, in another way than the solver.

pub mod deep;
mod line_moves;
mod part;
mod solution;

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::game::PartKey;
use crate::part::{Fingerprint, Kind};
use crate::per_thread::PerThread;
use crate::progress::Progress;
use crate::store::{Expected, Run};
use part::PartScratch;
pub use solution::Solved;

/// The result of [`verify`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Damage. Each finding names the file, the place, the kind of damage, and the remedy.
    pub findings: Vec<Error>,
    /// Unusual but harmless observations, such as the files that a count leaves if it is killed in
    /// a commit.
    pub remarks: Vec<String>,
    /// Number of part files that the manifest names; files in `findings` may not have been read.
    pub files: u64,
    /// Live states in the part files without a finding.
    pub states: u64,
    /// The fingerprint of these states. It is not the run's if states were dropped
    /// ([`Keep`](crate::store::Keep)).
    pub fingerprint: Fingerprint,
    /// Afterstates in the part files without a finding.
    pub afterstates: u64,
    /// Bytes that the part files should have.
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

/// What many threads report to.
type Watch<'a, 'p> = &'a Mutex<&'p mut dyn Progress>;

/// Report boards that were read.
fn advance(watch: Watch, boards: u64) {
    watch.lock().expect("no thread panics").advance(boards);
}

/// Number of boards and values that [`verify`] reads; a solution without a readable manifest counts
/// as none.
#[must_use]
pub fn work(run: &Run) -> u64 {
    let solution = solution::open(run).ok().flatten();
    run.boards() + solution.map_or(0, |solution| solution.values_in_all())
}

/// Read a whole run again, and its solution if it has one, on the threads of `pool`. Takes about
/// 1 MiB of memory per thread.
///
/// # Errors
///
/// Only for what prevents the check as a whole; anything wrong with the run is in the report.
pub fn verify(run: &Run, pool: &ThreadPool, progress: &mut dyn Progress) -> Result<Report> {
    let watch = &Mutex::new(progress);
    let solution = solution::open(run);
    let (mut findings, remarks) = run.surroundings(|name| match &solution {
        Ok(solution) => solution
            .as_ref()
            .is_some_and(|solution| solution.names(name)),
        // The names in a damaged manifest are unknown, so no file counts as foreign.
        Err(_) => true,
    })?;

    let table = run.table();
    let expected: Vec<_> = run.expected().collect();
    let readers = PerThread::new(pool.current_num_threads(), |_| PartScratch::new())?;
    let (states, afterstates) = (AtomicU64::new(0), AtomicU64::new(0));
    let fingerprint = Mutex::new(Fingerprint::default());
    let wrong = Mutex::new(Vec::new());
    pool.install(|| {
        expected.par_iter().enumerate().for_each(|(at, expected)| {
            let row = table.row(expected.name.key);
            match part::verify(run, expected, row, &readers, watch) {
                Ok(()) => {
                    let total = match expected.name.kind {
                        Kind::States => {
                            *fingerprint.lock().expect("no thread panics") +=
                                expected.sealed.fingerprint;
                            &states
                        }
                        Kind::Afterstates => &afterstates,
                    };
                    total.fetch_add(expected.sealed.states, Ordering::Relaxed);
                }
                Err(error) => wrong.lock().expect("no thread panics").push((at, error)),
            }
        });
    });
    let mut wrong = wrong.into_inner().expect("no thread panics");
    wrong.sort_by_key(|(at, _)| *at);
    let broken = wrong.iter().map(|&(at, _)| expected[at].name);
    let broken = broken.filter(|name| name.kind == Kind::Afterstates);
    let broken: HashSet<PartKey> = broken.map(|name| name.key).collect();
    findings.extend(wrong.into_iter().map(|(_, error)| error));
    let mut solved = Vec::new();
    match solution {
        Ok(None) => {}
        Ok(Some(solution)) => {
            let (found, wrong) = pool.install(|| solution::verify(&solution, &broken, watch));
            solved = found;
            findings.extend(wrong);
        }
        Err(error) => findings.push(error),
    }
    Ok(Report {
        findings,
        remarks,
        files: expected.iter().map(Expected::count).sum(),
        states: states.into_inner(),
        fingerprint: fingerprint.into_inner().expect("no thread panics"),
        afterstates: afterstates.into_inner(),
        bytes: expected.iter().map(|expected| expected.sealed.bytes).sum(),
        solved,
    })
}
