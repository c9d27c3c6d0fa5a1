//! Damaged and forged files. A reader either reports the damage or returns the written contents. It
//! never panics, and never needs more memory than a valid file can need.
//!
//! Each run has its own seed, which a failure prints.

#![expect(clippy::disallowed_methods, reason = "the tests damage files by hand")]

mod damage;
mod directory;
#[path = "../support/files.rs"]
mod files;
mod frame;
#[path = "../support/manifest.rs"]
mod manifest;
mod part;
#[path = "../support/share.rs"]
mod share;
mod values;

use std::alloc::System;
use std::collections::BTreeMap;
use std::time::Instant;

use cap::Cap;
use enum48::Error;
use fastrand::Rng;

/// Measures the peak of allocated memory, which shows a reader that trusts a forged length. If a
/// reader asks for more memory than the system has, the process ends and leaves its file.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Limit of the peak, shared by the tests that run at once. The largest block has 2^20 states, each
/// with 10 bytes of differences and 8 of state. A growing buffer briefly takes twice its size.
const MOST_MEMORY: usize = 128 << 20;

/// Prints the seed of a run that panics.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the run with seed {} failed", self.0);
        }
    }
}

/// Calls `run` once for each seed. Prints and returns the number of times each outcome came.
fn fuzz(
    name: &str,
    seeds: impl IntoIterator<Item = u64>,
    mut run: impl FnMut(&mut Rng) -> String,
) -> BTreeMap<String, u64> {
    let start = Instant::now();
    let mut outcomes = BTreeMap::new();
    for seed in seeds {
        let _seed = Seed(seed);
        let outcome = run(&mut Rng::with_seed(seed));
        *outcomes.entry(outcome).or_default() += 1;
        let most = ALLOCATOR.max_allocated();
        assert!(most < MOST_MEMORY, "{most} bytes were allocated");
    }
    let most = ALLOCATOR.max_allocated() >> 20;
    println!("{name}: {:.1?}, {most} MiB at most", start.elapsed());
    for (outcome, times) in &outcomes {
        println!("{times:>9}  {outcome}");
    }
    outcomes
}

/// The name of an error's variant, or `ok`.
fn kind<T>(result: &Result<T, Error>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(error) => {
            let text = format!("{error:?}");
            text.split([' ', '(']).next().unwrap().to_owned()
        }
    }
}
