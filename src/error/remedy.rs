//! What to do about an error: the ends of some messages.

use std::io;
use std::path::Path;

/// How to make a file of a run, or of its solution, again.
pub(super) fn anew(path: &Path) -> &'static str {
    if path.extension().is_some_and(|ending| ending == "values") {
        "solve that objective again (solve --again)"
    } else if path.ends_with("solution.json") {
        "delete it and solve again"
    } else if path.ends_with("plan.json") {
        "delete its directory: the layer is cut into tasks again"
    } else if is_of_task(path) {
        "have it made again"
    } else {
        "delete the directory and count again"
    }
}

/// Whether tasks hand a file to each other.
fn is_of_task(path: &Path) -> bool {
    let dir = path.parent().and_then(Path::file_name);
    dir.is_some_and(|name| name.to_string_lossy().starts_with("tasks-"))
}

/// What to do about some errors of the system.
pub(super) fn of_system(what: &str, cause: &io::Error) -> &'static str {
    match (what, cause.kind()) {
        (_, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            ": sealed layers are kept: make space, then give the same command again"
        }
        (_, io::ErrorKind::FileTooLarge) => {
            ": sealed layers are kept: raise the limit on file sizes, then give the same command again"
        }
        (_, io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            ": give a place that can be read and written"
        }
        (_, io::ErrorKind::OutOfMemory) => {
            ": sealed layers are kept: give less --memory or fewer --threads, then the same command again"
        }
        ("lock", _) => ": give a --dir on a file system with locks, such as a local disk",
        ("map", _) => {
            ": give a --dir on a file system whose files can be mapped, such as a local disk"
        }
        _ if TOO_MANY_OPEN.contains(&cause.raw_os_error()) => {
            ": raise the limit on open files (ulimit -n), then give the same command again"
        }
        _ => "",
    }
}

/// ENFILE and EMFILE, which have no `ErrorKind`.
const TOO_MANY_OPEN: [Option<i32>; 2] = [Some(23), Some(24)];
