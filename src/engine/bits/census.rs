//! Counts of the boards of a row, and their canonical forms.
//!
//! Key idea: what is counted are labeled boards, by the bits of rows under masks. How many canonical
//! boards they stand for follows by the orbit-counting lemma (Burnside): the sum over all boards of
//! the number of symmetries that leave them as they are, divided by eight. All but a few boards have
//! one such symmetry, the identity; the few are looked at one by one.

use super::half::{Half, Quad};
use super::halves::{Halves, Tables};
use super::kernels::{Line, bit, count, count_masked, ones};

/// Exponents there can be, and 0.
pub(crate) const EXPONENTS: usize = 17;

/// Numbers of boards, or sums over boards, by largest exponent; counted `stabilisers` times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Boards that are there.
    pub(crate) labeled: [u64; EXPONENTS],
    /// Eight times the canonical ones...
    pub(crate) states: [u64; EXPONENTS],
    /// ...their legal moves, among them those that win...
    pub(crate) moves: [u64; EXPONENTS],
    pub(crate) wins: [u64; EXPONENTS],
    /// ...those without one...
    pub(crate) dead: [u64; EXPONENTS],
    /// ...and their empty cells.
    pub(crate) empty_cells: [u64; EXPONENTS],
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        let pairs = [
            (&mut self.labeled, other.labeled),
            (&mut self.states, other.states),
            (&mut self.moves, other.moves),
            (&mut self.wins, other.wins),
            (&mut self.dead, other.dead),
            (&mut self.empty_cells, other.empty_cells),
        ];
        for (sum, other) in pairs {
            for (sum, other) in sum.iter_mut().zip(other) {
                *sum += other;
            }
        }
    }
}

/// Positions in a row that give boards with a symmetry of their own.
pub(crate) fn symmetric(
    half: Half,
    top: usize,
    bottom: usize,
    halves: &Halves,
    row: &[Line],
    found: &mut Vec<u32>,
) {
    found.clear();
    let columns = &halves.tables[bottom];
    let (left, right) = half.quads();
    let [left_t, right_t] = [left, right].map(Quad::transposed);
    let mut look = |half: Half| {
        let position = halves.position(half);
        let there = (position as usize) < row.len() * super::kernels::LINE;
        if there && bit(row, position) {
            found.push(position);
        }
    };
    if top == bottom {
        look(half);
        look(half.mirrored());
    }
    // Reflected at a diagonal: two quads are swapped, and those on the diagonal are their own
    // transposes.
    let own = |weight: usize| {
        let quads = halves.quads.of_weight(weight).iter();
        quads.copied().filter(|quad| *quad == quad.transposed())
    };
    if left == left_t && right.weight() <= bottom {
        own(bottom - right.weight()).for_each(|quad| look(Half::of_quads(right_t, quad)));
    }
    if right == right_t && left.weight() <= bottom {
        own(bottom - left.weight()).for_each(|quad| look(Half::of_quads(quad, left_t)));
    }
    if half.mirrored() == half {
        let mirrors = row.iter().zip(&columns.mirrors);
        let mirrors: Vec<Line> = mirrors
            .map(|(row, mask)| Line(std::array::from_fn(|i| row.0[i] & mask.0[i])))
            .collect();
        found.extend(ones(&mirrors));
    }
    found.sort_unstable();
    found.dedup();
}

/// Bits of a row by largest exponent of the board, for a top half with largest exponent `max`.
pub(crate) fn by_max(
    row: &[Line],
    mask: Option<&[Line]>,
    max: u8,
    columns: &Tables,
) -> [u64; EXPONENTS] {
    let mut counts = [0; EXPONENTS];
    let mut below = 0;
    let mut masked = Vec::new();
    let row = match mask {
        None => row,
        Some(mask) => {
            let lines = row.iter().zip(mask);
            masked.extend(lines.map(|(row, mask)| Line(std::array::from_fn(|i| row.0[i] & mask.0[i]))));
            &masked
        }
    };
    let last = columns.up_to.len() - 1;
    for (exp, up_to) in columns.up_to.iter().enumerate().skip(max.into()) {
        let here = if exp == last { count(row) } else { count_masked(row, up_to) };
        counts[exp] = here - below;
        below = here;
    }
    counts
}
