//! Signals, and the files that an interrupted command leaves.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{PROGRAM, good, place};
use crate::files::files;
use crate::share::share;
use crate::tries::in_time;

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

/// Waits until the program logs a counted layer; returns the lines that follow.
fn until_it_counts(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let said = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut lines = said.map_while(Result::ok);
    assert!(lines.any(|line| line.contains(" sum=")));
    lines
}

fn send(signal: &str, child: &Child) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", signal, &pid]).status();
    assert!(sent.unwrap().success());
}

/// Sends a signal to a command that has begun a file in `place`. Returns nothing if the command ended
/// first, with success.
fn interrupt(signal: &str, place: &TempDir, mut child: Child) -> Option<ExitStatus> {
    let mut ended = None;
    while names(place.path()).is_empty() && ended.is_none() {
        ended = child.try_wait().unwrap();
    }
    if ended.is_none() {
        send(signal, &child);
    }
    let status = child.wait().unwrap();
    (!status.success()).then_some(status)
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}

/// A check that takes minutes. Each game has a temporary directory.
const CHECK: &str = "check --long --memory 64M";

#[test]
fn an_interrupted_check_ends_by_the_signal_without_files() {
    for (signal, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
        let place = place();
        let mut child = start(&place, CHECK);
        let _said = until_it_counts(&mut child);
        let status = interrupt(signal, &place, child).unwrap();
        assert_eq!(status.signal(), Some(number), "{signal}: {status}");
        assert_eq!(names(place.path()), [""; 0], "{signal}");
    }
}

/// A count that takes seconds, and the sum of its last layer.
const BITS: &str = "--size 4 --max 16 --until 44 --engine bits --threads 2 --memory 1G --dir run";
const LAST: u64 = 44;

/// The sum of the last sealed layer.
fn sealed(place: &TempDir) -> u64 {
    let manifest = fs::read(place.path().join("run/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    manifest["sealed_sum"].as_u64().unwrap()
}

#[test]
fn a_stopped_count_of_bits_names_the_kept_layers_and_resumes() {
    let undisturbed = place();
    good(&undisturbed, &format!("{BITS} --quiet"));
    for (signal, number) in share([("HUP", 1), ("INT", 2), ("TERM", 15)]) {
        let (place, said, status) = in_time(|| {
            let place = place();
            let mut child = start(&place, BITS);
            let said = until_it_counts(&mut child);
            send(signal, &child);
            let said: Vec<String> = said.collect();
            let status = child.wait().unwrap();
            // On a busy machine, the signal may come after the last layer.
            (sealed(&place) < LAST).then_some((place, said, status))
        });
        let awaited =
            "enum48: stopping: the layer under way is dropped, and the finished layers are written";
        assert!(
            said.iter().any(|line| line.starts_with(awaited)),
            "{said:?}"
        );
        let last = said.last().unwrap();
        assert_eq!(status.signal(), Some(number), "{last}");
        let sum = sealed(&place);
        let next = sum + 2;
        assert_eq!(
            *last,
            format!(
                "enum48: stopped: layers up to sum {sum} are kept; the same command resumes at sum {next}"
            )
        );
        assert!(sum >= 4);
        let run = names(&place.path().join("run"));
        assert!(!run.iter().any(|name| name.ends_with(".tmp")), "{run:?}");
        good(&place, &format!("{BITS} --quiet"));
        let [found, expected] =
            [&place, &undisturbed].map(|place| files(&place.path().join("run")));
        assert!(found == expected, "{signal}");
    }
}

/// A count that takes minutes.
const LISTS: &str = "--size 4 --max 64 --engine lists --memory 64M --dir run";

#[test]
fn a_second_signal_ends_a_count_at_once() {
    let said = in_time(|| {
        let place = place();
        let mut child = start(&place, LISTS);
        let said = until_it_counts(&mut child);
        // A process that continues gets its signals at the same time, usually SIGHUP first.
        let signals = ["STOP", "HUP", "TERM", "CONT"];
        signals.iter().for_each(|signal| send(signal, &child));
        let said: Vec<String> = said.collect();
        // SIGHUP ends it if SIGTERM came first, or so late that the count was over.
        let number = child.wait().unwrap().signal();
        assert!(matches!(number, Some(1 | 15)), "{number:?}: {said:?}");
        (number == Some(15)).then_some(said)
    });
    let is_last = |line: &String| line.starts_with("enum48: stopped: ");
    assert!(said.iter().any(is_last), "{said:?}");
}

/// Readers of matrices list layers in temporary directories, which once stayed. A directory is there
/// until its layer is listed.
#[test]
fn an_interrupted_reader_of_matrices_leaves_no_file() {
    let run = place();
    let count = "--size 4 --max 8 --keep matrices --quiet --dir run";
    good(&run, count);
    let states = format!("states {}", run.path().join("run").display());
    for (signal, number) in [("HUP", 1), ("INT", 2), ("TERM", 15)] {
        let (place, status) = in_time(|| {
            let place = place();
            let status = interrupt(signal, &place, start(&place, &states))?;
            Some((place, status))
        });
        assert_eq!(status.signal(), Some(number), "{signal}: {status}");
        assert_eq!(names(place.path()), [""; 0], "{signal}");
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let place = place();
    let script = format!("trap '' HUP; exec {PROGRAM} {CHECK}");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .env("TMPDIR", place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _said = until_it_counts(&mut child);
    send("HUP", &child);
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(names(place.path()), [""; 0]);
}

#[test]
fn an_interrupted_export_leaves_no_file() {
    let run = place();
    good(&run, "--size 3 --max 128 --quiet --dir run");
    let dir = run.path().join("run");
    let states = format!("states {} --format grid -o file", dir.display());
    let (place, status) = in_time(|| {
        let place = place();
        let status = interrupt("TERM", &place, start(&place, &states))?;
        Some((place, status))
    });
    assert_eq!(status.signal(), Some(15), "{status}");
    assert_eq!(names(place.path()), [""; 0]);
}
