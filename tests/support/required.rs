//! Programs and packages that tests need.

use std::process::{Command, Output};

/// Prints that the test is skipped. Fails if `CI` is set, because CI has all programs.
pub(crate) fn missing(what: &str) {
    assert!(std::env::var_os("CI").is_none(), "{what} is missing");
    println!("skipped: {what} is missing");
}

/// Runs Python with `args`. `None` if there is no Python.
pub(crate) fn python(args: &[&str]) -> Option<Output> {
    Command::new("python3").args(args).output().ok()
}

/// Whether Python has these packages.
pub(crate) fn can_import(packages: &[&str]) -> bool {
    // The packages are not imported, because some imports take a second.
    const FIND: &str = "import sys; from importlib.util import find_spec; \
                        sys.exit(not all(map(find_spec, sys.argv[1:])))";
    let found = python(&[&["-c", FIND], packages].concat());
    let found = found.is_some_and(|output| output.status.success());
    if !found {
        missing(&format!("python3, or a package of {}", packages.join(", ")));
    }
    found
}
