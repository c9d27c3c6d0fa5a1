//! The memory that the control groups of this process allow it (Linux).
//!
//! Containers, Slurm and systemd bound the memory of a control group, and a process is bound by its
//! own group and by every group above it. `/proc/self/cgroup` names the group within a hierarchy,
//! and `/proc/self/mountinfo` says where the hierarchy is mounted and which group lies at its mount
//! point; see cgroups(7). There may be two hierarchies: that of version 2, and the one of version 1
//! that controls memory.

use std::fs;
use std::path::{Path, PathBuf};

/// The least limit in bytes of the process's groups; `None` if nothing limits them. `root` is the
/// directory that `/proc` and the mount points are under.
pub(super) fn memory_limit(root: &Path) -> Option<u64> {
    let read = |name| fs::read_to_string(root.join("proc/self").join(name)).ok();
    let (groups, mounts) = (read("cgroup")?, read("mountinfo")?);
    let hierarchies = mounts.lines().filter_map(Hierarchy::mounted);
    let limits = hierarchies.filter_map(|hierarchy| {
        let group = groups.lines().find_map(|line| hierarchy.group(line))?;
        hierarchy.least_limit(root, &group)
    });
    limits.min()
}

/// A mounted hierarchy that can control memory.
struct Hierarchy {
    version: Version,
    /// The group that lies at the mount point.
    top: PathBuf,
    mount_point: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Hierarchy {
    /// Read a line of `mountinfo`: `ID PARENT DEVICE TOP MOUNT_POINT OPTIONS ... - TYPE SOURCE
    /// OPTIONS`.
    fn mounted(line: &str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let (top, mount_point) = (mount.next()?, mount.next()?);
        let mut system = system.split(' ');
        let version = match (system.next()?, system.nth(1)?) {
            ("cgroup2", _) => Version::Two,
            ("cgroup", options) if options.split(',').any(|word| word == "memory") => Version::One,
            _ => return None,
        };
        Some(Self {
            version,
            top: top.into(),
            mount_point: mount_point.into(),
        })
    }

    /// The process's group, seen from the mount point, if a line of `cgroup` is about this
    /// hierarchy: `ID:CONTROLLERS:GROUP`, with no controllers for version 2.
    fn group(&self, line: &str) -> Option<PathBuf> {
        let (_, line) = line.split_once(':')?;
        let (controllers, group) = line.split_once(':')?;
        let version = match controllers {
            "" => Version::Two,
            _ if controllers.split(',').any(|word| word == "memory") => Version::One,
            _ => return None,
        };
        // A group that lies elsewhere is hidden from the process, as are the limits on it.
        let below = Path::new(group).strip_prefix(&self.top);
        (version == self.version).then(|| below.unwrap_or(Path::new("")).to_owned())
    }

    /// The least limit of a group and of those above it. A group without the memory controller has
    /// none, but those above it may.
    fn least_limit(&self, root: &Path, group: &Path) -> Option<u64> {
        let files: &[&str] = match self.version {
            Version::One => &["memory.limit_in_bytes"],
            // Beyond `high` a process is not killed, but slowed down until it hardly moves.
            Version::Two => &["memory.max", "memory.high"],
        };
        let mounted = self.mount_point.strip_prefix("/").ok()?;
        let dirs = group
            .ancestors()
            .map(|group| root.join(mounted).join(group));
        let limits = dirs.flat_map(|dir| files.iter().map(move |file| dir.join(file)));
        // What is not limited says `max`, which is no number.
        let limits = limits.filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
        limits.min()
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests make groups by hand")]
mod tests {
    use super::*;

    /// The least limit in a tree of these files.
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
    fn the_least_limit_of_a_group_and_those_above_it_counts() {
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
    fn where_there_are_no_groups_there_is_no_limit() {
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
