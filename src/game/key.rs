//! Keys: shorter numbers for the boards of one sum, in the order of the boards.
//!
//! Key idea: a digit has 16 values, but the boards of a small sum use few of them, and the sum
//! determines the last cell. So the key leaves out the last cell and reads the other digits in the
//! smallest base that fits. A board of 4x4 to 64 becomes a number below 6^15: 39 bits instead of
//! 64. The keys of one range mostly differ by less than 2^32, so a range is a list of 4-byte offsets.
//! It takes half the memory of boards, and half the passes of a sort. Not every number is the key of a
//! board: keys have holes.

use std::sync::Arc;

use super::board::{Board, sum};
use super::exp::Exp;
use crate::wide::wide;

/// Number of digits that are converted together. A group need not be a row of the board.
const GROUP: u32 = 4;

/// Turns the boards of one sum into keys and back.
#[derive(Clone)]
pub(crate) struct KeyCodec {
    sum: u32,
    /// One more than the largest digit.
    base: u64,
    /// For each number of four digits in the base: the digits in the form of a board, and above
    /// them the sum of their tiles.
    groups: Arc<[u64]>,
    pair: Divisor,
    group: Divisor,
}

impl KeyCodec {
    /// A codec for boards of `sum` whose tiles are at most `top`.
    pub(crate) fn new(sum: u32, top: Exp) -> Self {
        let base = u64::from(top.get()) + 1;
        let group = base.pow(GROUP);
        Self {
            sum,
            base,
            groups: (0..group).map(|number| entry(number, base)).collect(),
            pair: Divisor::new(group * group),
            group: Divisor::new(group),
        }
    }

    /// The codec of another sum; reuses the table if `top` is unchanged.
    pub(crate) fn for_sum(&self, sum: u32, top: Exp) -> Self {
        if self.base == u64::from(top.get()) + 1 {
            Self {
                sum,
                ..self.clone()
            }
        } else {
            Self::new(sum, top)
        }
    }

    /// Maximum number of bits in the key of a board of `cells` cells.
    pub(crate) fn bits(&self, cells: u32) -> u32 {
        64 - (self.base.pow(cells - 1) - 1).leading_zeros()
    }

    /// Replace each board by its key, in about 1 ns a board.
    pub(crate) fn encode(&self, boards: &mut [Board]) {
        encode_all(boards, self.base);
    }

    /// Replace each key by its board.
    pub(crate) fn decode_all(&self, keys: &mut [u64]) {
        for key in keys {
            *key = self.decode(*key);
        }
    }

    /// The board of a key, in about 3 ns.
    #[inline(always)]
    pub(crate) fn decode(&self, key: u64) -> Board {
        let (high, low) = self.pair.divide(key);
        let ((a, b), (c, d)) = (self.group.divide(high), self.group.divide(low));
        let [a, b, c, d] = [a, b, c, d].map(|group| self.groups[group as usize]);
        let rest = self.sum - ((a + b + c + d) >> 32) as u32;
        // If the last cell is empty, the rest is 0, which has 32 trailing zeros.
        let last = u64::from(rest.trailing_zeros() % 32);
        let digits = |group: u64| group & 0xffff;
        // Four groups and the last cell make 17 digits; the first of them is 0.
        digits(a) << 52 | digits(b) << 36 | digits(c) << 20 | digits(d) << 4 | last
    }
}

/// The entry of [`KeyCodec::groups`] for a number.
fn entry(number: u64, base: u64) -> u64 {
    let digits = (0..GROUP).map(|place| (number / base.pow(place) % base) << (4 * place));
    let board = digits.sum();
    u64::from(sum(board)) << 32 | board
}

wide! {
    fn encode_all(boards: &mut [u64], base: u64) {
        let [two, four, eight] = [base.pow(2), base.pow(4), base.pow(8)];
        for board in boards {
            // Join neighbours: 15 digits become 8 numbers of two digits, then 4 of four digits, 2
            // of eight digits, and one number.
            let x = *board >> 4;
            let x = (x & 0x0f0f_0f0f_0f0f_0f0f).wrapping_add((x >> 4 & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(base));
            let x = (x & 0x00ff_00ff_00ff_00ff).wrapping_add((x >> 8 & 0x00ff_00ff_00ff_00ff).wrapping_mul(two));
            let x = (x & 0x0000_ffff_0000_ffff).wrapping_add((x >> 16 & 0x0000_ffff_0000_ffff).wrapping_mul(four));
            *board = (x & 0xffff_ffff).wrapping_add((x >> 32).wrapping_mul(eight));
        }
    }
}

/// Division by a number that is known only at run time, done as a multiplication by its inverse
/// (Granlund and Montgomery, 1994).
#[derive(Clone)]
struct Divisor {
    divisor: u64,
    inverse: u64,
    shift: u32,
}

impl Divisor {
    /// Division is exact for numerators below `2^BITS`.
    const BITS: u32 = 60;

    fn new(divisor: u64) -> Self {
        let shift = Self::BITS + divisor.next_power_of_two().trailing_zeros();
        let inverse = ((1u128 << shift) / u128::from(divisor)) as u64 + 1;
        Self {
            divisor,
            inverse,
            shift,
        }
    }

    /// Quotient and remainder.
    #[inline(always)]
    fn divide(&self, number: u64) -> (u64, u64) {
        let quotient = ((u128::from(number) * u128::from(self.inverse)) >> self.shift) as u64;
        (quotient, number - quotient * self.divisor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::board::max_exp;
    use proptest::prelude::*;

    fn exp(exp: u8) -> Exp {
        Exp::new(exp).unwrap()
    }

    #[test]
    fn keys_of_2x2_have_the_order_of_the_boards() {
        // Every choice of three cells, and the last cell that makes the sum 40, if there is one.
        let codec = KeyCodec::new(40, exp(5));
        assert_eq!(codec.bits(4), 8, "6^3 = 216");
        let mut keys = Vec::new();
        for board in (0..0x5556).filter(|&board| sum(board) == 40 && max_exp(board).get() <= 5) {
            let mut key = [board];
            codec.encode(&mut key);
            let digits = [board >> 12, board >> 8 & 15, board >> 4 & 15];
            assert_eq!(key[0], digits[0] * 36 + digits[1] * 6 + digits[2]);
            assert_eq!(codec.decode(key[0]), board);
            keys.push(key[0]);
        }
        assert!(keys.len() > 20 && keys.is_sorted(), "{keys:?}");
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding_for_any_boards(
            top in 1u8..16,
            cells in prop::collection::vec(0u64..16, 16),
        ) {
            let fits = |digit: &u64| digit % (u64::from(top) + 1);
            let board = cells.iter().map(fits).fold(0, |board, digit| board << 4 | digit);
            let codec = KeyCodec::new(4, Exp::TWO).for_sum(sum(board), exp(top));
            let mut keys = [board; 11];
            codec.encode(&mut keys);
            prop_assert!(keys[0] >> codec.bits(16) == 0);
            for key in keys {
                prop_assert_eq!(codec.decode(key), board);
            }
        }
    }

    #[test]
    fn division_is_exact_at_the_edges() {
        for divisor in (1..3000).chain([1 << 32, (1 << 32) - 1, 15u64.pow(8), 65535]) {
            let by = Divisor::new(divisor);
            let multiples = [1, 2, 77, (1 << 60) / divisor].map(|times| times * divisor);
            for number in multiples.iter().flat_map(|&x| [x - 1, x, x + 1]) {
                let number = number.min((1 << 60) - 1);
                assert_eq!(by.divide(number), (number / divisor, number % divisor));
            }
        }
    }
}
