//! The threads of a count, each with its own buffers.
//!
//! The crate runs parallel work in two ways. [`Workers::each`] is for counting and solving: tasks
//! in order, on threads that keep their buffers from task to task, until a [`Stop`]. Parallel
//! iterators of rayon are for look-ups, checks and exports, which need no such buffers. They run in
//! the pool of [`Workers::install`] or of [`pool`]. Apart from that, a single thread may read or
//! write files while another one computes, or wait for Ctrl-C.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::plan::Plan;
use crate::error::{Error, Result};
use crate::game::Board;
use crate::part::{Decoder, Encoder};
use crate::progress::Stop;

/// Start a pool of threads, and wait until all have begun. A thread that begins without memory for its
/// stack of signals ends the process, so they begin before the work takes memory.
///
/// # Errors
///
/// [`Error::Threads`] if the system cannot start them.
pub fn pool(threads: usize) -> Result<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Error::Threads {
        threads,
        cause: e.to_string(),
    })?;
    pool.broadcast(|_| ());
    Ok(pool)
}

/// The buffers of a thread, which all its tasks use.
pub(crate) struct Worker {
    /// The number of the thread: its index in every [`PerThread`].
    pub(crate) index: usize,
    pub(crate) encoder: Encoder,
    pub(crate) decoder: Decoder,
    /// Boards that were just read.
    pub(crate) boards: Vec<Board>,
    /// Bytes to unpack boards from.
    pub(crate) bytes: Vec<u8>,
}

/// A pool of threads, each with its [`Worker`].
pub(crate) struct Workers {
    pool: ThreadPool,
    stop: Stop,
    /// Whether the work under way must end before a stop.
    finishing: AtomicBool,
    each: PerThread<Worker>,
}

impl Workers {
    /// Start the threads of a plan.
    pub(crate) fn start(plan: &Plan) -> Result<Self> {
        let worker = |index| {
            Ok(Worker {
                index,
                encoder: Encoder::new(plan.level)?,
                decoder: Decoder::new()?,
                boards: Vec::new(),
                bytes: Vec::new(),
            })
        };
        let each = (0..plan.threads()).map(worker);
        Ok(Self {
            pool: pool(plan.threads())?,
            stop: plan.stop.clone(),
            finishing: AtomicBool::new(false),
            each: PerThread::of(each.collect::<Result<Vec<_>>>()?),
        })
    }

    /// Do `tasks` in order, each on the next free thread, and add up their results. The caller does
    /// a single task itself. No task begins after an error, or after the plan's [`Stop`] was asked.
    pub(crate) fn each<T: Sync, R: Default + AddAssign + Send>(
        &self,
        tasks: &[T],
        act: impl Fn(&mut Worker, &T) -> Result<R> + Sync,
    ) -> Result<R> {
        self.check()?;
        if let [task] = tasks {
            return act(&mut self.each.lock(0), task);
        }
        if tasks.is_empty() {
            return Ok(R::default());
        }
        let next = AtomicUsize::new(0);
        let outcomes: Vec<Result<R>> = self.pool.broadcast(|context| {
            let mut worker = self.each.lock(context.index());
            let mut sum = R::default();
            while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let stop = |_: &Error| next.store(tasks.len(), Ordering::Relaxed);
                let done = self.check().and_then(|()| act(&mut worker, task));
                sum += done.inspect_err(stop)?;
            }
            Ok(sum)
        });
        let mut total = R::default();
        for outcome in outcomes {
            total += outcome?;
        }
        Ok(total)
    }

    /// Check that the work may go on. Long tasks call this now and then.
    pub(crate) fn check(&self) -> Result<()> {
        if self.finishing.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.stop.check()
    }

    /// Do work that no stop ends, because it keeps finished layers.
    pub(crate) fn finish<R>(&self, act: impl FnOnce() -> R) -> R {
        self.finishing.store(true, Ordering::Relaxed);
        let done = act();
        self.finishing.store(false, Ordering::Relaxed);
        done
    }

    pub(crate) fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Like [`Workers::each`], for long tasks. After each task its thread calls `watch`, unless
    /// another thread is calling it.
    pub(crate) fn each_watched<T: Sync, R: Default + AddAssign + Send>(
        &self,
        tasks: &[T],
        act: impl Fn(&mut Worker, &T) -> Result<R> + Sync,
        watch: &mut (dyn FnMut() + Send),
    ) -> Result<R> {
        let watch = Mutex::new(watch);
        self.each(tasks, |worker, task| {
            let done = act(worker, task)?;
            if let Ok(mut watch) = watch.try_lock() {
                watch();
            }
            Ok(done)
        })
    }

    /// Run a closure in this thread pool, so that its parallel iterators use only these threads.
    pub(crate) fn install<R: Send>(&self, act: impl FnOnce() -> R + Send) -> R {
        self.pool.install(act)
    }
}

/// The result of a task without counts.
#[derive(Default)]
pub(crate) struct Done;

impl AddAssign for Done {
    fn add_assign(&mut self, Self: Self) {}
}

/// A value for each thread of a pool, for example its buffers.
///
/// Each thread locks the value of its own index, so no thread ever waits for a lock. The locks only
/// prove to the compiler that no value is shared while it changes. Once no thread changes its value, all
/// threads can read all values.
pub(crate) struct PerThread<T>(Vec<RwLock<T>>);

impl<T> PerThread<T> {
    /// Values for threads with the indices 0, 1, ...
    pub(crate) fn of(values: impl IntoIterator<Item = T>) -> Self {
        Self(values.into_iter().map(RwLock::new).collect())
    }

    /// The value of the thread with this index.
    ///
    /// # Panics
    ///
    /// If no thread has this index, or if a thread panicked while it held the value.
    pub(crate) fn lock(&self, index: usize) -> RwLockWriteGuard<'_, T> {
        self.0[index].write().expect("no thread panics")
    }

    /// All values, in order of the threads' indices.
    ///
    /// # Panics
    ///
    /// If a thread panicked while it held its value.
    pub(crate) fn read(&self) -> Vec<RwLockReadGuard<'_, T>> {
        let values = self.0.iter().map(RwLock::read);
        values
            .map(|value| value.expect("no thread panics"))
            .collect()
    }

    /// The values, in order of the threads' indices.
    ///
    /// # Panics
    ///
    /// If a thread panicked while it held its value.
    pub(crate) fn into_values(self) -> Vec<T> {
        let values = self.0.into_iter().map(RwLock::into_inner);
        values
            .map(|value| value.expect("no thread panics"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use super::*;
    use crate::error::InputError;
    use crate::game::Tally;

    fn workers(threads: usize) -> Workers {
        let plan = Plan::new(64 << 20, threads).unwrap();
        Workers::start(&plan).unwrap()
    }

    fn counted(candidates: u64) -> Tally {
        Tally {
            candidates,
            ..Tally::default()
        }
    }

    #[test]
    fn every_task_is_done_once_and_its_counts_are_added() {
        for threads in [1, 2, 5] {
            for tasks in [0, 1, 2, 1000] {
                let numbers: Vec<u64> = (1..=tasks).collect();
                let tally = workers(threads).each(&numbers, |_, &number| Ok(counted(number)));
                assert_eq!(tally.unwrap().candidates, tasks * (tasks + 1) / 2);
            }
        }
    }

    #[test]
    fn the_watch_is_called_between_long_tasks() {
        for threads in [1, 3] {
            let mut watched = 0;
            let act = |_: &mut Worker, _: &u32| Ok(counted(1));
            let tally = workers(threads).each_watched(&[1, 2, 3, 4], act, &mut || watched += 1);
            assert_eq!(tally.unwrap().candidates, 4);
            assert!((1..=4).contains(&watched), "{watched}");
        }
    }

    /// The second thread goes on only after the first has stopped, however slow that one is.
    fn wait_until(happened: impl Fn() -> bool) {
        while !happened() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn no_task_begins_after_a_stop() {
        for (threads, tasks) in [(1, 1), (1, 100), (2, 100)] {
            let stop = Stop::default();
            let plan = Plan::new(64 << 20, threads).unwrap();
            let workers = Workers::start(&plan.with_stop(stop.clone())).unwrap();
            let tasks: Vec<u64> = (1..=tasks).collect();
            let act = |_: &mut Worker, &task: &u64| {
                if task == 7 {
                    stop.ask();
                }
                if task > 7 {
                    wait_until(|| stop.check().is_err());
                }
                Ok(counted(task))
            };
            let outcome = workers.each(&tasks, act);
            assert_eq!(outcome.is_ok(), tasks.len() < 7);
            stop.ask();
            assert!(matches!(workers.each(&tasks, act), Err(Error::Stopped)));
        }
    }

    #[test]
    fn no_task_begins_after_an_error_and_the_error_is_returned() {
        let workers = workers(2);
        let failed = OnceLock::new();
        let done = AtomicUsize::new(0);
        let numbers: Vec<u32> = (0..10_000).collect();
        let outcome = workers.each(&numbers, |worker, &number| {
            done.fetch_add(1, Ordering::Relaxed);
            if number == 5 {
                failed.set(worker.index).unwrap();
                return Err(InputError::Until(number).into());
            }
            if number > 5 {
                wait_until(|| {
                    failed
                        .get()
                        .is_some_and(|&index| workers.each.0[index].try_write().is_ok())
                });
            }
            Ok(Tally::default())
        });
        assert!(matches!(outcome, Err(Error::Input(InputError::Until(5)))));
        // The other thread can have begun one more.
        assert!((6..=7).contains(&done.into_inner()));
    }

    #[test]
    fn each_thread_changes_its_own_value_and_the_values_keep_their_order() {
        let values = PerThread::of((0..3).map(|index| 10 * index));
        std::thread::scope(|scope| {
            for index in 0..3 {
                let values = &values;
                scope.spawn(move || *values.lock(index) += index);
            }
        });
        assert_eq!(values.into_values(), [0, 11, 22]);
    }
}
