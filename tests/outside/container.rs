//! The program as process 1, as a container starts it. The kernel then takes no signal's default
//! action.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;

use tempfile::TempDir;

use crate::command::{PROGRAM, place};

tests! {
    &[Right(
        "env --default-signal=INT unshare --pid --fork --kill-child --mount-proc true"
    )] => [
        a_count_as_process_1_keeps_its_layers_and_exits,
        every_command_as_process_1_can_be_stopped,
    ],
}

const INT: i32 = 2;
const TERM: i32 = 15;

/// Starts a command as process 1 of a namespace, with an open stdin.
fn start(place: &TempDir, args: &str) -> Child {
    // A shell starts background jobs with SIGINT ignored, and the program then ignores it, too.
    Command::new("env")
        .args(["--default-signal=INT", "unshare", "--pid", "--fork"])
        .args(["--kill-child", "--mount-proc", PROGRAM])
        .args(args.split(' '))
        .current_dir(place)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The process of the program, once it listens to signals.
fn listening(child: &Child) -> u32 {
    let id = child.id();
    let program = until(|| {
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).ok()?;
        children.trim().parse().ok()
    });
    until(|| {
        let status = fs::read_to_string(format!("/proc/{program}/status")).unwrap();
        let caught = status
            .lines()
            .find_map(|line| line.strip_prefix("SigCgt:"))?;
        let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
        (caught >> (TERM - 1) & 1 == 1).then_some(())
    });
    program
}

fn send(signal: i32, process: u32) {
    let args = ["-s", &signal.to_string(), &process.to_string()];
    assert!(Command::new("kill").args(args).status().unwrap().success());
}

fn until<T>(found: impl Fn() -> Option<T>) -> T {
    loop {
        match found() {
            Some(found) => return found,
            None => thread::yield_now(),
        }
    }
}

fn a_count_as_process_1_keeps_its_layers_and_exits() {
    for signal in [TERM, INT] {
        let place = place();
        let mut child = start(&place, "--size 4 --max 64 --engine lists --dir run");
        let program = listening(&child);
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(said.any(|line| line.unwrap().contains(" sum=")));
        send(signal, program);
        let last = said.map(Result::unwrap).last().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(128 + signal), "{last}");
        assert!(last.contains("the same command resumes"), "{last}");
    }
}

fn every_command_as_process_1_can_be_stopped() {
    for args in [
        "replay -",
        "best - --size 2 --max 32 --for score",
        "check --long",
    ] {
        let place = place();
        let mut child = start(&place, args);
        // `wait` would close stdin, and a program that reads its end could end before the signal arrives.
        let _stdin = child.stdin.take();
        send(TERM, listening(&child));
        assert_eq!(child.wait().unwrap().code(), Some(128 + TERM), "{args}");
    }
}
