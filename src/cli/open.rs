//! Opening a run's directory, and waiting for a while if another process uses it.
//!
//! A process that was killed holds its locks until the kernel has released its memory, which takes
//! large ones part of a second. So a script that restarts a count at once finds the directory in
//! use, by nobody. The library says so at once; the program asks again for some seconds, and where
//! machines would stand idle, until it is free.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::talk;
use crate::error::{Error, Result};
use crate::game::Game;
use crate::store::{Keep, Run, Solution, SolutionStore, Store};

/// How long to wait before asking again.
const PAUSE: Duration = Duration::from_millis(20);

/// How often to ask: for five seconds, or until it is free.
pub(super) const SHORT: u32 = 250;
pub(super) const LONG: u32 = u32::MAX;

/// [`Run::open`], once no count goes on in the directory.
pub(super) fn run(dir: &Path) -> Result<Run> {
    when_free(dir, SHORT, || Run::open(dir))
}

/// [`Store::open_in_segments`], once no other process uses the directory.
pub(super) fn store(
    dir: &Path,
    game: &Game,
    keep: Option<Keep>,
    segment: Option<u64>,
    patience: u32,
) -> Result<Store> {
    when_free(dir, patience, || {
        Store::open_in_segments(dir, game, keep, segment)
    })
}

/// [`Solution::open`], once nobody counts or solves in the directory.
pub(super) fn solution(dir: &Path) -> Result<Solution> {
    when_free(dir, SHORT, || Solution::open(dir))
}

/// [`SolutionStore::open`], once no other process uses the directory.
pub(super) fn solution_store(dir: &Path) -> Result<SolutionStore> {
    when_free(dir, SHORT, || SolutionStore::open(dir))
}

/// Open a directory, again and again while it is in use and patience lasts.
fn when_free<T>(dir: &Path, patience: u32, open: impl Fn() -> Result<T>) -> Result<T> {
    for time in 0..patience {
        match open() {
            Err(Error::Locked(_)) => {}
            opened => return opened,
        }
        let seen = io::stderr().is_terminal();
        if time == 0 && seen || time == SHORT && !seen {
            let dir = dir.display();
            talk::say(format_args!(
                "waiting for {dir}, which another process uses"
            ));
        }
        thread::sleep(PAUSE);
    }
    open()
}
