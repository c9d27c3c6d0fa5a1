//! Kernels on rows of bits, 512 bits at a time.
//!
//! Key idea: a kernel is one loop over the words of a row, which the compiler turns into AVX-512 or
//! AVX2 code. A loop over lines with an inner loop over eight words would be slow: LLVM unrolls the
//! inner loop and vectorises the outer loop, with a gather for every word.
//!
//! The code for the processor is chosen at run time.

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
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vbmi2,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
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
pub(super) fn words(row: &[BitLine]) -> &[u64] {
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
        #[cfg_attr(
            not(target_arch = "x86_64"),
            expect(unused_mut, reason = "there are no others")
        )]
        let mut versions = vec![KernelVersion::Chosen, KernelVersion::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! has {
                ($($feature:tt)*) => { true $(&& is_x86_feature_detected!($feature))* };
            }
            let avx2 = has!("avx2" "bmi1" "bmi2" "lzcnt" "popcnt");
            let avx512 = has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vbmi2" "avx512vl");
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
                // SAFETY: `versions` looked up the features of the processor.
                #[cfg(target_arch = "x86_64")]
                #[expect(unsafe_code, reason = "the processor has these features")]
                KernelVersion::Avx2 => unsafe { $kernel::avx2($($arg),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                #[expect(unsafe_code, reason = "the processor has these features")]
                KernelVersion::Avx512 => unsafe { $kernel::avx512($($arg),*) },
            }
        };
    }

    pub(crate) use run;
}

#[cfg(test)]
mod tests {
    use super::versions::{KernelVersion, lines, run, versions};
    use super::*;

    fn bits(row: &[BitLine]) -> Vec<bool> {
        (0..row.len() * LINE)
            .map(|at| bit(row, at as u32))
            .collect()
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
