//! The program, run as a user runs it, and the directories that it leaves.

#![allow(dead_code, reason = "each test binary uses some of these")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_enum48");

/// Run in `place`, on arguments split at spaces.
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

/// Run, expect success, return stdout.
pub(crate) fn good(place: &TempDir, args: &str) -> String {
    let output = run(place, args);
    assert_eq!(output.status.code(), Some(0), "{args}: {}", stderr(&output));
    stdout(&output).to_owned()
}

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

pub(crate) fn place() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Names and bytes of all files of a directory.
pub(crate) fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read(entry.path()).unwrap(),
            )
        })
        .collect()
}

/// Write a manifest with the checksum that fits, whatever its numbers say.
#[allow(clippy::disallowed_methods, reason = "a manifest is forged on purpose")]
pub(crate) fn seal_manifest(path: &Path, text: &str) {
    let (fields, _) = text.split_once("\"crc32\"").unwrap();
    // The checksum is that of the other fields, in their order and without white space.
    let lines = fields
        .lines()
        .map(|line| line.trim().replace("\": ", "\":"));
    let compact = format!("{}}}", lines.collect::<String>().trim_end_matches(','));
    let crc32 = crc32fast::hash(compact.as_bytes());
    fs::write(path, format!("{fields}\"crc32\": \"{crc32:08x}\"\n}}\n")).unwrap();
}

/// Run Python on `args`; `None` if there is no Python.
pub(crate) fn python(args: &[&str]) -> Option<Output> {
    Command::new("python3").args(args).output().ok()
}

/// Whether Python can import these packages; where it should be able to, it must.
pub(crate) fn can_import(packages: &[&str]) -> bool {
    let import = format!("import {}", packages.join(", "));
    let found = python(&["-c", &import]).is_some_and(|output| output.status.success());
    if !found {
        let reason = format!(
            "python3, or a package of {}, is missing",
            packages.join(", ")
        );
        assert!(std::env::var_os("CI").is_none(), "{reason}");
        println!("skipped: {reason}");
    }
    found
}
