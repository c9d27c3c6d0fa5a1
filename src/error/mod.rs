//! All errors of the library, as one type; those of solving and of tasks are types of their own
//! inside it.
//!
//! Every message reads `path: what: cause`, gives what was expected and what was found as numbers,
//! and ends with what to do. Messages are in lower case without a full stop, so that they can be
//! chained.

mod phrase;
mod solving;
mod task;

use std::io;
use std::path::{Path, PathBuf};

use phrase::{at, left, up_to};
pub use solving::SolvingError;
pub use task::TaskError;

/// Shorthand for results of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong in the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not a board size.
    #[error(
        "size {0}: not the size of a board that can be counted: give N or RxC with sides from 2 to 4, such as 3 or 4x3"
    )]
    Size(String),

    /// Not a winning tile.
    #[error("max {0}: not a winning tile: give a power of two from 8 to 65536")]
    Max(u32),

    /// Not the name of a game.
    #[error(
        "game {0}: not a game's name: expected one such as 3x3-1024, or 4x3 without a winning tile"
    )]
    Game(String),

    /// Not something to play for.
    #[error(
        "objective {0:?}: not something to play for: give score, moves, or a tile, a power of two from 4 to 65536"
    )]
    Objective(String),

    /// Not a board of the given size.
    #[error(
        "board {text:?}: not a board of {size}: {what}: give it as in 0x2310, or row by row as in \"4 8 / 2 .\""
    )]
    Board {
        /// What was given.
        text: String,
        /// What is wrong with that.
        what: String,
        /// Rows and columns expected.
        size: String,
    },

    /// Not a seed.
    #[error(
        "seed {0:?}: not a seed: give a number below 2^64 in base 36: digits 0 to 9 and a to z, no leading zero"
    )]
    Seed(String),

    /// Not a code, or the code of a game that cannot have been played.
    #[error("code: {}{what}", at(*turn))]
    Code {
        /// The move that is wrong, counted from 1; none if it is not a move.
        turn: Option<u64>,
        /// What is wrong.
        what: String,
    },

    /// A count of 4x4 without a winning tile and without a last sum below 65536.
    #[error(
        "size 4x4 without a winning tile: the game goes beyond the tile 32768, the largest that fits a board's \
         digits: give --max, or --until with a sum below 65536"
    )]
    Endless,

    /// A last sum below that of the first layer.
    #[error("until {0}: the first layer has sum 4: give 4 or more")]
    Until(u32),

    /// A game with too many states for a graph.
    #[error(
        "graph: {game}{} has over {limit} states: too many: give --limit, or --until with a smaller sum",
        up_to(*until)
    )]
    Vast {
        /// Game.
        game: String,
        /// The greatest sum asked for.
        until: Option<u32>,
        /// The most states allowed.
        limit: usize,
    },

    /// A memory bound that is too small.
    #[error(
        "memory {given}: too little: --threads {threads} takes at least {least} (or give fewer --threads)"
    )]
    Memory {
        /// The bound that was given, in readable form.
        given: String,
        /// The smallest bound that works, in the form that `--memory` takes.
        least: String,
        /// Number of threads.
        threads: usize,
    },

    /// An engine that cannot count what it was asked to count.
    #[error("engine bits: {0}: give --engine lists, or none for the fastest that works")]
    Engine(String),

    /// Somebody asked for the work to end.
    #[error("stopped: what is finished is kept: the same again goes on from there")]
    Stopped,

    /// Threads could not be started.
    #[error("threads: cannot start {threads}: {cause}")]
    Threads {
        /// Number of threads.
        threads: usize,
        /// What the system says.
        cause: String,
    },

    /// zstd has not got the memory that it needs.
    #[error(
        "zstd: {0}: sealed layers are kept: give less --memory or fewer --threads, then the same command again"
    )]
    Zstd(#[source] io::Error),

    /// The system refused an operation on a file.
    #[error("{}: cannot {what}: {cause}{}", path.display(), phrase::of_system(what, cause))]
    Io {
        /// File or directory.
        path: PathBuf,
        /// What was tried, as a verb phrase: it follows "cannot".
        what: &'static str,
        /// What the system says.
        cause: io::Error,
    },

    /// Not a part file.
    #[error("{}: not an enum48 part file: expected a file that begins with the bytes of \"enum48pt\": restore it from a copy, or {}", .0.display(), phrase::anew(.0))]
    Foreign(PathBuf),

    /// A file or directory of a later format version.
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

    /// A part file whose writer did not finish.
    #[error("{}: unfinished: its writer was stopped: delete it", .0.display())]
    Unfinished(PathBuf),

    /// A file of a run is missing.
    #[error("{}: missing: restore it from a copy, or {}", .0.display(), phrase::anew(.0))]
    Missing(PathBuf),

    /// A part file shorter than its header says.
    #[error("{}: cut short: expected {expected} bytes, got {got}: restore it from a copy, or {}", path.display(), phrase::anew(path))]
    Cut {
        /// File.
        path: PathBuf,
        /// Size that it should have, in bytes.
        expected: u64,
        /// Size that it has, in bytes.
        got: u64,
    },

    /// Bytes that are not as they were written.
    #[error("{}: damaged: {what}: restore it from a copy, or {}", path.display(), phrase::anew(path))]
    Damaged {
        /// File.
        path: PathBuf,
        /// Where and how.
        what: String,
    },

    /// A file that is intact, but not the one that was sealed under this name.
    #[error("{}: not the file that was sealed: {what}: put the right file back, or {}", path.display(), phrase::anew(path))]
    Mismatch {
        /// File.
        path: PathBuf,
        /// What differs.
        what: String,
    },

    /// A file of boards where values are expected, or of values where boards are.
    #[error("{}: holds {found}, not {wanted}: put the right file in its place", path.display())]
    OtherKind {
        /// File.
        path: PathBuf,
        /// What it holds.
        found: String,
        /// What it should hold: boards or values.
        wanted: &'static str,
    },

    /// Counts that no game can have: a fault of the program or of the machine.
    #[error(
        "{place}: a law is broken: {law}: these counts cannot be right: count again, and report it if it happens again"
    )]
    Law {
        /// The part or layer.
        place: String,
        /// The law, and the numbers that break it.
        law: String,
    },

    /// A file that counts write but never read is not as it was written.
    #[error("{}: not as it was written: {what}: no count reads it, and the next one writes it again", path.display())]
    Altered {
        /// File.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },

    /// Text that is not a table of counts.
    #[error("line {line}: {what}")]
    Table {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },

    /// States that a writer was given out of order.
    #[error(
        "states out of order: {got:#x} after {previous:#x}: a part takes strictly increasing states"
    )]
    OutOfOrder {
        /// The state before.
        previous: u64,
        /// The state after it, which should be greater.
        got: u64,
    },

    /// Another process uses the directory.
    #[error("{}: in use by another process: wait until that ends, or give another --dir", .0.display())]
    Locked(PathBuf),

    /// A directory that does not hold a run.
    #[error("{}: not a run's directory, as it has no manifest.json: give another directory", .0.display())]
    NotARun(PathBuf),

    /// A directory with a run of another game.
    #[error("{}: holds the game {found}, not {wanted}: give another --dir, or the game's own --size and --max", path.display())]
    OtherGame {
        /// Directory.
        path: PathBuf,
        /// Game of the run.
        found: String,
        /// Game that was asked for.
        wanted: String,
    },

    /// A directory with a run that is cut into other files.
    #[error("{}: a file has up to {found} boards of a part, not {wanted}: give another --dir, or no --segment", path.display())]
    OtherSegment {
        /// Directory.
        path: PathBuf,
        /// Boards of every file of a part but the last.
        found: u64,
        /// Boards that were asked for.
        wanted: u64,
    },

    /// Files that cannot hold so many boards.
    #[error("--segment {segment}: a file holds whole blocks: give a multiple of {block}")]
    Segment {
        /// Boards of every file of a part but the last.
        segment: u64,
        /// Boards of a block.
        block: u64,
    },

    /// A layer that was not counted yet.
    #[error("{}: sum {sum} is not counted yet, the last layer is {last}: let the count go on", path.display())]
    NotCounted {
        /// Directory.
        path: PathBuf,
        /// Sum asked for.
        sum: u32,
        /// Sum of the last sealed layer.
        last: u32,
    },

    /// A layer whose states, or afterstates, were deleted.
    #[error("{}: the {what} of sum {sum} were dropped (--keep {keep}), {}: count again with --keep {keeping} or both", path.display(), left(*first))]
    Gone {
        /// Directory.
        path: PathBuf,
        /// States or afterstates.
        what: String,
        /// Sum asked for.
        sum: u32,
        /// First sum of which they still exist, if there is one.
        first: Option<u32>,
        /// What the run keeps.
        keep: String,
        /// What keeps them.
        keeping: String,
    },

    /// Every layer is to be kept, but some were deleted.
    #[error("{}: --keep {wanted}: an earlier run with --keep {kept} dropped the {what} of the layers below sum {below}: go on with --keep {kept}, or count again in another --dir", path.display())]
    Dropped {
        /// Directory.
        path: PathBuf,
        /// What is to be kept.
        wanted: String,
        /// What was kept so far.
        kept: String,
        /// States or afterstates.
        what: String,
        /// First sum of which they still exist.
        below: u32,
    },

    /// Memory that the system does not give.
    #[error("no memory for {count} {what}: ask for fewer at once")]
    NoMemory {
        /// How many of them.
        count: usize,
        /// What they are.
        what: &'static str,
    },

    /// A run cannot be solved, or a solution not be used.
    #[error(transparent)]
    Solving(#[from] SolvingError),

    /// A task of a layer cannot be done, or a layer not be sealed.
    #[error(transparent)]
    Task(#[from] TaskError),
}

impl Error {
    /// Whether there is no room on a disk.
    pub(crate) fn is_lack_of_space(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Io { cause, .. } if matches!(cause.kind(), StorageFull | QuotaExceeded))
    }

    /// The same, but as that of a run's file where there is none.
    pub(crate) fn missing(self) -> Self {
        match self {
            Self::Io { path, cause, .. } if cause.kind() == io::ErrorKind::NotFound => {
                Self::Missing(path)
            }
            other => other,
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
