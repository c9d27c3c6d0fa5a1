//! The errors of two jobs that not every run needs: solving the game, and counting task by task.

use std::path::PathBuf;

use super::Error;

/// An error of solving a run, or of using its solution. Errors of files are in [`Error`].
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
