//! Names of canonical boards: their fingerprints, and how many there are.

use super::census::EXPONENTS;
use super::kernels::{Line, for_ones};
use crate::game::{Board, Rules};
use crate::part::{Fingerprint, fingerprint};

/// Boards that are looked at together.
const SLICE: usize = 1 << 12;

/// Picks the canonical ones among boards, by largest exponent.
pub(crate) struct Names {
    rules: &'static dyn Rules,
    waiting: Vec<Vec<Board>>,
    images: Vec<Board>,
    pub(crate) live: [u64; EXPONENTS],
    pub(crate) fingerprints: [Fingerprint; EXPONENTS],
}

impl Names {
    pub(crate) fn new(rules: &'static dyn Rules) -> Self {
        Self {
            rules,
            waiting: vec![Vec::with_capacity(2 * SLICE); EXPONENTS],
            images: Vec::new(),
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
        self.images.clear();
        self.images.extend_from_slice(boards);
        self.rules.canonicalise(&mut self.images);
        let mut images = self.images.iter();
        boards.retain(|board| images.next() == Some(board));
        self.live[max] += boards.len() as u64;
        self.fingerprints[max] += fingerprint(boards);
        boards.clear();
    }

    /// Name those that wait; give the numbers, and begin anew.
    pub(crate) fn finish(&mut self) -> ([u64; EXPONENTS], [Fingerprint; EXPONENTS]) {
        (0..EXPONENTS).for_each(|max| self.name(max));
        (std::mem::take(&mut self.live), std::mem::take(&mut self.fingerprints))
    }
}
