//! What a path on the command line names: a file, or a descriptor that is already open.
//!
//! Links are followed one by one, as the system would follow them, but for the last step from a
//! descriptor to the file behind it. So `/dev/stdout` is what the shell has opened, at the place
//! where it is being written, and not a file to be replaced.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::store::parent;

/// Directories in which the system lists the descriptors of a process.
const DESCRIPTORS: [&str; 2] = ["/dev/fd", "/proc/self/fd"];

/// Longer chains of links than Linux follows are circles.
const MOST_LINKS: usize = 40;

/// What a path names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// An open descriptor, such as 1 for `/dev/stdout`.
    Descriptor(i32),
    /// A file or anything else in the file system, by a path without links; it need not exist.
    File(PathBuf),
}

/// Follow a path to what it names.
pub(super) fn follow(path: &Path) -> io::Result<Destination> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let Some(name) = path.file_name().filter(|_| !is_folder) else {
            break;
        };
        let dir = parent(&path).canonicalize()?;
        if let Some(number) = name.to_str().and_then(|name| name.parse().ok())
            && DESCRIPTORS
                .iter()
                .any(|known| fs::canonicalize(known).is_ok_and(|known| known == dir))
        {
            return Ok(Destination::Descriptor(number));
        }
        path = dir.join(name);
        match fs::read_link(&path) {
            Ok(target) => path = dir.join(target),
            Err(_) => return Ok(Destination::File(path)),
        }
    }
    path.canonicalize().map(Destination::File)
}

/// Another handle to an open descriptor, which continues where that one is.
#[cfg(unix)]
pub(super) fn duplicate(number: i32) -> io::Result<File> {
    use std::os::fd::BorrowedFd;
    if number < 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    // SAFETY: the descriptor is only duplicated, which fails if it is not open.
    #[expect(unsafe_code, reason = "a number is a descriptor only by convention")]
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    Ok(descriptor.try_clone_to_owned()?.into())
}

/// No path leads to a descriptor.
#[cfg(not(unix))]
pub(super) fn duplicate(_: i32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_what_is_there_or_will_be() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().canonicalize().unwrap();
        let named = |path: &str| follow(&dir.join(path));
        let link = |target: &str, name: &str| symlink(target, dir.join(name)).unwrap();
        let file = |name: &str| Destination::File(dir.join(name));
        fs::create_dir(dir.join("sub")).unwrap();
        link("../new", "sub/dangling");
        link("sub/dangling", "twice");
        link("round", "round");
        link("/dev/stdout", "out");
        assert_eq!(named("new").unwrap(), file("new"));
        assert_eq!(named("sub/../new").unwrap(), file("new"));
        assert_eq!(named("twice").unwrap(), file("new"));
        assert_eq!(named("sub/").unwrap(), file("sub"));
        assert_eq!(named("out").unwrap(), Destination::Descriptor(1));
        for wrong in ["round", "nowhere/new", "new/"] {
            named(wrong).unwrap_err();
        }
        for (path, number) in [("/dev/fd/1", 1), ("/proc/self/fd/2", 2), ("/dev/stderr", 2)] {
            let found = follow(Path::new(path)).unwrap();
            assert_eq!(found, Destination::Descriptor(number), "{path}");
        }
        for wrong in [-1, 1_000_000] {
            duplicate(wrong).unwrap_err();
        }
    }
}
