//! Long work, during which Python goes on.

use std::panic;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::engine::Stop;
use crate::error::{Error, Result};

/// How often Python is asked whether Ctrl-C was pressed.
const PAUSE: Duration = Duration::from_millis(50);

/// Do some work in a thread of its own, and wait for it with the interpreter free for others. If
/// Ctrl-C is pressed meanwhile the work is asked to stop, and when it has, `KeyboardInterrupt` is
/// raised.
pub(super) fn work<T: Send>(
    py: Python<'_>,
    act: impl FnOnce(&Stop) -> Result<T> + Send,
) -> PyResult<T> {
    let stop = Stop::default();
    let wait = || {
        thread::scope(|scope| {
            let (ending, end) = channel::<()>();
            let worker = thread::Builder::new().spawn_scoped(scope, || {
                // Dropped when the work ends, in whatever way.
                let _ending = ending;
                act(&stop)
            });
            let worker = worker.map_err(|cause| Error::Threads {
                threads: 1,
                cause: cause.to_string(),
            })?;
            let mut interrupted = Ok(());
            while end.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if interrupted.is_ok() {
                    interrupted = Python::attach(|py| {
                        let asked = py.check_signals();
                        asked.inspect_err(|_| stop.ask())
                    });
                }
            }
            let outcome = worker
                .join()
                .unwrap_or_else(|panic| panic::resume_unwind(panic));
            interrupted.map(|()| outcome)
        })
    };
    Ok(py.detach(wait)??)
}
