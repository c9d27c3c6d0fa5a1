//! Whole counts: every plan and every interruption gives equal files.

mod kept;
mod plans;
mod progress;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use super::*;
use crate::error::Error;
use crate::game::Game;
use crate::part::{Kind, Stream};
use crate::store::Keep;

/// Names and bytes of all files of a directory.
type DirFiles = BTreeMap<String, Vec<u8>>;

fn files(dir: &Path) -> DirFiles {
    let file = |entry: io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        (name.to_owned(), fs::read(&path).unwrap())
    };
    fs::read_dir(dir).unwrap().map(file).collect()
}

const EVERY: [Keep; 4] = [Keep::All, Keep::Last, Keep::Afterstates, Keep::Both];

fn game(size: &str, max: u32) -> Game {
    Game::new(size.parse().unwrap(), Some(max)).unwrap()
}

fn plan(memory: u64, threads: usize) -> Plan {
    Plan::new(memory, threads).unwrap()
}

/// The files after a count that stops at each of `stops` and is resumed.
fn directory(game: &Game, plan: &Plan, stops: &[Option<u32>], keep: Keep) -> DirFiles {
    counted(game, plan, stops, keep, &mut Silent)
}

fn counted(
    game: &Game,
    plan: &Plan,
    stops: &[Option<u32>],
    keep: Keep,
    progress: &mut dyn Progress,
) -> DirFiles {
    let place = tempfile::tempdir().unwrap();
    for &until in stops {
        let mut store = Store::open(place.path(), game, Some(keep)).unwrap();
        count(&mut store, plan, until, progress).unwrap();
    }
    files(place.path())
}

/// The files of a directory whose names end with `ending`.
fn ending(files: &DirFiles, ending: &str) -> DirFiles {
    let mut files = files.clone();
    files.retain(|name, _| name.ends_with(ending));
    files
}

/// Stops when the layer of a sum begins, and counts the layers.
struct StopIn(u32, Vec<u32>);

impl Progress for StopIn {
    fn begin(&mut self, sum: u32) {
        self.1.push(sum);
    }

    fn stop(&mut self) -> bool {
        self.1.last() == Some(&self.0)
    }
}
