//! What the machine has, and what this process takes of it.

use std::fs;

use sysinfo::System;

/// Memory of the machine in bytes, or of the container if that has less; `None` if the system does
/// not tell.
pub(super) fn memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let limit = system
        .cgroup_limits()
        .map_or(u64::MAX, |limits| limits.total_memory);
    Some(system.total_memory().min(limit)).filter(|&bytes| bytes > 0)
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
