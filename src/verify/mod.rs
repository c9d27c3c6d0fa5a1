//! Reading a run again: is every file what it was written as, and every state what it should be?
//!
//! Three questions are kept apart. Whether a count can go on is answered when its directory is opened
//! (`store`), in no time. Whether the numbers are right is for `check`, which knows others' numbers.
//! *Verify* answers whether the bytes still are the run that the manifest describes, by reading all of
//! them:
//!
//! - the manifest against itself and the laws (`laws`), `layers.csv` against the manifest, the
//!   files' names against both;
//! - of each file: header, index, footer, the checksum of each block, strict order, counts, bytes,
//!   fingerprint;
//! - of each state: that it is canonical, live, of its part's sum and largest tile, within the bounds
//!   on large tiles; of each afterstate the same, but that it has an empty cell.
//!
//! Key idea: it goes on after what it finds, so that one run names all that is wrong. [`deep`] goes
//! further: it makes every layer anew from those before it, in another way than the engine's.

pub mod deep;
mod part;
mod plain;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::laws::Laws;
use crate::run::Kind;
use crate::store::Archive;
use part::Reader;

/// What was found.
#[derive(Debug, Default)]
pub struct Report {
    /// What is wrong, each with its file, place, kind, and what to do.
    pub findings: Vec<Error>,
    /// What is unusual, but does no harm.
    pub remarks: Vec<String>,
    /// Part files read.
    pub files: u64,
    /// Live states read.
    pub states: u64,
    /// Afterstates read.
    pub afterstates: u64,
    /// Bytes of the files read.
    pub bytes: u64,
}

/// Somebody who is told how many states more were read. Calls come from many threads.
pub type Watch<'a> = &'a (dyn Fn(u64) + Sync);

/// Read all of a run again, on the threads of `pool`. Takes about 1 MiB of memory a thread.
///
/// # Errors
///
/// Only what keeps it from looking at all; what is wrong with the run is in the report.
pub fn verify(archive: &Archive, pool: &ThreadPool, watch: Watch) -> Result<Report> {
    let (mut findings, remarks) = archive.surroundings()?;
    findings.extend(obeys(archive).err());

    let table = archive.table();
    let expected: Vec<_> = archive.expected().collect();
    let readers = Reader::for_each_thread(pool, archive)?;
    let (states, afterstates) = (AtomicU64::new(0), AtomicU64::new(0));
    let wrong = Mutex::new(Vec::new());
    pool.install(|| {
        expected.par_iter().enumerate().for_each(|(at, expected)| {
            let row = part::row_of(&table, expected.name);
            match part::verify(archive, *expected, row, &readers, watch) {
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

/// See that the manifest's numbers obey the laws, that it is complete if it says so, and that it names
/// the afterstates that going on needs, and no others.
fn obeys(archive: &Archive) -> Result<()> {
    let table = archive.table();
    let ended = Laws::new(archive.game(), archive.sealed_sum()).table(&table)?;
    let mismatch = |what: String| {
        let path = archive.dir().to_owned();
        Err(Error::Mismatch { path, what })
    };
    if ended != archive.complete() {
        let says = if archive.complete() {
            "ends"
        } else {
            "goes on"
        };
        return mismatch(format!(
            "it says that the game {says} after its last layer, its counts do not"
        ));
    }
    let needed = table.rows().iter().filter(|row| {
        let last = archive.sealed_sum();
        !ended && row.sum + 2 >= last && row.afterstates > 0
    });
    let needed = needed.map(|row| (row.sum, row.max_tile, row.afterstates));
    let afterstates = archive
        .expected()
        .filter(|expected| expected.name.kind == Kind::Afterstates);
    let named = afterstates.map(|file| (file.name.sum, file.name.max, file.sealed.states));
    if !needed.eq(named) {
        return mismatch("it does not name the afterstates that going on needs".to_owned());
    }
    Ok(())
}
