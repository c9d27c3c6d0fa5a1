//! What a power cut could leave, from the order of operations.

use std::collections::BTreeSet;

use super::faults::Count;
use super::place::{COUNTED, EACH_LAYER, SMALL, SOLVE, begun};

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
    /// What these operations leave.
    fn after(operations: &[String]) -> Self {
        let mut disk = Self::default();
        for operation in operations {
            // The lock has no contents, and is made before anything is said to be durable.
            if operation != "create lock" {
                disk.does(operation);
            }
        }
        disk
    }

    /// See that nothing can be lost any more.
    fn is_whole(&self, args: &str) {
        assert!(
            self.unnamed.is_empty(),
            "{args}: {:?} may be lost",
            self.unnamed
        );
        assert!(!self.unlisted, "{args}: no manifest names the last parts");
    }

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
                if is_manifest(to) {
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
                    !self.unnamed.iter().any(|name| is_manifest(name)),
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

fn is_manifest(path: &str) -> bool {
    ["manifest.json", "solution.json"].contains(&path)
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
        "--size 2x3 --max 16 --keep afterstates --threads 1 --memory 32M",
    ] {
        let operations = Count::small(args, EACH_LAYER).operations();
        let disk = Disk::after(&operations);
        assert!(
            disk.commits >= 19,
            "{args}: only {} commits seen",
            disk.commits
        );
        assert!(disk.deleted >= 19, "{args}: only {} deleted", disk.deleted);
        disk.is_whole(args);
    }
}

#[test]
fn a_power_cut_finds_whole_values_under_names_that_the_solution_has() {
    let counted = begun(COUNTED);
    let disk = Disk::after(&Count::solving(&counted, EACH_LAYER).operations());
    assert!(disk.commits >= 9, "only {} commits seen", disk.commits);
    disk.is_whole(SOLVE);
}
