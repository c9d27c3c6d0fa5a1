//! Readers of runs.

use std::sync::Arc;

use enum48::engine::Plan;
use enum48::read::Reader;
use enum48::store::Run;

/// A reader of the boards of a run.
pub(crate) fn reader(run: impl Into<Arc<Run>>) -> Reader {
    Reader::new(run, &Plan::new(1 << 30, 2).unwrap())
}
