//! What the machine has, and what this process uses of it.

use std::fs;
use std::path::Path;

use sysinfo::System;

use super::control_group::memory_limit;
use super::system;

/// Bytes that can still be written to a directory; `None` if the system does not tell.
pub(super) fn free_space(dir: &Path) -> Option<u64> {
    fs4::available_space(dir).ok()
}

/// Memory in bytes: of the machine, or what the process may use of it (by its control groups, or
/// `ulimit -v`), whichever is least. `None` if the system does not tell.
pub(super) fn memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let of_groups = memory_limit(Path::new("/")).unwrap_or(u64::MAX);
    let address_space = system::address_space().unwrap_or(u64::MAX);
    let least = system.total_memory().min(of_groups).min(address_space);
    Some(least).filter(|&bytes| bytes > 0)
}

/// Anonymous resident memory of this process in bytes, where the system tells (Linux). Pages of
/// mapped files are not included, as the kernel can drop them at any time.
pub(super) fn anonymous_memory() -> Option<u64> {
    let kibi: u64 = status("RssAnon:")?
        .strip_suffix("kB")?
        .trim()
        .parse()
        .ok()?;
    Some(kibi << 10)
}

/// The signals that whoever started this process has it ignore: bit n - 1 for signal n. None where
/// the system does not tell (it does on Linux).
pub(super) fn ignored_signals() -> u64 {
    let mask = status("SigIgn:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    mask.unwrap_or(0)
}

/// What Linux says of this process.
fn status(field: &str) -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(field))?;
    Some(value.trim().to_owned())
}
