//! A double buffer: one side is filled while the other, filled before, is read.

use std::mem;
use std::sync::{Mutex, MutexGuard};

/// Slots on two sides. What is in them stays as a buffer for what comes next.
#[derive(Default)]
pub(crate) struct DoubleBuffer<T> {
    filling: Vec<Mutex<T>>,
    filled: Vec<T>,
    /// How many slots of `filled` were filled last; those beyond are spare.
    count: usize,
}

impl<T: Default> DoubleBuffer<T> {
    /// Have `count` slots to fill, at least.
    pub(crate) fn prepare(&mut self, count: usize) {
        let slots = self.filling.len().max(count);
        self.filling.resize_with(slots, Mutex::default);
    }

    /// A slot to fill.
    pub(crate) fn slot(&self, slot: usize) -> MutexGuard<'_, T> {
        self.filling[slot].lock().expect("no thread panics")
    }

    /// Swap the sides: the first `count` slots are filled and can be read.
    pub(crate) fn swap(&mut self, count: usize) {
        let slots = self.filled.len().max(count);
        self.filled.resize_with(slots, T::default);
        for (filled, filling) in self.filled.iter_mut().zip(&mut self.filling).take(count) {
            mem::swap(filled, filling.get_mut().expect("no thread panics"));
        }
        self.count = count;
    }

    /// What was filled before the last swap.
    pub(crate) fn filled(&self) -> &[T] {
        &self.filled[..self.count]
    }
}

impl DoubleBuffer<Vec<u64>> {
    /// Cut the buffers to fill next to `capacity`: the size of what one held says nothing about
    /// what it will hold.
    pub(crate) fn shrink_to(&mut self, capacity: usize) {
        for buffer in &mut self.filling {
            let buffer = buffer.get_mut().expect("no thread panics");
            buffer.shrink_to(capacity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_side_is_read_while_the_other_is_filled() {
        let mut buffer = DoubleBuffer::<Vec<u64>>::default();
        assert!(buffer.filled().is_empty());
        for round in 0..5u64 {
            let slots = (5 - round) as usize;
            buffer.prepare(slots);
            for slot in 0..slots {
                let mut slot = buffer.slot(slot);
                slot.clear();
                slot.push(round);
            }
            let before: Vec<_> = buffer.filled().concat();
            assert!(before.iter().all(|&old| old + 1 == round), "{before:?}");
            buffer.swap(slots);
            assert_eq!(buffer.filled(), vec![vec![round]; slots]);
        }
    }

    #[test]
    fn buffers_are_cut_to_what_they_will_need() {
        let mut buffer = DoubleBuffer::<Vec<u64>>::default();
        buffer.prepare(1);
        *buffer.slot(0) = Vec::with_capacity(1000);
        buffer.shrink_to(10);
        assert!(buffer.slot(0).capacity() < 1000);
    }
}
