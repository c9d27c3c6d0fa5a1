//! The threads of the module: one that does a long call, and a pool for work on whole arrays.

use std::mem;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{panic, process, thread};

use pyo3::intern;
use pyo3::prelude::*;
use rayon::ThreadPool;

use crate::engine::{self, Stop};
use crate::error::{Error, Result};
use crate::machine::cores;

/// Time between two checks for Ctrl-C.
const PAUSE: Duration = Duration::from_millis(50);

/// Run `act` in a thread of its own and wait for it without the interpreter's lock. Ctrl-C asks
/// `act` to stop; `KeyboardInterrupt` is raised when `act` has returned.
pub(super) fn work<T: Send>(
    py: Python<'_>,
    act: impl FnOnce(&Stop) -> Result<T> + Send,
) -> PyResult<T> {
    let stop = Stop::default();
    // Only the main thread handles signals. A daemon thread that attaches while the interpreter ends
    // would crash the process.
    let handles_signals = can_be_main_thread(py)?;
    let wait = || {
        thread::scope(|scope| {
            let (ending, end) = channel::<()>();
            let worker = thread::Builder::new().spawn_scoped(scope, || {
                // Dropped when the work ends, even by a panic.
                let _ending = ending;
                act(&stop)
            });
            let worker = worker.map_err(|cause| Error::Threads {
                threads: 1,
                cause: cause.to_string(),
            })?;
            let mut interrupted = Ok(());
            while end.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if handles_signals && interrupted.is_ok() {
                    #[expect(
                        clippy::redundant_closure_for_method_calls,
                        reason = "a path to the method would have one lifetime"
                    )]
                    let checked = Python::try_attach(|py| py.check_signals());
                    if !matches!(checked, Some(Ok(()))) {
                        stop.ask();
                    }
                    // It is `None` if the interpreter ends.
                    interrupted = checked.unwrap_or(Ok(()));
                }
            }
            let outcome = worker.join();
            interrupted.map(|()| outcome.unwrap_or_else(|panic| panic::resume_unwind(panic)))
        })
    };
    Ok(py.detach(wait)??)
}

/// Whether this thread can be the main thread, which alone handles signals. A daemon thread cannot. A
/// thread that Python did not start can, although Python calls it a daemon.
fn can_be_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import(intern!(py, "threading"))?;
    let this = threading.call_method0(intern!(py, "current_thread"))?;
    let is_daemon: bool = this.getattr(intern!(py, "daemon"))?.extract()?;
    let foreign = threading.getattr(intern!(py, "_DummyThread"))?;
    Ok(!is_daemon || this.is_instance(&foreign)?)
}

/// Like [`work`], but runs `act` in the [`pool`], so that parallel iterators in it use all cores.
pub(super) fn work_in_pool<T: Send>(
    py: Python<'_>,
    act: impl FnOnce(&Stop) -> Result<T> + Send,
) -> PyResult<T> {
    work(py, |stop| pool()?.install(|| act(stop)))
}

/// The pool, and the process that started its threads.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// A pool with one thread for each core, started once. A forked process inherits the memory of the
/// pool but not its threads, so it starts a pool of its own.
///
/// # Errors
///
/// [`Error::Threads`] if the system cannot start them.
pub(super) fn pool() -> Result<Arc<ThreadPool>> {
    let mut started = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, pool)) = &*started
        && *process == process::id()
    {
        return Ok(pool.clone());
    }
    let pool = Arc::new(engine::pool(cores())?);
    // Dropping a pool waits for its threads, which a forked process does not have.
    mem::forget(started.replace((process::id(), pool.clone())));
    Ok(pool)
}
