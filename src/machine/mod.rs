//! The machine: how many cores and how much memory this process may use.
//!
//! The program and the Python module ask here for their defaults, and parse here the numbers of
//! threads and bytes that a user gives.

mod control_group;

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

use parse_size::Config;
#[cfg(unix)]
use rlimit::Resource;
use sysinfo::System;

use self::control_group::memory_limit;

/// Memory bound if the user gives none and the system does not tell how much memory there is.
const MEMORY: u64 = 1 << 30;

/// Most threads that can be asked for: more than any machine has.
const MOST_THREADS: usize = 1024;

/// Most threads for each core. More threads only wait for one another at every step of a layer.
pub(crate) const THREADS_PER_CORE: usize = 8;

/// The cores that this process may use.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Most threads that a job is given, however many are asked for.
pub(crate) fn most_threads() -> usize {
    THREADS_PER_CORE * cores()
}

/// Parse a number of threads.
pub(crate) fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=MOST_THREADS) => Ok(threads),
        _ => Err(format!("expected a number from 1 to {MOST_THREADS}")),
    }
}

/// Parse a number of bytes, such as `8G`; units are powers of 1024.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    Config::new()
        .with_binary()
        .parse_size(text)
        .map_err(|_| "expected a number of bytes, such as 512M or 8G".to_owned())
}

/// Half of the memory that this process may use.
pub(crate) fn default_memory() -> u64 {
    memory().map_or(MEMORY, |all| all / 2)
}

/// Bytes of memory that this process may use: the machine's memory, or the limit of a control group
/// or of `ulimit -v` if that is less. `None` if the system does not tell.
pub(crate) fn memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let of_groups = memory_limit(Path::new("/")).unwrap_or(u64::MAX);
    let address_space = address_space().unwrap_or(u64::MAX);
    let least = system.total_memory().min(of_groups).min(address_space);
    Some(least).filter(|&bytes| bytes > 0)
}

/// Bytes of memory that the process may map (`ulimit -v`).
#[cfg(unix)]
fn address_space() -> Option<u64> {
    Resource::AS.get_soft().ok()
}

/// Only Unix limits the memory that a process may map.
#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}

/// Anonymous resident memory of this process in bytes, where the system tells (Linux). Pages of
/// mapped files are not included, as the kernel can drop them at any time.
pub(crate) fn anonymous_memory() -> Option<u64> {
    let kibibytes = status("RssAnon:")?;
    let kibibytes: u64 = kibibytes.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

/// A field of `/proc/self/status`, which Linux has.
pub(crate) fn status(field: &str) -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(value.trim().to_owned())
}

/// Bytes that can still be written to a directory; `None` if the system does not tell.
#[cfg(feature = "cli")]
pub(crate) fn free_space(dir: &Path) -> Option<u64> {
    fs4::available_space(dir).ok()
}
