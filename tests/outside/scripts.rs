//! Every script that fails ends with one line and exit code 2.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use super::player::WON;
use crate::command::{place, stderr, stdout};
use crate::required::{can_import, python};

const CHECKOUT: &str = env!("CARGO_MANIFEST_DIR");
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts");

/// Modules that scripts share.
const SHARED: [&str; 3] = ["failure.py", "page.py", "picture.py"];

/// Without packages, each script lacks a package or gets an argument that names nothing.
#[test]
fn a_missing_package_and_a_bad_argument_are_told_in_one_line() {
    if !can_import(&["sys"]) {
        return;
    }
    let (place, mut tried) = (place(), 0);
    for entry in fs::read_dir(SCRIPTS).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.ends_with(".py") || SHARED.contains(&name) {
            continue;
        }
        // A code that is false is an answer.
        let (code, lines) = match name {
            "replay_code.py" => (1, 0),
            _ => (2, 1),
        };
        let output = Command::new("python3")
            .args(["-B", "-S", path.to_str().unwrap(), "nowhere\u{1b}[2J\n"])
            .current_dir(place.path())
            .output()
            .unwrap();
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{name}: {told}");
        assert_eq!(told.lines().count(), lines, "{name}: {told}");
        assert!(
            told.is_empty() || told.starts_with(&format!("{name}: ")),
            "{told}"
        );
        assert!(!told.contains('\u{1b}'), "{told}");
        assert_ne!(stdout(&output).is_empty(), told.is_empty(), "{name}");
        tried += 1;
    }
    assert!(tried > 15, "{tried}");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_reader_without_a_file_tells_of_wrong_arguments() {
    if !can_import(&["numpy", "zstandard"]) {
        return;
    }
    for name in [
        "read_matrices.py",
        "read_part.py",
        "read_part_fast.py",
        "read_values.py",
    ] {
        let path = format!("{SCRIPTS}/{name}");
        let output = python(&["-B", &path]).unwrap();
        let told = format!("{name}: wrong arguments: see the first lines of {path}\n");
        assert_eq!(stderr(&output), told);
        assert_eq!(output.status.code(), Some(2));
    }
}

/// Runs a script by a relative path, while the directories of `CDPATH` could mislead `cd`.
fn bash(script: &str, args: &[&str]) -> Output {
    Command::new("bash")
        .arg(format!("scripts/{script}"))
        .args(args)
        .current_dir(CHECKOUT)
        .env("CDPATH", ".")
        .output()
        .unwrap()
}

#[test]
fn options_without_a_value_are_told_in_one_line() {
    for (script, options) in [
        ("bench.sh", &["--threads", "--dir"][..]),
        ("compression.sh", &["-o"]),
        ("kill-resume.sh", &["--dir", "--keep"]),
        ("reproduce.sh", &["--dir", "--out"]),
        ("solve.sh", &["--dir", "--out"]),
    ] {
        for option in options {
            for args in [&[*option][..], &[*option, ""]] {
                let output = bash(script, args);
                let told = stderr(&output);
                assert_eq!(output.status.code(), Some(2), "{script} {args:?}: {told}");
                let start = format!("{script}: {option}: which ");
                assert!(told.starts_with(&start), "{told}");
                assert_eq!(told.lines().count(), 1, "{told}");
            }
        }
    }
}

#[test]
fn a_script_finds_its_checkout_if_cdpath_is_set() {
    if !can_import(&["sys"]) {
        return;
    }
    let place = place();
    let out = place.path().join("out");
    // The first game is in the checkout, the second is not.
    let output = bash("dataset.sh", &[out.to_str().unwrap(), "2x2", "5x5"]);
    assert_eq!(
        stderr(&output),
        "dataset.sh: 5x5: not a game of results/solved/: name one, such as 3x3-512\n"
    );
}

/// `replay_code.py`, which answers each line of stdin. SIGINT interrupts it, even if tests run in the
/// background of a shell.
fn replays() -> Child {
    Command::new("env")
        .args(["--default-signal=INT", "python3", "-B", "-u"])
        .arg(format!("{SCRIPTS}/replay_code.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_closed_pipe_and_an_interrupt_are_told_in_one_line() {
    if !can_import(&["sys"]) {
        return;
    }
    for (interrupted, told) in [(true, "stopped"), (false, "stdout: closed by its reader")] {
        let mut script = replays();
        let mut codes = script.stdin.take().unwrap();
        let mut answers = BufReader::new(script.stdout.take().unwrap());
        writeln!(codes, "{WON}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert!(answer.contains(" / "), "{answer}");
        if interrupted {
            let pid = script.id().to_string();
            let sent = Command::new("kill").args(["-INT", &pid]).status().unwrap();
            assert!(sent.success());
        } else {
            drop(answers);
            writeln!(codes, "{WON}").unwrap();
        }
        let output = script.wait_with_output().unwrap();
        assert_eq!(stderr(&output), format!("replay_code.py: {told}\n"));
        assert_eq!(output.status.code(), Some(2));
    }
}
