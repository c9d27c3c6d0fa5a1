//! Kernels on rows of bits, 512 at a time.
//!
//! Key idea: no kernel needs an instruction of its own. In a tile of 64 rows of 512 bits, a line is
//! a register of eight words, and all eight 64x64 transpositions run side by side in its lanes:
//! shifts, masks and exclusive ors, which the compiler turns into AVX-512 or AVX2 from the same
//! lines of plain Rust.

use crate::wide::wide;

/// 512 bits; bit `i` of the line is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(64))]
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
    for square in tile.chunks_exact_mut(2 * J) {
        let (upper, lower) = square.split_at_mut(J);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            for (upper, lower) in upper.0.iter_mut().zip(&mut lower.0) {
                let swapped = ((*upper >> J) ^ *lower) & low;
                *upper ^= swapped << J;
                *lower ^= swapped;
            }
        }
    }
}

wide! {
    /// `to |= from`.
    pub(crate) fn or(to: &mut [Line], from: &[Line]) {
        for (to, from) in to.iter_mut().zip(from) {
            for (to, from) in to.0.iter_mut().zip(&from.0) {
                *to |= from;
            }
        }
    }
}

wide! {
    /// `to |= from & mask`.
    pub(crate) fn or_masked(to: &mut [Line], from: &[Line], mask: &[Line]) {
        for ((to, from), mask) in to.iter_mut().zip(from).zip(mask) {
            for ((to, from), mask) in to.0.iter_mut().zip(&from.0).zip(&mask.0) {
                *to |= from & mask;
            }
        }
    }
}

wide! {
    /// Number of bits of a row.
    pub(crate) fn count(row: &[Line]) -> u64 {
        let words = row.iter().flat_map(|line| line.0);
        words.map(|word| u64::from(word.count_ones())).sum()
    }
}

wide! {
    /// Number of bits of a row under a mask.
    pub(crate) fn count_masked(row: &[Line], mask: &[Line]) -> u64 {
        let words = row.iter().zip(mask).flat_map(|(row, mask)| {
            let mut line = row.0;
            for (word, mask) in line.iter_mut().zip(&mask.0) {
                *word &= mask;
            }
            line
        });
        words.map(|word| u64::from(word.count_ones())).sum()
    }
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

/// The numbers of the bits of a row that are set.
pub(crate) fn ones(row: &[Line]) -> impl Iterator<Item = u32> + '_ {
    let words = row.iter().flat_map(|line| line.0);
    words.enumerate().flat_map(|(number, mut word)| {
        std::iter::from_fn(move || {
            let bit = word.trailing_zeros();
            (word != 0).then(|| {
                word &= word - 1;
                64 * number as u32 + bit
            })
        })
    })
}
