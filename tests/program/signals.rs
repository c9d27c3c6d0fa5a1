//! Signals, and the files that an interrupted command leaves.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::command::{PROGRAM, good, place};

/// Starts the program with default signal handlers, and with temporary files in `place`.
fn start(place: &TempDir, args: &str) -> Child {
    Command::new("env")
        .args(["--default-signal=HUP,INT,QUIT,TERM", PROGRAM])
        .args(args.split_whitespace())
        .current_dir(place)
        .env("TMPDIR", place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the program logs a counted layer.
fn until_it_counts(child: &mut Child) {
    let said = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    let mut lines = said.map_while(Result::ok);
    assert!(lines.any(|line| line.contains(" sum=")));
}

fn send(signal: &str, child: &Child) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", signal, &pid]).status();
    assert!(sent.unwrap().success());
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn an_interrupted_check_ends_by_the_signal_without_files() {
    for (signal, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
        let place = place();
        let mut child = start(&place, "check");
        until_it_counts(&mut child);
        assert_eq!(
            names(place.path()).len(),
            1,
            "it counts in a temporary directory"
        );
        send(signal, &child);
        let status = child.wait().unwrap();
        assert_eq!(status.signal(), Some(number), "{signal}: {status}");
        assert_eq!(names(place.path()), [""; 0], "{signal}");
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let place = place();
    let script = format!("trap '' HUP; exec {PROGRAM} check");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .env("TMPDIR", place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until_it_counts(&mut child);
    send("HUP", &child);
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(names(place.path()), [""; 0]);
}

#[test]
fn an_interrupted_export_leaves_no_file() {
    let place = place();
    good(&place, "--size 3 --max 128 --quiet --dir run");
    let mut child = start(&place, "states run --format grid -o file");
    while names(place.path()).len() < 2 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the export was too fast"
        );
    }
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(names(place.path()), ["run"]);
}
