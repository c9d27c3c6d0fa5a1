//! One value for each thread of a pool.

use std::sync::{Mutex, MutexGuard};

use crate::error::Result;

/// A value for each thread of a pool, for example its buffers.
///
/// Each thread locks the value of its own index, so no thread ever waits for a lock. The locks only
/// prove to the compiler that no value is shared. Between parallel steps, one thread can visit all
/// values.
pub(crate) struct PerThread<T>(Vec<Mutex<T>>);

impl<T> PerThread<T> {
    /// Make a value for each of the indices `0..threads`.
    ///
    /// # Errors
    ///
    /// The first error of `make`.
    pub(crate) fn new(threads: usize, make: impl FnMut(usize) -> Result<T>) -> Result<Self> {
        let values = (0..threads).map(make).collect::<Result<Vec<T>>>();
        Ok(Self::of(values?.into_iter()))
    }

    /// Values for threads with the indices 0, 1, ...
    pub(crate) fn of(values: impl Iterator<Item = T>) -> Self {
        Self(values.map(Mutex::new).collect())
    }

    /// The value of the thread with this index.
    ///
    /// # Panics
    ///
    /// If no thread has this index, or if a thread panicked while it held the value.
    pub(crate) fn lock(&self, index: usize) -> MutexGuard<'_, T> {
        self.0[index].lock().expect("no thread panics")
    }

    /// The values, in order of the threads' indices.
    ///
    /// # Panics
    ///
    /// If a thread panicked while it held its value.
    pub(crate) fn into_values(self) -> Vec<T> {
        let values = self.0.into_iter().map(Mutex::into_inner);
        values
            .map(|value| value.expect("no thread panics"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, InputError};

    #[test]
    fn each_thread_changes_its_own_value_and_the_values_keep_their_order() {
        let values = PerThread::new(3, |index| Ok(10 * index)).unwrap();
        std::thread::scope(|scope| {
            for index in 0..3 {
                let values = &values;
                scope.spawn(move || *values.lock(index) += index);
            }
        });
        assert_eq!(values.into_values(), [0, 11, 22]);
    }

    #[test]
    fn the_first_error_ends_the_construction() {
        let mut made = 0;
        let values = PerThread::new(3, |index| {
            made += 1;
            if index == 1 {
                Err(InputError::Max(3).into())
            } else {
                Ok(())
            }
        });
        assert!(matches!(values, Err(Error::Input(InputError::Max(3)))));
        assert_eq!(made, 2);
    }
}
