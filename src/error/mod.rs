//! All errors of the library, as one type. It wraps types for input, for solving and for tasks.
//!
//! A message reads `path: what: cause`. If it can, it gives the expected and the found number, and
//! ends with a remedy. Messages are in lower case without a full stop, so that they can be chained.

mod phrase;
mod wrapped;

use std::io;
use std::path::{Path, PathBuf};

use phrase::{between, first_left, restored};
pub use wrapped::{InputError, SolvingError};

/// The result of a fallible function of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Input that cannot be used.
    #[error(transparent)]
    Input(#[from] InputError),

    /// A game with too many states for a graph.
    #[error("graph: {game}{} has over {limit} states: too many: give --limit, or --until with a smaller sum", between(" up to sum ", *until, ""))]
    Vast {
        /// Game.
        game: String,
        /// The requested last sum.
        until: Option<u32>,
        /// The most states allowed.
        limit: usize,
    },

    /// An engine that cannot do the requested count.
    #[error("engine bits: {0}: give --engine lists, or none for the fastest that works")]
    Engine(String),

    /// Matrices that do not fit the memory bound.
    #[error(
        "the matrices of sum {sum} need {needed} of memory, and the bound is {given}: give more --memory if the command has it, or use a machine with more memory"
    )]
    MatrixMemory {
        /// The sum of the layer.
        sum: u32,
        /// The bound that works.
        needed: String,
        /// The bound that was given.
        given: String,
    },

    /// Boards that a run cannot keep.
    #[error("{0}")]
    Keep(String),

    /// The user asked the work to stop.
    #[error("stopped: finished layers are kept: run the same command to resume")]
    Stopped,

    /// Threads could not be started.
    #[error("threads: cannot start {threads}: {cause}")]
    Threads {
        /// Number of threads.
        threads: usize,
        /// The system's error.
        cause: String,
    },

    /// zstd has too little memory.
    #[error("zstd: {0}: give less --memory or fewer --threads, then give the same command again")]
    Zstd(io::Error),

    /// The system refused an operation on a file.
    #[error("{path}: cannot {what}: {cause}{}", phrase::of_system(what, cause))]
    Io {
        /// File or directory.
        path: PathBuf,
        /// The operation, as a verb phrase that follows "cannot".
        what: &'static str,
        /// The system's error.
        cause: io::Error,
    },

    /// The system could not read bytes of an open file.
    #[error(
        "{path}: cannot read at byte {at}: {cause}: check the disk, then give the same command again"
    )]
    Read {
        /// File.
        path: PathBuf,
        /// The offset in bytes.
        at: u64,
        /// The system's error.
        cause: io::Error,
    },

    /// A file that is not a part file.
    #[error("{}: not an enum48 part file: expected a file that begins with the bytes of \"enum48pt\"{}", .0.display(), restored(.0))]
    Foreign(PathBuf),

    /// A file of another format version.
    #[error("{path}: format {found} is {}", phrase::of_format(path, *found, *known))]
    Format {
        /// File.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The version that this program reads.
        known: u32,
    },

    /// A part file whose writer did not finish.
    #[error("{0}: unfinished: its writer was stopped: delete it")]
    Unfinished(PathBuf),

    /// A file of a run is missing.
    #[error("{}: missing{}", .0.display(), restored(.0))]
    Missing(PathBuf),

    /// A part file shorter than its header says.
    #[error(
        "{path}: cut short: expected {expected} bytes, got {got}{}",
        restored(path)
    )]
    Cut {
        /// File.
        path: PathBuf,
        /// Expected size in bytes.
        expected: u64,
        /// Actual size in bytes.
        got: u64,
    },

    /// Bytes that have changed since they were written.
    #[error("{path}: damaged: {what}{}", restored(path))]
    Damaged {
        /// File.
        path: PathBuf,
        /// The place and the kind of damage.
        what: String,
    },

    /// A file that is intact, but not the file that was sealed under this name; it may hold boards
    /// in place of values or matrices.
    #[error(
        "{path}: not the file that was sealed: {what}: put the right file back, or {}",
        phrase::made_again(path)
    )]
    Mismatch {
        /// File.
        path: PathBuf,
        /// The difference.
        what: String,
    },

    /// Counts that no game can have, because of a fault of the program or of the machine.
    #[error(
        "{place}: a law is broken: {law}: these counts cannot be right: count again, and report it if it happens again"
    )]
    Law {
        /// The part or layer.
        place: String,
        /// The law, and the numbers that break it.
        law: String,
    },

    /// Text that is not a table of counts.
    #[error("line {line}: {what}")]
    Table {
        /// The line, counted from 1.
        line: u64,
        /// The fault of the line.
        what: String,
    },

    /// States that a writer received out of order.
    #[error(
        "states out of order: {got:#x} after {previous:#x}: a part takes strictly increasing states"
    )]
    OutOfOrder {
        /// The previous state.
        previous: u64,
        /// The next state, which must be greater.
        got: u64,
    },

    /// Another process uses the directory.
    #[error(
        "{0}: in use by another process: wait until it ends, or give another directory (on a network file \
         system, a machine that died keeps its lock for a minute or two)"
    )]
    Locked(PathBuf),

    /// A directory that does not exist.
    #[error(
        "{0}: no such directory: a count makes it, for example enum48 --size 3 --keep both --dir {0}"
    )]
    NoDirectory(PathBuf),

    /// A directory that does not hold a run.
    #[error("{0}: not a run's directory, because it has no manifest.json: give another directory")]
    NotARun(PathBuf),

    /// A directory with a run of another game.
    #[error(
        "{path}: holds the game {found}, not {wanted}: give another --dir, or the game's own --size and --max"
    )]
    OtherGame {
        /// Directory.
        path: PathBuf,
        /// Game of the run.
        found: String,
        /// Requested game.
        wanted: String,
    },

    /// A layer that was not counted yet.
    #[error("{path}: sum {sum} is not counted yet, the last layer is {last}: let the count go on")]
    NotCounted {
        /// Directory.
        path: PathBuf,
        /// Requested sum.
        sum: u32,
        /// Sum of the last sealed layer.
        last: u32,
    },

    /// A layer whose states, or afterstates, were deleted.
    #[error("{path}: the {what} of sum {sum} were dropped (--keep {keep}), {}: count again with --keep {keeping} or both", first_left(*first))]
    Gone {
        /// Directory.
        path: PathBuf,
        /// States or afterstates.
        what: String,
        /// Requested sum.
        sum: u32,
        /// First sum that still has its files, if there is one.
        first: Option<u32>,
        /// The `--keep` of the run.
        keep: String,
        /// The `--keep` that retains them.
        keeping: String,
    },

    /// The system refused to allocate memory.
    #[error("no memory for {count} {what}: ask for fewer at once")]
    NoMemory {
        /// Number of items.
        count: usize,
        /// Plural noun for the items.
        what: &'static str,
    },

    /// A run cannot be solved, or a solution cannot be used.
    #[error(transparent)]
    Solving(#[from] SolvingError),

    /// A task of a layer cannot be done, or a layer cannot be sealed.
    #[error(transparent)]
    Task(#[from] TaskError),
}

/// An error of a task of a layer. Errors of files are in [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// Text that does not name a task of the layer.
    #[error("task {0:?}: not a task of the layer: give one that enum48 cluster tasks prints")]
    Unknown(String),

    /// A task of a layer that was sealed, or planned again, in the meantime.
    #[error(
        "{0}: not the plan of the next layer: the run has gone on, its tasks were deleted, or this program sees an older state of it: ask for the tasks again (enum48 cluster tasks)"
    )]
    Stale(PathBuf),

    /// A layer that another version of the program has cut into tasks.
    #[error(
        "{path}: cut into tasks by {found}: go on with that version, or delete the directory and let this version cut the layer again"
    )]
    OtherProgram {
        /// The plan.
        path: PathBuf,
        /// The program and its version.
        found: String,
    },

    /// A task that must be done first.
    #[error("task {0}: not done yet: ask for the tasks again")]
    Undone(String),

    /// A task's output is damaged or gone, so the task must be done again.
    #[error("{cause}: {task} is to be done again: ask for the tasks again")]
    Retracted {
        /// The task.
        task: String,
        /// The fault of the output.
        cause: Box<Error>,
    },

    /// No layer is cut into tasks.
    #[error("{0}: no layer is cut into tasks: run enum48 cluster tasks first")]
    Unplanned(PathBuf),
}

impl Error {
    /// Whether the error says that a run is damaged or that its numbers cannot be right. To
    /// `verify`, such an error is a result, not a failure.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Law { .. } => true,
            Self::Solving(error) => error.is_damage(),
            _ => self.damaged_file().is_some(),
        }
    }

    /// The damaged or missing file.
    pub(crate) fn damaged_file(&self) -> Option<&Path> {
        match self {
            Self::Foreign(path)
            | Self::Unfinished(path)
            | Self::Missing(path)
            | Self::Cut { path, .. }
            | Self::Damaged { path, .. }
            | Self::Mismatch { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Whether a disk or a quota is full, or a file is larger than allowed.
    pub(crate) fn is_lack_of_space(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        matches!(self, Self::Io { cause, .. }
            if matches!(cause.kind(), StorageFull | QuotaExceeded | FileTooLarge))
    }

    /// Whether a file system has no locks.
    pub(crate) fn is_lack_of_locks(&self) -> bool {
        matches!(self, Self::Io { what: "lock", .. })
    }

    /// Whether the layers before the layer under way can be sealed.
    pub(crate) fn is_stop_or_lack_of_space(&self) -> bool {
        matches!(self, Self::Stopped) || self.is_lack_of_space()
    }

    /// Turn "not found" into [`Error::Missing`], unless a link was found.
    pub(crate) fn missing(self) -> Self {
        match self {
            Self::Io { path, cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                match path.is_symlink() {
                    true => Self::dangling(&path),
                    false => Self::Missing(path),
                }
            }
            other => other,
        }
    }

    /// The error of a link that leads nowhere.
    pub(crate) fn dangling(link: &Path) -> Self {
        let cause = "it leads nowhere: mount what it leads to, or mend it";
        Self::io(link, "follow the link")(io::Error::other(cause))
    }

    /// An [`Error::Damaged`].
    pub(crate) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    /// An [`Error::Mismatch`].
    pub(crate) fn mismatch(path: &Path, what: impl Into<String>) -> Self {
        Self::Mismatch {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    /// A function for `map_err` that makes an [`Error::Io`].
    pub(crate) fn io(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io {
            path: path.to_owned(),
            what,
            cause,
        }
    }
}
