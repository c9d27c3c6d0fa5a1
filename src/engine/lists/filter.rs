//! Drops most repeats among afterstates early.
//!
//! Neighbours in a sorted list of states often have afterstates in common. Dropping these repeats
//! before canonical form and rank costs less than the work that it saves.

use crate::engine::bits::kernels::kernel;
use crate::game::board::holds;
use crate::game::{Board, Exp};

/// Log2 of the entries of a [`Filter`]. They take 256 KiB, part of a core's second cache.
const BITS: u32 = 15;

/// A small lossy table of recent boards: each board stays until another board takes its slot.
pub(super) struct Filter {
    table: Box<[Board; 1 << BITS]>,
}

impl Filter {
    pub(super) fn new() -> Self {
        let table = vec![0; 1 << BITS].into_boxed_slice();
        Self {
            table: table.try_into().expect("the length is that of the table"),
        }
    }

    /// The boards of all lists that are not remembered and lack the tile `merged`, and all boards that have it.
    /// They are put into two buffers. Zeros, which stand for no board, are dropped.
    pub(super) fn pass<'a>(
        &mut self,
        lists: &[Vec<Board>],
        merged: Exp,
        [own, above]: &'a mut [Vec<Board>; 2],
    ) -> [&'a mut [Board]; 2] {
        let length = lists.iter().map(Vec::len).sum::<usize>();
        let mut ends = [0; 2];
        for buffer in [&mut *own, &mut *above] {
            buffer.resize(buffer.len().max(length + ROOM), 0);
        }
        for list in lists {
            let [to, to_above] = [&mut own[ends[0]..], &mut above[ends[1]..]];
            let [kept, kept_above] = split(list, merged, to, to_above);
            ends[0] += self.drop_known(&mut to[..kept]);
            ends[1] += kept_above;
        }
        [&mut own[..ends[0]], &mut above[..ends[1]]]
    }

    /// Move the boards that are not remembered to the front, and remember them. Returns their number.
    fn drop_known(&mut self, boards: &mut [Board]) -> usize {
        let mut fresh = 0;
        for at in 0..boards.len() {
            let board = boards[at];
            // Multiplying by an odd constant (Knuth's golden ratio) spreads boards over the top bits.
            let slot = board.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BITS);
            let known = &mut self.table[slot as usize];
            boards[fresh] = board;
            fresh += usize::from(*known != board);
            *known = board;
        }
        fresh
    }
}

/// [`split`] writes up to so many boards after the last that it keeps.
const ROOM: usize = 8;

kernel! {
    /// Put the boards with the tile `merged` into `above` and the others into `own`, but no zeros.
    /// Returns their numbers. Both need room for all boards and [`ROOM`] more.
    fn split(boards: &[Board], merged: Exp, own: &mut [Board], above: &mut [Board]) -> [usize; 2] {
        let mut ends = [0; 2];
        for &board in boards {
            let merged = holds(board, merged);
            own[ends[0]] = board;
            above[ends[1]] = board;
            ends[0] += usize::from(!merged & (board != 0));
            ends[1] += usize::from(merged);
        }
        ends
    }
    avx512 {
        registers::split(boards, merged, own, above)
    }
}

/// Splitting with AVX-512.
///
/// Key idea: one instruction moves all boards of a register that are kept side by side.
#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::x86_64::{_mm512_maskz_compress_epi64, _mm512_test_epi64_mask};

    use super::{Board, Exp, ROOM, holds};
    use bytemuck::must_cast;

    #[inline]
    #[target_feature(enable = "avx512f,popcnt")]
    pub(super) fn split(
        boards: &[Board],
        merged: Exp,
        own: &mut [Board],
        above: &mut [Board],
    ) -> [usize; 2] {
        let (groups, rest) = boards.as_chunks::<ROOM>();
        let mut last = [0; ROOM];
        last[..rest.len()].copy_from_slice(rest);
        let mut ends = [0; 2];
        for group in groups.iter().chain([&last]) {
            let mut with = [0; ROOM];
            for (with, &board) in with.iter_mut().zip(group) {
                *with = u64::from(holds(board, merged));
            }
            let group = must_cast(*group);
            let [any, with] = [group, must_cast(with)].map(|x| _mm512_test_epi64_mask(x, x));
            for (list, mask) in [any & !with, with].into_iter().enumerate() {
                let kept: [Board; ROOM] = must_cast(_mm512_maskz_compress_epi64(mask, group));
                let to = if list == 0 { &mut *own } else { &mut *above };
                to[ends[list]..ends[list] + ROOM].copy_from_slice(&kept);
                ends[list] += mask.count_ones() as usize;
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::bits::kernels::versions::{KernelVersion, run, versions};
    use crate::part::mix;

    #[test]
    fn the_filter_passes_every_board_at_least_once_and_drops_recent_repeats() {
        let mut filter = Filter::new();
        let mut buffers = [vec![1; 20], Vec::new()];
        let mut pass = |lists: &[Vec<Board>]| {
            let [own, above] = filter.pass(lists, Exp::FOUR, &mut buffers);
            (own.to_vec(), above.to_vec())
        };
        let first = [vec![5, 0, 7, 5], vec![], vec![5, 0, 0x21, 7]];
        assert_eq!(pass(&first), (vec![5, 7], vec![0x21]));
        assert_eq!(pass(&[vec![0x21, 11]]), (vec![11], vec![0x21]));
        let last = [vec![11, 13], vec![], vec![13, 0, 5, 0x12]];
        assert_eq!(pass(&last), (vec![13], vec![0x12]));
    }

    #[test]
    fn every_version_splits_lists_of_any_length() {
        for length in [0, 1, 7, 8, 9, 64, 100] {
            // Digits from 0 to 3; every third board is 0.
            let board = |at: u64| match at % 3 {
                0 => 0,
                _ => mix(at) & 0x3333,
            };
            let boards: Vec<Board> = (0..length).map(board).collect();
            for merged in [Exp::FOUR, Exp::LAST] {
                let (expected_above, mut expected): (Vec<Board>, Vec<Board>) =
                    boards.iter().partition(|&&board| {
                        merged != Exp::LAST && (0..4).any(|cell| board >> (4 * cell) & 15 == 2)
                    });
                expected.retain(|&board| board != 0);
                for version in versions() {
                    let [mut own, mut above] = [(); 2].map(|()| vec![9; boards.len() + ROOM]);
                    let [kept, kept_above] =
                        run!(version, split(&boards, merged, &mut own, &mut above));
                    assert_eq!(own[..kept], expected, "{version:?}");
                    assert_eq!(above[..kept_above], expected_above, "{version:?}");
                }
            }
        }
    }
}
