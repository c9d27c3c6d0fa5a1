//! What the machine has, and what this process takes of it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rlimit::Resource;
use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;
use sysinfo::System;

/// Where files may not exceed a size (`ulimit -f`), a write beyond it is to fail, not to kill. That is
/// what it does once somebody listens to the signal.
pub(super) fn take_file_limit_as_error() {
    // Without it the process is killed at that write, and goes on as after any other kill.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Bytes that can be written to a directory; `None` if the system does not tell.
pub(super) fn free_space(dir: &Path) -> Option<u64> {
    fs4::available_space(dir).ok()
}

/// Memory in bytes of the machine, of the container, or that the process may take (`ulimit -v`),
/// whichever is least; `None` if the system does not tell.
pub(super) fn memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let limit = system
        .cgroup_limits()
        .map_or(u64::MAX, |limits| limits.total_memory);
    let address_space = Resource::AS.get_soft().unwrap_or(u64::MAX);
    let least = system.total_memory().min(limit).min(address_space);
    Some(least).filter(|&bytes| bytes > 0)
}

/// Anonymous resident memory of this process in bytes, where the system tells (Linux). Pages of
/// mapped files are left out: they are the kernel's to drop.
pub(super) fn anonymous_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kibi: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibi << 10)
}
