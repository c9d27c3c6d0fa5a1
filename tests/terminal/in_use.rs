//! A directory that another process uses until that process is killed.

use std::io::Read;
use std::process::{Command, Stdio};

use portable_pty::{CommandBuilder, native_pty_system};

use super::typed::window;
use crate::command::PROGRAM;

#[test]
fn a_count_waits_for_a_killed_count_and_says_so() {
    let place = tempfile::tempdir().unwrap();
    let mut first = Command::new(PROGRAM)
        .args("--size 4 --max 64 --memory 64M --dir run --quiet".split(' '))
        .current_dir(&place)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The manifest appears after the directory is locked.
    while !place.path().join("run/manifest.json").exists() {
        std::thread::yield_now();
    }
    let pty = native_pty_system().openpty(window(100, 30)).unwrap();
    let mut command = CommandBuilder::new(PROGRAM);
    command.args("--size 4 --max 64 --until 4 --memory 64M --dir run --quiet".split(' '));
    command.cwd(place.path());
    let mut second = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut output = pty.master.try_clone_reader().unwrap();
    let (mut said, mut chunk) = (String::new(), [0; 4096]);
    while let Ok(length @ 1..) = output.read(&mut chunk) {
        said += std::str::from_utf8(&chunk[..length]).unwrap();
        if said.contains("waiting for run, which another process uses") {
            first.kill().unwrap();
        }
    }
    assert_eq!(second.wait().unwrap().exit_code(), 0, "{said}");
    assert!(said.contains("waiting for run"), "{said}");
    assert!(said.contains("states of 4x4 to 64"), "{said}");
    first.wait().unwrap();
}
