//! Names of canonical boards: how many there are, and their fingerprints.
//!
//! Key idea: most boards need no test. A board is canonical if its first corner is less than the
//! other three, and the next cell of its first row less than the next of its first column: then
//! every image begins with something greater. Only boards with ties are compared with their images.

use std::mem;
use std::ops::AddAssign;

use super::census::EXPONENTS;
use super::kernels::{Line, words};
use crate::game::{Board, canonical};
use crate::part::{Fingerprint, mix};
use crate::wide::wide;

/// Boards that are looked at together.
const SLICE: usize = 1 << 11;

/// What is named so far, by largest exponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) live: [u64; EXPONENTS],
    pub(crate) fingerprints: [Fingerprint; EXPONENTS],
}

impl AddAssign for Named {
    fn add_assign(&mut self, other: Self) {
        for exp in 0..EXPONENTS {
            self.live[exp] += other.live[exp];
            self.fingerprints[exp] += other.fingerprints[exp];
        }
    }
}

/// Whether boards are known to be canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tie {
    /// They are.
    No,
    /// It has to be tested.
    Maybe,
}

/// Boards that a row stands for: the digits of its half are the same in all of them.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) half: Board,
    /// The digits of the other half, by position, and by how much they are shifted.
    pub(crate) digits: &'a [u32],
    pub(crate) shift: u32,
}

/// Names boards.
pub(crate) struct Names {
    named: Named,
    boards: Box<[Board; SLICE + 68]>,
}

impl Names {
    pub(crate) fn new() -> Self {
        Self {
            named: Named::default(),
            boards: Box::new([0; SLICE + 68]),
        }
    }

    /// Name the canonical ones of the boards of a row that have a bit in `bits` and in `mask`; all
    /// have largest exponent `max`.
    pub(crate) fn add(&mut self, max: u8, bits: &[Line], mask: &[Line], row: Row, tie: Tie) {
        let mut found = 0;
        for (number, (&word, &mask)) in words(bits).iter().zip(words(mask)).enumerate() {
            let word = word & mask;
            if word == 0 {
                continue;
            }
            let digits = &row.digits[64 * number..64 * number + 64];
            let (mut left, mut at) = (word, found);
            // Four at a time, of which the last ones may be nothing: most words have fewer, and how
            // many cannot be predicted.
            while left != 0 {
                for board in &mut self.boards[at..at + 4] {
                    let digits = digits[left.trailing_zeros() as usize % 64];
                    *board = row.half | u64::from(digits) << row.shift;
                    left &= left.wrapping_sub(1);
                }
                at += 4;
            }
            found += word.count_ones() as usize;
            if found >= SLICE {
                self.name(max, found, tie);
                found = 0;
            }
        }
        self.name(max, found, tie);
    }

    fn name(&mut self, max: u8, found: usize, tie: Tie) {
        let boards = &self.boards[..found];
        let (live, fingerprint) = match tie {
            Tie::No => (found as u64, sum_of_mixes(boards)),
            Tie::Maybe => sum_of_canonical(boards),
        };
        let max = usize::from(max);
        self.named.live[max] += live;
        self.named.fingerprints[max] += Fingerprint(fingerprint);
    }

    /// What was named; begins anew.
    pub(crate) fn take(&mut self) -> Named {
        mem::take(&mut self.named)
    }
}

wide! {
    fn sum_of_mixes(boards: &[u64]) -> u64 {
        let mut sum = 0u64;
        for &board in boards {
            sum = sum.wrapping_add(mix(board));
        }
        sum
    }
}

wide! {
    /// How many boards are canonical, and the sum of their mixes.
    fn sum_of_canonical(boards: &[u64]) -> (u64, u64) {
        let (mut count, mut sum) = (0, 0u64);
        for &board in boards {
            let same = u64::from(canonical::<4, 4>(board) == board);
            count += same;
            sum = sum.wrapping_add(mix(board) & same.wrapping_neg());
        }
        (count, sum)
    }
}
