//! Errors of input that cannot be used, whatever is on the disk, and errors of solving.

use std::path::PathBuf;

use super::phrase::{between, such_as};

/// A value that a caller gave and that has no meaning here. Its message names the form that works.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A size that no board can have.
    #[error(
        "size {size}: not the size of a board: {what}: give N or RxC with sides from 2 to 4, such as 3 or 4x3"
    )]
    Size {
        /// The size that was given.
        size: String,
        /// The fault of the size.
        what: &'static str,
    },

    /// A number of stones that a game cannot have.
    #[error("stones {stones}: {what}")]
    Stones {
        /// The number that was given.
        stones: u32,
        /// The fault, and what to do.
        what: String,
    },

    /// A number that is not a winning tile.
    #[error("max {}: not a winning tile: give a power of two from 8 to 65536{}", .0, such_as(*.0))]
    Max(u32),

    /// Text that is not the name of a game.
    #[error(
        "game {0}: not a game's name: expected one such as 3x3-1024, or 4x3 without a winning tile"
    )]
    Game(String),

    /// Text that is not an objective.
    #[error(
        "objective {0:?}: not something to play for: give score, moves, a tile such as 512 (from 4 to 65536), or \
         sure-512 for whether it can be forced"
    )]
    Objective(String),

    /// Text that is not the rate of spawned 4s.
    #[error(
        "rate of 4s {0:?}: expected a ratio from 0 to 1, such as 0.2 or 1/5, with a denominator up to 100"
    )]
    FourRate(String),

    /// Text that is not a board of the given size.
    #[error(
        "board {text:?}: not a board of {size}: {what}: give it as in 0x2310, or row by row as in \"4 8 / 2 .\""
    )]
    Board {
        /// The text that was given.
        text: String,
        /// The fault of the text.
        what: String,
        /// Rows and columns expected.
        size: String,
    },

    /// Text that is not a seed.
    #[error(
        "seed {0:?}: not a seed: give a number below 2^64 in base 36: digits 0 to 9 and a to z, no leading zero"
    )]
    Seed(String),

    /// Text that is not a code, or the code of a game that no play can produce.
    #[error("code: {}{what}", between("move ", *turn, ": "))]
    Code {
        /// The move at fault, counted from 1; `None` if no move is at fault.
        turn: Option<u64>,
        /// The fault.
        what: String,
    },

    /// A count of 4x4 without a winning tile and without a last sum below 65536.
    #[error(
        "size 4x4 without a winning tile: the game goes beyond the tile 32768, the largest that fits a board's \
         digits: give --max, or --until with a sum below 65536"
    )]
    Endless,

    /// A last sum below the first layer's sum.
    #[error("until {0}: the first layer has sum 4: give 4 or more")]
    Until(u32),

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

    /// A sum that no layer can have.
    #[error("sum {0}: no layer has this sum: give an even number, 4 or more")]
    Sum(u32),
}

/// An error of solving a run, or of using its solution. Errors of files are in [`Error`](crate::Error).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolvingError {
    /// A run cannot be solved if it is not complete, kept no afterstates, or has a layer of 2^32
    /// afterstates or more.
    #[error("{path}: cannot be solved: {why}")]
    NotSolvable {
        /// Directory.
        path: PathBuf,
        /// The reason and the remedy.
        why: String,
    },

    /// A run that has no solution yet.
    #[error("{0}: not solved yet: enum48 solve {0} --for score solves it")]
    NotSolved(PathBuf),

    /// An objective or a precision for which the run cannot be solved, or is not solved.
    #[error("{0}")]
    Goal(String),

    /// A solution of another run.
    #[error(
        "{path}: not the solution of this run: {what}: put the right one back, or delete it and solve again"
    )]
    Mismatch {
        /// The manifest of the solution.
        path: PathBuf,
        /// The difference.
        what: String,
    },

    /// A memory bound that is too small for two layers of a run and the listing of a layer.
    #[error(
        "memory {given}: too little: to solve one objective takes {least}: give --memory {least} or more"
    )]
    Memory {
        /// The bound that was given, in readable form.
        given: String,
        /// The smallest bound that works, in the form that `--memory` takes.
        least: String,
    },

    /// A move leads to an afterstate that no file holds.
    #[error(
        "sum {sum}: the afterstate {afterstate:#x} is reached, but in no file: the run is damaged: verify it, or count again"
    )]
    Absent {
        /// Sum of the tiles of the afterstate.
        sum: u32,
        /// The afterstate.
        afterstate: u64,
    },
}

impl SolvingError {
    /// See [`Error::is_damage`](crate::Error::is_damage).
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Mismatch { .. } | Self::Absent { .. })
    }
}
