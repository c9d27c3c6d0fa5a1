//! Counts on real clusters make the files that one machine makes: on a network file system, under
//! Slurm, and on Ray, even if machines vanish and processes are killed.
//!
//! Each test takes a minute, in which it mostly waits. So all of them run at once, and only if asked
//! for: `cargo test --locked --test cluster`. A test that lacks something is skipped, counts as
//! ignored, and is named in the last lines.

#[path = "../support/command.rs"]
mod command;
#[path = "../support/files.rs"]
mod files;
#[expect(dead_code, reason = "the other tests need programs and packages")]
#[macro_use]
#[path = "../support/needs.rs"]
mod needs;
#[path = "../support/share.rs"]
mod share;

mod machines;
mod raylets;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let mut args = Arguments::from_args();
    let tests: Vec<_> = [machines::tests(), raylets::tests()]
        .into_iter()
        .flatten()
        .collect();
    args.test_threads.get_or_insert(tests.len());
    needs::run(&args, tests, &[])
}
