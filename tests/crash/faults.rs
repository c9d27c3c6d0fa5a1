//! Each file operation of a count or a solver fails in turn.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use rayon::prelude::*;

use super::place::{
    AT_THE_END, COUNTED, EACH_FRONTIER, EACH_LAYER, End, Place, SHIM, SMALL, SOLVE, VERIFY, begun,
    end, good, undisturbed, undisturbed_after,
};
use crate::command::PROGRAM;
use crate::share::share;

/// The fault modes to test at an operation. A mode with the same effect at the next operation is
/// left out.
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

/// A count or a solver to test with faults.
#[derive(Clone, Copy)]
pub(crate) struct Count<'a> {
    args: &'static str,
    settings: &'static [(&'static str, &'static str)],
    /// A place with the first layers, or with the run to be solved, counted without faults.
    begun: Option<&'a Place>,
    /// An earlier process is killed at this operation, so that the count starts from its files.
    killed_at: Option<(&'a str, usize)>,
    /// Whether the files fit in a directory in memory.
    small: bool,
}

impl<'a> Count<'a> {
    /// A small count in a fresh directory.
    pub(crate) fn small(
        args: &'static str,
        settings: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            args,
            settings,
            begun: None,
            killed_at: None,
            small: true,
        }
    }

    /// Solving the small run in `counted`.
    pub(crate) fn solving(
        counted: &'a Place,
        settings: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            begun: Some(counted),
            ..Self::small(SOLVE, settings)
        }
    }

    /// A new place, with the files of `begun` and of the process killed at `killed_at`, if given.
    fn place(self) -> Place {
        let place = if self.small {
            Place::small()
        } else {
            Place::new()
        };
        if let Some(begun) = self.begun {
            begun.copy_to(&place);
        }
        if let Some(operation) = self.killed_at {
            let output = place.faulty(self.args, self.settings, "kill", operation);
            assert_eq!(end(&output, self.args), End::Killed);
        }
        place
    }

    /// The operations of a count without faults.
    pub(crate) fn operations(self) -> Vec<String> {
        let place = self.place();
        let mut command = place.shimmed(self.args, self.settings);
        command.env("FAULT_LOG", place.log());
        good(command, self.args);
        place.operations()
    }

    /// Tests a share of the faults at the operations that `hit` selects. After each fault the same
    /// command must end with the expected files. Returns the number of faults.
    fn survives(self, hit: impl Fn(&[String]) -> Vec<usize>) -> usize {
        let expected = undisturbed_after(self.begun, self.args);
        let operations = self.operations();
        let mut faults: Vec<(&str, usize)> = Vec::new();
        for at in hit(&operations) {
            faults.extend(ways(&operations[at - 1]).map(|mode| (mode, at)));
        }
        let faults = share(faults);
        let ends: Vec<End> = faults
            .par_iter()
            .map(|&(mode, at)| {
                let operation = numbered(&operations, at);
                let what = format!("{}: {mode} at {operation:?}", self.args);
                let place = self.place();
                let output = place.faulty(self.args, self.settings, mode, operation);
                let end = end(&output, &what);
                if let ("error", Some(name)) = (mode, operation.0.strip_prefix("read sum-")) {
                    assert_eq!(end, End::Refused, "{what}");
                    names_the_read(&output.stderr, name);
                }
                let kills = matches!(mode, "kill" | "torn");
                assert_eq!(end == End::Killed, kills, "{what}: {end:?}");
                if (mode, end) == ("full", End::Refused) && place.run().exists() {
                    let left: Vec<String> = place.files().into_keys().collect();
                    assert!(
                        !left.iter().any(|name| name.ends_with(".tmp")),
                        "{what}: {left:?}"
                    );
                }
                if end == End::Well {
                    assert!(place.files() == expected, "{what}: ended well");
                }
                if end == End::Killed && place.run().join("manifest.json").exists() {
                    good(place.verify(), &what);
                }
                // Without faults the shim only skips syncing, which saves time.
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

    /// Kills a process at the middle one of the operations whose text has this start and end. Then
    /// faults hit the next process while it removes the files that the killed process left.
    fn survives_after_kill(self, start: &str, end: &str) {
        let operations = self.operations();
        let found: Vec<usize> = (1..=operations.len())
            .filter(|at| {
                let operation = &operations[at - 1];
                operation.starts_with(start) && operation.ends_with(end)
            })
            .collect();
        let killed = Count {
            killed_at: Some(numbered(&operations, found[found.len() / 2])),
            ..self
        };
        killed.survives(|operations| {
            let hit = opening(operations);
            let removes = |at: &usize| operations[at - 1].starts_with("unlink sum-");
            assert!(hit.iter().any(removes), "nothing was left to remove");
            hit
        });
    }
}

/// The text of an operation, and its number among the operations with that text. A position in the
/// whole log would not repeat, because threads reorder operations.
fn numbered(operations: &[String], at: usize) -> (&str, usize) {
    let text = &operations[at - 1];
    let same = operations[..at].iter().filter(|other| *other == text);
    (text, same.count())
}

/// Checks that an answer names the file, and the offset of the bytes that could not be read.
fn names_the_read(said: &[u8], name: &str) {
    let said = String::from_utf8_lossy(said);
    let place = format!("sum-{name}: cannot read at byte ");
    let offset = said.split_once(&place).map(|(_, offset)| offset);
    let digit = |offset: &str| offset.starts_with(|first: char| first.is_ascii_digit());
    assert!(offset.is_some_and(digit), "{place}: {said}");
}

/// The first, middle and last read of the part file that is read most often.
fn reading(operations: &[String]) -> Vec<usize> {
    let mut reads: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (operation, at) in operations.iter().zip(1..) {
        if operation.starts_with("read sum-") {
            reads.entry(operation).or_default().push(at);
        }
    }
    let found = reads.into_values().max_by_key(Vec::len).unwrap();
    assert!(found.len() > 5, "the game was chosen for large files");
    vec![found[0], found[found.len() / 2], found[found.len() - 1]]
}

fn every(operations: &[String]) -> Vec<usize> {
    (1..=operations.len()).collect()
}

/// The operations that open the directory: all before the first layer reserves disk space to seal.
fn opening(operations: &[String]) -> Vec<usize> {
    let first = |operation: &String| operation == "create reserve.tmp";
    (1..=operations.iter().position(first).unwrap()).collect()
}

/// The first, middle and last operation of each kind on files without a name.
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
fn a_count_resumes_after_a_fault_at_any_operation() {
    let last = "--size 2 --max 16 --keep last --threads 1 --memory 32M";
    let bits = "--size 4 --max 8 --until 10 --engine bits --threads 1 --memory 64M";
    let both = "--size 2 --max 16 --keep both --threads 1 --memory 32M";
    let bits_afterstates =
        "--size 4 --max 8 --until 8 --keep afterstates --engine bits --threads 1 --memory 64M";
    let matrices = "--size 4 --max 8 --until 10 --keep matrices --threads 1 --memory 64M";
    let counts = [
        (SMALL, AT_THE_END),
        (SMALL, EACH_LAYER),
        (last, EACH_LAYER),
        (bits, EACH_FRONTIER),
        (both, EACH_LAYER),
        (bits_afterstates, EACH_LAYER),
        (matrices, EACH_FRONTIER),
    ];
    let faults: usize = counts
        .map(|(args, settings)| Count::small(args, settings).survives(every))
        .iter()
        .sum();
    println!("{faults} faults");
}

#[test]
fn a_solver_resumes_after_a_fault_at_any_operation() {
    let counted = begun(COUNTED);
    let faults =
        [EACH_LAYER, AT_THE_END].map(|settings| Count::solving(&counted, settings).survives(every));
    println!("{} faults", faults.iter().sum::<usize>());
}

#[test]
fn a_resumed_solver_survives_faults() {
    let counted = begun(COUNTED);
    // The files of values are renamed, but no solution lists them yet.
    let solving = Count::solving(&counted, EACH_LAYER);
    solving.survives_after_kill("rename solution.json.tmp ", "");
}

#[test]
fn a_resumed_count_survives_faults() {
    for (settings, start, end) in [
        // The parts are renamed, but no manifest lists them yet.
        (AT_THE_END, "rename manifest.json.tmp ", ""),
        // The manifest no longer lists the afterstates, but they are not deleted yet.
        (EACH_LAYER, "unlink sum-", ".afterstates"),
    ] {
        Count::small(SMALL, settings).survives_after_kill(start, end);
    }
}

#[test]
fn either_engine_resumes_a_stopped_count_of_bits_after_a_fault() {
    let bits = "--size 4 --max 8 --until 10 --engine bits --threads 1 --memory 64M";
    let lists = "--size 4 --max 8 --until 10 --engine lists --threads 1 --memory 64M";
    let operations = Count::small(bits, EACH_FRONTIER).operations();
    let commits: Vec<usize> = (1..=operations.len())
        .filter(|at| operations[at - 1].starts_with("rename manifest.json.tmp "))
        .collect();
    let stopped = Place::small();
    let operation = numbered(&operations, commits[commits.len() / 2]);
    let output = stopped.faulty(bits, EACH_FRONTIER, "kill", operation);
    assert_eq!(end(&output, bits), End::Killed);
    let manifest = fs::read_to_string(stopped.run().join("manifest.json")).unwrap();
    assert!(manifest.contains("\"matrices\": ["), "{manifest}");
    for (args, settings) in [(bits, EACH_FRONTIER), (lists, EACH_LAYER)] {
        let count = Count {
            begun: Some(&stopped),
            ..Count::small(args, settings)
        };
        count.survives(every);
    }
}

#[test]
fn a_count_resumes_after_a_fault_while_it_spills() {
    // The layer of sum 54 spills. The layers up to 52 are counted once, not again
    // for each fault.
    let begun = Place::new();
    let first = "--size 4 --max 32 --until 52 --threads 2 --memory 1G";
    good(begun.shimmed(first, &[]), first);
    let count = Count {
        args: "--size 4 --max 32 --until 54 --threads 1 --memory 24M",
        settings: EACH_LAYER,
        begun: Some(&begun),
        killed_at: None,
        small: false,
    };
    count.survives(spilling);
    spills_where_files_need_names(&begun, count.args);
}

/// FUSE, 9p and older kernels refuse files without a name, each with an error of its own.
fn spills_where_files_need_names(begun: &Place, args: &str) {
    let expected = undisturbed_after(Some(begun), args);
    // EPERM, EACCES, EINVAL, ENOSYS and EOPNOTSUPP.
    for refused in share(["1", "13", "22", "38", "95"]) {
        let place = Place::new();
        begun.copy_to(&place);
        let mut command = place.shimmed(args, &[("FAULT_SPILL", refused)]);
        command.env("FAULT_LOG", place.log());
        good(command, args);
        let named = |text: &String| text.starts_with("create .tmp");
        assert!(place.operations().iter().any(named));
        assert!(place.files() == expected, "{refused}");
    }
}

#[test]
fn a_failed_read_of_a_block_is_named_and_loses_nothing() {
    let begun = Place::new();
    let first = "--size 4 --max 16 --until 44 --keep both --threads 1 --memory 64M";
    good(begun.shimmed(first, &[]), first);
    let count = Count {
        args: "--size 4 --max 16 --until 46 --threads 1 --memory 64M",
        settings: EACH_LAYER,
        begun: Some(&begun),
        killed_at: None,
        small: false,
    };
    count.survives(reading);
    let mut command = begun.shimmed(VERIFY, &[]);
    command.env("FAULT_LOG", begun.log());
    good(command, VERIFY);
    let operations = begun.operations();
    for at in reading(&operations) {
        let operation = numbered(&operations, at);
        let output = begun.faulty(VERIFY, &[], "error", operation);
        assert_eq!(output.status.code(), Some(2), "{operation:?}");
        names_the_read(&output.stdout, &operation.0["read sum-".len()..]);
    }
}

#[test]
fn opening_a_complete_run_changes_no_file() {
    for args in [
        SMALL,
        "--size 2 --max 16 --keep last --threads 1 --memory 32M",
    ] {
        let place = Place::small();
        good(place.command(args), args);
        let before = place.files();
        let mut command = place.shimmed(args, &[]);
        command.env("FAULT_LOG", place.log());
        good(command, args);
        let reads = |text: &&String| text.starts_with("open ") || text.starts_with("read ");
        let operations = place.operations();
        let changes: Vec<&String> = operations.iter().filter(|text| !reads(text)).collect();
        assert!(changes.is_empty(), "{args}: {changes:?}");
        assert!(operations.iter().any(|text| text == "read manifest.json"));
        assert!(place.files() == before, "{args}");
    }
}

#[test]
fn keep_last_on_a_full_disk_deletes_old_layers_and_resumes() {
    let whole = "--size 2 --max 32 --until 20 --threads 1 --memory 32M";
    let last = "--size 2 --max 32 --until 20 --keep last --threads 1 --memory 32M";
    let begun = Place::small();
    good(begun.command(whole), whole);
    let expected = {
        let place = Place::small();
        begun.copy_to(&place);
        good(place.command(last), last);
        place.files()
    };
    let place = Place::small();
    begun.copy_to(&place);
    // The disk is full until something is deleted.
    let operation = ("create manifest.json.tmp", 1);
    let mut command = place.faulty_command(last, &[], "tight", operation);
    command.env("FAULT_LOG", place.log());
    good(command, last);
    assert!(place.files() == expected);
    let operations = place.operations();
    let deletions: Vec<usize> = (1..=operations.len())
        .filter(|at| operations[at - 1].starts_with("unlink sum-"))
        .collect();
    assert!(deletions.len() > 10, "{operations:?}");
    for at in [deletions[0], deletions[1], deletions[9]] {
        let place = Place::small();
        begun.copy_to(&place);
        for gone in operations[..at]
            .iter()
            .filter_map(|text| text.strip_prefix("unlink sum-"))
        {
            fs::remove_file(place.run().join(format!("sum-{gone}"))).unwrap();
        }
        good(place.command(last), last);
        assert!(place.files() == expected, "after {at}");
    }
}

/// `--keep last` once dropped the afterstates of a solution that it could not look up.
#[test]
fn a_solution_that_cannot_be_looked_up_keeps_its_afterstates() {
    let last = "--size 2 --max 16 --keep last --threads 1 --memory 32M";
    let place = begun(COUNTED);
    good(place.command(SOLVE), SOLVE);
    let before = place.files();
    let refused = |output: Output, text: &str| {
        assert_eq!(end(&output, text), End::Refused);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(text), "{said}");
    };
    let operation = ("stat solution.json", 1);
    let output = place.faulty(last, &[], "error", operation);
    refused(output, "solution.json: cannot look up");
    assert!(place.files() == before);

    let solution = place.run().join("solution.json");
    let moved = place.run().with_file_name("moved");
    fs::rename(&solution, &moved).unwrap();
    symlink("nowhere", &solution).unwrap();
    refused(place.command(last).output().unwrap(), "--keep last");
    fs::rename(moved, solution).unwrap();
    assert!(place.files() == before);
}

#[test]
fn a_directory_that_cannot_be_locked_is_refused() {
    let place = Place::new();
    let first = format!("{SMALL} --until 20");
    good(place.command(&first), &first);
    let refused = place.shimmed(SMALL, &[("FAULT_FLOCK", "1")]).output();
    let refused = refused.unwrap();
    assert_eq!(end(&refused, SMALL), End::Refused);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("cannot lock"), "{said}");
    // Readers of a run that a count may change are refused, too.
    let lacking = [("FAULT_FLOCK", "1")];
    assert_eq!(
        end(&place.shimmed(VERIFY, &lacking).output().unwrap(), VERIFY),
        End::Refused
    );
    good(place.command(SMALL), SMALL);
    assert!(place.files() == undisturbed(SMALL));
    let mut states = Command::new(PROGRAM);
    states.arg("states").arg(place.run());
    states.env("LD_PRELOAD", &*SHIM).envs(lacking);
    for mut reader in [place.shimmed(VERIFY, &lacking), states] {
        let output = reader.output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let said = String::from_utf8_lossy(&output.stderr);
        let warning = "has no locks, so let no other process write";
        assert_eq!(said.matches(warning).count(), 1, "{said}");
    }
}

/// `--keep last` once deleted nearly all files before it looked at the rest.
#[test]
fn damage_in_a_file_that_stays_deletes_no_other() {
    let count = |keep| format!("--size 2 --until 20 --keep {keep} --threads 1 --memory 32M");
    for (begun, smaller) in [("all", "last"), ("both", "afterstates")] {
        let place = Place::small();
        let [begun, smaller] = [begun, smaller].map(count);
        good(place.command(&begun), &begun);
        let files = place.files();
        let kept = files.keys().filter(|name| name.ends_with(".afterstates"));
        let name = kept.max().unwrap();
        let mut bytes = files[name].clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(place.run().join(name), bytes).unwrap();
        let before = place.files();
        let output = place.command(&smaller).output().unwrap();
        assert_eq!(end(&output, &smaller), End::Refused);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(name) && said.contains("damaged"), "{said}");
        assert!(place.files() == before, "{smaller}");
    }
}
