//! Names of canonical boards: how many there are, and their fingerprints.
//!
//! Key idea: most boards need no test. A board is canonical if its first corner is less than the
//! other three, and the next cell of its first row less than the next of its first column: then
//! every image begins with something greater. Only boards with ties are compared with their images.

use std::mem;
use std::ops::AddAssign;

use super::begins::{Begins, Others, Standing};
use super::census::EXPONENTS;
use super::half::Half;
use super::kernels::{LINE, Line, select};
use super::tables::Tables;
use crate::engine::lists::Listing;
use crate::error::Result;
use crate::game::{Board, canonical};
use crate::part::{Fingerprint, mix};
use crate::wide::wide;

/// Boards that are looked at together.
const SLICE: usize = 1 << 11;

/// Of so many boards one is kept as a sample.
const SAMPLED: usize = 1 << 12;

/// What is named so far, by largest exponent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) live: [u64; EXPONENTS],
    pub(crate) fingerprints: [Fingerprint; EXPONENTS],
    /// Some of the boards that were looked at, in no order.
    pub(crate) samples: [Vec<Board>; EXPONENTS],
}

impl AddAssign for Named {
    fn add_assign(&mut self, other: Self) {
        for exp in 0..EXPONENTS {
            self.live[exp] += other.live[exp];
            self.fingerprints[exp] += other.fingerprints[exp];
            self.samples[exp].extend_from_slice(&other.samples[exp]);
        }
    }
}

/// Whether boards are known to be canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tie {
    /// They are.
    No,
    /// It has to be tested.
    Maybe,
}

/// Boards that a row stands for: the digits of its half are the same in all of them.
#[derive(Clone, Copy)]
struct Row<'a> {
    half: Board,
    /// The digits of the other half, by position, and by how much they are shifted.
    digits: &'a [u32],
    shift: u32,
}

impl Row<'_> {
    /// Without the positions of the first lines.
    fn from(self, line: usize) -> Self {
        Self {
            digits: &self.digits[line * LINE..],
            ..self
        }
    }
}

/// Which boards of a row are named: those with its half on top, the same flipped, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ways {
    Upright,
    Flipped,
    Both,
}

/// Names boards.
pub(crate) struct Names {
    /// The thread that does.
    thread: usize,
    named: Named,
    /// Boards looked at since one was sampled.
    passed: usize,
    boards: Box<[Board; SLICE + 4]>,
    masks: Masks,
}

/// Memory for the masks of a row.
#[derive(Default)]
struct Masks {
    wanted: Vec<Line>,
    none: Vec<Line>,
    /// Halves below the row's, and halves above it, that make canonical boards with it.
    bottoms: Others,
    tops: Others,
}

impl Masks {
    fn resize(&mut self, lines: usize) {
        let Self {
            wanted,
            none,
            bottoms,
            tops,
        } = self;
        for mask in [
            wanted,
            none,
            &mut bottoms.sure,
            &mut bottoms.perhaps,
            &mut tops.sure,
            &mut tops.perhaps,
        ] {
            mask.resize(lines, Line::ZERO);
        }
    }
}

impl Names {
    pub(crate) fn new(thread: usize) -> Self {
        Self {
            thread,
            named: Named::default(),
            passed: 0,
            boards: Box::new([0; SLICE + 4]),
            masks: Masks::default(),
        }
    }

    /// Name the canonical ones of the boards of a row, but for those that have a bit in `dead`, and
    /// list them if there is a listing. `half` has largest exponent `max`.
    pub(crate) fn row(
        &mut self,
        (half, max): (Half, u8),
        row: &[Line],
        dead: Option<&[Line]>,
        columns: &Tables,
        ways: Ways,
        listing: Option<&Listing>,
    ) -> Result<()> {
        let begins = Begins::of(half, columns.up_to.len() as u8);
        let (digits, turned) = (u64::from(half.0), u64::from(half.0.rotate_left(16)));
        let upright = Row {
            half: digits << 32,
            digits: &columns.bottoms,
            shift: 0,
        };
        let flipped = Row {
            half: turned,
            digits: &columns.tops,
            shift: 32,
        };
        let mut masks = mem::take(&mut self.masks);
        masks.resize(row.len());
        let Masks {
            wanted,
            none,
            bottoms,
            tops,
        } = &mut masks;
        let named_upright = ways != Ways::Flipped && begins.standing != Standing::Never;
        if named_upright {
            columns.orders.bottoms(&begins, bottoms);
        }
        if ways != Ways::Upright {
            columns.orders.tops(&begins, tops);
        }
        for exp in max..columns.up_to.len() as u8 {
            let last = usize::from(exp) + 1 == columns.up_to.len();
            let bits = if exp == max && last && dead.is_none() {
                row
            } else {
                let within = columns.up_to[usize::from(exp)].as_slice();
                let below = if exp > max {
                    &columns.up_to[usize::from(exp) - 1]
                } else {
                    &*none
                };
                let others = [within, within, below, dead.unwrap_or(none)];
                select(wanted, row, others);
                wanted.as_slice()
            };
            let mut name = |others: &Others, boards| {
                self.add(exp, bits, &others.sure, boards, Tie::No, listing)?;
                self.add(exp, bits, &others.perhaps, boards, Tie::Maybe, listing)
            };
            if named_upright {
                name(bottoms, upright)?;
            }
            if ways != Ways::Upright {
                name(tops, flipped)?;
            }
        }
        self.masks = masks;
        Ok(())
    }

    /// Name the canonical ones of the boards of a row that have a bit in `bits` and in `mask`; all
    /// have largest exponent `max`.
    fn add(
        &mut self,
        max: u8,
        bits: &[Line],
        mask: &[Line],
        row: Row,
        tie: Tie,
        listing: Option<&Listing>,
    ) -> Result<()> {
        let mut line = 0;
        while line < bits.len() {
            let (lines, found) = extract(
                &bits[line..],
                &mask[line..],
                row.from(line),
                &mut self.boards,
            );
            line += lines;
            self.name(max, found, tie, listing)?;
        }
        Ok(())
    }

    fn name(&mut self, max: u8, found: usize, tie: Tie, listing: Option<&Listing>) -> Result<()> {
        let mut boards = &mut self.boards[..found];
        if tie == Tie::Maybe {
            let live = keep_canonical(boards);
            boards = &mut boards[..live];
        }
        if boards.is_empty() {
            return Ok(());
        }
        let of_max = usize::from(max);
        self.named.live[of_max] += boards.len() as u64;
        self.named.fingerprints[of_max] += Fingerprint(sum_of_mixes(boards));
        self.passed += boards.len();
        if self.passed >= SAMPLED {
            self.passed -= SAMPLED;
            self.named.samples[of_max].push(boards[boards.len() / 2]);
        }
        match listing {
            Some(listing) => listing.add(max, boards, self.thread),
            None => Ok(()),
        }
    }

    /// What was named; begins anew.
    pub(crate) fn take(&mut self) -> Named {
        mem::take(&mut self.named)
    }
}

wide! {
    /// The boards of a row that have a bit in `bits` and in `mask`, of as many lines as fit. Returns
    /// the number of lines, and of boards.
    fn extract(bits: &[Line], mask: &[Line], row: Row, boards: &mut [Board; SLICE + 4]) -> (usize, usize) {
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
            if found + LINE > SLICE {
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

wide! {
    fn sum_of_mixes(boards: &[u64]) -> u64 {
        let mut sum = 0u64;
        for &board in boards {
            sum = sum.wrapping_add(mix(board));
        }
        sum
    }
}

wide! {
    /// Move the canonical boards to the front; returns how many there are.
    fn keep_canonical(boards: &mut [u64]) -> usize {
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
