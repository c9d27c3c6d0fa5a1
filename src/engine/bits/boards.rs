//! Boards of a row of bits, written down one by one.
//!
//! Key idea: a board is the digits of two halves side by side. In a row one half is the same, and
//! the digits of the other are looked up by position, so a bit costs a load, a shift and a store.

use super::kernels::{BitLine, LINE, kernel};
use crate::game::{Board, canonical};

/// Boards that are looked at together.
const TOGETHER: usize = 1 << 11;

/// Memory for them; the last four of a word may be nothing.
pub type BoardBuffer = [Board; ROOM];
/// How many boards that holds.
pub const ROOM: usize = TOGETHER + 4;

/// Boards that a row stands for: the digits of its half are the same in all of them.
#[derive(Clone, Copy)]
pub struct BitRow<'a> {
    /// The digits of its half.
    pub half: Board,
    /// The digits of the other half, by position...
    pub digits: &'a [u32],
    /// ...and by how much they are shifted.
    pub shift: u32,
}

impl BitRow<'_> {
    /// Without the positions of the first lines.
    #[must_use]
    pub fn from(self, line: usize) -> Self {
        Self {
            digits: &self.digits[line * LINE..],
            ..self
        }
    }
}

kernel! {
    /// The boards of a row that have a bit in `bits` and in `mask`, of as many lines as fit. Returns
    /// the number of lines, and of boards.
    pub fn extract(bits: &[BitLine], mask: &[BitLine], row: BitRow, boards: &mut BoardBuffer) -> (usize, usize) {
        let mut found = 0;
        for (line, (bits, mask)) in bits.iter().zip(mask).enumerate() {
            let (mut words, mut any) = (bits.0, 0);
            for (word, mask) in words.iter_mut().zip(mask.0) {
                *word &= mask;
                any |= *word;
            }
            if any == 0 {
                continue;
            }
            if found + LINE > TOGETHER {
                return (line, found);
            }
            let digits: &[u32; LINE] = row.digits[line * LINE..][..LINE].try_into().expect("a line");
            for (i, &word) in words.iter().enumerate() {
                let (mut left, mut at) = (word, found);
                // Four at a time, of which the last ones may be nothing: how many there are in a word
                // cannot be predicted.
                while left != 0 {
                    for board in &mut boards[at..at + 4] {
                        let digits = digits[64 * i + left.trailing_zeros() as usize % 64];
                        *board = row.half | u64::from(digits) << row.shift;
                        left &= left.wrapping_sub(1);
                    }
                    at += 4;
                }
                found += word.count_ones() as usize;
            }
        }
        (bits.len(), found)
    }
}

kernel! {
    /// Move the canonical boards to the front; returns how many there are.
    pub fn keep_canonical(boards: &mut [u64]) -> usize {
        let mut kept = 0;
        for first in (0..boards.len()).step_by(64) {
            let mut same = [false; 64];
            let end = boards.len().min(first + 64);
            for (&board, same) in boards[first..end].iter().zip(&mut same) {
                *same = canonical::<4, 4>(board) == board;
            }
            for (at, same) in (first..end).zip(same) {
                boards[kept] = boards[at];
                kept += usize::from(same);
            }
        }
        kept
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "what a processor has is looked up first")]
mod tests {
    use super::super::kernels::bit;
    use super::super::kernels::ways::{Way, lines, run, ways};
    use super::*;
    use crate::game::Game;
    use crate::part::mix;

    #[test]
    fn each_bit_is_a_board() {
        // Full lines, so that not all boards fit at once; lines with some bits, and without any.
        let mut bits = vec![BitLine([u64::MAX; 8]); 9];
        bits.extend(lines(5, 1));
        bits.extend([BitLine::ZERO; 2]);
        bits.extend(lines(40, 2));
        let mut mask = vec![BitLine([u64::MAX; 8]); 7];
        mask.extend(lines(bits.len() - 7, 3));
        let digits: Vec<u32> = (0..bits.len() * LINE)
            .map(|at| mix(at as u64) as u32)
            .collect();
        for (half, shift) in [(0x1234_5678 << 32, 0), (0x1234_5678, 32)] {
            let row = BitRow {
                half,
                digits: &digits,
                shift,
            };
            let expected: Vec<Board> = (0..digits.len())
                .filter(|&at| bit(&bits, at as u32) && bit(&mask, at as u32))
                .map(|at| half | u64::from(digits[at]) << shift)
                .collect();
            for way in ways() {
                let mut boards = [0; ROOM];
                let mut found = Vec::new();
                let mut line = 0;
                while line < bits.len() {
                    let (lines, here) = run!(
                        way,
                        extract(&bits[line..], &mask[line..], row.from(line), &mut boards)
                    );
                    found.extend_from_slice(&boards[..here]);
                    line += lines;
                }
                assert!(found == expected, "{way:?}");
            }
        }
    }

    #[test]
    fn those_that_are_their_own_canonical_form_are_kept_in_order() {
        let game: Game = "4x4".parse().unwrap();
        let some = (0..1000).map(mix);
        let boards: Vec<Board> = some
            .map(|board| {
                if board % 3 == 0 {
                    board
                } else {
                    game.canonical(board).0
                }
            })
            .collect();
        let canonical = |board: &Board| game.canonical(*board).0 == *board;
        for length in [0, 1, 63, 64, 65, 1000] {
            let some = &boards[..length];
            let expected: Vec<Board> = some.iter().copied().filter(canonical).collect();
            for way in ways() {
                let mut boards = some.to_vec();
                let kept = run!(way, keep_canonical(&mut boards));
                assert_eq!(boards[..kept], expected, "{way:?}");
            }
        }
    }
}
