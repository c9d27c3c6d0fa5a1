//! A Ray cluster of two machines: a pulled cable, killed drivers, aborted tasks, wrong tokens.
//!
//! The test needs Linux, `unshare` and `ip` with root rights, and Ray
//! (`scripts/requirements-ray.txt`). The environment variable `RAY_PYTHON` names the Python that
//! has Ray; the default is `python3`. `raylets.py` runs the cluster.

use std::env;
use std::process::Command;

use crate::command::{PROGRAM, good, place, stderr, stdout};
use crate::files::files;
use crate::share::share;

// Ray cannot be installed on every system.
tests! {
    &[
        Right("${RAY_PYTHON:-python3} -c 'import ray'"),
        Right("unshare --net --pid --fork --kill-child --mount-proc ip link set lo up"),
    ] => [a_ray_cluster_survives_vanished_machines_and_killed_drivers_and_tasks],
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cluster/raylets.py");
const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/enum48_ray.py");

/// Games with the number of candidates of a task, and a stage of their layers.
const GAMES: [(&str, &str, &str); 2] = [
    ("--size 4 --max 16", "500000", "reduce"),
    (
        "--size 4 --max 16 --keep matrices --until 72",
        "700",
        "sweep",
    ),
];

/// A program in its own network and process namespaces. Its processes end with it.
fn apart(program: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command.arg(program);
    command
}

fn a_ray_cluster_survives_vanished_machines_and_killed_drivers_and_tasks() {
    let python = env::var("RAY_PYTHON").unwrap_or("python3".to_owned());
    for (game, task, stage) in share(GAMES) {
        let (one, many) = (place(), place());
        good(&one, &format!("{game} --dir run --quiet"));
        let output = apart(&python)
            .args([SCRIPT, PROGRAM, DRIVER])
            .arg(many.path())
            .arg(stage)
            .args(game.split(' '))
            .args(["--task", task])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        print!("{}", stdout(&output));
        assert!(files(&many.path().join("run")) == files(&one.path().join("run")));
    }
}
