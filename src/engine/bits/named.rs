//! What is known of the canonical boards of a layer: how many there are, and their fingerprints.

use std::ops::AddAssign;

use super::census::EXPONENTS;
use crate::game::Board;
use crate::part::{Fingerprint, fingerprint};

/// By largest exponent.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedBoards {
    pub(crate) live: [u64; EXPONENTS],
    pub(crate) fingerprints: [Fingerprint; EXPONENTS],
}

impl NamedBoards {
    /// Name some boards, all of largest exponent `max`.
    pub(crate) fn add(&mut self, max: u8, boards: &[Board]) {
        self.live[usize::from(max)] += boards.len() as u64;
        self.fingerprints[usize::from(max)] += fingerprint(boards);
    }
}

impl AddAssign for NamedBoards {
    fn add_assign(&mut self, other: Self) {
        for exp in 0..EXPONENTS {
            self.live[exp] += other.live[exp];
            self.fingerprints[exp] += other.fingerprints[exp];
        }
    }
}
