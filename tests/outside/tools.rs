//! Tests with tools beside the program: other programs read its output, a driver starts it, and a
//! shell mounts its directories.
//!
//! A system may lack a tool. Each module says what its tests need. A test that lacks something is
//! skipped, counts as ignored, and is named in the last lines.

#[path = "../support/command.rs"]
mod command;
#[path = "../support/fed.rs"]
mod fed;
#[path = "../support/files.rs"]
mod files;
#[path = "../support/json.rs"]
mod json;
#[macro_use]
#[path = "../support/needs.rs"]
mod needs;
#[path = "../support/read.rs"]
mod read;
#[path = "../support/examples.rs"]
mod readme;
#[path = "../support/share.rs"]
mod share;

mod browser;
mod container;
#[cfg(feature = "parquet")]
mod dataset;
mod driver;
mod examples;
mod graph;
mod mounted;
mod part_files;
mod player;
mod plots;
#[cfg(feature = "parquet")]
mod reading;
mod release;
mod replay;
mod results;
mod script;
mod scripts;
mod shells;
mod solved;
#[cfg(feature = "parquet")]
mod states;
mod values;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let tests = [
        container::tests(),
        #[cfg(feature = "parquet")]
        dataset::tests(),
        driver::tests(),
        examples::tests(),
        graph::tests(),
        mounted::tests(),
        part_files::tests(),
        player::tests(),
        plots::tests(),
        #[cfg(feature = "parquet")]
        reading::tests(),
        release::tests(),
        replay::tests(),
        results::tests(),
        scripts::tests(),
        shells::tests(),
        solved::tests(),
        #[cfg(feature = "parquet")]
        states::tests(),
        values::tests(),
    ];
    let tests = tests.into_iter().flatten().collect();
    let clusters = ("clusters", "`cargo test --locked --test cluster` runs them");
    needs::run(&Arguments::from_args(), tests, &[clusters])
}
