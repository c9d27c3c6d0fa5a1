//! The least and the most to expect of a number.

use std::iter::Sum;
use std::ops::Mul;

/// From the least to the most to expect.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::cli) struct Range {
    pub(in crate::cli) low: f64,
    pub(in crate::cli) high: f64,
}

impl Range {
    /// A number that is known.
    pub(in crate::cli) fn exactly(n: f64) -> Self {
        Self { low: n, high: n }
    }

    /// As far from the least as from the most, by factors.
    pub(in crate::cli) fn middle(self) -> f64 {
        (self.low * self.high).sqrt()
    }

    /// Both to a power.
    pub(in crate::cli) fn power(self, by: f64) -> Self {
        Self {
            low: self.low.powf(by),
            high: self.high.powf(by),
        }
    }
}

impl Mul<f64> for Range {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        Self {
            low: self.low * by,
            high: self.high * by,
        }
    }
}

impl Sum for Range {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, range| Self {
            low: sum.low + range.low,
            high: sum.high + range.high,
        })
    }
}
