//! A layer's canonical boards, collected in any order.

use super::candidates::Candidates;
use crate::error::Result;
use crate::game::{Board, Exp};

/// Candidates of all parts of a layer, none of which is there twice.
pub(crate) struct Listing {
    /// By largest tile, from 2 on.
    parts: Vec<(Exp, Candidates)>,
}

impl Listing {
    pub(super) fn new(parts: impl Iterator<Item = (Exp, Candidates)>) -> Self {
        Self {
            parts: parts.collect(),
        }
    }

    /// Collect boards of largest exponent `max`, in the buckets of a thread. Their memory is used
    /// for other things.
    pub(crate) fn add(&self, max: u8, boards: &mut [Board], thread: usize) -> Result<()> {
        self.parts[usize::from(max) - 1].1.add(boards, thread)
    }

    /// The candidates by largest tile.
    pub(crate) fn into_parts(self) -> Vec<(Exp, Candidates)> {
        self.parts
    }
}
