//! A directory that another process uses until that process is killed.

use std::process::{Command, Stdio};

use super::shown::Shown;
use crate::command::{PROGRAM, place};
use crate::tries::in_time;

#[test]
fn a_count_waits_for_a_killed_count_and_says_so() {
    let left = in_time(wait_for_a_killed_count);
    assert!(left.contains("states of 4x4 to 64"), "{left}");
}

/// The terminal of a count that waited for another one, which was killed. Returns nothing if the count
/// lost patience before the other one had ended.
fn wait_for_a_killed_count() -> Option<String> {
    let place = place();
    let count = "--size 4 --max 64 --memory 64M --dir run --quiet";
    let mut first = Command::new(PROGRAM)
        .args(count.split(' '))
        .current_dir(&place)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The manifest appears after the directory is locked.
    while !place.path().join("run/manifest.json").exists() {
        assert!(first.try_wait().unwrap().is_none(), "the count ended");
        std::thread::yield_now();
    }
    let mut second = Shown::start(place.path(), &format!("{count} --until 4"));
    second.until_written("waiting for run, which another process uses");
    first.kill().unwrap();
    first.wait().unwrap();
    let refused = second.until("ended with").contains("in use by another");
    (!refused).then(|| second.end(0))
}
