//! The program on a system that fails: at each operation on a file in turn, and killed at random.
//!
//! Whatever happens, it ends with an answer, and the same command then ends with the same files, byte
//! for byte. `tests/faults/shim.c`, preloaded, stands between the program and its files.

#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests make and move files by hand"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::Duration;

use rayon::prelude::*;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_enum48");

/// A game so small that all its operations can fail in turn.
const SMALL: &str = "--size 2 --max 32 --threads 1 --memory 32M";

const SIGKILL: i32 = 9;

/// Settings of the shim's clock, by which the store commits: after every layer, or at the end only.
/// Either way each run does the same operations.
const EACH_LAYER: &[(&str, &str)] = &[("FAULT_CLOCK", "2")];
const AT_THE_END: &[(&str, &str)] = &[("FAULT_CLOCK", "0")];

/// The shim, compiled once.
static SHIM: LazyLock<PathBuf> = LazyLock::new(|| {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/shim.c");
    // Under a name of its own first: other processes may be testing in the same place.
    let made = place.join(format!("shim-{}.so", process::id()));
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([made.as_os_str(), source.as_ref()])
        .output()
        .expect("these tests need a C compiler, called cc");
    assert!(
        compiled.status.success(),
        "cc: {}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let shim = place.join("shim.so");
    fs::rename(made, &shim).unwrap();
    shim
});

/// A place for one run and the log of its operations.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// In memory, where there is such a place: thousands of small runs, and nothing that the shim does
    /// depends on a disk.
    fn small() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self { dir: dir.unwrap() }
    }

    /// The run's directory, under a name without links, as the shim needs it.
    fn run(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("run")
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    /// The program on arguments split at spaces, as it is.
    fn command(&self, args: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(args.split_whitespace())
            .args(["--quiet", "--dir"])
            .arg(self.run())
            .stdin(Stdio::null());
        command
    }

    /// The same with the shim under it.
    fn shimmed(&self, args: &str, settings: &[(&str, &str)]) -> Command {
        let mut command = self.command(args);
        command
            .env("LD_PRELOAD", &*SHIM)
            .env("FAULT_DIR", self.run())
            .envs(settings.iter().copied());
        command
    }

    /// The same with one operation failing.
    fn faulty(&self, args: &str, settings: &[(&str, &str)], mode: &str, at: usize) -> Output {
        let mut command = self.shimmed(args, settings);
        command
            .env("FAULT_MODE", mode)
            .env("FAULT_AT", at.to_string());
        command.output().unwrap()
    }

    /// Names and bytes of all files of the run.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.run()).unwrap();
        entries
            .map(|entry| {
                let entry = entry.unwrap();
                (
                    entry.file_name().into_string().unwrap(),
                    fs::read(entry.path()).unwrap(),
                )
            })
            .collect()
    }

    /// The operations that were logged: `name path`, and for a rename the new path.
    fn operations(&self) -> Vec<String> {
        let log = fs::read_to_string(self.log()).unwrap();
        let lines = log.lines().map(|line| line.split_once(' ').unwrap().1);
        lines.map(str::to_owned).collect()
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Well,
    Refused,
    Killed,
}

/// The end of a process, which must be one of the three, with no more said than is due.
fn end(output: &Output, what: &str) -> End {
    let said = String::from_utf8_lossy(&output.stderr);
    let status = output.status;
    match (status.code(), status.signal()) {
        (Some(0), _) => {
            assert_eq!(said, "", "{what}");
            End::Well
        }
        (Some(2), _) => {
            assert!(
                said.starts_with("enum48: ") && said.ends_with('\n') && said.lines().count() == 1,
                "{what}: {said:?}"
            );
            assert!(output.stdout.is_empty(), "{what}: a result and a refusal");
            End::Refused
        }
        (None, Some(SIGKILL)) => End::Killed,
        _ => panic!("{what}: {status}: {said}"),
    }
}

/// The ways of failing at an operation that differ from those at the next one.
fn ways(operation: &str) -> impl Iterator<Item = &'static str> {
    let name = operation.split(' ').next().unwrap_or_default();
    let takes_space = matches!(name, "create" | "mkdir" | "spill" | "write");
    let changes = takes_space || matches!(name, "rename" | "unlink");
    [
        ("error", true),
        ("dead", true),
        ("full", takes_space),
        ("kill", changes),
        ("torn", name == "write"),
    ]
    .into_iter()
    .filter_map(|(mode, differs)| differs.then_some(mode))
}

/// Expect a process to end well.
fn good(mut command: Command, what: &str) {
    assert_eq!(end(&command.output().unwrap(), what), End::Well, "{what}");
}

/// The files of a count that nothing disturbs.
fn undisturbed(args: &str) -> BTreeMap<String, Vec<u8>> {
    let place = Place::new();
    good(place.command(args), args);
    place.files()
}

/// A count that is to be disturbed.
#[derive(Clone, Copy)]
struct Count {
    args: &'static str,
    settings: &'static [(&'static str, &'static str)],
    /// An earlier process is killed at this operation, so that the count finds what that one left.
    killed_at: Option<usize>,
    /// Whether its files may lie in memory.
    small: bool,
}

impl Count {
    /// A small count in a fresh directory.
    fn small(args: &'static str, settings: &'static [(&'static str, &'static str)]) -> Self {
        Self {
            args,
            settings,
            killed_at: None,
            small: true,
        }
    }

    /// A fresh place, or one in which a process was killed.
    fn place(self) -> Place {
        let place = if self.small {
            Place::small()
        } else {
            Place::new()
        };
        if let Some(at) = self.killed_at {
            let output = place.faulty(self.args, self.settings, "kill", at);
            assert_eq!(end(&output, self.args), End::Killed);
        }
        place
    }

    /// The operations of the count if nothing fails.
    fn operations(self) -> Vec<String> {
        let place = self.place();
        let mut command = place.shimmed(self.args, self.settings);
        command.env("FAULT_LOG", place.log());
        good(command, self.args);
        place.operations()
    }

    /// Let operations fail, each in every way, and see that the same command then ends with the same
    /// files. Returns the number of faults.
    fn survives(self, hit: impl Fn(&[String]) -> Vec<usize>) -> usize {
        let expected = undisturbed(self.args);
        let operations = self.operations();
        let mut faults: Vec<(&str, usize)> = Vec::new();
        for at in hit(&operations) {
            faults.extend(ways(&operations[at - 1]).map(|mode| (mode, at)));
        }
        let ends: Vec<End> = faults
            .par_iter()
            .map(|&(mode, at)| {
                let operation = &operations[at - 1];
                let what = format!("{}: {mode} at {at}, {operation}", self.args);
                let place = self.place();
                let end = end(&place.faulty(self.args, self.settings, mode, at), &what);
                let kills = matches!(mode, "kill" | "torn");
                assert_eq!(end == End::Killed, kills, "{what}: {end:?}");
                if end == End::Well {
                    assert!(place.files() == expected, "{what}: ended well");
                }
                // Without faults the shim only spares the disk.
                good(place.shimmed(self.args, &[]), &what);
                assert!(place.files() == expected, "{what}");
                end
            })
            .collect();
        let of = |wanted| ends.iter().filter(|&&end| end == wanted).count();
        println!(
            "{}{}: {} faults at {} operations: {} ended well, {} refused, {} killed",
            self.args,
            self.settings
                .iter()
                .map(|(name, value)| format!(" {name}={value}"))
                .collect::<String>(),
            faults.len(),
            operations.len(),
            of(End::Well),
            of(End::Refused),
            of(End::Killed),
        );
        faults.len()
    }
}

/// All operations.
fn every(operations: &[String]) -> Vec<usize> {
    (1..=operations.len()).collect()
}

/// Those before the first file of a layer: opening the directory.
fn opening(operations: &[String]) -> Vec<usize> {
    let first = |operation: &String| operation.starts_with("create sum-");
    (1..=operations.iter().position(first).unwrap()).collect()
}

/// The first, the middle and the last of each kind on a file without a name.
fn spilling(operations: &[String]) -> Vec<usize> {
    let mut hit = BTreeSet::new();
    for start in ["spill ", "write #", "read #"] {
        let found: Vec<usize> = (1..=operations.len())
            .filter(|at| operations[at - 1].starts_with(start))
            .collect();
        assert!(!found.is_empty(), "the game was chosen for not fitting");
        hit.extend([found[0], found[found.len() / 2], found[found.len() - 1]]);
    }
    hit.into_iter().collect()
}

#[test]
fn any_operation_may_fail_and_the_same_command_goes_on() {
    let last = "--size 2 --max 16 --keep last --threads 1 --memory 32M";
    let faults: usize = [(SMALL, AT_THE_END), (SMALL, EACH_LAYER), (last, EACH_LAYER)]
        .map(|(args, settings)| Count::small(args, settings).survives(every))
        .iter()
        .sum();
    println!("{faults} faults");
}

#[test]
fn going_on_may_fail_and_be_gone_on_from() {
    for (settings, start, end) in [
        // Nothing is named by a manifest yet, but everything has its name...
        (AT_THE_END, "rename manifest.json.tmp ", ""),
        // ...or nothing names it any more, but it is still there.
        (EACH_LAYER, "unlink sum-", ".afterstates"),
    ] {
        let count = Count::small(SMALL, settings);
        let operations = count.operations();
        let found: Vec<usize> = (1..=operations.len())
            .filter(|at| {
                let operation = &operations[at - 1];
                operation.starts_with(start) && operation.ends_with(end)
            })
            .collect();
        let killed = Count {
            killed_at: Some(found[found.len() / 2]),
            ..count
        };
        killed.survives(|operations| {
            let hit = opening(operations);
            let removes = |at: &usize| operations[at - 1].starts_with("unlink sum-");
            assert!(hit.iter().any(removes), "nothing was left to remove");
            hit
        });
    }
}

#[test]
fn what_does_not_fit_in_memory_may_not_fit_on_the_disk_either() {
    let count = Count {
        args: "--size 4 --max 16 --until 50 --threads 1 --memory 24M",
        settings: EACH_LAYER,
        killed_at: None,
        small: false,
    };
    count.survives(spilling);
}

/// What a power cut could undo at each moment of a count, from the operations in their order.
#[derive(Default)]
struct Disk {
    /// Files written since they were synced.
    unsynced: BTreeSet<String>,
    /// Names given since the directory was synced.
    unnamed: BTreeSet<String>,
    /// Whether parts got their names since the last manifest, which cannot name them.
    unlisted: bool,
    commits: usize,
    deleted: usize,
}

impl Disk {
    fn does(&mut self, operation: &str) {
        let words: Vec<&str> = operation.split(' ').collect();
        match words[..] {
            ["create" | "write", path] => {
                self.unsynced.insert(path.to_owned());
            }
            ["sync", "."] => self.unnamed.clear(),
            ["sync", path] => {
                self.unsynced.remove(path);
            }
            ["rename", from, to] if is_temporary(to) => {
                self.unsynced.remove(from);
                self.unsynced.insert(to.to_owned());
            }
            ["rename", from, to] => {
                assert!(
                    !self.unsynced.contains(from),
                    "{to} gets its name, but may be torn"
                );
                if to == "manifest.json" {
                    assert!(
                        self.unnamed.is_empty(),
                        "a manifest names {:?}, which may not be there",
                        self.unnamed
                    );
                    self.commits += 1;
                    self.unlisted = false;
                }
                self.unlisted |= to.starts_with("sum-");
                self.unnamed.insert(to.to_owned());
            }
            ["unlink", path] if !is_temporary(path) => {
                assert!(
                    !self.unnamed.contains("manifest.json"),
                    "{path} goes, but the manifest that names it may come back"
                );
                assert!(
                    !self.unlisted,
                    "{path} goes before the manifest that does not name it comes"
                );
                self.deleted += 1;
            }
            _ => {}
        }
    }
}

fn is_temporary(path: &str) -> bool {
    path.ends_with(".tmp")
}

#[test]
fn a_power_cut_finds_whole_files_under_names_that_a_manifest_has() {
    for args in [
        SMALL,
        "--size 2x3 --max 16 --threads 1 --memory 32M",
        "--size 2x3 --max 16 --keep last --threads 1 --memory 32M",
    ] {
        let operations = Count::small(args, EACH_LAYER).operations();
        let mut disk = Disk::default();
        for operation in &operations {
            // The lock has no contents, and is made before anything is said to be durable.
            if operation != "create lock" {
                disk.does(operation);
            }
        }
        assert!(
            disk.commits >= 19,
            "{args}: only {} commits seen",
            disk.commits
        );
        assert!(disk.deleted >= 19, "{args}: only {} deleted", disk.deleted);
        assert!(
            disk.unnamed.is_empty(),
            "{args}: {:?} may be lost",
            disk.unnamed
        );
        assert!(!disk.unlisted, "{args}: no manifest names the last parts");
    }
}

#[test]
fn a_directory_that_cannot_be_locked_or_mapped_is_refused() {
    for (setting, text) in [("FAULT_FLOCK", "cannot lock"), ("FAULT_MMAP", "cannot map")] {
        let place = Place::new();
        let output = place.shimmed(SMALL, &[(setting, "1")]).output().unwrap();
        assert_eq!(end(&output, setting), End::Refused);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(text), "{said}");
        good(place.command(SMALL), setting);
        assert!(place.files() == undisturbed(SMALL), "{setting}");
    }
}

/// A count that is killed again and again.
struct Hunted {
    args: &'static str,
    /// Threads and memory to be hunted with, and others to be compared with.
    bounds: [&'static str; 2],
    /// What the shim is to do, if it is there.
    settings: Option<&'static [(&'static str, &'static str)]>,
    spills: bool,
    kills: usize,
}

const HUNTED: [Hunted; 4] = [
    Hunted {
        args: "--size 3 --max 512",
        bounds: ["--threads 2 --memory 32M", "--threads 1 --memory 256M"],
        settings: None,
        spills: false,
        kills: 50,
    },
    Hunted {
        args: "--size 4 --max 16",
        bounds: ["--threads 2 --memory 32M", "--threads 1 --memory 512M"],
        settings: Some(&[]),
        spills: true,
        kills: 60,
    },
    Hunted {
        args: "--size 3x4 --max 32",
        bounds: ["--threads 2 --memory 32M", "--threads 3 --memory 256M"],
        settings: Some(EACH_LAYER),
        spills: true,
        kills: 60,
    },
    Hunted {
        args: "--size 3 --max 256 --keep last",
        bounds: ["--threads 3 --memory 40M", "--threads 2 --memory 128M"],
        settings: Some(EACH_LAYER),
        spills: false,
        kills: 50,
    },
];

impl Hunted {
    /// Kill the planned number of processes, then let one end. Returns how many ended by themselves.
    fn hunt(&self, seed: u64) -> usize {
        let [bounds, others] = self.bounds;
        let args = format!("{} {bounds}", self.args);
        let expected = undisturbed(&format!("{} {others}", self.args));
        let place = Place::new();
        let mut random = seed;
        let (mut killed, mut ended) = (0, 0);
        while killed < self.kills {
            let child = self.command(&place, &args).spawn().unwrap();
            thread::sleep(moment(&mut random));
            match end(&stop(child), &args) {
                End::Killed => killed += 1,
                End::Well => {
                    assert!(place.files() == expected, "{args}: after {killed} kills");
                    fs::remove_dir_all(place.run()).unwrap();
                    ended += 1;
                }
                End::Refused => panic!("{args}: refused after {killed} kills"),
            }
        }
        good(self.command(&place, &args), &args);
        assert!(place.files() == expected, "{args}: after {killed} kills");
        if self.spills {
            let log = fs::read_to_string(place.log()).unwrap();
            assert!(
                log.contains(" spill "),
                "{args}: was chosen for not fitting"
            );
        }
        println!("{args}: {killed} kills, {} counts ended", ended + 1);
        ended + 1
    }

    fn command(&self, place: &Place, args: &str) -> Command {
        let mut command = match self.settings {
            Some(settings) => place.shimmed(args, settings),
            None => place.command(args),
        };
        command
            .env("FAULT_LOG", place.log())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Kill a process, unless it has ended.
fn stop(mut child: process::Child) -> Output {
    child.kill().unwrap();
    child.wait_with_output().unwrap()
}

/// How long a process may live: mostly a moment, now and then long enough for a commit by the clock.
fn moment(random: &mut u64) -> Duration {
    let longest = if split_mix(random).is_multiple_of(8) {
        2000
    } else {
        400
    };
    Duration::from_millis(split_mix(random) % longest)
}

/// `SplitMix64`: moments that look random, and are the same in every run.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn killed_at_any_moment_it_goes_on_and_ends_with_the_same_bytes() {
    let seeds = 1..=HUNTED.len() as u64;
    let hunts: Vec<(u64, &Hunted)> = seeds.zip(&HUNTED).collect();
    let ended: usize = hunts
        .par_iter()
        .with_max_len(1)
        .map(|(seed, hunted)| hunted.hunt(*seed))
        .sum();
    let kills: usize = HUNTED.iter().map(|hunted| hunted.kills).sum();
    assert!(kills >= 200);
    println!("{kills} kills, {ended} counts ended");
}
