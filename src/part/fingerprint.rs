//! The fingerprint of a set of states, a number that other programs can compute and compare.

use std::fmt;
use std::iter::Sum;
use std::ops::AddAssign;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::wide::wide;

/// The sum modulo 2^64 of `mix(x)` over the members `x` of a set, written as an x and 16 hexadecimal
/// digits. The fingerprint of a union of disjoint sets is the sum of their fingerprints.
///
/// Without the x, programs take a few fingerprints for numbers: 68007081928e2914 for infinity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub u64);

/// The finaliser of `SplitMix64` (Steele, Lea and Flood, 2014).
#[inline(always)]
pub(crate) const fn mix(x: u64) -> u64 {
    let z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The fingerprint of distinct states, in any order.
pub fn fingerprint(states: &[u64]) -> Fingerprint {
    Fingerprint(sum_of_mixes(states))
}

wide! {
    fn sum_of_mixes(states: &[u64]) -> u64 {
        states
            .iter()
            .fold(0, |sum: u64, &x| sum.wrapping_add(mix(x)))
    }
}

/// The fingerprint of distinct states and their values, in any order: the sum modulo 2^64 of
/// `mix(mix(x) + value)`.
///
/// # Panics
///
/// If the lengths differ.
pub fn value_fingerprint(states: &[u64], values: &[u32]) -> Fingerprint {
    assert_eq!(states.len(), values.len(), "each state has a value");
    Fingerprint(sum_of_mixed_pairs(states, values))
}

wide! {
    fn sum_of_mixed_pairs(states: &[u64], values: &[u32]) -> u64 {
        let pairs = states.iter().zip(values);
        pairs.fold(0, |sum: u64, (&x, &value)| {
            sum.wrapping_add(mix(mix(x).wrapping_add(u64::from(value))))
        })
    }
}

impl AddAssign for Fingerprint {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl Sum for Fingerprint {
    fn sum<I: Iterator<Item = Self>>(prints: I) -> Self {
        let mut sum = Self::default();
        prints.for_each(|print| sum += print);
        sum
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{:016x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let lower = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        // The first tables have no x, and manifests have none.
        Some(text.strip_prefix('x').unwrap_or(text))
            .filter(|digits| digits.len() == 16 && digits.bytes().all(lower))
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .map(Self)
            .ok_or_else(|| format!("fingerprint {text:?}: expected x and 16 hexadecimal digits"))
    }
}

impl Fingerprint {
    /// Serialize with the x, for users.
    pub(crate) fn with_x<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Without the x: manifests are read byte by byte, and keep the form of the first release.
impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_row_of_2x2_to_32_has_its_published_fingerprint() {
        // The two live states of sum 4, as given with the definition of the fingerprint.
        assert_eq!(
            fingerprint(&[0x0011, 0x0110]).to_string(),
            "xf8b92427b13a4593"
        );
        assert_eq!(fingerprint(&[]).to_string(), "x0000000000000000");
    }

    #[test]
    fn a_fingerprint_of_values_changes_if_two_states_swap_their_values() {
        // Computed from the definition with Python's integers.
        let print = value_fingerprint(&[0x0011, 0x0110], &[5, u32::MAX]);
        assert_eq!(print.to_string(), "x89671b88805d99c9");
        assert_eq!(value_fingerprint(&[0x0110, 0x0011], &[u32::MAX, 5]), print);
        assert_ne!(value_fingerprint(&[0x0011, 0x0110], &[u32::MAX, 5]), print);
    }

    #[test]
    fn splitmix64_gives_its_published_stream() {
        // First output of SplitMix64 seeded with 0 and with 1234567 (Vigna's reference program).
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn a_fingerprint_is_read_back_from_its_text_and_other_text_is_refused() {
        let print = Fingerprint(0x00ab_cdef_0123_4567);
        assert_eq!(print.to_string().parse(), Ok(print));
        assert_eq!("00abcdef01234567".parse(), Ok(print), "the old form");
        for bad in [
            "",
            "0",
            "+0abcdef01234567",
            "00ABCDEF01234567",
            "xx00abcdef01234567",
            "0x00abcdef01234567",
            "00abcdef0123456g",
        ] {
            assert!(bad.parse::<Fingerprint>().is_err(), "{bad:?}");
        }
    }
}
