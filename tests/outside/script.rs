//! Scripts of Python and of the shell.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Runs Python with `args`.
pub(crate) fn python(args: &[&str]) -> Output {
    Command::new("python3").args(args).output().unwrap()
}

/// Writes a script of the shell, to be started in place of a program.
#[expect(clippy::disallowed_methods, reason = "a test writes a program")]
pub(crate) fn write_program(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}")).unwrap();
    fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}
