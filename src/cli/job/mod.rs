//! A long job on a run: opening it, estimates, progress, signals, the summary.

pub(super) mod estimate;
pub(super) mod open;
pub(super) mod progress;
pub(super) mod signals;
pub(super) mod summary;
