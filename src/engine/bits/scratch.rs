//! A thread's memory for the pairs of a layer.

use super::canonical::Canonical;
use super::kernels::BitLine;
use super::lines::LineMemory;
use super::listing::Lister;
use super::matrix::Matrix;
use super::mirror::Mirror;
use super::slab::Slab;
use super::slide::Slide;
use super::spawn::Spawns;

/// What a thread needs for a pair; it is used again for the next.
pub(crate) struct PairScratch {
    pub(super) slabs: [Slab; 2],
    pub(super) mirror: Mirror,
    pub(super) spawns: Spawns,
    pub(super) starts: Vec<(u32, u32)>,
    pub(super) row: Vec<BitLine>,
    /// Bits of the row that are dead states; empty if there can be none.
    pub(super) dead: Vec<BitLine>,
    pub(super) symmetric: Vec<u32>,
    pub(super) canonical: Canonical,
    pub(super) lister: Lister,
    /// Rows by bottom half.
    pub(super) flipped: Matrix<LineMemory>,
    pub(super) slide: Slide,
}

impl PairScratch {
    /// For the thread of this number.
    pub(crate) fn new(thread: usize) -> Self {
        Self {
            slabs: Default::default(),
            mirror: Mirror::default(),
            spawns: Spawns::default(),
            starts: Vec::new(),
            row: Vec::new(),
            dead: Vec::new(),
            symmetric: Vec::new(),
            canonical: Canonical::new(),
            lister: Lister::new(thread),
            flipped: Matrix::default(),
            slide: Slide::default(),
        }
    }
}
