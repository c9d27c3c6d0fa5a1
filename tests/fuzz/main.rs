//! Damaged and forged files: whatever its bytes, a reader says what is wrong with a file or reads
//! what was written, without a panic and without more memory than a file of its kind can need.
//!
//! `ENUM48_FUZZ_RUNS` sets the number of runs and `ENUM48_FUZZ_SEED` the first seed. A run's seed
//! is the first one plus its number, so the run that failed can be run again alone.

#![expect(clippy::disallowed_methods, reason = "the tests damage files by hand")]

mod damage;
mod directory;
mod frame;
#[path = "../support/manifest.rs"]
mod manifest;
#[path = "../support/memory.rs"]
mod memory;
mod part;
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

/// Says how to repeat a run that panics.
struct Repeat(u64);

impl Drop for Repeat {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("to repeat: ENUM48_FUZZ_RUNS=1 ENUM48_FUZZ_SEED={}", self.0);
        }
    }
}

/// Do `run` for as many seeds as were asked for, and say how often each thing that it returned
/// came. Unless asked otherwise, there are `runs` of them.
fn fuzz(name: &str, runs: u64, mut run: impl FnMut(&mut Rng) -> String) -> BTreeMap<String, u64> {
    let asked = |name| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let runs = asked("ENUM48_FUZZ_RUNS").unwrap_or(runs);
    let first: u64 = asked("ENUM48_FUZZ_SEED").unwrap_or(2048);
    println!("{name}: {runs} runs from seed {first}");
    let start = Instant::now();
    let mut outcomes = BTreeMap::new();
    for number in 0..runs {
        let seed = first.wrapping_add(number);
        let _repeat = Repeat(seed);
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
