//! Kernels on rows of bits, 512 bits at a time.
//!
//! Key idea: a kernel is one loop over the words of a row, which the compiler turns into AVX-512 or
//! AVX2 code. A loop over lines with an inner loop over eight words would be slow: LLVM unrolls the
//! inner loop and vectorises the outer loop, with a gather for every word.
//!
//! In a tile of 64 rows of 512 bits, a line is a register of eight words. The eight transpositions
//! of 64x64 bits run side by side in the lanes. The last stages are too short for a loop, so
//! AVX-512 has its own code there. The code for the processor is chosen at run time.

use std::mem;

/// Define a kernel for several kinds of processor, optionally with its own code for AVX-512. Tests
/// call each version by name.
macro_rules! kernel {
    (
        $(#[$doc:meta])*
        $vis:vis fn $name:ident($($args:tt)*) $(-> $result:ty)? $body:block
        $(avx512 $avx512:block)?
    ) => {
        crate::wide::wide! {
            $(#[$doc])*
            $vis fn $name($($args)*) $(-> $result)? {
                kernel!(@for_target $body $($avx512)?)
            }
        }

        #[cfg(test)]
        mod $name {
            use super::*;

            pub(super) fn plain($($args)*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            pub(super) fn avx2($($args)*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt")]
            pub(super) fn avx512($($args)*) $(-> $result)? {
                kernel!(@last $body $($avx512)?)
            }
        }
    };
    (@for_target $body:block) => { $body };
    (@for_target $body:block $avx512:block) => {
        multiversion::target::match_target! {
            "x86_64+avx512f" => $avx512,
            _ => $body,
        }
    };
    (@last $body:block) => { $body };
    (@last $body:block $avx512:block) => { $avx512 };
}

pub(crate) use kernel;

/// 512 bits; bit `i` of the line is bit `i % 64` of word `i / 64`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub struct BitLine(pub [u64; 8]);

impl BitLine {
    pub(crate) const ZERO: Self = Self([0; 8]);
}

/// Number of bits of a line.
pub const LINE: usize = 512;

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
        for tile in square.as_chunks_mut().0 {
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
        let square: &mut [_; LINE] = bytemuck::must_cast_mut(square);
        for tile in square.as_chunks_mut().0 {
            registers::transpose(tile);
        }
        registers::exchange(square);
    }
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

kernel! {
    /// `to |= from`.
    pub fn or(to: &mut [BitLine], from: &[BitLine]) {
        for (to, from) in words_mut(to).iter_mut().zip(words(from)) {
            *to |= from;
        }
    }
}

kernel! {
    /// `to |= from & mask`.
    pub fn or_masked(to: &mut [BitLine], from: &[BitLine], mask: &[BitLine]) {
        let from = words(from).iter().zip(words(mask));
        for (to, (from, mask)) in words_mut(to).iter_mut().zip(from) {
            *to |= from & mask;
        }
    }
}

kernel! {
    /// `to = one | other & mask`.
    pub fn combine(to: &mut [BitLine], one: &[BitLine], other: &[BitLine], mask: &[BitLine]) {
        let from = words(one).iter().zip(words(other)).zip(words(mask));
        for (to, ((one, other), mask)) in words_mut(to).iter_mut().zip(from) {
            *to = one | other & mask;
        }
    }
}

kernel! {
    /// Number of bits of a row.
    pub fn count(row: &[BitLine]) -> u64 {
        words(row).iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

kernel! {
    /// Number of bits of a row under a mask.
    pub fn count_masked(row: &[BitLine], mask: &[BitLine]) -> u64 {
        let words = words(row).iter().zip(words(mask));
        words.map(|(row, mask)| u64::from((row & mask).count_ones())).sum()
    }
}

kernel! {
    /// Number of bits of a row under two masks.
    pub fn count_masked_twice(row: &[BitLine], mask: &[BitLine], other: &[BitLine]) -> u64 {
        let words = words(row).iter().zip(words(mask)).zip(words(other));
        words.map(|((row, mask), other)| u64::from((row & mask & other).count_ones())).sum()
    }
}

#[inline]
fn words(row: &[BitLine]) -> &[u64] {
    bytemuck::must_cast_slice(row)
}

#[inline]
pub(crate) fn words_mut(row: &mut [BitLine]) -> &mut [u64] {
    bytemuck::must_cast_slice_mut(row)
}

/// Whether a bit of a row is set.
#[inline]
pub(crate) fn bit(row: &[BitLine], at: u32) -> bool {
    let at = at as usize;
    row[at / LINE].0[at % LINE / 64] >> (at % 64) & 1 != 0
}

/// Set a bit of a row.
#[inline]
pub(crate) fn set(row: &mut [BitLine], at: u32) {
    let at = at as usize;
    row[at / LINE].0[at % LINE / 64] |= 1 << (at % 64);
}

/// The versions of kernels that tests run.
#[cfg(test)]
pub(crate) mod versions {
    use super::BitLine;
    use crate::part::mix;

    /// Pseudorandom lines; about one bit in eight is set.
    pub(crate) fn lines(count: usize, seed: u64) -> Vec<BitLine> {
        let word = |at: u64| {
            (0..3).fold(u64::MAX, |bits, draw| {
                bits & mix(seed << 32 | draw << 28 | at)
            })
        };
        let line = |at: usize| {
            BitLine(std::array::from_fn(|word_at| {
                word((8 * at + word_at) as u64)
            }))
        };
        (0..count).map(line).collect()
    }

    /// A version of a kernel.
    #[derive(Clone, Copy, Debug)]
    pub(crate) enum KernelVersion {
        Chosen,
        Plain,
        #[cfg(target_arch = "x86_64")]
        Avx2,
        #[cfg(target_arch = "x86_64")]
        Avx512,
    }

    /// The versions that this processor can run.
    pub(crate) fn versions() -> Vec<KernelVersion> {
        let mut versions = vec![KernelVersion::Chosen, KernelVersion::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! has {
                ($($feature:tt)*) => { true $(&& is_x86_feature_detected!($feature))* };
            }
            let avx2 = has!("avx2" "bmi1" "bmi2" "lzcnt" "popcnt");
            let avx512 =
                has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx512vpopcntdq");
            versions.extend(avx2.then_some(KernelVersion::Avx2));
            versions.extend((avx2 && avx512).then_some(KernelVersion::Avx512));
        }
        versions
    }

    macro_rules! run {
        ($version:expr, $kernel:ident($($arg:expr),*)) => {
            match $version {
                KernelVersion::Chosen => super::$kernel($($arg),*),
                KernelVersion::Plain => $kernel::plain($($arg),*),
                #[cfg(target_arch = "x86_64")]
                // SAFETY: `versions` looked up the features of the processor.
                KernelVersion::Avx2 => unsafe { $kernel::avx2($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                KernelVersion::Avx512 => unsafe { $kernel::avx512($($arg),*) },
            }
        };
    }

    pub(crate) use run;
}

#[cfg(test)]
#[expect(
    unsafe_code,
    reason = "the features of the processor are looked up first"
)]
mod tests {
    use super::versions::{KernelVersion, lines, run, versions};
    use super::*;

    fn bits(row: &[BitLine]) -> Vec<bool> {
        (0..row.len() * LINE)
            .map(|at| bit(row, at as u32))
            .collect()
    }

    #[test]
    fn transpose_transposes_each_square_of_a_tile() {
        let before: BitTile = lines(64, 1).try_into().unwrap();
        for version in versions() {
            let mut tile = before;
            run!(version, transpose(&mut tile));
            for row in 0..64 {
                for column in 0..LINE {
                    let turned = tile[column % 64].0[column / 64] >> row & 1 != 0;
                    assert_eq!(
                        turned,
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
                    let turned = bit(&square[column..=column], row as u32);
                    assert_eq!(
                        turned,
                        bit(&before[row..=row], column as u32),
                        "{version:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn kernels_combine_and_count_rows_bit_by_bit() {
        for length in [0, 1, 2, 3, 7] {
            let [row, mask, within, before] = [1, 2, 3, 4].map(|seed| lines(length, seed));
            let all = [&row, &mask, &within].map(|row| bits(row));
            let expected = |keep: &dyn Fn([bool; 3]) -> bool| -> Vec<bool> {
                let at = 0..length * LINE;
                at.map(|at| keep(all.each_ref().map(|bits| bits[at])))
                    .collect()
            };
            let ones = |bits: &[bool]| bits.iter().filter(|&&bit| bit).count() as u64;
            let both = expected(&|[row, mask, ..]| row && mask);
            let of_all = expected(&|[row, mask, within]| row && mask && within);
            for version in versions() {
                let mut to = row.clone();
                run!(version, or(&mut to, &mask));
                assert_eq!(
                    bits(&to),
                    expected(&|[row, mask, ..]| row || mask),
                    "{version:?}"
                );
                let mut to = row.clone();
                run!(version, or_masked(&mut to, &mask, &within));
                let masked = expected(&|[row, mask, within]| row || mask && within);
                assert_eq!(bits(&to), masked, "{version:?}");
                let mut to = before.clone();
                run!(version, combine(&mut to, &row, &mask, &within));
                assert_eq!(bits(&to), masked, "{version:?}");
                assert_eq!(run!(version, count(&row)), ones(&all[0]), "{version:?}");
                assert_eq!(
                    run!(version, count_masked(&row, &mask)),
                    ones(&both),
                    "{version:?}"
                );
                assert_eq!(
                    run!(version, count_masked_twice(&row, &mask, &within)),
                    ones(&of_all),
                    "{version:?}"
                );
            }
        }
    }

    #[test]
    fn set_sets_the_bit_that_bit_reads() {
        let mut row = lines(3, 7);
        for at in [0, 63, 64, 511, 512, 1535] {
            set(&mut row, at);
            assert!(bit(&row, at));
            assert!(bits(&row)[at as usize]);
        }
        let words = words_mut(&mut row);
        assert_eq!((words[0] & 1, words[23] >> 63), (1, 1));
    }
}
