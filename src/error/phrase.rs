//! Phrases of messages: numbers that may be missing, damaged files, and remedies.

use std::io;
use std::path::Path;

use super::Error;

/// The first sum whose boards are left.
pub(super) fn left(first: Option<u32>) -> String {
    first.map_or_else(
        || "and none are left".to_owned(),
        |first| format!("the first that are left are of sum {first}"),
    )
}

/// `move 12: `.
pub(super) fn at(turn: Option<u64>) -> String {
    turn.map_or(String::new(), |turn| format!("move {turn}: "))
}

/// ` up to sum 12`.
pub(super) fn up_to(until: Option<u32>) -> String {
    until.map_or(String::new(), |sum| format!(" up to sum {sum}"))
}

impl Error {
    /// Whether the error says that a run is damaged or that its numbers cannot be right. To
    /// `verify`, such an error is a result, not a failure.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Altered { .. } | Self::Law { .. } => true,
            Self::Solving(error) => error.is_damage(),
            _ => self.damaged_file().is_some(),
        }
    }

    /// The file that the error calls damaged or missing.
    pub(crate) fn damaged_file(&self) -> Option<&Path> {
        match self {
            Self::Foreign(path)
            | Self::Unfinished(path)
            | Self::Missing(path)
            | Self::Cut { path, .. }
            | Self::Damaged { path, .. }
            | Self::Mismatch { path, .. }
            | Self::OtherKind { path, .. } => Some(path),
            _ => None,
        }
    }
}

/// The remedy: how to make a file of a run, or of its solution, again.
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

/// Whether a file is one that tasks pass to each other.
fn is_of_task(path: &Path) -> bool {
    let dir = path.parent().and_then(Path::file_name);
    dir.is_some_and(|name| name.to_string_lossy().starts_with("tasks-"))
}

/// The remedy for an error of the system, if there is one.
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
