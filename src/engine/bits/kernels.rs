//! Kernels on rows of bits, 512 at a time.
//!
//! Key idea: no kernel needs an instruction of its own. In a tile of 64 rows of 512 bits, a line is
//! a register of eight words, and all eight 64x64 transpositions run side by side in its lanes:
//! shifts, masks and exclusive ors, which the compiler turns into AVX-512 or AVX2 from the same
//! lines of plain Rust.

use crate::wide::wide;

/// 512 bits; bit `i` of the line is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [u64; 8]);

impl Line {
    pub(crate) const ZERO: Self = Self([0; 8]);
}

/// Bits of a line.
pub(crate) const LINE: usize = 512;

/// 64 rows of 512 columns; and, transposed, 512 columns of 64 rows: word `w` of line `c` is column
/// `64 * w + c`.
pub(crate) type Tile = [Line; 64];

wide! {
    /// Transpose a tile in place, each of its eight squares on its own.
    pub(crate) fn transpose(tile: &mut Tile) {
        transpose_by::<32>(tile, 0x0000_0000_ffff_ffff);
        transpose_by::<16>(tile, 0x0000_ffff_0000_ffff);
        transpose_by::<8>(tile, 0x00ff_00ff_00ff_00ff);
        transpose_by::<4>(tile, 0x0f0f_0f0f_0f0f_0f0f);
        transpose_by::<2>(tile, 0x3333_3333_3333_3333);
        transpose_by::<1>(tile, 0x5555_5555_5555_5555);
    }
}

/// In each square of 2J x 2J bits, swap the two squares of J x J bits off the diagonal.
#[inline(always)]
fn transpose_by<const J: usize>(tile: &mut Tile, low: u64) {
    for square in (0..64).step_by(2 * J) {
        for row in square..square + J {
            for lane in 0..8 {
                let (upper, lower) = (tile[row].0[lane], tile[row + J].0[lane]);
                let swapped = ((upper >> J) ^ lower) & low;
                tile[row].0[lane] = upper ^ swapped << J;
                tile[row + J].0[lane] = lower ^ swapped;
            }
        }
    }
}

wide! {
    /// `to |= from`.
    pub(crate) fn or(to: &mut [Line], from: &[Line]) {
        for (to, from) in to.iter_mut().zip(from) {
            for i in 0..8 {
                to.0[i] |= from.0[i];
            }
        }
    }
}

wide! {
    /// `to |= from & mask`.
    pub(crate) fn or_masked(to: &mut [Line], from: &[Line], mask: &[Line]) {
        for ((to, from), mask) in to.iter_mut().zip(from).zip(mask) {
            for i in 0..8 {
                to.0[i] |= from.0[i] & mask.0[i];
            }
        }
    }
}

wide! {
    /// Number of bits of a row.
    pub(crate) fn count(row: &[Line]) -> u64 {
        let mut count = 0;
        for line in row {
            for word in line.0 {
                count += u64::from(word.count_ones());
            }
        }
        count
    }
}

wide! {
    /// Number of bits of a row under a mask.
    pub(crate) fn count_masked(row: &[Line], mask: &[Line]) -> u64 {
        let mut count = 0;
        for (row, mask) in row.iter().zip(mask) {
            for i in 0..8 {
                count += u64::from((row.0[i] & mask.0[i]).count_ones());
            }
        }
        count
    }
}

wide! {
    /// Number of bits of a row under two masks.
    pub(crate) fn count_masked_twice(row: &[Line], mask: &[Line], other: &[Line]) -> u64 {
        let mut count = 0;
        for ((row, mask), other) in row.iter().zip(mask).zip(other) {
            for i in 0..8 {
                count += u64::from((row.0[i] & mask.0[i] & other.0[i]).count_ones());
            }
        }
        count
    }
}

wide! {
    /// `to = row & mask & within & !below & !without`.
    pub(crate) fn select(to: &mut [Line], row: &[Line], [mask, within, below, without]: [&[Line]; 4]) {
        let masks = mask.iter().zip(within).zip(below).zip(without);
        for ((to, row), (((mask, within), below), without)) in to.iter_mut().zip(row).zip(masks) {
            for i in 0..8 {
                to.0[i] = row.0[i] & mask.0[i] & within.0[i] & !below.0[i] & !without.0[i];
            }
        }
    }
}

/// The words of a row.
#[inline]
pub(crate) fn words(row: &[Line]) -> &[u64] {
    bytemuck::cast_slice(row)
}

/// The words of a row, to be changed.
#[inline]
pub(crate) fn words_mut(row: &mut [Line]) -> &mut [u64] {
    bytemuck::cast_slice_mut(row)
}

/// Whether a bit of a row is set.
#[inline]
pub(crate) fn bit(row: &[Line], at: u32) -> bool {
    let at = at as usize;
    row[at / LINE].0[at % LINE / 64] >> (at % 64) & 1 != 0
}

/// Set a bit of a row.
#[inline]
pub(crate) fn set(row: &mut [Line], at: u32) {
    let at = at as usize;
    row[at / LINE].0[at % LINE / 64] |= 1 << (at % 64);
}
