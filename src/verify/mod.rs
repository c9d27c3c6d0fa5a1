//! Read a run again: is every file as it was written, and every state what it should be?
//!
//! Three questions are kept apart. Whether a count can go on is answered by `store` when it opens
//! the directory, without reading the blocks. Whether the numbers are right is for `check`, which
//! compares them with published ones. *Verify* answers whether the bytes still are the run that the
//! manifest describes. It reads all of them, and checks:
//!
//! - the manifest against itself and the laws (`laws`), `layers.csv` against the manifest, and the
//!   names of the files against both;
//! - each file: header, index, footer, the checksum of each block, strict order, counts, size,
//!   fingerprint;
//! - each state: it is canonical and live, it belongs to the part it is in (sum and largest tile),
//!   and it has no more large tiles than play can make. Afterstates are checked in the same way,
//!   but need an empty cell instead of a legal move.
//!
//! Key idea: it goes on after the first finding, so that one pass names everything that is wrong.
//! [`deep`] goes further and makes every layer again from the layers before it, in another way than
//! the engine.

pub mod deep;
mod line_moves;
mod part;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::counts::Table;
use crate::error::{Error, Result};
use crate::laws::Laws;
use crate::part::Kind;
use crate::per_thread::PerThread;
use crate::store::Run;
use part::Reader;

/// What [`verify`] found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// What is wrong. Each finding names the file, the place, the kind of damage, and what to do.
    pub findings: Vec<Error>,
    /// What is unusual but harmless.
    pub remarks: Vec<String>,
    /// Number of part files that the manifest names; those in `findings` may not have been read.
    pub files: u64,
    /// Live states in the part files without a finding.
    pub states: u64,
    /// Afterstates in the part files without a finding.
    pub afterstates: u64,
    /// Bytes that the part files should have.
    pub bytes: u64,
}

/// A callback for progress: it gets the number of states read since its last call. Many threads
/// call it.
pub type Watch<'a> = &'a (dyn Fn(u64) + Sync);

/// Read a whole run again, on the threads of `pool`. Takes about 1 MiB of memory per thread.
///
/// # Errors
///
/// Only for what prevents the check as a whole; anything wrong with the run is in the report.
pub fn verify(run: &Run, pool: &ThreadPool, watch: Watch) -> Result<Report> {
    let (mut findings, remarks) = run.surroundings()?;
    findings.extend(check_manifest(run).err());

    let table = run.table();
    let expected: Vec<_> = run.expected().collect();
    let readers = PerThread::new(pool.current_num_threads(), |_| Reader::new())?;
    let (states, afterstates) = (AtomicU64::new(0), AtomicU64::new(0));
    let wrong = Mutex::new(Vec::new());
    pool.install(|| {
        expected.par_iter().enumerate().for_each(|(at, expected)| {
            let row = table.row(expected.name.key);
            match part::verify(run, *expected, row, &readers, watch) {
                Ok(()) => {
                    let total = match expected.name.kind {
                        Kind::States => &states,
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
    findings.extend(wrong.into_iter().map(|(_, error)| error));
    Ok(Report {
        findings,
        remarks,
        files: expected.len() as u64,
        states: states.into_inner(),
        afterstates: afterstates.into_inner(),
        bytes: expected.iter().map(|expected| expected.sealed.bytes).sum(),
    })
}

/// Check that the manifest's numbers obey the laws, that it says rightly whether the run is
/// complete, and that it names exactly the afterstates that a count needs to go on.
fn check_manifest(run: &Run) -> Result<()> {
    let table = run.table();
    let ended = Laws::new(run.game(), run.sealed_sum()).table(&table)?;
    let mismatch = |what: String| {
        let path = run.dir().to_owned();
        Err(Error::Mismatch { path, what })
    };
    if ended != run.complete() {
        let says = if run.complete() { "ends" } else { "goes on" };
        return mismatch(format!(
            "it says that the game {says} after its last layer, but its counts say otherwise"
        ));
    }
    if !names_needed_afterstates(run, &table) {
        return mismatch(
            "it does not name exactly the afterstates that a count needs to go on".to_owned(),
        );
    }
    Ok(())
}

/// A game that goes on needs the afterstates of its last two layers; a complete one needs none.
fn names_needed_afterstates(run: &Run, table: &Table) -> bool {
    let needed = table
        .rows()
        .iter()
        .filter(|row| !run.complete() && row.sum + 2 >= run.sealed_sum() && row.afterstates > 0);
    let needed = needed.map(|row| (row.key(), row.afterstates));
    let afterstates = run
        .expected()
        .filter(|expected| expected.name.kind == Kind::Afterstates);
    needed.eq(afterstates.map(|file| (Some(file.name.key), file.sealed.states)))
}
