//! A small lossy memory of afterstates that were made lately.

/// Entries, as a power of two: 256 KiB, a part of a core's second cache.
const BITS: u32 = 15;

/// Remembers boards, and forgets one whenever another falls on its place. Neighbours in a sorted run
/// of states move to the same afterstates over and over; dropping those repeats here, before
/// canonical form and sort, costs next to nothing.
pub(crate) struct Filter {
    table: Vec<u64>,
}

impl Filter {
    pub(crate) fn new() -> Self {
        Self {
            table: vec![0; 1 << BITS],
        }
    }

    /// Move the boards of `from` that are not remembered to `to`, and remember them. Zeros, which
    /// stand for no board, are dropped. `to` is as long as `from` at least; returns how many moved.
    pub(crate) fn pass(&mut self, from: &[u64], to: &mut [u64]) -> usize {
        let to = &mut to[..from.len()];
        let mut passed = 0;
        for &board in from {
            // Multiplying by an odd constant (Knuth's golden ratio) spreads boards over the top bits.
            let place = board.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS);
            let known = &mut self.table[place as usize];
            let fresh = (*known != board) & (board != 0);
            *known = board;
            to[passed] = board;
            passed += usize::from(fresh);
        }
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_different_board_passes_at_least_once_and_repeats_do_not() {
        let mut filter = Filter::new();
        let boards = [5, 0, 7, 5, 5, 0, 9, 7];
        let mut out = [0; 8];
        let passed = filter.pass(&boards, &mut out);
        assert_eq!(out[..passed], [5, 7, 9]);
        assert_eq!(filter.pass(&[9, 11], &mut out), 1);
        assert_eq!(out[0], 11);
    }
}
