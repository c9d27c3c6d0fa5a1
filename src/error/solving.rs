//! The errors of solving a run, and of its solution.

use std::path::PathBuf;

/// An error of solving a run, or of using its solution. Errors of files are in
/// [`Error`](super::Error).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolvingError {
    /// A run that is not complete cannot be solved.
    #[error("{}: cannot be solved: its last layer is not counted yet, only layers up to sum {last}: let the count go on to the end", path.display())]
    NotComplete {
        /// Directory.
        path: PathBuf,
        /// Sum of the last sealed layer.
        last: u32,
    },

    /// A run that kept no afterstates cannot be solved.
    #[error(
        "{}: cannot be solved: its afterstates were dropped as it was counted: count again, with enum48 --size {size}{} --keep afterstates --dir ANOTHER",
        path.display(),
        winning_at(*max)
    )]
    NoAfterstates {
        /// Directory.
        path: PathBuf,
        /// Size of the board.
        size: String,
        /// The winning tile.
        max: Option<u32>,
    },

    /// A solution needs the afterstates that would be dropped.
    #[error("{}: --keep {wanted}: the run is solved, and the values are of the afterstates, which would be dropped: leave --keep away, or delete solution.json first", path.display())]
    Needed {
        /// Directory.
        path: PathBuf,
        /// What the run should keep from now on.
        wanted: String,
    },

    /// A run that has no solution yet.
    #[error("{}: not solved yet: enum48 solve {} --for score solves it", .0.display(), .0.display())]
    NotSolved(PathBuf),

    /// No objective is solved down to the first layer.
    #[error("{}: not solved down to the first layer: enum48 solve {} --for {begun}", path.display(), path.display())]
    Unfinished {
        /// Directory.
        path: PathBuf,
        /// The objectives that are partly solved.
        begun: String,
    },

    /// An objective that the run is not solved for.
    #[error("{}: expected one that it is solved for ({solved}), got {wanted}: enum48 solve {} --for {wanted}", path.display(), path.display())]
    OtherObjective {
        /// Directory.
        path: PathBuf,
        /// The objectives that the run is solved for.
        solved: String,
        /// The objective asked for.
        wanted: String,
    },

    /// An objective that the run cannot be solved for.
    #[error("{}: {cause}", path.display())]
    Unsolvable {
        /// Directory.
        path: PathBuf,
        /// The error of solving the run for the objective.
        cause: String,
    },

    /// A solution of another run.
    #[error("{}: not the solution of this run: {what}: put the right one back, or delete it and solve again", path.display())]
    Mismatch {
        /// The manifest of the solution.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },

    /// An objective that is already solved with another number of bits.
    #[error("{}: {objective} is solved with {found} bits after the point, not {wanted}: leave the number away, or give --again to solve it anew", path.display())]
    OtherFraction {
        /// Directory.
        path: PathBuf,
        /// The objective.
        objective: String,
        /// Bits after the binary point.
        found: u32,
        /// The requested number of bits.
        wanted: u32,
    },

    /// An objective that is already solved with another rounding.
    #[error("{}: {objective} is solved with values rounded {found}, not {wanted}: ask for that rounding, or forget the objective and solve it anew", path.display())]
    OtherRounding {
        /// Directory.
        path: PathBuf,
        /// The objective.
        objective: String,
        /// How values are rounded.
        found: String,
        /// The requested rounding.
        wanted: String,
    },

    /// More bits after the binary point than a value has room for.
    #[error(
        "for {objective}:{fraction}: the values of this game leave room for {most} bits after the binary point: give {most} or less, or no number for as many as there are"
    )]
    Fraction {
        /// The objective.
        objective: String,
        /// Bits asked for.
        fraction: u32,
        /// The most bits that fit.
        most: u32,
    },

    /// Too few bits after the binary point: the error exceeds the values.
    #[error(
        "for {objective}:{fraction}: values could be off by {error}, and none is more than {greatest}: give {least} bits or more, or no number for as many as there are"
    )]
    TooFewBits {
        /// The objective.
        objective: String,
        /// Bits asked for.
        fraction: u32,
        /// The maximum error of a value.
        error: f64,
        /// The greatest value.
        greatest: u32,
        /// The fewest bits that work.
        least: u32,
    },

    /// A tile that no game reaches.
    #[error("for {tile}: no game of this run reaches it: the largest tile is {largest}")]
    Unreachable {
        /// The tile asked for.
        tile: u32,
        /// The largest tile of the run.
        largest: u32,
    },

    /// A memory bound that is too small for two layers of a run.
    #[error(
        "memory {given}: too little: to solve one objective, the layers of sum {sum} and the next take {least}: give --memory {least} or more"
    )]
    Memory {
        /// The bound that was given, in readable form.
        given: String,
        /// The smallest bound that works, in the form that `--memory` takes.
        least: String,
        /// The lower of the two sums.
        sum: u32,
    },

    /// A move leads to an afterstate that is in no file.
    #[error(
        "sum {sum}: the afterstate {afterstate:#x} is reached, but in no file: the run is not whole: verify it, or count again"
    )]
    Absent {
        /// Sum of its tiles.
        sum: u32,
        /// The afterstate.
        afterstate: u64,
    },
}

impl SolvingError {
    /// See [`Error::is_damage`](super::Error::is_damage).
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Mismatch { .. } | Self::Absent { .. })
    }
}

/// ` --max 1024`.
fn winning_at(max: Option<u32>) -> String {
    max.map_or(String::new(), |max| format!(" --max {max}"))
}
