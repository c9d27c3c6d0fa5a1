//! A run tests a share of an exhaustive test's cases. Each commit tests another share.
//!
//! `ENUM48_TESTS=all` tests all cases. A failed test prints its seed, and `ENUM48_TESTS=SEED`
//! repeats its share.

use std::collections::BTreeSet;
use std::{env, fs};

use fastrand::Rng;

/// One of this many neighbouring cases is tested.
const NEIGHBOURS: usize = 16;

/// One random case out of every [`NEIGHBOURS`], by the seed of this run, or all cases.
pub(crate) fn share<T>(cases: impl IntoIterator<Item = T>) -> Vec<T> {
    let cases: Vec<T> = cases.into_iter().collect();
    if exhaustive() {
        return cases;
    }
    let seed = seed();
    // The test harness shows the line if the test fails.
    println!(
        "ENUM48_TESTS={seed} repeats this share of {} cases",
        cases.len()
    );
    let mut random = Rng::with_seed(crc32fast::hash(seed.as_bytes()).into());
    let drawn: BTreeSet<usize> = (0..cases.len())
        .step_by(NEIGHBOURS)
        .map(|first| random.usize(first..cases.len().min(first + NEIGHBOURS)))
        .collect();
    let numbered = cases.into_iter().enumerate();
    numbered
        .filter_map(|(at, case)| drawn.contains(&at).then_some(case))
        .collect()
}

/// Whether all cases are tested.
pub(crate) fn exhaustive() -> bool {
    seed() == "all"
}

/// The environment variable, else the commit, else the version if there is no repository.
fn seed() -> String {
    env::var("ENUM48_TESTS")
        .ok()
        .or_else(commit)
        .unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned())
}

/// The commit that is checked out. A file has it, because some test binaries must not start
/// processes such as `git`.
fn commit() -> Option<String> {
    let log = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.git/logs/HEAD")).ok()?;
    let (_, latest) = log.lines().last()?.split_once(' ')?;
    latest.split(' ').next().map(str::to_owned)
}
