//! Checks how a command ends.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::command::{PROGRAM, run, stderr, stdout};

/// Runs a command. Expects exit code 2, an empty stdout, and one line on stderr with `text`, in which
/// `...` stands for any text.
pub(crate) fn refused(place: &TempDir, args: &str, text: &str) {
    let output = run(place, args);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{args}: {said}");
    assert_eq!(stdout(&output), "", "{args}");
    assert!(
        said.starts_with("enum48: ") && said.lines().count() == 1,
        "{args}: {said}"
    );
    let has_all = text.split("...").all(|piece| said.contains(piece));
    assert!(has_all, "{args}: {said}");
}

/// Runs a command. Expects exit code 1, and `text` on stdout or stderr.
pub(crate) fn disagrees(place: &TempDir, args: &str, text: &str) {
    let output = run(place, args);
    let said = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(1), "{args}: {said}");
    assert!(said.contains(text), "{args}: {said}");
}

/// Runs a command whose stdout is a pipe without a reader. Expects success.
pub(crate) fn unread(place: &TempDir, args: &str) -> Output {
    unread_with(place, args, "", 0)
}

/// Runs a command on `input`, whose stdout is a pipe without a reader. Expects the exit code.
pub(crate) fn unread_with(place: &TempDir, args: &str, input: &str, code: i32) -> Output {
    let mut child = Command::new(PROGRAM)
        .args(args.split_whitespace())
        .current_dir(place)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    // Only some commands read their input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(code), "{args}: {said}");
    output
}
