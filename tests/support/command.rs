//! Runs the program as a command.

use std::process::{Command, Output};

use tempfile::TempDir;

use crate::files::in_memory;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_enum48");

/// Runs the program in `place`, with arguments split at spaces.
pub(crate) fn run(place: &TempDir, args: &str) -> Output {
    Command::new(PROGRAM)
        .args(args.split_whitespace())
        .current_dir(place)
        .output()
        .unwrap()
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Runs the program, expects success, and returns stdout.
pub(crate) fn good(place: &TempDir, args: &str) -> String {
    let output = run(place, args);
    assert_eq!(output.status.code(), Some(0), "{args}: {}", stderr(&output));
    stdout(&output).to_owned()
}

pub(crate) fn place() -> TempDir {
    in_memory()
}
