//! The boards of a row that have a symmetry of their own.
//!
//! Key idea: a board with a symmetry repeats a half or a quad. So few bottom halves can match a
//! given top half. Only a top half that is its own mirror image needs a mask of a whole row.

use super::class::NONE;
use super::kernels::{BitLine, LINE, bit};
use super::tables::Tables;

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
