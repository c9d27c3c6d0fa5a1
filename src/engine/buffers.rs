//! The buffers of the pipeline.
//!
//! Key idea: a [`DoubleBuffer`] has two sides. The threads fill one side and read the other, which
//! they filled in the round before. A [`Concat`] reads sorted ranges as one range, without copying
//! them.

use std::mem;
use std::sync::{Mutex, MutexGuard};

use crate::game::Board;

/// Slots on two sides. A slot keeps its memory for its next content.
#[derive(Default)]
pub(crate) struct DoubleBuffer<T> {
    filling: Vec<Mutex<T>>,
    filled: Vec<T>,
    /// Number of slots of `filled` that hold data; the slots beyond are spare.
    count: usize,
}

impl<T: Default> DoubleBuffer<T> {
    /// Make at least `count` slots available to fill.
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

    /// The slots that were filled before the last swap.
    pub(crate) fn filled(&self) -> &[T] {
        &self.filled[..self.count]
    }
}

impl DoubleBuffer<Vec<u64>> {
    /// Shrink the buffers that are filled next to `capacity`. The last content of a buffer says
    /// nothing about the size of its next content.
    pub(crate) fn shrink_to(&mut self, capacity: usize) {
        for buffer in &mut self.filling {
            let buffer = buffer.get_mut().expect("no thread panics");
            buffer.shrink_to(capacity);
        }
    }
}

/// Sorted ranges of boards, end to end.
pub(crate) struct Concat<'a> {
    pieces: Vec<&'a [Board]>,
    /// Where each range begins, and where the last one ends.
    starts: Vec<usize>,
}

impl<'a> Concat<'a> {
    pub(crate) fn new(pieces: impl Iterator<Item = &'a [Board]>) -> Self {
        let pieces: Vec<_> = pieces.collect();
        let mut starts = vec![0];
        for piece in &pieces {
            starts.push(starts[starts.len() - 1] + piece.len());
        }
        Self { pieces, starts }
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.starts[self.pieces.len()]
    }

    /// The states from `from` to `to`: in place if one range holds them all, else gathered in
    /// `copy`.
    pub(crate) fn slice<'b>(&self, from: usize, to: usize, copy: &'b mut Vec<Board>) -> &'b [Board]
    where
        'a: 'b,
    {
        let piece = self.piece_at(from);
        if piece < self.pieces.len() && to <= self.starts[piece + 1] {
            return &self.pieces[piece][from - self.starts[piece]..to - self.starts[piece]];
        }
        copy.clear();
        self.copy(from, to, copy);
        copy
    }

    /// Append the states from `from` to `to` to `out`.
    pub(crate) fn copy(&self, mut from: usize, to: usize, out: &mut Vec<Board>) {
        let mut piece = self.piece_at(from);
        while from < to {
            let start = self.starts[piece];
            let end = to.min(self.starts[piece + 1]);
            out.extend_from_slice(&self.pieces[piece][from - start..end - start]);
            from = end;
            piece += 1;
        }
    }

    /// The number of the range that holds a position; one past the last range for the end.
    fn piece_at(&self, place: usize) -> usize {
        self.starts.partition_point(|&start| start <= place) - 1
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
    fn buffers_shrink_to_a_given_capacity() {
        let mut buffer = DoubleBuffer::<Vec<u64>>::default();
        buffer.prepare(1);
        *buffer.slot(0) = Vec::with_capacity(1000);
        buffer.shrink_to(10);
        assert!(buffer.slot(0).capacity() < 1000);
    }

    #[test]
    fn every_slice_equals_the_slice_of_the_whole() {
        let whole: Vec<u64> = (0..20).collect();
        // Empty ranges may lie anywhere.
        let pieces = [
            &whole[..0],
            &whole[..5],
            &whole[5..5],
            &whole[5..6],
            &whole[6..],
            &[],
        ];
        let concat = Concat::new(pieces.into_iter());
        assert_eq!(concat.len(), whole.len());
        for from in 0..=whole.len() {
            for to in from..=whole.len() {
                let mut buffer = vec![99];
                assert_eq!(concat.slice(from, to, &mut buffer), &whole[from..to]);
                let mut copy = vec![99];
                concat.copy(from, to, &mut copy);
                assert_eq!(copy[1..], whole[from..to]);
            }
        }
        assert_eq!(Concat::new([].into_iter()).len(), 0);
    }

    #[test]
    fn a_slice_within_one_range_is_not_copied() {
        let whole: Vec<u64> = (0..20).collect();
        let concat = Concat::new([&whole[..5], &whole[5..]].into_iter());
        let mut buffer = Vec::new();
        concat.slice(5, 20, &mut buffer);
        concat.slice(1, 5, &mut buffer);
        assert!(buffer.is_empty());
        concat.slice(4, 6, &mut buffer);
        assert_eq!(buffer, [4, 5]);
    }
}
