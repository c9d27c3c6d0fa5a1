//! The threads, each with buffers of its own that live as long as the sweep.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::filter::Filter;
use super::plan::Plan;
use super::supplies::Supplies;
use crate::error::{Error, Result};
use crate::run::Encoder;
use crate::run::block::Decoder;
use crate::store::Store;

/// A thread's own buffers.
pub(crate) struct Worker {
    /// Its number, which is also that of its lots.
    pub(crate) index: usize,
    pub(crate) supplies: Supplies,
    pub(crate) encoder: Encoder,
    pub(crate) decoder: Decoder,
    pub(crate) filter: Filter,
    /// Boards just read.
    pub(crate) boards: Vec<u64>,
    /// Boards just made.
    pub(crate) made: Vec<u64>,
    /// Their ranks.
    pub(crate) ranks: Vec<u64>,
    /// Afterstates of each direction, on their way to the filter.
    pub(crate) slid: [Vec<u64>; 4],
}

/// Start threads.
///
/// # Errors
///
/// [`Error::Threads`] if the system gives no more.
pub fn pool(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::Threads {
        threads,
        cause: e.to_string(),
    })
}

/// All threads.
pub(crate) struct Crew {
    pool: ThreadPool,
    workers: Vec<Mutex<Worker>>,
}

impl Crew {
    pub(crate) fn new(plan: &Plan, store: &Store) -> Result<Self> {
        let threads = plan.threads();
        let pool = pool(threads)?;
        let zstd = || Error::io(store.dir(), "start zstd for");
        let worker = |index| {
            Ok(Mutex::new(Worker {
                index,
                supplies: Supplies::new(plan.supplies, plan.unit),
                encoder: Encoder::new(plan.level()).map_err(zstd())?,
                decoder: Decoder::new().map_err(zstd())?,
                filter: Filter::new(),
                boards: Vec::new(),
                made: Vec::new(),
                ranks: Vec::new(),
                slid: Default::default(),
            }))
        };
        let workers = (0..threads).map(worker).collect::<Result<_>>()?;
        Ok(Self { pool, workers })
    }

    /// Do the tasks `0..tasks`, each by whichever thread is free, in order of their numbers. A single
    /// task is done by the caller. After an error no more tasks are begun.
    pub(crate) fn each(
        &self,
        tasks: usize,
        act: impl Fn(&mut Worker, usize) -> Result<()> + Sync,
    ) -> Result<()> {
        if tasks <= 1 {
            return (0..tasks).try_for_each(|task| act(&mut self.lock(0), task));
        }
        let next = AtomicUsize::new(0);
        let outcomes = self.pool.broadcast(|context| {
            let mut worker = self.lock(context.index());
            loop {
                let task = next.fetch_add(1, Ordering::Relaxed);
                if task >= tasks {
                    return Ok(());
                }
                act(&mut worker, task).inspect_err(|_| next.store(tasks, Ordering::Relaxed))?;
            }
        });
        outcomes.into_iter().collect()
    }

    /// Do something that is parallel in itself on these threads, and no others.
    pub(crate) fn install<R: Send>(&self, act: impl FnOnce() -> R + Send) -> R {
        self.pool.install(act)
    }

    fn lock(&self, index: usize) -> std::sync::MutexGuard<'_, Worker> {
        self.workers[index].lock().expect("no thread panics")
    }

    /// The workers, between tasks.
    pub(crate) fn workers(&mut self) -> impl Iterator<Item = &mut Worker> {
        self.workers
            .iter_mut()
            .map(|worker| worker.get_mut().expect("no thread panics"))
    }
}
