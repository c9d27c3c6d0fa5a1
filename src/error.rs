//! What can go wrong, as one type.
//!
//! Every message reads `path: what: cause`, with what was expected and what was found as numbers,
//! and then what to do. Messages are lower case without a full stop, so that they can be chained.

use std::io;
use std::path::{Path, PathBuf};

/// Shorthand for results of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A board size that is none.
    #[error(
        "size {0}: not a board that can be counted: give N or RxC with sides from 2 to 4, such as 3 or 4x3"
    )]
    Size(String),

    /// A winning tile that is none.
    #[error("max {0}: not a winning tile: give a power of two from 8 to 65536")]
    Max(u32),

    /// A game's name that is none.
    #[error(
        "game {0}: not a game's name: expected one such as 3x3-1024, or 4x3 without a winning tile"
    )]
    Game(String),

    /// A board that is none of its size.
    #[error(
        "board {text:?}: not a board of {size}: {what}: give it as in 0x2310, or row by row as in \"4 8 / 2 .\""
    )]
    Board {
        /// What was given.
        text: String,
        /// What is wrong with it.
        what: String,
        /// Rows and columns expected.
        size: String,
    },

    /// A seed that is none.
    #[error(
        "seed {0:?}: not a seed: give a number below 2^64 in base 36: digits 0 to 9 and a to z, no leading zero"
    )]
    Seed(String),

    /// A code that is none, or whose game cannot have been played.
    #[error("code: {}{what}", at(*turn))]
    Code {
        /// The move at which it fails, counted from 1.
        turn: Option<u64>,
        /// What is wrong.
        what: String,
    },

    /// A 4x4 game without a winning tile, run without an end below 65536.
    #[error(
        "size 4x4 without a winning tile: a board's digits hold tiles up to 32768 and the game goes beyond: \
         give --max, or --until with a sum below 65536"
    )]
    Endless,

    /// An `--until` that no layer has.
    #[error("until {0}: the first layer has sum 4: give 4 or more")]
    Until(u32),

    /// A game with more states than are to be drawn.
    #[error("graph: {game}{} has over {limit} states{}: too many: give --limit, or --until with a smaller sum", up_to(*until), known(*published))]
    Vast {
        /// Game.
        game: String,
        /// The greatest sum asked for.
        until: Option<u32>,
        /// The most states that were to be drawn.
        limit: usize,
        /// How many states the whole game has, and which are counted, where that was published.
        published: Option<(u64, &'static str)>,
    },

    /// A memory bound below what can work.
    #[error(
        "memory {given}: too little: {threads} threads need at least {least} (or give fewer --threads)"
    )]
    Memory {
        /// The bound given, readable.
        given: String,
        /// The least that works, in the form the option takes.
        least: String,
        /// Threads that share it.
        threads: usize,
    },

    /// No pool of threads could be started.
    #[error("threads: cannot start {threads}: {cause}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        cause: String,
    },

    /// The system refused an operation on a file.
    #[error("{}: cannot {what}: {cause}{}", path.display(), remedy(what, cause))]
    Io {
        /// File or directory.
        path: PathBuf,
        /// What was tried, as a verb phrase.
        what: &'static str,
        /// What the system said.
        cause: io::Error,
    },

    /// A file that is no part file.
    #[error("{}: not an enum48 part file: expected a file that begins with the bytes of \"enum48pt\": restore it from a copy, or delete the directory and count again", .0.display())]
    Foreign(PathBuf),

    /// A file or directory of a later format.
    #[error(
        "{}: format {found} is newer than this program reads ({known}): use a newer enum48, or another --dir",
        path.display()
    )]
    Newer {
        /// File.
        path: PathBuf,
        /// Its format version.
        found: u32,
        /// The latest version this program reads.
        known: u32,
    },

    /// A part file that its writer never finished.
    #[error("{}: unfinished: its writer was stopped: delete it", .0.display())]
    Unfinished(PathBuf),

    /// A file of a run that is not there.
    #[error("{}: missing: restore it from a copy, or delete the directory and count again", .0.display())]
    Missing(PathBuf),

    /// Part files that the manifest does not name.
    #[error("{}{}: stray: not named by the manifest, so never counted: delete it, or let the next count do so", path.display(), others(*more))]
    Stray {
        /// The first of them.
        path: PathBuf,
        /// How many more there are.
        more: usize,
    },

    /// A part file shorter than its header says.
    #[error("{}: cut short: expected {expected} bytes, got {got}: restore it from a copy, or delete the directory and count again", path.display())]
    Cut {
        /// File.
        path: PathBuf,
        /// Bytes it should have.
        expected: u64,
        /// Bytes it has.
        got: u64,
    },

    /// Bytes that are not what was written.
    #[error("{}: damaged: {what}: restore it from a copy, or delete the directory and count again", path.display())]
    Damaged {
        /// File.
        path: PathBuf,
        /// Where and how.
        what: String,
    },

    /// A file that is sound but is not the part that the manifest names there.
    #[error("{}: not the part that the manifest names: {what}: put the right file back, or delete the directory and count again", path.display())]
    Mismatch {
        /// File.
        path: PathBuf,
        /// What differs.
        what: String,
    },

    /// Counts that cannot be, whatever the game: a fault of the program or of the machine.
    #[error(
        "{place}: a law is broken: {law}: these counts cannot be right: count again, and report it if it comes again"
    )]
    Law {
        /// The part or layer.
        place: String,
        /// The law, and the numbers that break it.
        law: String,
    },

    /// A file that a count writes and never reads, and that is not as it was written.
    #[error("{}: not as it was written: {what}: no count reads it, the next one writes it anew", path.display())]
    Altered {
        /// File.
        path: PathBuf,
        /// Where it differs.
        what: String,
    },

    /// States given to a writer out of order.
    #[error(
        "states out of order: {got:#x} after {previous:#x}: a part takes strictly increasing states"
    )]
    OutOfOrder {
        /// The state before.
        previous: u64,
        /// The state that should have been greater.
        got: u64,
    },

    /// A directory in use by another process.
    #[error("{}: in use by another process: wait for it to end, or give another --dir", .0.display())]
    Locked(PathBuf),

    /// A directory that holds something else.
    #[error("{}: not a run's directory, as it has no manifest.json: give another directory", .0.display())]
    NotARun(PathBuf),

    /// A directory of another game.
    #[error("{}: holds the game {found}, not {wanted}: give another --dir, or the game's own --size and --max", path.display())]
    OtherGame {
        /// Directory.
        path: PathBuf,
        /// Game in it.
        found: String,
        /// Game asked for.
        wanted: String,
    },

    /// A layer that a run has not come to.
    #[error("{}: sum {sum} is not counted yet, the last layer is {last}: let the count go on", path.display())]
    NotCounted {
        /// Directory.
        path: PathBuf,
        /// Sum asked for.
        sum: u32,
        /// Sum of the last sealed layer.
        last: u32,
    },

    /// A layer whose states are no longer there.
    #[error("{}: sum {sum} was dropped (--keep last), the first layer is {first}: count again with --keep all", path.display())]
    Gone {
        /// Directory.
        path: PathBuf,
        /// Sum asked for.
        sum: u32,
        /// First sum that is still there.
        first: u32,
    },

    /// Layers that are to be kept are gone.
    #[error("{}: --keep all: an earlier run with --keep last dropped the layers below sum {below}: go on with --keep last, or count again in another --dir", path.display())]
    Dropped {
        /// Directory.
        path: PathBuf,
        /// First sum that is still there.
        below: u32,
    },
}

/// `move 12: `.
fn at(turn: Option<u64>) -> String {
    turn.map_or(String::new(), |turn| format!("move {turn}: "))
}

/// ` up to sum 12`.
fn up_to(until: Option<u32>) -> String {
    until.map_or(String::new(), |sum| format!(" up to sum {sum}"))
}

/// ` (published: 57 live)`.
fn known(published: Option<(u64, &str)>) -> String {
    published.map_or(String::new(), |(states, which)| {
        format!(" (published: {states} {which})")
    })
}

/// ` and 7 others`.
fn others(more: usize) -> String {
    match more {
        0 => String::new(),
        more => format!(" and {more} others"),
    }
}

/// What to do about some refusals of the system.
fn remedy(what: &str, cause: &io::Error) -> &'static str {
    match (what, cause.kind()) {
        (_, io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            ": what was sealed stays: make space, then give the same command again"
        }
        (_, io::ErrorKind::FileTooLarge) => {
            ": what was sealed stays: raise the limit on file sizes, then give the same command again"
        }
        (_, io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            ": give a place that can be read and written"
        }
        (_, io::ErrorKind::OutOfMemory) => {
            ": what was sealed stays: give less --memory or fewer --threads, then the same command again"
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

/// ENFILE and EMFILE, which have no kind of their own.
const TOO_MANY_OPEN: [Option<i32>; 2] = [Some(23), Some(24)];

impl Error {
    /// Whether the bytes of a run are not what they were, or its numbers cannot be: an answer, where
    /// the question is whether it is sound.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        matches!(
            self,
            Self::Foreign(_)
                | Self::Unfinished(_)
                | Self::Missing(_)
                | Self::Stray { .. }
                | Self::Cut { .. }
                | Self::Damaged { .. }
                | Self::Mismatch { .. }
                | Self::Altered { .. }
                | Self::Law { .. }
        )
    }

    /// An [`Error::Io`] maker, for `map_err`.
    pub(crate) fn io(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io {
            path: path.to_owned(),
            what,
            cause,
        }
    }
}
