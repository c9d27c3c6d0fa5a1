//! Tries of a test that has to do something while a command runs.

use std::iter;

/// The first result of `attempt`. An attempt without a result came too late: on a busy machine a command
/// may end before the test reaches it.
pub(crate) fn in_time<T>(attempt: impl FnMut() -> Option<T>) -> T {
    let mut results = iter::repeat_with(attempt).take(100).flatten();
    results.next().expect("an attempt comes in time")
}
