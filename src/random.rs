//! Random numbers whose stream never changes.
//!
//! A seed gives the same numbers on every machine and in every version of this program. The
//! generator is a published cipher. This file, not a crate, defines how its output becomes numbers
//! in a range.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The stream of a seed: `ChaCha20` (RFC 8439). The first eight bytes of the key are the seed,
/// little-endian; the other bytes, the nonce and the counter are 0. The output is read as
/// little-endian 32-bit words.
#[derive(Clone, Debug)]
pub(crate) struct Random(ChaCha20Rng);

impl Random {
    /// The stream of a seed, at its beginning.
    pub(crate) fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha20Rng::from_seed(key))
    }

    /// A number below `n`; all numbers are equally likely. A draw is the next word for `n` up to
    /// 2^32, else the next two words, the low word first. Draws are dropped until one is below the
    /// greatest multiple of `n` that fits in a draw. The number is the remainder of this draw
    /// divided by `n`.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        let n = u128::from(n);
        let wide = n > 1 << 32;
        let draws = 1u128 << if wide { 64 } else { 32 };
        let fair = draws / n * n;
        loop {
            let low = u128::from(self.0.next_u32());
            let high = if wide { self.0.next_u32() } else { 0 };
            let draw = u128::from(high) << 32 | low;
            if draw < fair {
                return (draw % n) as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers<const N: usize>(seed: u64, n: u64) -> [u64; N] {
        let mut random = Random::new(seed);
        [(); N].map(|()| random.below(n))
    }

    #[test]
    fn the_stream_matches_the_published_test_vector() {
        // draft-strombergson-chacha-test-vectors-01, TC1, key and nonce 0: 76 b8 e0 ad a0 f1 3d 90
        // 40 5d 6a e5 53 86 bd 28
        assert_eq!(
            numbers(0, 1 << 32),
            [0xade0_b876, 0x903d_f1a0, 0xe56a_5d40, 0x28bd_8653]
        );
    }

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        // Computed from the description alone, with the `chacha20` of scripts/replay_code.py.
        assert_eq!(numbers(7, 10), [1, 7, 6, 4, 5, 2, 9, 7]);
        // Every other draw is dropped.
        assert_eq!(
            numbers(7, (1 << 31) + 1),
            [1_150_829_157, 816_813_796, 231_462_414, 1_424_429_535]
        );
        assert_eq!(
            numbers(u64::MAX, (1 << 63) + 1),
            [4_050_676_887_654_646_308, 4_850_012_018_299_867_657]
        );
        // The greatest `n` for draws of one word, and the least for draws of two words.
        assert_eq!(numbers(7, 1 << 32), [3_118_702_321, 1_150_829_157]);
        assert_eq!(numbers(7, (1 << 32) + 1), [1_967_873_164, 585_351_382]);
    }

    #[test]
    #[should_panic(expected = "divide by zero")]
    fn a_number_below_0_panics() {
        Random::new(0).below(0);
    }
}
