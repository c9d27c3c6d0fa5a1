//! The boards of a row that have a symmetry of their own.
//!
//! Key idea: a board with a symmetry repeats a half or a quad. So few bottom halves can match a
//! given top half. Only a top half that is its own mirror image needs a mask of a whole row.

use super::class::{Class, ColumnRange, NONE};
use super::half::Quad;
use super::halves::{Groups, Halves, Tables};
use super::kernels::{BitLine, LINE, bit};

/// The images of the halves of a class.
#[derive(Default)]
pub(crate) struct SymmetryTable {
    /// The mirror image of each position.
    images: Vec<u32>,
    /// The mirror image of each position of `both`, counted from its first line.
    pub(crate) images_of_both: Vec<u32>,
    /// Mask of the halves that equal their mirror image.
    mirrored: Vec<BitLine>,
    /// For each position: the number of the right quad's transpose if the left quad is symmetric,
    /// and the number of the left quad's transpose if the right quad is symmetric.
    diagonal: Vec<[u32; 2]>,
    /// Positions with a symmetric right quad, by number of the left quad.
    by_left: Groups,
    /// Positions with a symmetric left quad, by number of the right quad.
    by_right: Groups,
}

impl SymmetryTable {
    pub(super) fn new(class: &Class, halves: &Halves) -> Self {
        let mut images: Vec<u32> = (0..class.digits.len() as u32).collect();
        let mut diagonal = vec![[NONE; 2]; class.digits.len()];
        let (mut by_left, mut by_right) = (Vec::new(), Vec::new());
        let id = |quad: Quad| halves.quads.id(quad) as u32;
        for (at, half) in class.halves() {
            images[at as usize] = halves.position(half.mirrored());
            let (left, right) = half.quads();
            if left == left.transposed() {
                diagonal[at as usize][0] = id(right.transposed());
                by_right.push((id(right), at));
            }
            if right == right.transposed() {
                diagonal[at as usize][1] = id(left.transposed());
                by_left.push((id(left), at));
            }
        }
        let both = class.lines_of(ColumnRange::BOTH);
        let first = (both.start * LINE) as u32;
        let images_of_both = &images[both.start * LINE..both.end * LINE];
        Self {
            images_of_both: images_of_both.iter().map(|image| image - first).collect(),
            images,
            mirrored: class.mask(|half| half.mirrored() == half),
            diagonal,
            by_left: Groups::new(halves.quads.count, &by_left),
            by_right: Groups::new(halves.quads.count, &by_right),
        }
    }
}

/// Find the positions of a row whose boards have a symmetry of their own; `position` is the top
/// half. `square` says whether the halves have equal weights.
pub(crate) fn find_symmetric(
    position: u32,
    rows: &Tables,
    columns: &Tables,
    square: bool,
    row: &[BitLine],
    found: &mut Vec<u32>,
) {
    found.clear();
    let is_set = |position: &u32| (*position as usize) < row.len() * LINE && bit(row, *position);
    let image = rows.symmetry.images[position as usize];
    if square {
        found.extend([position, image].into_iter().filter(is_set));
    }
    // A reflection at a diagonal swaps two quads. The two quads on the diagonal are symmetric.
    let [falling, rising] = rows.symmetry.diagonal[position as usize];
    let groups = [
        (falling, &columns.symmetry.by_left),
        (rising, &columns.symmetry.by_right),
    ];
    for (quad, positions) in groups.into_iter().filter(|&(quad, _)| quad != NONE) {
        found.extend(positions.of(quad).iter().copied().filter(is_set));
    }
    if image == position {
        for (line, (row, mask)) in row.iter().zip(&columns.symmetry.mirrored).enumerate() {
            for (word, (row, mask)) in row.0.iter().zip(&mask.0).enumerate() {
                let mut left = row & mask;
                while left != 0 {
                    found.push((line * LINE + word * 64) as u32 + left.trailing_zeros());
                    left &= left - 1;
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
}
