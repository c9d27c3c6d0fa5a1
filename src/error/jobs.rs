//! The errors of two jobs that not every run needs: solving the game, and counting task by task.

use std::path::PathBuf;

use super::Error;
use super::phrase::around;

/// An error of solving a run, or of using its solution. Errors of files are in [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolvingError {
    /// A run that is not complete cannot be solved.
    #[error(
        "{path}: cannot be solved: its last layer is not counted yet, only layers up to sum {last}: let the count go on to the end"
    )]
    NotComplete {
        /// Directory.
        path: PathBuf,
        /// Sum of the last sealed layer.
        last: u32,
    },

    /// A run that kept no afterstates cannot be solved.
    #[error("{path}: cannot be solved: its afterstates were dropped during the count: count again, with enum48 --size {size}{} --keep afterstates --dir ANOTHER", around(" --max ", *max, ""))]
    NoAfterstates {
        /// Directory.
        path: PathBuf,
        /// Size of the board.
        size: String,
        /// The winning tile.
        max: Option<u32>,
    },

    /// A solution needs the afterstates that would be dropped.
    #[error(
        "{path}: --keep {wanted}: the run is solved, and its solution needs the afterstates: leave out --keep, or delete solution.json first"
    )]
    Needed {
        /// Directory.
        path: PathBuf,
        /// The requested `--keep`.
        wanted: String,
    },

    /// A run that has no solution yet.
    #[error("{0}: not solved yet: enum48 solve {0} --for score solves it")]
    NotSolved(PathBuf),

    /// No objective is solved down to the first layer.
    #[error("{path}: not solved down to the first layer: enum48 solve {path} --for {begun}")]
    Unfinished {
        /// Directory.
        path: PathBuf,
        /// The objectives that are partly solved.
        begun: String,
    },

    /// An unsolved objective of the run.
    #[error("{path}: solved for {solved}, not for {wanted}: enum48 solve {path} --for {wanted}")]
    OtherObjective {
        /// Directory.
        path: PathBuf,
        /// The solved objectives.
        solved: String,
        /// The requested objective.
        wanted: String,
    },

    /// An objective that is impossible for the run.
    #[error("{path}: {cause}")]
    Unsolvable {
        /// Directory.
        path: PathBuf,
        /// The error of solving the run for the objective.
        cause: String,
    },

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

    /// An objective that is already solved with another number of bits.
    #[error(
        "{path}: {objective} is solved with {found} bits after the point, not {wanted}: leave out the number, or give --again to solve it again"
    )]
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
    #[error(
        "{path}: {objective} is solved with values rounded {found}, not {wanted}: ask for that rounding, or forget the objective and solve it again"
    )]
    OtherRounding {
        /// Directory.
        path: PathBuf,
        /// The objective.
        objective: String,
        /// The rounding of the solution.
        found: String,
        /// The requested rounding.
        wanted: String,
    },

    /// More bits after the binary point than a value has room for.
    #[error(
        "for {objective}:{fraction}: the values of this game leave room for {most} bits after the binary point: give {most} or less, or no number for the most that fit"
    )]
    Fraction {
        /// The objective.
        objective: String,
        /// The requested number of bits.
        fraction: u32,
        /// The most bits that fit.
        most: u32,
    },

    /// Too few bits after the binary point: the error exceeds the values.
    #[error(
        "for {objective}:{fraction}: values could be off by {error}, and none is more than {greatest}: give {least} bits or more, or no number for the most that fit"
    )]
    TooFewBits {
        /// The objective.
        objective: String,
        /// The requested number of bits.
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
        /// The requested tile.
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
    /// See [`Error::is_damage`].
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Mismatch { .. } | Self::Absent { .. })
    }
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
        "{0}: not the plan of the next layer: the run has gone on, or this program sees an older state of it: ask for the tasks again"
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
