//! Fields: the bits of the halves with one right quad and any full left quad of one weight.
//!
//! Key idea: a quarter turn moves fields as words of less than 64 bits. In the row of a moved half
//! a field lacks the left quads that no move leads to. Six shifts, each with a mask of its own,
//! expand it, so any number of fields with one mask are expanded side by side.

use super::kernels::kernel;

/// Reorders a field of bits, one for each full quad of a weight. Each bit moves to the place of the
/// quad's transpose.
#[derive(Clone, Copy)]
pub(crate) struct Transposer {
    /// Number of bits of a field.
    pub(crate) bits: u32,
    /// The distance from the first range to the last.
    pub(super) shift: u32,
    ends: u64,
    middle: u64,
}

impl Transposer {
    pub(super) fn new(full: usize, less: usize) -> Self {
        // `turn` reads a field as eight bytes, from any bit of a byte.
        assert!(full <= 57, "a field of {full} bits");
        let (ends, all) = ((1u64 << less) - 1, (1u64 << full) - 1);
        let shift = (full - less) as u32;
        Self {
            bits: full as u32,
            shift,
            ends,
            middle: all & !ends & !(ends << shift),
        }
    }

    /// Reorder the field in the lowest bits of a word.
    #[inline]
    pub(crate) fn transpose(self, word: u64) -> u64 {
        word & self.middle | (word & self.ends) << self.shift | word >> self.shift & self.ends
    }
}

/// The left quads of a field that are there, of all full left quads of a weight.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct FieldMask {
    /// A bit for each left quad.
    pub(crate) bits: u64,
    /// The bits that move up by 1, 2, 4, ... when a field is expanded.
    steps: [u64; 6],
}

impl FieldMask {
    /// Source: Warren, Hacker's Delight, 2nd edition, 7-4 and 7-5.
    pub(crate) fn new(bits: u64) -> Self {
        // `odd`: the bits with an odd number of missing quads below. Each step halves the number.
        let (mut left, mut missing) = (bits, !bits << 1);
        let steps = std::array::from_fn(|step| {
            let odd = (0..6).fold(missing, |odd, shift| odd ^ odd << (1 << shift));
            let moving = odd & left;
            left = left ^ moving | moving >> (1 << step);
            missing &= !odd;
            moving
        });
        Self { bits, steps }
    }

    /// The bits of the quads that are there, side by side.
    pub(crate) fn compress(&self, field: u64) -> u64 {
        let steps = self.steps.iter().enumerate();
        steps.fold(field & self.bits, |field, (step, steps)| {
            let moving = field & steps;
            field ^ moving | moving >> (1 << step)
        })
    }
}

kernel! {
    /// Make fields of words. In each word the field of the quads of a mask begins at bit `shift`.
    /// Each result has a bit for each full left quad, in the order of their transposes.
    pub(crate) fn expand(words: &mut [u64], shift: u32, mask: &FieldMask, transposer: Transposer) {
        for word in words {
            let mut field = *word >> shift;
            for step in (0..6).rev() {
                let steps = mask.steps[step];
                field = field & !steps | field << (1 << step) & steps;
            }
            *word = transposer.transpose(field & mask.bits);
        }
    }
}

/// Eight bytes as a word.
#[inline]
pub(super) fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Set the bits of a field of less than 64 bits that begins at bit `at`.
#[inline]
pub(super) fn set_field(words: &mut [u64], at: u32, field: u64) {
    let (word, shift) = (at as usize / 64, at % 64);
    words[word] |= field << shift;
    let rest = field >> 1 >> (63 - shift);
    if rest != 0 {
        words[word + 1] |= rest;
    }
}

/// Set the bits of fields of `bits` bits, 1 to 63, that follow each other from bit `at`. Each word is
/// changed once.
#[inline]
pub(super) fn set_fields(words: &mut [u64], at: u32, fields: &[u64], bits: u32) {
    let (mut word, mut filled) = (at as usize / 64, at % 64);
    let mut joined = 0;
    for &field in fields {
        joined |= field << filled;
        filled += bits;
        if filled >= 64 {
            words[word] |= joined;
            word += 1;
            filled -= 64;
            joined = field >> (bits - filled);
        }
    }
    if joined != 0 {
        words[word] |= joined;
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernels::versions::{KernelVersion, run, versions};
    use super::*;
    use crate::part::mix;

    #[test]
    fn expand_spreads_the_bits_that_compress_joins() {
        let transposer = Transposer::new(57, 20);
        let words: Vec<u64> = (0..11).map(mix).collect();
        let masks = (0..400).map(|seed| match seed {
            0 => 0,
            1 => u64::MAX,
            _ => mix(1000 + seed) & mix(seed % 7) | mix(2000 + seed) & mix(seed % 5),
        });
        for (bits, shift) in masks.zip((0..8).cycle()) {
            let mask = FieldMask::new(bits);
            let spread = |word: u64| {
                let there = (0..64).filter(|at| bits >> at & 1 != 0);
                let set = there
                    .zip(0..64)
                    .filter(|&(_, from)| word >> shift >> from & 1 != 0);
                set.fold(0, |field, (at, _)| field | 1 << at)
            };
            for version in versions() {
                let mut fields = words.clone();
                run!(version, expand(&mut fields, shift, &mask, transposer));
                for (&word, &field) in words.iter().zip(&fields) {
                    let expected = transposer.transpose(spread(word));
                    assert_eq!(field, expected, "{version:?} {bits:x} {shift}");
                }
            }
            let all = u64::MAX
                .checked_shl(bits.count_ones())
                .map_or(u64::MAX, |high| !high);
            for &word in &words {
                assert_eq!(mask.compress(spread(word)), word >> shift & all, "{bits:x}");
                assert_eq!(
                    mask.compress(spread(word) | !bits),
                    word >> shift & all,
                    "{bits:x}"
                );
            }
        }
    }

    #[test]
    fn fields_follow_each_other_from_any_bit() {
        let fields: Vec<u64> = (0..200).map(mix).collect();
        for bits in [1, 7, 31, 32, 57, 63] {
            let fields: Vec<u64> = fields.iter().map(|field| field >> (64 - bits)).collect();
            for (at, count) in [(0, 0), (0, 200), (1, 64), (63, 1), (63, 2), (130, 200)] {
                let words: Vec<u64> = (1000..1210)
                    .map(|seed| mix(seed) & mix(seed + 500))
                    .collect();
                let (mut joined, mut single) = (words.clone(), words);
                set_fields(&mut joined, at, &fields[..count], bits);
                for (number, &field) in (0..).zip(&fields[..count]) {
                    set_field(&mut single, at + number * bits, field);
                }
                assert!(joined == single, "{count} fields of {bits} bits at {at}");
            }
        }
    }
}
