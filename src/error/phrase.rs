//! Phrases of messages: numbers that may be missing, damaged files, and remedies.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// The first sum that still has its boards, in words.
pub(super) fn first_left(first: Option<u32>) -> String {
    first.map_or_else(
        || "and none are left".to_owned(),
        |first| format!("the first that are left are of sum {first}"),
    )
}

/// A number between two words; empty without a number.
pub(super) fn between(before: &str, number: Option<impl Display>, after: &str) -> String {
    number.map_or_else(String::new, |number| format!("{before}{number}{after}"))
}

/// The winning tiles next to a number between two of them.
pub(super) fn such_as(tile: u32) -> String {
    let below = 1 << tile.max(1).ilog2();
    if (8..65536).contains(&tile) {
        format!(", such as {below} or {}", 2 * below)
    } else {
        String::new()
    }
}

/// The remedy for a damaged file: a copy, or the job that makes the file again.
pub(super) fn restored(path: &Path) -> String {
    format!(": restore it from a copy, or {}", made_again(path))
}

/// How to make a file of a run, or of its solution, again.
pub(super) fn made_again(path: &Path) -> &'static str {
    let dir = path.parent().and_then(Path::file_name).unwrap_or_default();
    if path.extension().is_some_and(|ending| ending == "values") {
        "solve that objective again (solve --again)"
    } else if path.ends_with("solution.json") {
        "delete what is left of it and solve again"
    } else if path.ends_with("layers.csv") {
        "let the next count write it again"
    } else if path.ends_with("plan.json") {
        "delete its directory: the layer is cut into tasks again"
    } else if dir.to_string_lossy().starts_with("tasks-") {
        // Tasks pass this file to each other.
        "have it made again"
    } else {
        "delete the directory and count again"
    }
}

/// The fault of a format version, and the remedy.
pub(super) fn of_format(path: &Path, found: u32, known: u32) -> String {
    let (what, remedy) = match found > known {
        true => ("newer", "use a newer enum48, or another --dir"),
        false => ("older", made_again(path)),
    };
    format!("{what} than this program reads ({known}): {remedy}")
}

/// The remedy for an error of the system, or an empty text.
pub(super) fn of_system(what: &str, cause: &io::Error) -> &'static str {
    match (what, cause.kind()) {
        (_, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            ": make space, or free inodes (df -i), then give the same command again"
        }
        (_, io::ErrorKind::FileTooLarge) => {
            ": raise the limit on file sizes, then give the same command again"
        }
        ("link", kind) if kind != io::ErrorKind::NotFound => {
            ": tasks need hard links, which this file system may lack; a plain count does not"
        }
        (_, io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            ": give a place that can be read and written"
        }
        ("write", io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            ": give the path of a file in a directory that exists"
        }
        ("write", io::ErrorKind::IsADirectory) => ": give the path of a file",
        (_, io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists) => {
            ": give the path of a directory"
        }
        (_, io::ErrorKind::OutOfMemory) => {
            ": give less --memory or fewer --threads, then give the same command again"
        }
        ("lock", _) => ": give a directory on a file system with locks, such as a local disk",
        _ if cause
            .raw_os_error()
            .is_some_and(|code| TOO_MANY_OPEN.contains(&code)) =>
        {
            ": raise the limit on open files (ulimit -n), then give the same command again"
        }
        _ => "",
    }
}

/// ENFILE and EMFILE, which have no `ErrorKind`. On Windows their numbers have another meaning.
const TOO_MANY_OPEN: &[i32] = if cfg!(unix) { &[23, 24] } else { &[] };
