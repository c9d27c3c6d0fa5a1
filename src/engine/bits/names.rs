//! Names of canonical boards: their fingerprints, and how many there are.

use super::census::EXPONENTS;
use super::kernels::{Line, for_ones};
use crate::game::{Board, canonical};
use crate::part::{Fingerprint, mix};
use crate::wide::wide;

/// Boards that are looked at together.
const SLICE: usize = 1 << 12;

/// Picks the canonical ones among boards, by largest exponent.
pub(crate) struct Names {
    waiting: Vec<Vec<Board>>,
    pub(crate) live: [u64; EXPONENTS],
    pub(crate) fingerprints: [Fingerprint; EXPONENTS],
}

impl Names {
    pub(crate) fn new() -> Self {
        Self {
            waiting: vec![Vec::with_capacity(2 * SLICE); EXPONENTS],
            live: [0; EXPONENTS],
            fingerprints: Default::default(),
        }
    }

    /// Take boards with largest exponent `max`: those with a bit in `row`, of the digits that they
    /// all have and the digits of their positions.
    pub(crate) fn add(&mut self, max: u8, row: &[Line], common: Board, shift: u32, digits: &[u32]) {
        let waiting = &mut self.waiting[usize::from(max)];
        for_ones(row, |at| {
            waiting.push(common | u64::from(digits[at as usize]) << shift);
        });
        if waiting.len() >= SLICE {
            self.name(max.into());
        }
    }

    fn name(&mut self, max: usize) {
        let boards = &mut self.waiting[max];
        let (canonical, mixes) = name(boards);
        self.live[max] += canonical;
        self.fingerprints[max] += mixes;
        boards.clear();
    }

    /// Name those that wait; give the numbers, and begin anew.
    pub(crate) fn finish(&mut self) -> ([u64; EXPONENTS], [Fingerprint; EXPONENTS]) {
        (0..EXPONENTS).for_each(|max| self.name(max));
        (std::mem::take(&mut self.live), std::mem::take(&mut self.fingerprints))
    }
}

/// How many of `boards` are canonical, and their fingerprint.
fn name(boards: &[Board]) -> (u64, Fingerprint) {
    let (count, sum) = sum_of_canonical(boards);
    (count, Fingerprint(sum))
}

wide! {
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
