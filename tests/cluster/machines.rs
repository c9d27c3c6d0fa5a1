//! Counts on a real network file system, and under a real Slurm.
//!
//! `nfs.sh` and `slurm.sh` make the machines; the tests compare the files with local runs. Both need
//! root rights, namespaces, and packages of Debian that not every system has.

#![expect(clippy::disallowed_methods, reason = "the test writes batch scripts")]

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command::{PROGRAM, good, place, stderr};
use crate::files::files;
use crate::needs::Need::{self, Right};

tests! {
    &[
        Right("which linux.uml mkfs.ext4 modprobe rpc.nfsd mount.nfs4"),
        NO_TILES,
        APART,
    ] => [two_machines_share_a_network_file_system],
    &[
        Right("which slurmctld slurmd sbatch munged hostname"),
        Right("${RAY_PYTHON:-python3} -c 'import ray'"),
        APART,
    ] => [the_batch_scripts_of_the_page_resume_under_slurm],
}

/// The system grants namespaces.
const APART: Need =
    Right("unshare --net --uts --mount --pid --fork --kill-child --mount-proc ip link set lo up");

/// User-mode Linux 6.1 stops at once where the registers of AMX make the state of a thread larger than it expects:
/// "ptrace set fp regs failed, errno = 14".
const NO_TILES: Need = Right("! grep -qsw amx_tile /proc/cpuinfo");

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cluster");
const DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/enum48_ray.py");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/results/cluster.md");

/// Runs a script of this folder in namespaces of its own, which end with it.
fn apart(script: &str, args: &[&Path]) {
    let output = Command::new("unshare")
        .args(["--net", "--uts", "--mount", "--pid", "--fork"])
        .args(["--kill-child", "--mount-proc", "bash"])
        .arg(format!("{FOLDER}/{script}"))
        .args(args)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", stderr(&output));
}

fn two_machines_share_a_network_file_system() {
    // The machines have a /dev/shm of their own.
    let (here, there) = (place(), tempfile::tempdir().unwrap());
    apart("nfs.sh", &[PROGRAM.as_ref(), there.path()]);
    for (name, game) in [
        ("killed", "--size 3 --max 256 --keep both"),
        ("lists", "--size 4 --max 16 --until 34"),
        ("sweeps", "--size 4 --max 8 --keep last"),
    ] {
        good(&here, &format!("{game} --dir {name} --quiet"));
        assert!(files(&here.path().join(name)) == files(&there.path().join(name)));
    }
}

/// The batch scripts of the page, for one machine and for several.
fn scripts() -> [String; 2] {
    let page = fs::read_to_string(PAGE).unwrap();
    let mut scripts = page.split("\n\n    #!/bin/bash\n").skip(1).map(|rest| {
        let indented = |line: &&str| line.is_empty() || line.starts_with("    ");
        let lines = rest.lines().take_while(indented);
        let text: Vec<&str> = lines
            .map(|line| line.get(4..).unwrap_or_default())
            .collect();
        format!("#!/bin/bash\n{}\n", text.join("\n"))
    });
    let found = [scripts.next().unwrap(), scripts.next().unwrap()];
    assert!(scripts.next().is_none());
    found
}

fn the_batch_scripts_of_the_page_resume_under_slurm() {
    let (here, there, batch) = (place(), place(), place());
    let python = std::env::var("RAY_PYTHON").unwrap_or("python3".to_owned());
    let ray = Path::new(&python).with_file_name("activate");
    // The page's words for a small game on small nodes.
    let one = "--size 4 --max 16 --until 76 --keep last";
    let many = "--size 4 --max 16 --until 60 --keep last";
    let activate = format!(
        "source {}\nray get-auth-token --generate >/dev/null",
        ray.display()
    );
    let changes = [
        ("source ~/enum48-ray/bin/activate", activate.as_str()),
        ("~/enum48/scripts/enum48_ray.py", DRIVER),
        ("--nodes=16", "--nodes=2"),
        ("--cpus-per-task=32", "--cpus-per-task=2"),
        ("--mem=120G", "--mem=1G"),
        (
            "--task-threads 31 --task-memory 104G",
            "--task-memory 64M --task 700",
        ),
    ];
    let mut paths = Vec::new();
    for (mut text, (name, game)) in scripts().into_iter().zip([("one", one), ("many", many)]) {
        text = text.replace("/lustre/enum48/4x4-256", &format!("shared/{name}"));
        text = text.replace("--size 4 --max 256 --keep last", game);
        for (from, to) in changes {
            text = text.replace(from, to);
        }
        assert!(!text.contains("256") && !text.contains('~'), "{text}");
        let path = batch.path().join(name);
        fs::write(&path, &text).unwrap();
        paths.push(path);
    }
    apart(
        "slurm.sh",
        &[PROGRAM.as_ref(), &paths[0], &paths[1], there.path()],
    );
    for (name, game) in [("one", one), ("cancelled", one), ("many", many)] {
        good(&here, &format!("{game} --dir {name} --quiet"));
        assert!(files(&here.path().join(name)) == files(&there.path().join(name)));
    }
}
