//! Things that are made in one step and used in the next, while others are made; their buffers take
//! turns.

use std::mem;
use std::sync::{Mutex, MutexGuard};

/// See the module.
#[derive(Default)]
pub(crate) struct Turns<T> {
    making: Vec<Mutex<T>>,
    made: Vec<T>,
    /// How many are made; beyond are buffers.
    count: usize,
}

impl<T: Default> Turns<T> {
    /// Have places for `count` things to be made.
    pub(crate) fn begin(&mut self, count: usize) {
        self.making
            .resize_with(self.making.len().max(count), Mutex::default);
    }

    /// Take what was made in the first `count` places.
    pub(crate) fn turn(&mut self, count: usize) {
        self.made
            .resize_with(self.made.len().max(count), T::default);
        for (made, making) in self.made.iter_mut().zip(&mut self.making).take(count) {
            mem::swap(made, making.get_mut().expect("no thread panics"));
        }
        self.count = count;
    }

    /// What was made in the step before.
    pub(crate) fn made(&self) -> &[T] {
        &self.made[..self.count]
    }

    /// A place to make something in.
    pub(crate) fn place(&self, place: usize) -> MutexGuard<'_, T> {
        self.making[place].lock().expect("no thread panics")
    }
}

impl Turns<Vec<u64>> {
    /// Give back what the buffers have beyond `capacity`: what one once held is no measure of what it will.
    pub(crate) fn shrink_to(&mut self, capacity: usize) {
        for buffer in &mut self.making {
            buffer
                .get_mut()
                .expect("no thread panics")
                .shrink_to(capacity);
        }
    }
}
