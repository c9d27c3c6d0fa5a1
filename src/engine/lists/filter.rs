//! A small lossy memory of recent afterstates.

use crate::game::Board;

/// Entries, as a power of two: 256 KiB, a part of a core's second cache.
const BITS: u32 = 15;

/// Remembers boards, each until another board takes its slot. Neighbours in a sorted list of states
/// often have afterstates in common. Dropping repeats here, before canonical form and sort, costs
/// almost nothing.
pub(super) struct Filter {
    table: Vec<Board>,
}

impl Filter {
    pub(super) fn new() -> Self {
        Self {
            table: vec![0; 1 << BITS],
        }
    }

    /// The boards of all lists that are not yet remembered, in `passed`; the filter now remembers
    /// them.
    pub(super) fn pass_all<'a>(
        &mut self,
        lists: &[Vec<Board>],
        passed: &'a mut Vec<Board>,
    ) -> &'a mut [Board] {
        let length = lists.iter().map(Vec::len).sum();
        passed.resize(passed.len().max(length), 0);
        let mut end = 0;
        for list in lists {
            end += self.pass(list, &mut passed[end..]);
        }
        &mut passed[..end]
    }

    /// Copy the boards of `from` that are not remembered to `to`, and remember them. Zeros, which
    /// stand for no board, are dropped. `to` is at least as long as `from`; returns the number of
    /// boards copied.
    fn pass(&mut self, from: &[Board], to: &mut [Board]) -> usize {
        let to = &mut to[..from.len()];
        let mut passed = 0;
        for &board in from {
            // Multiplying by an odd constant (Knuth's golden ratio) spreads boards over the top
            // bits.
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
        let mut passed = vec![1; 20];
        assert_eq!(
            filter.pass_all(&[vec![11, 13], vec![], vec![13, 0, 5, 15]], &mut passed),
            [13, 15]
        );
    }
}
