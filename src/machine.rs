//! The machine: how many cores and how much memory this process may use.
//!
//! The program and the Python module ask here for their defaults, and parse here the numbers of
//! threads and bytes that a user gives.

use std::fs;
use std::num::NonZeroUsize;
use std::thread;

use parse_size::Config;
#[cfg(unix)]
use rlimit::Resource;
use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System, get_current_pid};

use crate::engine::Plan;
use crate::error::Result;

/// Memory bound if neither the user nor the system tells one.
const MEMORY: u64 = 1 << 30;

/// Bytes that the program itself maps, measured, and more for each core.
const OWN: u64 = 64 << 20;
const OWN_FOR_CORE: u64 = 16 << 20;

/// Least memory of a reader of matrices for each core.
const LEAST_FOR_CORE: u64 = 64 << 20;

/// Most threads that a user can ask for.
const MOST_THREADS: usize = 1024;

/// Most threads for each core. With more, threads only wait for one another at every step of a
/// layer.
pub(crate) const THREADS_PER_CORE: usize = 8;

/// The cores that this process may use.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Most threads that a job uses, even if the user asks for more.
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

/// Half of the memory that this process may use. Under a limit on the process, the program itself
/// must also fit beside it.
pub(crate) fn default_memory() -> u64 {
    let beside = limit().saturating_sub(OWN + cores() as u64 * OWN_FOR_CORE);
    memory().map_or(MEMORY, |all| all / 2).min(beside)
}

/// The bytes that this process may map (`ulimit -v`, `ulimit -d`).
fn limit() -> u64 {
    #[cfg(unix)]
    let limits = [Resource::AS, Resource::DATA].map(|limit| limit.get_soft().unwrap_or(u64::MAX));
    #[cfg(not(unix))]
    let limits = [u64::MAX; 2];
    limits[0].min(limits[1])
}

/// Under a limit on address space, let all threads share a heap. Otherwise the heap of each thread
/// takes 64 MiB of it.
#[cfg(feature = "cli")]
pub(crate) fn save_address_space() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if Resource::AS.get_soft().is_ok_and(|bytes| bytes < u64::MAX) {
        const M_ARENA_MAX: i32 = -8;
        // SAFETY: the C library's own function, which takes any two numbers.
        #[expect(unsafe_code, reason = "the C library has no other way")]
        unsafe {
            mallopt(M_ARENA_MAX, 1);
        }
    }
}

#[cfg(all(feature = "cli", target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "a function of the C library")]
unsafe extern "C" {
    fn mallopt(parameter: i32, value: i32) -> i32;
}

/// The plan of a job without `--memory` and `--threads`: all cores, and the default memory, but
/// enough to read matrices of small games on any machine.
pub(crate) fn plan() -> Result<Plan> {
    let memory = default_memory().max(cores() as u64 * LEAST_FOR_CORE);
    Plan::new(memory, cores())
}

/// Bytes of memory that this process may use: the machine's memory, or the limit of a control group
/// or of the process if that is less. `None` if the system does not tell.
pub(crate) fn memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    // Containers, Slurm and systemd bound the memory of a control group.
    let of_groups = get_current_pid().ok().and_then(|pid| {
        let only = ProcessesToUpdate::Some(&[pid]);
        system.refresh_processes_specifics(only, false, ProcessRefreshKind::nothing());
        Some(system.process(pid)?.cgroup_limits()?.total_memory)
    });
    let of_machine = system.total_memory().min(limit());
    Some(of_machine.min(of_groups.unwrap_or(u64::MAX))).filter(|&bytes| bytes > 0)
}

/// Anonymous resident memory of this process in bytes; only Linux tells. Pages of files do not
/// count, because the kernel can drop them at any time.
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

/// Let this process open as many files as the system allows: a layer of many segments, or of many
/// tasks, has more files than most shells allow (`ulimit -n`).
#[cfg(feature = "cli")]
pub(crate) fn raise_open_files() {
    // If it fails, the error of opening a file names the remedy.
    #[cfg(unix)]
    let _ = rlimit::increase_nofile_limit(u64::MAX);
}
