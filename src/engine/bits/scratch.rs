//! A thread's memory for the pairs of a layer.

use super::kernels::Line;
use super::lines::Lines;
use super::matrix::Matrix;
use super::mirror::Mirror;
use super::names::Names;
use super::slab::Slab;

/// What a thread needs for a pair; it is used again for the next.
pub(crate) struct Scratch {
    pub(super) slabs: [Slab; 2],
    pub(super) mirror: Mirror,
    /// 512 rows of the flipped pair.
    pub(super) block: Matrix<Lines>,
    /// The spawns in the bottom half: a row for each settled top half.
    pub(super) below: Matrix<Lines>,
    pub(super) starts: Vec<(u32, u32)>,
    pub(super) row: Vec<Line>,
    /// Bits of the row under some mask.
    pub(super) masked: Vec<Line>,
    pub(super) strip: Matrix<Lines>,
    /// For each bottom half that a move leads to, 512 top halves.
    pub(super) moved: Vec<Line>,
    pub(super) symmetric: Vec<u32>,
    pub(super) names: Names,
}

impl Scratch {
    /// For the thread of this number.
    pub(crate) fn new(thread: usize) -> Self {
        Self {
            slabs: Default::default(),
            mirror: Mirror::default(),
            block: Matrix::default(),
            below: Matrix::default(),
            starts: Vec::new(),
            row: Vec::new(),
            masked: Vec::new(),
            strip: Matrix::default(),
            moved: Vec::new(),
            symmetric: Vec::new(),
            names: Names::new(thread),
        }
    }
}
