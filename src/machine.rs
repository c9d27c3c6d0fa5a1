//! The machine: how many cores and how much memory this process may use.
//!
//! The program and the Python module ask here for their defaults, and parse here the numbers of
//! threads and bytes that a user gives.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use parse_size::Config;
#[cfg(unix)]
use rlimit::Resource;
use sysinfo::System;

use crate::engine::Plan;
use crate::error::Result;

/// Memory bound if neither the user nor the system tells one.
const MEMORY: u64 = 1 << 30;

/// Least memory of a reader of matrices for each core.
const LEAST_FOR_CORE: u64 = 64 << 20;

/// Most threads that a user can ask for.
const MOST_THREADS: usize = 1024;

/// Most threads for each core. With more, threads only wait for one another at every step of a layer.
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

/// Half of the memory that this process may use.
pub(crate) fn default_memory() -> u64 {
    memory().map_or(MEMORY, |all| all / 2)
}

/// The plan of a job without `--memory` and `--threads`: all cores, and the default memory, but enough
/// to read matrices of small games on any machine.
pub(crate) fn plan() -> Result<Plan> {
    let memory = default_memory().max(cores() as u64 * LEAST_FOR_CORE);
    Plan::new(memory, cores())
}

/// Bytes of memory that this process may use: the machine's memory, or the limit of a control group
/// or of `ulimit -v` if that is less. `None` if the system does not tell.
pub(crate) fn memory() -> Option<u64> {
    let mut system = System::new().ok()?;
    system.refresh_memory();
    let of_groups = memory_limit(Path::new("/")).unwrap_or(u64::MAX);
    // The memory that the process may map (`ulimit -v`).
    #[cfg(unix)]
    let address_space = Resource::AS.get_soft().unwrap_or(u64::MAX);
    #[cfg(not(unix))]
    let address_space = u64::MAX;
    let least = system.total_memory().min(of_groups).min(address_space);
    Some(least).filter(|&bytes| bytes > 0)
}

/// Anonymous resident memory of this process in bytes; only Linux tells. Pages of files do not count,
/// because the kernel can drop them at any time.
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

/// The least memory limit of this process's control groups in bytes; `None` if nothing limits them.
/// `root` is the directory above `/proc` and the mount points.
///
/// Containers, Slurm and systemd bound the memory of a control group. A process is bound by its own
/// group and by every group above it. `/proc/self/cgroup` names the group within a hierarchy.
/// `/proc/self/mountinfo` says where the hierarchy is mounted, and which group lies at its mount
/// point; see cgroups(7). There may be two hierarchies: the hierarchy of version 2, and a hierarchy
/// of version 1 that controls memory.
fn memory_limit(root: &Path) -> Option<u64> {
    let read = |name| fs::read_to_string(root.join("proc/self").join(name)).ok();
    let (groups, mounts) = (read("cgroup")?, read("mountinfo")?);
    mounts
        .lines()
        .filter_map(Hierarchy::mounted)
        .filter_map(|hierarchy| {
            let group = groups.lines().find_map(|line| hierarchy.group(line))?;
            hierarchy.least_limit(root, &group)
        })
        .min()
}

/// A mounted hierarchy that can control memory.
struct Hierarchy {
    /// Whether the hierarchy has version 2, not 1.
    unified: bool,
    /// The group that lies at the mount point.
    top: PathBuf,
    mount_point: PathBuf,
}

impl Hierarchy {
    /// Read a line of `mountinfo`: `ID PARENT DEVICE TOP MOUNT_POINT OPTIONS ... - TYPE SOURCE
    /// OPTIONS`.
    fn mounted(line: &str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let (top, mount_point) = (mount.next()?, mount.next()?);
        let mut system = system.split(' ');
        let unified = match (system.next()?, system.nth(1)?) {
            ("cgroup2", _) => true,
            ("cgroup", options) if options.split(',').any(|word| word == "memory") => false,
            _ => return None,
        };
        Some(Self {
            unified,
            top: top.into(),
            mount_point: mount_point.into(),
        })
    }

    /// The process's group, seen from the mount point, if a line of `cgroup` is about this
    /// hierarchy: `ID:CONTROLLERS:GROUP`, with no controllers for version 2.
    fn group(&self, line: &str) -> Option<PathBuf> {
        let (_, line) = line.split_once(':')?;
        let (controllers, group) = line.split_once(':')?;
        let unified = controllers.is_empty();
        let of_memory = unified || controllers.split(',').any(|word| word == "memory");
        // A process cannot see a group elsewhere, nor the limits of the group.
        let below = Path::new(group).strip_prefix(&self.top);
        (of_memory && unified == self.unified).then(|| below.unwrap_or(Path::new("")).to_owned())
    }

    /// The least limit of a group and of all groups above it. A group without the memory controller
    /// has no limit, but a group above it may have one.
    fn least_limit(&self, root: &Path, group: &Path) -> Option<u64> {
        let files: &[&str] = if self.unified {
            // Above `high`, the kernel does not kill a process but slows it down to a crawl.
            &["memory.max", "memory.high"]
        } else {
            &["memory.limit_in_bytes"]
        };
        let mounted = self.mount_point.strip_prefix("/").ok()?;
        group
            .ancestors()
            .flat_map(|group| files.iter().map(move |file| group.join(file)))
            // A file without a limit says `max`, which is not a number.
            .filter_map(|file| {
                let text = fs::read_to_string(root.join(mounted).join(file));
                text.ok()?.trim().parse().ok()
            })
            .min()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests make groups by hand")]
mod tests {
    use super::*;

    /// The least limit in a directory with these files.
    fn limit(files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        memory_limit(root.path())
    }

    #[test]
    fn the_least_limit_of_a_group_and_its_ancestors_counts() {
        let slurm = "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n";
        let mounts = "24 30 0:22 / /proc rw shared:12 - proc proc rw\n\
                      26 30 0:23 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        let job = "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/memory.max";
        let step = "sys/fs/cgroup/system.slice/slurmstepd.scope/job_7/step_0/memory.max";
        let high = "sys/fs/cgroup/system.slice/memory.high";
        let other = ("sys/fs/cgroup/user.slice/memory.max", "1\n");
        let here = [
            ("proc/self/cgroup", slurm),
            ("proc/self/mountinfo", mounts),
            other,
        ];
        let with = |more: &[(&'static str, &'static str)]| limit(&[&here[..], more].concat());
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[(job, "max\n")]), None);
        assert_eq!(
            with(&[(job, "8589934592\n"), (step, "max\n")]),
            Some(8 << 30)
        );
        assert_eq!(
            with(&[(job, "8589934592\n"), (step, "4294967296\n")]),
            Some(4 << 30)
        );
        assert_eq!(
            with(&[(job, "4294967296\n"), (step, "8589934592\n")]),
            Some(4 << 30)
        );
        assert_eq!(
            with(&[(job, "max\n"), (high, "1073741824\n")]),
            Some(1 << 30)
        );
    }

    #[test]
    fn a_container_sees_its_group_at_the_mount_point() {
        let mounts = "35 31 0:32 /docker/ab /sys/fs/cgroup/memory ro master:9 - cgroup cgroup rw,memory\n\
                      36 31 0:33 /docker/ab /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n";
        let here = |cgroup| {
            [
                ("proc/self/cgroup", cgroup),
                ("proc/self/mountinfo", mounts),
            ]
        };
        let limits = [
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n"),
            (
                "sys/fs/cgroup/memory/own/memory.limit_in_bytes",
                "1073741824\n",
            ),
            ("sys/fs/cgroup/cpu/memory.limit_in_bytes", "1\n"),
        ];
        let with = |cgroup| limit(&[&here(cgroup)[..], &limits].concat());
        assert_eq!(
            with("5:memory:/docker/ab\n4:cpu,cpuacct:/docker/ab\n"),
            Some(2 << 30)
        );
        assert_eq!(with("5:memory:/docker/ab/own\n"), Some(1 << 30));
        assert_eq!(with("5:memory:/elsewhere\n"), Some(2 << 30));
        assert_eq!(with("4:cpu,cpuacct:/docker/ab\n0::/docker/ab\n"), None);
    }

    #[test]
    fn without_groups_there_is_no_limit() {
        assert_eq!(limit(&[]), None);
        assert_eq!(
            limit(&[
                ("proc/self/cgroup", "\n:\n"),
                ("proc/self/mountinfo", " - \n")
            ]),
            None
        );
    }
}
