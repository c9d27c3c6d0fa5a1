//! What a power cut could leave, from the order of operations.

use std::collections::BTreeSet;

use super::faults::Count;
use super::place::{EACH_LAYER, SMALL};

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
        "--size 2x3 --max 16 --keep afterstates --threads 1 --memory 32M",
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
