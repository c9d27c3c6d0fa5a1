//! What the program refuses, and what it finds wrong.

use tempfile::TempDir;

use crate::command::{run, stderr, stdout};

/// Run, expect exit code 2, nothing on stdout and one line on stderr that contains `text`.
pub(crate) fn refused(place: &TempDir, args: &str, text: &str) {
    let output = run(place, args);
    assert_eq!(output.status.code(), Some(2), "{args}: {}", stderr(&output));
    assert_eq!(stdout(&output), "", "{args}");
    let last = stderr(&output).lines().last().unwrap_or_default();
    assert!(
        last.starts_with("enum48: ") && last.contains(text),
        "{args}: {}",
        stderr(&output)
    );
}

/// Run, expect exit code 1 and `text` on stdout or stderr.
pub(crate) fn disagrees(place: &TempDir, args: &str, text: &str) {
    let output = run(place, args);
    let said = format!("{}{}", stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(1), "{args}: {said}");
    assert!(said.contains(text), "{args}: {said}");
}
