//! Delta coding: a strictly increasing list is stored as the differences between neighbours, in
//! LEB128: seven bits a byte, least significant first, high bit set on all bytes but the last.

use crate::error::{Error, Result};

/// Refuse a board that is not greater than the board before it.
#[inline(always)]
pub(super) fn expect_order(previous: u64, got: u64) -> Result<()> {
    if got > previous {
        return Ok(());
    }
    Err(Error::OutOfOrder { previous, got })
}

/// Write the differences of `states` at the start of `out`; returns the length.
pub(crate) fn put_deltas(states: &[u64], out: &mut Vec<u8>) -> Result<usize> {
    out.resize(out.len().max(MAX_BYTES * states.len()), 0);
    let mut at = 0;
    for pair in states.windows(2) {
        expect_order(pair[0], pair[1])?;
        let delta = pair[1] - pair[0];
        // Most differences are one byte.
        if delta < 0x80 {
            out[at] = delta as u8;
            at += 1;
        } else {
            at += put_varint(delta, &mut out[at..]);
        }
    }
    Ok(at)
}

/// Append `first` and the `count - 1` states after it. `None` unless `deltas` holds exactly
/// `count - 1` positive differences, and all states fit in 64 bits.
pub(crate) fn take_deltas(deltas: &[u8], first: u64, count: u32, out: &mut Vec<u64>) -> Option<()> {
    let mut state = first;
    let mut at = 0;
    out.reserve(count as usize);
    out.push(state);
    for _ in 1..count {
        // Most differences are one byte.
        let (delta, length) = match deltas.get(at) {
            Some(&byte) if byte < 0x80 => (u64::from(byte), 1),
            _ => take_varint(deltas.get(at..)?)?,
        };
        if delta == 0 {
            return None;
        }
        state = state.checked_add(delta)?;
        at += length;
        out.push(state);
    }
    (at == deltas.len()).then_some(())
}

/// Maximum number of bytes of an encoded `u64`.
pub(super) const MAX_BYTES: usize = 10;

/// Write `value` at the start of `out`, and return the length of its encoding. Up to [`MAX_BYTES`]
/// bytes may be overwritten.
///
/// Lengths are hard to predict, so a value of up to 56 bits is encoded without a branch: its halves
/// of 28 bits are moved apart, then their halves of 14 bits, then pieces of 7 bits.
///
/// # Panics
///
/// If `out` is shorter than [`MAX_BYTES`].
#[inline]
fn put_varint(value: u64, out: &mut [u8]) -> usize {
    let out: &mut [u8; MAX_BYTES] = out.first_chunk_mut().expect("room for any value");
    if value >> 56 != 0 {
        return put_long_varint(value, out);
    }
    let x = value & 0x0fff_ffff | (value & 0x00ff_ffff_f000_0000) << 4;
    let x = x & 0x0000_3fff_0000_3fff | (x & 0x0fff_c000_0fff_c000) << 2;
    let x = x & 0x007f_007f_007f_007f | (x & 0x3f80_3f80_3f80_3f80) << 1;
    let length = 8 - (x | 1).leading_zeros() / 8;
    let more = 0x0080_8080_8080_8080 & !(u64::MAX << (8 * (length - 1)));
    out[..8].copy_from_slice(&(x | more).to_le_bytes());
    length as usize
}

#[cold]
fn put_long_varint(mut value: u64, out: &mut [u8; MAX_BYTES]) -> usize {
    let mut at = 0;
    while value >= 0x80 {
        out[at] = value as u8 | 0x80;
        value >>= 7;
        at += 1;
    }
    out[at] = value as u8;
    at + 1
}

/// Read a value and its length from the start of `bytes`. `None` if the bytes end within the value,
/// the value does not fit in 64 bits, or a shorter encoding exists.
///
/// Like [`put_varint`], it takes no branch on the length of a value of up to 56 bits, if `bytes`
/// has eight bytes.
#[inline]
fn take_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let Some(word) = bytes.first_chunk() else {
        return take_varint_bytewise(bytes);
    };
    let word = u64::from_le_bytes(*word);
    let ends = !word & 0x8080_8080_8080_8080;
    if ends == 0 {
        return take_varint_bytewise(bytes);
    }
    let bits = ends.trailing_zeros();
    let x = word & (u64::MAX >> (63 - bits)) & 0x7f7f_7f7f_7f7f_7f7f;
    let length = bits as usize / 8 + 1;
    if length > 1 && x >> (bits - 7) == 0 {
        return None;
    }
    let x = x & 0x007f_007f_007f_007f | (x & 0x7f00_7f00_7f00_7f00) >> 1;
    let x = x & 0x0000_3fff_0000_3fff | (x & 0x3fff_0000_3fff_0000) >> 2;
    let x = x & 0x0fff_ffff | (x & 0x0fff_ffff_0000_0000) >> 4;
    Some((x, length))
}

#[cold]
fn take_varint_bytewise(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (at, &byte) in bytes.iter().take(MAX_BYTES).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * at);
        if byte < 0x80 {
            let fits = at < MAX_BYTES - 1 || byte <= 1;
            let shortest = at == 0 || byte > 0;
            return (fits && shortest).then_some((value, at + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_increasing_list_is_read_back(
            states in prop::collection::btree_set(any::<u64>(), 1..300),
        ) {
            let states: Vec<u64> = states.into_iter().collect();
            let mut deltas = Vec::new();
            let length = put_deltas(&states, &mut deltas).unwrap();
            let mut read = Vec::new();
            let count = states.len() as u32;
            let taken = take_deltas(&deltas[..length], states[0], count, &mut read);
            prop_assert!(taken.is_some());
            prop_assert_eq!(&read, &states);
        }
    }

    #[test]
    fn a_list_of_the_wrong_length_is_refused() {
        let mut deltas = Vec::new();
        let length = put_deltas(&[5, 6, 1000], &mut deltas).unwrap();
        assert_eq!(length, 3);
        for (bytes, count) in [(3, 2), (3, 4), (2, 3), (0, 2)] {
            let read = take_deltas(&deltas[..bytes], 5, count, &mut Vec::new());
            assert!(read.is_none(), "{count} states from {bytes} bytes");
        }
        assert!(
            take_deltas(&[0], 5, 2, &mut Vec::new()).is_none(),
            "a repeat"
        );
        assert!(
            take_deltas(&[1], u64::MAX, 2, &mut Vec::new()).is_none(),
            "beyond 64 bits"
        );
    }

    #[test]
    fn every_byte_boundary_round_trips() {
        let mut out = [0; MAX_BYTES];
        for length in 1..=MAX_BYTES {
            let least = if length == 1 {
                0
            } else {
                1u64 << (7 * (length - 1))
            };
            let most = if length == MAX_BYTES {
                u64::MAX
            } else {
                (1u64 << (7 * length)) - 1
            };
            for value in [least, least + 1, most - 1, most] {
                assert_eq!(put_varint(value, &mut out), length, "{value:#x}");
                assert_eq!(take_varint(&out), Some((value, length)), "{value:#x}");
                assert_eq!(take_varint(&out[..length - 1]), None, "{value:#x} cut");
                assert_eq!(
                    take_varint(&out[..length]),
                    Some((value, length)),
                    "{value:#x} alone"
                );
            }
        }
    }

    #[test]
    fn known_bytes_are_written() {
        // 624485 is the example of the DWARF standard's appendix on LEB128.
        let mut out = [0; MAX_BYTES];
        assert_eq!(put_varint(624_485, &mut out), 3);
        assert_eq!(out[..3], [0xe5, 0x8e, 0x26]);
    }

    #[test]
    fn encodings_longer_than_necessary_are_refused() {
        assert_eq!(take_varint(&[0x81, 0x00]), None);
        assert_eq!(take_varint(&[0x81, 0x00, 1, 2, 3, 4, 5, 6]), None);
        assert_eq!(
            take_varint(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00]),
            None
        );
        assert_eq!(take_varint(&[0x80, 0x80, 0x00]), None);
        assert_eq!(take_varint(&[0x00]), Some((0, 1)));
    }

    #[test]
    fn values_beyond_64_bits_are_refused() {
        assert_eq!(take_varint(&[0xff; 10]), None);
        assert_eq!(
            take_varint(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]),
            None
        );
    }
}
