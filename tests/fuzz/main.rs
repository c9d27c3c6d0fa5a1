//! Damaged and forged files: whatever its bytes, a reader says what is wrong with a file or reads
//! what was written, without a panic and without more memory than a file of its kind can need.
//!
//! Each run has a seed of its own, which a failure names.

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

/// Counts what is allocated; a reader that believes a forged length shows in the most there ever
/// was. If it asks for more than the system has, the process ends and leaves its file in the
/// directory.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The largest block that a file may claim takes 10 bytes of differences and 8 of state, 2^20
/// times, and a buffer that grows has twice its size for a moment. Some tests share this.
const MOST_MEMORY: usize = 128 << 20;

/// Names the seed of a run that panics.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the run with seed {} failed", self.0);
        }
    }
}

/// Do `run` once for each seed. Print and return the number of times that each outcome came.
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

/// The kind of an error, as its variant is called.
fn kind<T>(result: &Result<T, Error>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(error) => {
            let text = format!("{error:?}");
            text.split([' ', '(']).next().unwrap().to_owned()
        }
    }
}
