//! Runs the program with input on stdin.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::command::PROGRAM;

pub(crate) fn fed(place: &TempDir, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(PROGRAM)
        .args(args)
        .current_dir(place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}
