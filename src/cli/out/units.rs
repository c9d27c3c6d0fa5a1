//! Numbers as people say them: two digits and a unit.

use indicatif::HumanCount;
use unit_prefix::NumberPrefix;

/// Units of time, in seconds.
const TIMES: [(f64, &str); 5] = [
    (1.0, "s"),
    (60.0, "min"),
    (3600.0, "h"),
    (86_400.0, "days"),
    (31_557_600.0, "years"),
];

/// A number rounded to two digits.
pub(in crate::cli) fn rounded(n: f64) -> f64 {
    format!("{n:.1e}")
        .parse()
        .expect("a printed number is a number")
}

/// "730", "9.5 M", "60 M".
pub(in crate::cli) fn count(n: f64) -> String {
    match NumberPrefix::decimal(rounded(n)) {
        NumberPrefix::Standalone(n) => format!("{n}"),
        NumberPrefix::Prefixed(prefix, n) => format!("{} {prefix}", rounded(n)),
    }
}

/// "1 file", "2 files", "1,900 files".
pub(in crate::cli) fn things(n: u64, noun: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", HumanCount(n))
}

/// "730 B", "9.5 MiB".
pub(in crate::cli) fn bytes(n: f64) -> String {
    match NumberPrefix::binary(n) {
        NumberPrefix::Standalone(n) => format!("{} B", rounded(n)),
        NumberPrefix::Prefixed(prefix, n) => format!("{} {prefix}B", rounded(n)),
    }
}

/// "0.3 s", "110 s", "3 min", "2.5 h": at least two of the largest possible unit.
pub(in crate::cli) fn time(seconds: f64) -> String {
    let fits = |(unit, _): &&(f64, &str)| seconds >= 2.0 * unit;
    let (unit, name) = TIMES.iter().rev().find(fits).unwrap_or(&TIMES[0]);
    format!("{} {name}", rounded(seconds / unit))
}

/// "60 M states/s".
pub(in crate::cli) fn speed(rate: f64) -> String {
    format!("{} states/s", count(rate))
}

/// "9 min to 20 min", or just "3 s" if both ends are equal.
pub(in crate::cli) fn range(low: &str, high: &str) -> String {
    if low == high {
        return low.to_owned();
    }
    format!("{low} to {high}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_two_digits_and_a_unit() {
        assert_eq!(count(0.0), "0");
        assert_eq!(count(734.0), "730");
        assert_eq!(count(9_540_000.0), "9.5 M");
        assert_eq!(count(60_173_618.5), "60 M");
        assert_eq!(count(574_404_611_173.0), "570 G");
        assert_eq!(count(999_600.0), "1 M");
        assert_eq!(bytes(890.0), "890 B");
        assert_eq!(bytes(17_553_374_319.0), "16 GiB");
    }

    #[test]
    fn a_single_thing_has_no_plural() {
        assert_eq!(things(0, "file"), "0 files");
        assert_eq!(things(1, "live state"), "1 live state");
        assert_eq!(things(1900, "file"), "1,900 files");
    }

    #[test]
    fn times_are_in_the_unit_that_people_use() {
        assert_eq!(time(0.0), "0 s");
        assert_eq!(time(0.29), "0.29 s");
        assert_eq!(time(109.0), "110 s");
        assert_eq!(time(180.0), "3 min");
        assert_eq!(time(7_300.0), "2 h");
        assert_eq!(time(2_839_661.0), "33 days");
        assert_eq!(time(1e12), "32000 years");
    }

    #[test]
    fn a_speed_has_two_digits() {
        assert_eq!(speed(48_713_519.0 / 4.0), "12 M states/s");
    }

    #[test]
    fn a_range_of_one_number_is_the_number() {
        assert_eq!(range("50 s", "3 min"), "50 s to 3 min");
        assert_eq!(range("730", "9.5 M"), "730 to 9.5 M");
        assert_eq!(range("3 s", "3 s"), "3 s");
    }
}
