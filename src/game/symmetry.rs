//! Symmetries of the board, and the canonical form.
//!
//! **Why one image is enough.** Moves, spawns and starts commute with rotation and reflection: if a
//! game reaches a board, the turned game reaches the turned board. So the set of reachable boards
//! is a union of whole orbits. A list of the least board of each orbit is complete. This board, the
//! least as a number, is called *canonical*. A square has 8 symmetries, a rectangle 4. The tests
//! check on random boards of every size that sliding commutes with every symmetry.
//!
//! A game with locks has fewer symmetries. They turn each of its masks into one of its masks.
//!
//! An image is computed without a branch from whole columns, rows or diagonals, so the compiler
//! handles eight boards side by side in a 512-bit register.

use super::board::{Shape, shift_digits};
use super::locks::Locks;
use super::slide::Direction;

/// Columns in reverse order.
#[inline(always)]
pub(crate) fn mirror_columns<const R: usize, const C: usize>(x: u64) -> u64 {
    let mut image = 0;
    for c in 0..C {
        let by = 2 * c as i32 - (C as i32 - 1);
        image |= shift_digits(x & Shape::<R, C>::COLUMNS[c], by);
    }
    image
}

/// Rows in reverse order.
#[inline(always)]
pub(crate) fn mirror_rows<const R: usize, const C: usize>(x: u64) -> u64 {
    let mut image = 0;
    for r in 0..R {
        let by = (2 * r as i32 - (R as i32 - 1)) * C as i32;
        image |= shift_digits(x & Shape::<R, C>::ROWS[r], by);
    }
    image
}

/// Transpose a board: all cells that move by the same number of digits move together. In a square they are
/// a diagonal.
#[inline(always)]
pub(crate) fn transpose<const R: usize, const C: usize>(x: u64) -> u64 {
    let mut image = 0;
    for (by, mask) in (-9..).zip(Shape::<R, C>::DIAGONALS) {
        image |= shift_digits(x & mask, by);
    }
    image
}

/// The images of a board under all symmetries, the board itself first. A rectangle has only four
/// symmetries, so each of its images stands twice.
#[inline(always)]
pub(crate) fn images<const R: usize, const C: usize>(x: u64) -> [u64; 8] {
    let quarter = |x| {
        let mirrored = mirror_columns::<R, C>(x);
        [
            x,
            mirrored,
            mirror_rows::<R, C>(x),
            mirror_rows::<R, C>(mirrored),
        ]
    };
    let [a, b, c, d] = quarter(x);
    let [e, f, g, h] = if R == C {
        quarter(transpose::<R, C>(x))
    } else {
        [a, b, c, d]
    };
    [a, b, c, d, e, f, g, h]
}

/// Whether a symmetry of a square, an index into [`images`], swaps rows and columns.
fn transposes(symmetry: usize) -> bool {
    symmetry & 4 != 0
}

/// The image of a direction under a symmetry.
pub(super) fn image_of_direction(symmetry: usize, direction: Direction) -> Direction {
    let mut number = direction as usize;
    if transposes(symmetry) {
        // Up becomes left, and right becomes down.
        number = 3 - number;
    }
    // Mirrored columns swap right and left, the odd numbers; mirrored rows swap up and down.
    let mirrors = if number % 2 == 1 { 1 } else { 2 };
    if symmetry & mirrors != 0 {
        number ^= 2;
    }
    Direction::ALL[number]
}

/// The symmetry that undoes another.
pub(super) fn inverse(symmetry: usize) -> usize {
    // Mirroring columns after a transposition equals mirroring rows before it.
    let swapped = symmetry & 4 | (symmetry & 1) << 1 | (symmetry & 2) >> 1;
    if transposes(symmetry) {
        swapped
    } else {
        symmetry
    }
}

/// The least image.
#[inline(always)]
pub(crate) fn canonical<const R: usize, const C: usize>(x: u64) -> u64 {
    let [a, b, c, d, e, f, g, h] = images::<R, C>(x);
    let least = a.min(b).min(c.min(d));
    if R == C {
        least.min(e.min(f).min(g.min(h)))
    } else {
        least
    }
}

/// The least image by a symmetry that keeps the masks of `locks`.
#[inline(always)]
pub(crate) fn canonical_with<const R: usize, const C: usize>(x: u64, locks: Locks) -> u64 {
    let images = images::<R, C>(x).into_iter().zip(locks.others());
    images.fold(x, |least, (image, others)| least.min(image | others))
}

/// Number of different images: the size of the orbit.
///
/// The symmetries that fix `x` form a group, so their number divides the number of symmetries.
/// It is a power of two, so the division is a shift. Each image of a rectangle stands twice, so it has eight
/// symmetries here.
#[inline(always)]
pub(crate) fn orbit<const R: usize, const C: usize>(x: u64) -> u64 {
    let mut fixed = 0u64;
    for image in images::<R, C>(x) {
        fixed += u64::from(image == x);
    }
    8 >> log2(fixed)
}

/// Number of different images by symmetries that keep the masks of `locks`.
#[inline(always)]
pub(crate) fn orbit_with<const R: usize, const C: usize>(x: u64, locks: Locks) -> u64 {
    let mut fixed = 0u64;
    for (image, others) in images::<R, C>(x).into_iter().zip(locks.others()) {
        fixed += u64::from(image | others == x);
    }
    u64::from(locks.symmetries()) >> log2(fixed)
}

/// The exponent of 1, 2, 4 or 8, without a table.
#[inline(always)]
fn log2(power: u64) -> u64 {
    u64::from(power > 1) + u64::from(power > 2) + u64::from(power > 4)
}

#[cfg(test)]
mod tests {
    use super::super::slide::slide;
    use super::*;

    /// A slow image, computed cell by cell on a grid of digits.
    fn by_cells<const R: usize, const C: usize>(
        x: u64,
        to: impl Fn(usize, usize) -> (usize, usize),
    ) -> u64 {
        let mut image = 0;
        for r in 0..R {
            for c in 0..C {
                let digit = x >> (4 * (R * C - 1 - (r * C + c))) & 15;
                let (r, c) = to(r, c);
                image |= digit << (4 * (R * C - 1 - (r * C + c)));
            }
        }
        image
    }

    fn check_symmetries<const R: usize, const C: usize>(board: u64) {
        let symmetries = if R == C { 8 } else { 4 };
        let all = images::<R, C>(board).into_iter().enumerate();
        for (symmetry, turned) in all.take(symmetries) {
            let image_of = |board| images::<R, C>(board)[symmetry];
            let back = images::<R, C>(turned)[inverse(symmetry)];
            assert_eq!(back, board, "{board:#x}");
            for direction in Direction::ALL {
                let moved = |board: u64, direction: Direction| {
                    let win = u64::MAX;
                    match direction {
                        Direction::Up => slide::<R, C, 0, false>(board, win).0,
                        Direction::Right => slide::<R, C, 1, false>(board, win).0,
                        Direction::Down => slide::<R, C, 2, false>(board, win).0,
                        Direction::Left => slide::<R, C, 3, false>(board, win).0,
                    }
                };
                assert_eq!(
                    moved(turned, image_of_direction(symmetry, direction)),
                    image_of(moved(board, direction)),
                    "{board:#x}"
                );
            }
        }
        let least = images::<R, C>(board).into_iter().min();
        assert_eq!(least, Some(canonical::<R, C>(board)), "{board:#x}");
    }

    fn check_shape<const R: usize, const C: usize>() {
        let mut seed = 0x1234_5678_9abc_def1u64;
        for _ in 0..20_000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let x = seed & Shape::<R, C>::BOARD;
            // Two tiles 2^15 would merge into a tile without a digit.
            check_symmetries::<R, C>(x & 0x7777_7777_7777_7777);
            // Low exponents and many empty cells, so that tiles merge.
            check_symmetries::<R, C>(x & (x >> 7) & 0x3333_3333_3333_3333);
            assert_eq!(
                mirror_columns::<R, C>(x),
                by_cells::<R, C>(x, |r, c| (r, C - 1 - c))
            );
            assert_eq!(
                mirror_rows::<R, C>(x),
                by_cells::<R, C>(x, |r, c| (R - 1 - r, c))
            );
            if R == C {
                assert_eq!(transpose::<R, C>(x), by_cells::<R, C>(x, |r, c| (c, r)));
            }
            let least = canonical::<R, C>(x);
            assert_eq!(canonical::<R, C>(least), least, "idempotent on {x:#x}");
            let mut distinct = images::<R, C>(x).to_vec();
            for &image in &distinct {
                assert_eq!(
                    canonical::<R, C>(image),
                    least,
                    "constant on the orbit of {x:#x}"
                );
            }
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(orbit::<R, C>(x), distinct.len() as u64, "orbit of {x:#x}");
        }
    }

    #[test]
    fn images_agree_with_images_computed_cell_by_cell() {
        check_shape::<2, 2>();
        check_shape::<2, 3>();
        check_shape::<3, 2>();
        check_shape::<2, 4>();
        check_shape::<4, 2>();
        check_shape::<3, 3>();
        check_shape::<3, 4>();
        check_shape::<4, 3>();
        check_shape::<4, 4>();
    }

    #[test]
    fn every_2x2_board_has_the_orbit_of_its_distinct_images() {
        let total: u64 = (0..=0xffffu64)
            .filter(|&x| canonical::<2, 2>(x) == x)
            .map(orbit::<2, 2>)
            .sum();
        assert_eq!(
            total, 0x1_0000,
            "orbits of the canonical boards cover all boards once"
        );
    }

    #[test]
    fn the_worked_board_is_canonical_as_documented() {
        assert_eq!(canonical::<2, 2>(0x2310), 0x0132);
    }
}
