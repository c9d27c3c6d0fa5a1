//! Damage to bytes, as disks, programs and people cause it.

use std::ops::Range;

use fastrand::Rng;

/// A number at a limit, where readers tend to have errors.
pub(crate) fn interesting(rng: &mut Rng, length: usize) -> u64 {
    let power = 1u64 << rng.u32(0..64);
    match rng.u8(0..8) {
        0 => 0,
        1 => u64::MAX,
        2 => power,
        3 => power - 1,
        4 => power.wrapping_neg(),
        5 => (length as u64).wrapping_add(rng.u64(0..3)).wrapping_sub(1),
        6 => rng.u64(0..8),
        _ => rng.u64(..),
    }
}

/// A random range within `length` bytes, usually short.
pub(crate) fn region(rng: &mut Rng, length: usize) -> Range<usize> {
    let start = rng.usize(0..=length);
    let most = 1usize << rng.u32(0..12);
    start..start + rng.usize(0..=most.min(length - start))
}

/// Overwrites `bytes` from `at`, up to their end.
pub(crate) fn put(bytes: &mut [u8], at: usize, new: &[u8]) {
    for (old, new) in bytes.iter_mut().skip(at).zip(new) {
        *old = *new;
    }
}

/// Damages bytes in one random way. Some ways copy bytes from `other`.
pub(crate) fn damage(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    let length = bytes.len();
    let place = region(rng, length);
    let at = place.start;
    match rng.u8(0..13) {
        0 | 1 if at < length => bytes[at] ^= 1 << rng.u32(0..8),
        2 if at < length => bytes[at] = interesting(rng, length) as u8,
        3 => {
            let word = interesting(rng, length).to_le_bytes();
            let aligned = if rng.bool() { at } else { at & !3 };
            put(bytes, aligned, &word[..[2, 4, 8][rng.usize(0..3)]]);
        }
        4 => bytes[place].fill(if rng.bool() { 0 } else { 0xff }),
        5 => bytes[place].iter_mut().for_each(|byte| *byte = rng.u8(..)),
        6 => drop(bytes.splice(
            at..at,
            std::iter::repeat_with(|| rng.u8(..)).take(place.len()),
        )),
        7 => drop(bytes.drain(place)),
        8 => bytes.truncate(at),
        9 => bytes.extend(std::iter::repeat_with(|| rng.u8(..)).take(place.len())),
        10 => {
            let copy = bytes[place].to_vec();
            let to = rng.usize(0..=length);
            drop(bytes.splice(to..to, copy));
        }
        11 => {
            let copy = bytes[place.clone()].to_vec();
            let to = region(rng, length).start;
            bytes.copy_within(to..(to + copy.len()).min(length), at);
            put(bytes, to, &copy);
        }
        _ => {
            let from = if rng.bool() {
                at.min(other.len())
            } else {
                region(rng, other.len()).start
            };
            bytes.truncate(at);
            bytes.extend(&other[from..]);
        }
    }
}
