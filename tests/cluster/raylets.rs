//! A cluster of two machines by Ray: lost machines, killed drivers, aborted tasks, wrong tokens.
//!
//! It needs `unshare` and `ip`, of Linux, and root for them; and Ray (`scripts/requirements-ray.txt`) in the
//! Python that the environment variable `RAY_PYTHON` names, or else in `python3`. What happens is in
//! `raylets.py`.

use std::env;
use std::process::Command;

use crate::command::{PROGRAM, good, place, stderr};
use crate::files::files;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cluster/raylets.py");
const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/enum48_ray.py");
const GAME: &str = "--size 4 --max 16 --segment 131072";

/// A program with a network and processes of its own, which all end with it.
fn apart(program: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command.arg(program);
    command
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_cluster_that_loses_a_machine_its_driver_and_tasks_makes_the_files_of_one_machine() {
    let python = env::var("RAY_PYTHON").unwrap_or("python3".to_owned());
    if !succeeds(Command::new(&python).args(["-c", "import ray"])) {
        // Not everybody who tests can install it.
        println!("skipped: Ray is missing in {python}");
        return;
    }
    if !succeeds(apart("ip").args(["link", "set", "lo", "up"])) {
        println!("skipped: unshare, ip, or the right to make namespaces is missing");
        return;
    }
    let (one, many) = (place(), place());
    good(&one, &format!("{GAME} --dir run --quiet"));
    let output = apart(&python)
        .args([SCRIPT, PROGRAM, DRIVER])
        .arg(many.path())
        .args(GAME.split(' '))
        .args(["--task", "500000"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(files(&many.path().join("run")) == files(&one.path().join("run")));
}
