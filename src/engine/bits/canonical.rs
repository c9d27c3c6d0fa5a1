//! The canonical boards of a row, found one by one.
//!
//! Key idea: most boards need no comparison with their images. Masks by prefix (`prefixes`) tell
//! which boards of a row are certainly canonical, and which need a test. A board is the digits of
//! two halves side by side. In a row one half is constant, and the digits of the other half are
//! looked up by position. So a board takes four bytes until it is named.

use std::ops::Range;

use super::counts::NamedBoards;
use super::half::Half;
use super::kernels::{BitLine, LINE, kernel};
use super::prefixes::Standing;
use super::tables::Tables;
use crate::game::{Board, Exp, canonical, holds};
use crate::part::mix;

/// Boards that are extracted together.
const TOGETHER: usize = 1 << 11;

/// Memory for the digits of extracted boards. Up to 15 digits after the last ones are undefined.
pub type DigitBuffer = [u32; ROOM];
/// Length of a [`DigitBuffer`].
pub const ROOM: usize = TOGETHER + 16;

/// The half that all boards of a row have.
#[derive(Clone, Copy)]
pub struct SharedHalf {
    /// Its digits in a board.
    pub half: Board,
    /// The shift of the other half's digits in a board.
    pub shift: u32,
}

impl SharedHalf {
    /// The board with some digits in the other half.
    #[inline(always)]
    fn board(self, digits: u32) -> Board {
        self.half | u64::from(digits) << self.shift
    }
}

/// A thread's memory for the search of canonical boards.
#[derive(Default)]
pub(crate) struct Canonical {
    digits: Vec<u32>,
    masks: [Vec<BitLine>; 2],
}

impl Canonical {
    /// Find the canonical boards of a row. `half` is the top half. If `flipped` is set, also find
    /// the canonical boards among the flipped boards. Calls `take` with some boards at a time, in
    /// no order: the half that they share, and the digits of their other halves.
    pub(crate) fn find(
        &mut self,
        half: Half,
        row: &[BitLine],
        columns: &Tables,
        flipped: bool,
        mut take: impl FnMut(SharedHalf, &[u32]),
    ) {
        self.digits.resize(ROOM, 0);
        let found = self.digits.as_mut_slice().try_into();
        let found: &mut DigitBuffer = found.expect("the length is `ROOM`");
        let [certain, test] = &mut self.masks;
        certain.resize(row.len(), BitLine::ZERO);
        test.resize(row.len(), BitLine::ZERO);
        let mut find = |half, shift, digits: &[u32], [certain, test]: [&[_]; 2]| {
            let shared = SharedHalf { half, shift };
            for (mask, is_certain) in [(certain, true), (test, false)] {
                let mut line = 0;
                while line < row.len() {
                    let digits = &digits[line * LINE..];
                    let (lines, mut boards) = extract(&row[line..], &mask[line..], digits, found);
                    line += lines;
                    if !is_certain {
                        boards = keep_canonical(shared, &mut found[..boards]);
                    }
                    take(shared, &found[..boards]);
                }
            }
        };
        let prefixes = columns.prefixes.prefixes(half);
        if prefixes.standing != Standing::Never {
            let masks = columns.prefixes.bottoms(&prefixes, [certain, test]);
            let top = u64::from(half.0) << 32;
            find(top, 0, &columns.bottom_digits, masks);
        }
        if flipped {
            let masks = columns.prefixes.tops(&prefixes, [certain, test]);
            let bottom = u64::from(half.0.rotate_left(16));
            find(bottom, 32, &columns.class.digits, masks);
        }
    }
}

kernel! {
    /// Extract the boards of a row that have a bit in `bits` and in `mask`, until the memory is
    /// full. Of a board, copies the digits at its position. Returns the number of lines and the
    /// number of boards.
    pub fn extract(bits: &[BitLine], mask: &[BitLine], digits: &[u32], found: &mut DigitBuffer) -> (usize, usize) {
        let mut boards = 0;
        for (line, (bits, mask)) in bits.iter().zip(mask).enumerate() {
            let (mut words, mut any) = (bits.0, 0);
            for (word, mask) in words.iter_mut().zip(mask.0) {
                *word &= mask;
                any |= *word;
            }
            if any == 0 {
                continue;
            }
            if boards + LINE > TOGETHER {
                return (line, boards);
            }
            let digits = digits[line * LINE..][..LINE].as_chunks::<64>().0;
            for (&word, digits) in words.iter().zip(digits) {
                let (mut left, mut at) = (word, boards);
                // Copy four times, because the processor cannot predict the number of bits of a
                // word. The last digits may be undefined.
                while left != 0 {
                    for to in &mut found[at..at + 4] {
                        *to = digits[left.trailing_zeros() as usize % 64];
                        left &= left.wrapping_sub(1);
                    }
                    at += 4;
                }
                boards += word.count_ones() as usize;
            }
        }
        (bits.len(), boards)
    }
    avx512 {
        registers::extract(bits, mask, digits, found)
    }
}

/// Extraction with AVX-512.
///
/// Key idea: one instruction moves the digits of up to 16 bits together. Groups of 16 bits without a
/// bit are skipped, so the processor has one branch a line to predict.
#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::x86_64::{
        _mm512_and_si512, _mm512_maskz_compress_epi32, _mm512_test_epi16_mask,
    };

    use super::{BitLine, DigitBuffer, LINE, TOGETHER};
    use bytemuck::must_cast;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,bmi1,popcnt")]
    pub(super) fn extract(
        bits: &[BitLine],
        mask: &[BitLine],
        digits: &[u32],
        found: &mut DigitBuffer,
    ) -> (usize, usize) {
        let mut boards = 0;
        for (line, (&bits, &mask)) in bits.iter().zip(mask).enumerate() {
            let both = _mm512_and_si512(must_cast(bits), must_cast(mask));
            let mut left = _mm512_test_epi16_mask(both, both);
            if left == 0 {
                continue;
            }
            if boards + LINE > TOGETHER {
                return (line, boards);
            }
            let digits = &digits[line * LINE..][..LINE].as_chunks::<16>().0[..32];
            let groups: [u16; 32] = must_cast(both);
            while left != 0 {
                let at = left.trailing_zeros() as usize % 32;
                let kept = _mm512_maskz_compress_epi32(groups[at], must_cast(digits[at]));
                found[boards..boards + 16].copy_from_slice(&must_cast::<_, [u32; 16]>(kept));
                boards += groups[at].count_ones() as usize;
                left &= left - 1;
            }
        }
        (bits.len(), boards)
    }
}

kernel! {
    /// Move the canonical boards to the front. Returns their number.
    pub fn keep_canonical(shared: SharedHalf, digits: &mut [u32]) -> usize {
        let mut kept = 0;
        for first in (0..digits.len()).step_by(64) {
            let mut same = [false; 64];
            let end = digits.len().min(first + 64);
            for (&digits, same) in digits[first..end].iter().zip(&mut same) {
                let board = shared.board(digits);
                *same = canonical::<4, 4>(board) == board;
            }
            for (at, same) in (first..end).zip(same) {
                digits[kept] = digits[at];
                kept += usize::from(same);
            }
        }
        kept
    }
}

kernel! {
    /// Add boards to `named`. Their largest exponents are in `exponents`, which begins with the
    /// largest exponent of the shared half.
    pub(crate) fn tally(shared: SharedHalf, digits: &[u32], exponents: Range<u8>, named: &mut NamedBoards) {
        let (mut boards, mut mixes) = ([0; 64], [0; 64]);
        for digits in digits.chunks(64) {
            if digits.len() < 64 {
                (boards, mixes) = ([0; 64], [0; 64]);
            }
            for ((&digits, board), mixed) in digits.iter().zip(&mut boards).zip(&mut mixes) {
                *board = shared.board(digits);
                *mixed = mix(*board);
            }
            let mut left = digits.len() as u64;
            let mut sum_left = mixes.iter().fold(0, |sum: u64, &mixed| sum.wrapping_add(mixed));
            for exp in (exponents.start + 1..exponents.end).rev() {
                let (mut count, mut sum) = (0, 0_u64);
                for (board, &mixed) in boards.iter_mut().zip(&mixes) {
                    let is = holds(*board, Exp::of_digit(exp.into()));
                    count += u64::from(is);
                    sum = sum.wrapping_add(if is { mixed } else { 0 });
                    // Each board is named once.
                    *board = if is { 0 } else { *board };
                }
                named.add(exp, count, sum);
                left -= count;
                sum_left = sum_left.wrapping_sub(sum);
            }
            named.add(exponents.start, left, sum_left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernels::bit;
    use super::super::kernels::versions::{KernelVersion, lines, run, versions};
    use super::*;
    use crate::game::{Game, max_exp};
    use crate::part::fingerprint;

    #[test]
    fn extract_finds_the_digits_of_each_bit() {
        // Full lines, so that not all boards fit at once; then lines with some bits, and lines
        // without bits.
        let mut bits = vec![BitLine([u64::MAX; 8]); 9];
        bits.extend(lines(5, 1));
        bits.extend([BitLine::ZERO; 2]);
        bits.extend(lines(40, 2));
        let mut mask = vec![BitLine([u64::MAX; 8]); 7];
        mask.extend(lines(bits.len() - 7, 3));
        let digits = 0..(bits.len() * LINE) as u64;
        let digits: Vec<u32> = digits.map(|at| mix(at) as u32).collect();
        let is_set = |&at: &u32| bit(&bits, at) && bit(&mask, at);
        let expected: Vec<u32> = (0..digits.len() as u32)
            .filter(is_set)
            .map(|at| digits[at as usize])
            .collect();
        for version in versions() {
            let mut buffer = [0; ROOM];
            let mut found = Vec::new();
            let mut line = 0;
            while line < bits.len() {
                let (bits, mask) = (&bits[line..], &mask[line..]);
                let digits = &digits[line * LINE..];
                let (lines, boards) = run!(version, extract(bits, mask, digits, &mut buffer));
                found.extend_from_slice(&buffer[..boards]);
                line += lines;
            }
            assert!(found == expected, "{version:?}");
        }
    }

    /// A top half and a bottom half of largest exponent 5, each with digits below 8 for the other half.
    fn halves() -> [(SharedHalf, Vec<u32>); 2] {
        [(0x0123_4512 << 32, 0), (0x0123_4512, 32)].map(|(half, shift)| {
            let digits = (0..1000).map(|at| mix(at) as u32 & 0x7777_7777);
            (SharedHalf { half, shift }, digits.collect())
        })
    }

    #[test]
    fn keep_canonical_keeps_canonical_boards_in_order() {
        let game: Game = "4x4".parse().unwrap();
        for (shared, digits) in halves() {
            let is_canonical = |digits: &u32| {
                let board = shared.half | u64::from(*digits) << shared.shift;
                game.canonical(board) == board
            };
            for length in [0, 1, 63, 64, 65, 1000] {
                let some = &digits[..length];
                let expected: Vec<u32> = some.iter().copied().filter(is_canonical).collect();
                assert!(length < 1000 || (1..length).contains(&expected.len()));
                for version in versions() {
                    let mut kept = some.to_vec();
                    let boards = run!(version, keep_canonical(shared, &mut kept));
                    assert_eq!(kept[..boards], expected, "{version:?}");
                }
            }
        }
    }

    #[test]
    fn tally_adds_each_board_to_its_largest_exponent() {
        for (shared, digits) in halves() {
            for (length, most) in [
                (0, 8),
                (1, 8),
                (63, 8),
                (64, 8),
                (65, 8),
                (1000, 8),
                (1000, 16),
            ] {
                let mut expected = NamedBoards::default();
                for digits in &digits[..length] {
                    let board = shared.half | u64::from(*digits) << shared.shift;
                    let max = usize::from(max_exp(board).get());
                    expected.live[max] += 1;
                    expected.fingerprints[max] += fingerprint(&[board]);
                }
                for version in versions() {
                    let mut named = NamedBoards::default();
                    run!(
                        version,
                        tally(shared, &digits[..length], 5..most, &mut named)
                    );
                    assert_eq!(named, expected, "{version:?}");
                }
            }
        }
    }
}
