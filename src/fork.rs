//! A lock for which a forked process never waits.

use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// A value behind a lock. A forked process inherits the lock, but not the thread that holds it.
pub(crate) struct ForkLock<T> {
    /// The process whose threads unlock the value.
    process: u32,
    value: Mutex<T>,
}

impl<T: Default> Default for ForkLock<T> {
    fn default() -> Self {
        Self {
            process: process::id(),
            value: Mutex::default(),
        }
    }
}

impl<T> ForkLock<T> {
    /// Lock the value. Code that panics must not leave it half changed. Returns `None` in a forked
    /// process while the lock is held, because a thread of the parent may hold it for ever.
    pub(crate) fn lock(&self) -> Option<MutexGuard<'_, T>> {
        if self.process == process::id() {
            return Some(self.value.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.try_lock()
    }

    /// Lock the value, unless it is locked.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.value.try_lock() {
            Ok(value) => Some(value),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forked_process_does_not_wait_for_a_thread_of_its_parent() {
        let own = ForkLock::<u32>::default();
        let inherited = ForkLock::<u32> {
            process: own.process + 1,
            ..ForkLock::default()
        };
        for lock in [&own, &inherited] {
            *lock.lock().unwrap() += 1;
            assert_eq!(*lock.lock().unwrap(), 1);
        }
        let held = inherited.lock();
        assert!(held.is_some() && inherited.lock().is_none());
    }
}
