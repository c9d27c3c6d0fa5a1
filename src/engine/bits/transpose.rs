//! Transpositions of bits.
//!
//! Key idea: in a tile of 64 rows of 512 bits, a line is a register of eight words. The eight
//! transpositions of 64x64 bits run side by side in the lanes. The last stages are too short for a
//! loop, so AVX-512 has its own code. A square of 512 rows is eight tiles, whose words are
//! exchanged, so its lines are whole lines of the result. Many tiles have no bits.

use std::{iter, mem};

use super::kernels::{BitLine, LINE, kernel, words, words_mut};

/// 64 rows of 512 columns. Transposed: 512 columns of 64 rows, and word `w` of line `c` is column
/// `64 * w + c`.
pub type BitTile = [BitLine; 64];

/// 512 rows of 512 columns.
pub(crate) type BitSquare = [BitLine; LINE];

kernel! {
    /// Transpose the eight squares of a tile in place.
    pub fn transpose(tile: &mut BitTile) {
        transpose_by::<32>(tile, 0x0000_0000_ffff_ffff);
        transpose_by::<16>(tile, 0x0000_ffff_0000_ffff);
        transpose_by::<8>(tile, 0x00ff_00ff_00ff_00ff);
        transpose_by::<4>(tile, 0x0f0f_0f0f_0f0f_0f0f);
        transpose_by::<2>(tile, 0x3333_3333_3333_3333);
        transpose_by::<1>(tile, 0x5555_5555_5555_5555);
    }
    avx512 {
        registers::transpose(bytemuck::must_cast_mut(tile));
    }
}

kernel! {
    /// Transpose 512 rows of 512 columns in place.
    pub(crate) fn transpose_square(square: &mut BitSquare) {
        for tile in square.as_chunks_mut().0.iter_mut().filter(|tile| has_bits(*tile)) {
            transpose(tile);
        }
        for row in 0..64 {
            for upper in 0..8 {
                for lower in 0..upper {
                    let word = square[64 * upper + row].0[lower];
                    square[64 * upper + row].0[lower] =
                        mem::replace(&mut square[64 * lower + row].0[upper], word);
                }
            }
        }
    }
    avx512 {
        for tile in square.as_chunks_mut::<64>().0.iter_mut().filter(|tile| has_bits(*tile)) {
            registers::transpose(bytemuck::must_cast_mut(tile));
        }
        registers::exchange(bytemuck::must_cast_mut(square));
    }
}

/// Whether lines have bits.
#[inline(always)]
fn has_bits(lines: &[BitLine]) -> bool {
    words(lines).iter().fold(0, |all, word| all | word) != 0
}

/// Fill a square with the columns of up to 512 rows, given a line of each row. A missing line is empty.
/// Returns whether there are bits.
#[inline(always)]
pub(crate) fn transpose_lines<'a>(
    square: &mut BitSquare,
    lines: impl Iterator<Item = Option<&'a BitLine>>,
) -> bool {
    for (to, line) in square.iter_mut().zip(lines.chain(iter::repeat(None))) {
        *to = *line.unwrap_or(&BitLine::ZERO);
    }
    let any = has_bits(square);
    if any {
        transpose_square(square);
    }
    any
}

/// In each square of 2J x 2J bits, swap the two squares of J x J bits off the diagonal.
#[inline(always)]
fn transpose_by<const J: usize>(tile: &mut BitTile, low: u64) {
    for square in tile.chunks_exact_mut(2 * J) {
        let (upper, lower) = square.split_at_mut(J);
        for (upper, lower) in words_mut(upper).iter_mut().zip(words_mut(lower)) {
            let swapped = ((*upper >> J) ^ *lower) & low;
            *upper ^= swapped << J;
            *lower ^= swapped;
        }
    }
}

/// Transposition with AVX-512.
///
/// Key idea: three stages run together on eight lines, so each line is loaded and stored twice
/// instead of six times.
#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::x86_64::{
        __m512i, _mm512_and_si512, _mm512_set1_epi64, _mm512_shuffle_i64x2, _mm512_slli_epi64,
        _mm512_srli_epi64, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64, _mm512_xor_si512,
    };

    use super::LINE;

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn transpose(tile: &mut [__m512i; 64]) {
        for row in 0..8 {
            let mut lines: [__m512i; 8] = std::array::from_fn(|step| tile[8 * step + row]);
            swap::<32, 4>(&mut lines, 0x0000_0000_ffff_ffff);
            swap::<16, 2>(&mut lines, 0x0000_ffff_0000_ffff);
            swap::<8, 1>(&mut lines, 0x00ff_00ff_00ff_00ff);
            for (step, line) in lines.into_iter().enumerate() {
                tile[8 * step + row] = line;
            }
        }
        for lines in tile.as_chunks_mut().0 {
            swap::<4, 4>(lines, 0x0f0f_0f0f_0f0f_0f0f);
            swap::<2, 2>(lines, 0x3333_3333_3333_3333);
            swap::<1, 1>(lines, 0x5555_5555_5555_5555);
        }
    }

    /// Swap word `i` of line `64 * j + row` and word `j` of line `64 * i + row`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn exchange(square: &mut [__m512i; LINE]) {
        for row in 0..64 {
            let lines: [__m512i; 8] = std::array::from_fn(|at| square[64 * at + row]);
            let low: [__m512i; 4] =
                std::array::from_fn(|at| _mm512_unpacklo_epi64(lines[2 * at], lines[2 * at + 1]));
            let high: [__m512i; 4] =
                std::array::from_fn(|at| _mm512_unpackhi_epi64(lines[2 * at], lines[2 * at + 1]));
            for (first, pairs) in [(0, low), (1, high)] {
                let [a, b, c, d] = pairs;
                let front = [
                    _mm512_shuffle_i64x2::<0x44>(a, b),
                    _mm512_shuffle_i64x2::<0x44>(c, d),
                ];
                let back = [
                    _mm512_shuffle_i64x2::<0xee>(a, b),
                    _mm512_shuffle_i64x2::<0xee>(c, d),
                ];
                for (at, [left, right]) in [(first, front), (first + 4, back)] {
                    square[64 * at + row] = _mm512_shuffle_i64x2::<0x88>(left, right);
                    square[64 * (at + 2) + row] = _mm512_shuffle_i64x2::<0xdd>(left, right);
                }
            }
        }
    }

    /// One stage: swap squares of J x J bits between lines at distance `APART`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn swap<const J: u32, const APART: usize>(lines: &mut [__m512i; 8], low: i64) {
        let low = _mm512_set1_epi64(low);
        for pair in 0..4 {
            let upper = pair / APART * 2 * APART + pair % APART;
            let lower = upper + APART;
            let shifted = _mm512_srli_epi64::<J>(lines[upper]);
            let swapped = _mm512_and_si512(_mm512_xor_si512(shifted, lines[lower]), low);
            lines[upper] = _mm512_xor_si512(lines[upper], _mm512_slli_epi64::<J>(swapped));
            lines[lower] = _mm512_xor_si512(lines[lower], swapped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernels::bit;
    use super::super::kernels::versions::{KernelVersion, lines, run, versions};
    use super::*;

    #[test]
    fn transpose_transposes_each_square_of_a_tile() {
        let before: BitTile = lines(64, 1).try_into().unwrap();
        for version in versions() {
            let mut tile = before;
            run!(version, transpose(&mut tile));
            for row in 0..64 {
                for column in 0..LINE {
                    let moves_down = tile[column % 64].0[column / 64] >> row & 1 != 0;
                    assert_eq!(
                        moves_down,
                        bit(&before[row..=row], column as u32),
                        "{version:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn transpose_square_transposes_all_bits() {
        let before: BitSquare = lines(LINE, 3).try_into().unwrap();
        for version in versions() {
            let mut square = before;
            run!(version, transpose_square(&mut square));
            for row in 0..LINE {
                for column in 0..LINE {
                    let moves_down = bit(&square[column..=column], row as u32);
                    assert_eq!(
                        moves_down,
                        bit(&before[row..=row], column as u32),
                        "{version:?}"
                    );
                }
            }
        }
    }
}
