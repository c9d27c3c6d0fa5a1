//! Checks by the order of operations that a power cut cannot lose or tear a listed file.

use std::collections::BTreeSet;

use super::faults::Count;
use super::place::{COUNTED, EACH_LAYER, SMALL, SOLVE, begun};

/// The operations that a power cut could still undo.
#[derive(Default)]
struct Disk {
    /// Files written after their last sync.
    unsynced: BTreeSet<String>,
    /// Names given after the last sync of the directory.
    unnamed: BTreeSet<String>,
    /// Whether parts were renamed after the last manifest, which therefore does not list them.
    unlisted: bool,
    commits: usize,
    deleted: usize,
}

impl Disk {
    /// The state of the disk after these operations.
    fn after(operations: &[String]) -> Self {
        let mut disk = Self::default();
        for operation in operations {
            // The lock is empty, and is created before the first commit.
            if operation != "create lock" {
                disk.does(operation);
            }
        }
        disk
    }

    /// Checks that a power cut can lose nothing any more.
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
fn a_manifest_lists_only_parts_that_survive_a_power_cut() {
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
fn a_solution_lists_only_values_that_survive_a_power_cut() {
    let counted = begun(COUNTED);
    let disk = Disk::after(&Count::solving(&counted, EACH_LAYER).operations());
    assert!(disk.commits >= 9, "only {} commits seen", disk.commits);
    disk.is_whole(SOLVE);
}
