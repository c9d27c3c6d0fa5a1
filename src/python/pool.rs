//! The threads for whole arrays.

use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;

use crate::engine;
use crate::error::Result;
use crate::machine::cores;

/// The threads of a process.
struct ProcessThreads {
    process: u32,
    pool: Arc<ThreadPool>,
}

static THREADS: Mutex<Option<ProcessThreads>> = Mutex::new(None);

/// One thread for each core. They are started once, and once more in a process that was forked: it
/// has a copy of this memory, but none of the threads.
///
/// # Errors
///
/// If the system gives no threads.
pub(super) fn pool() -> Result<Arc<ThreadPool>> {
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    if let Some(threads) = threads
        .as_ref()
        .filter(|threads| threads.process == process)
    {
        return Ok(threads.pool.clone());
    }
    let pool = Arc::new(engine::pool(cores())?);
    let fresh = ProcessThreads {
        process,
        pool: pool.clone(),
    };
    // To drop a pool is to wait for its threads, which a forked process does not have.
    std::mem::forget(threads.replace(fresh));
    Ok(pool)
}
