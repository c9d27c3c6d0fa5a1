//! The canonical boards of a row, written one by one.
//!
//! Key idea: most boards need no comparison with their images. Masks by prefix (`prefixes`) tell
//! which boards of a row are certainly canonical, and which need a test. A board is the digits of
//! two halves side by side. In a row one half is constant, and the digits of the other half are
//! looked up by position. So a bit costs a load, a shift and a store.

use super::half::Half;
use super::halves::Tables;
use super::kernels::{BitLine, LINE, kernel, select};
use super::prefixes::{Prefixes, Standing};
use crate::game::{Board, canonical};

/// Boards that are extracted together.
const TOGETHER: usize = 1 << 11;

/// Memory for extracted boards. Up to three boards after the last one are undefined.
pub type BoardBuffer = [Board; ROOM];
/// Number of boards in a [`BoardBuffer`].
pub const ROOM: usize = TOGETHER + 4;

/// The boards of a row: the digits of its half are in all of them.
#[derive(Clone, Copy)]
pub struct BitRow<'a> {
    /// The digits of the row's half.
    pub half: Board,
    /// The digits of the other half, by position.
    pub digits: &'a [u32],
    /// The shift of these digits in a board.
    pub shift: u32,
}

impl BitRow<'_> {
    /// The row without the lines before `line`.
    #[must_use]
    pub fn from(self, line: usize) -> Self {
        Self {
            digits: &self.digits[line * LINE..],
            ..self
        }
    }
}

/// A thread's memory for the search of canonical boards.
#[derive(Default)]
pub(crate) struct Canonical {
    boards: Vec<Board>,
    masks: [Vec<BitLine>; 6],
}

impl Canonical {
    /// Find the canonical boards of a row without a bit in `dead`. `half`, whose largest exponent
    /// is `max`, is the top half. If `flipped` is set, also find the canonical boards among the
    /// flipped boards. Calls `take` with some boards at a time, all of one largest exponent, in no
    /// order.
    pub(crate) fn find(
        &mut self,
        (half, max): (Half, u8),
        row: &[BitLine],
        dead: Option<&[BitLine]>,
        columns: &Tables,
        flipped: bool,
        mut take: impl FnMut(u8, &[Board]),
    ) {
        let up_to = &columns.census.up_to;
        let exponents = up_to.len() as u8;
        let prefixes = Prefixes::of(half, exponents);
        let upright = prefixes.standing != Standing::Never;
        if !(upright || flipped) {
            return;
        }
        let over = BitRow {
            half: u64::from(half.0) << 32,
            digits: &columns.bottom_digits,
            shift: 0,
        };
        let under = BitRow {
            half: u64::from(half.0.rotate_left(16)),
            digits: &columns.class.digits,
            shift: 32,
        };
        self.boards.resize(ROOM, 0);
        let boards = self.boards.as_mut_slice().try_into();
        let boards: &mut BoardBuffer = boards.expect("the length is `ROOM`");
        for mask in &mut self.masks {
            mask.resize(row.len(), BitLine::ZERO);
        }
        // `none` stays zero.
        let [wanted, none, certain, test, certain_flipped, test_flipped] = &mut self.masks;
        if upright {
            columns.prefixes.bottoms(&prefixes, [certain, test]);
        }
        if flipped {
            let masks = [&mut **certain_flipped, test_flipped];
            columns.prefixes.tops(&prefixes, masks);
        }
        for exp in max..exponents {
            let bits = if exp == max && exp + 1 == exponents && dead.is_none() {
                row
            } else {
                let within = up_to[usize::from(exp)].as_slice();
                let below = if exp > max {
                    &up_to[usize::from(exp) - 1]
                } else {
                    &*none
                };
                select(wanted, row, [within, within, below, dead.unwrap_or(none)]);
                wanted.as_slice()
            };
            if upright {
                find_among(bits, [certain, test], over, boards, |boards| {
                    take(exp, boards);
                });
            }
            if flipped {
                let masks = [&**certain_flipped, test_flipped];
                find_among(bits, masks, under, boards, |boards| {
                    take(exp, boards);
                });
            }
        }
    }
}

/// Find the canonical boards of a row that have a bit in `bits`.
fn find_among(
    bits: &[BitLine],
    [certain, test]: [&[BitLine]; 2],
    row: BitRow,
    boards: &mut BoardBuffer,
    mut take: impl FnMut(&[Board]),
) {
    extract_all(bits, certain, row, boards, |boards| take(boards));
    extract_all(bits, test, row, boards, |boards| {
        let kept = keep_canonical(boards);
        take(&boards[..kept]);
    });
}

/// Extract all boards of a row that have a bit in `bits` and in `mask`, some at a time.
fn extract_all(
    bits: &[BitLine],
    mask: &[BitLine],
    row: BitRow,
    boards: &mut BoardBuffer,
    mut act: impl FnMut(&mut [Board]),
) {
    let mut line = 0;
    while line < bits.len() {
        let (lines, found) = extract(&bits[line..], &mask[line..], row.from(line), boards);
        line += lines;
        act(&mut boards[..found]);
    }
}

kernel! {
    /// Extract the boards of a row that have a bit in `bits` and in `mask`, until the memory is
    /// full. Returns the number of lines and the number of boards.
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
                // Write four boards at a time, because the processor cannot predict the number of bits
                // of a word. The last boards may be undefined.
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
    /// Move the canonical boards to the front. Returns their number.
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
#[expect(
    unsafe_code,
    reason = "the features of the processor are looked up first"
)]
mod tests {
    use super::super::kernels::bit;
    use super::super::kernels::versions::{KernelVersion, lines, run, versions};
    use super::*;
    use crate::game::Game;
    use crate::part::mix;

    #[test]
    fn extract_finds_the_board_of_each_bit() {
        // Full lines, so that not all boards fit at once; then lines with some bits, and lines
        // without bits.
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
            for version in versions() {
                let mut boards = [0; ROOM];
                let mut found = Vec::new();
                let mut line = 0;
                while line < bits.len() {
                    let (lines, here) = run!(
                        version,
                        extract(&bits[line..], &mask[line..], row.from(line), &mut boards)
                    );
                    found.extend_from_slice(&boards[..here]);
                    line += lines;
                }
                assert!(found == expected, "{version:?}");
            }
        }
    }

    #[test]
    fn keep_canonical_keeps_canonical_boards_in_order() {
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
            for version in versions() {
                let mut boards = some.to_vec();
                let kept = run!(version, keep_canonical(&mut boards));
                assert_eq!(boards[..kept], expected, "{version:?}");
            }
        }
    }
}
