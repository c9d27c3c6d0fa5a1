//! The errors of counting a layer task by task.

use std::path::PathBuf;

use super::Error;

/// An error of a task of a layer. Errors of files are in [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// Not a task of a layer.
    #[error("task {0:?}: not a task of the layer: give one that enum48 cluster tasks prints")]
    Unknown(String),

    /// A task of a layer that has since been sealed, or planned again.
    #[error("{}: not the plan of the next layer: the run has gone on, or this program sees an older state of it: ask for the tasks again", .0.display())]
    Stale(PathBuf),

    /// A layer that another version of the program has cut into tasks.
    #[error("{}: cut into tasks by {found}: go on with that version, or delete the directory: then this one cuts the layer anew", path.display())]
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
        /// What is wrong.
        cause: Box<Error>,
    },

    /// No layer is cut into tasks.
    #[error("{}: no layer is cut into tasks: enum48 cluster tasks says what there is to be done", .0.display())]
    Unplanned(PathBuf),
}
