//! The programs that the tests need.

use std::process::{Command, Output};

/// Say that the test is skipped; where `CI` is set, nothing may be missing.
pub(crate) fn missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what} is missing");
    println!("skipped: {what} is missing");
}

/// Run Python on `args`; `None` if there is no Python.
pub(crate) fn python(args: &[&str]) -> Option<Output> {
    Command::new("python3").args(args).output().ok()
}

/// Whether Python has these packages.
pub(crate) fn can_import(packages: &[&str]) -> bool {
    // To import some of them takes a second.
    const FIND: &str = "import sys; from importlib.util import find_spec; \
                        sys.exit(not all(map(find_spec, sys.argv[1:])))";
    let found = python(&[&["-c", FIND], packages].concat());
    let found = found.is_some_and(|output| output.status.success());
    if !found {
        missing(&format!("python3, or a package of {}", packages.join(", ")));
    }
    found
}
