//! Scripts of Python and of the shell.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs Python with `args`.
pub(crate) fn python(args: &[&str]) -> Output {
    Command::new("python3").args(args).output().unwrap()
}

/// Writes a script of the shell, to be started in place of a program. Another process writes it: a
/// child of a parallel test could hold a file of this process open, and then nobody can start it.
pub(crate) fn write_program(path: &Path, text: &str) {
    let mut writing = Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = writing.stdin.take().unwrap();
    write!(stdin, "#!/bin/sh\n{text}").unwrap();
    drop(stdin);
    assert!(writing.wait().unwrap().success());
}
