//! Delta coding: strictly increasing lists as varints of the differences between neighbours.

use super::varint;
use crate::error::{Error, Result};

/// Write the differences of `states` as varints at the start of `out`; returns the length.
pub(crate) fn put_deltas(states: &[u64], out: &mut Vec<u8>) -> Result<usize> {
    out.resize(out.len().max(varint::MAX_BYTES * states.len()), 0);
    let mut at = 0;
    for pair in states.windows(2) {
        if pair[1] <= pair[0] {
            return Err(Error::OutOfOrder {
                previous: pair[0],
                got: pair[1],
            });
        }
        at += varint::put(pair[1] - pair[0], &mut out[at..]);
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
            _ => varint::get(deltas.get(at..)?)?,
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

/// Decode trusted `deltas` from `first` on, one state at a time.
pub(crate) fn walk_deltas(deltas: &[u8], first: u64) -> impl Iterator<Item = u64> {
    let mut rest = deltas;
    std::iter::successors(Some(first), move |state| {
        let (delta, length) = varint::get(rest)?;
        rest = &rest[length..];
        Some(state + delta)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_increasing_list_is_read_back_whole_and_one_by_one(
            states in prop::collection::btree_set(any::<u64>(), 1..300),
        ) {
            let states: Vec<u64> = states.into_iter().collect();
            let mut deltas = Vec::new();
            let length = put_deltas(&states, &mut deltas).unwrap();
            let mut read = Vec::new();
            let whole = &deltas[..length];
            prop_assert!(take_deltas(whole, states[0], states.len() as u32, &mut read).is_some());
            prop_assert_eq!(&read, &states);
            prop_assert!(walk_deltas(whole, states[0]).eq(states));
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
}
