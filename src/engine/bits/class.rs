//! All halves of one weight, in the order that bits of a row have.
//!
//! Key idea: the order is chosen so that the afterstates of a move are whole stretches of a row.
//!
//! ```text
//! | left | both | right | rest |
//! ```
//!
//! *left* are the halves with all tiles at the left end of their rows, *right* their mirror images
//! in the same order, *both* those that are both at once (each row full or empty). So afterstates
//! of a move to the left are bits of `left` and `both`, and those of a move to the right are the
//! same bits of `right`, and of `both` mirrored. Within `left` the halves with a full left quad
//! come first, and within `both` the full halves come last, each in blocks of one right quad: a
//! block holds all full left quads of its weight, in their order, which is what a quarter turn
//! copies. Each stretch begins with a new line of 512 bits; what is left over stays empty.

use std::ops::Range;

use super::half::Half;
use super::kernels::{LINE, Line, set};
use super::quads::Quads;

/// No position, or no row.
pub(crate) const NONE: u32 = u32::MAX;

/// The halves of one weight.
pub(crate) struct Class {
    /// The half at each position; `NONE` where a stretch was filled up.
    halves: Vec<u32>,
    /// Lines in which the stretches `left`, `both`, `right` and `rest` begin, and the end.
    starts: [usize; 5],
    /// Positions in `left`, and how many of `both` are not full.
    left: usize,
    open: usize,
    /// How many of `left` have a full left quad.
    long: usize,
}

impl Class {
    /// All halves of `weight` made of `quads`, in order.
    pub(crate) fn new(weight: usize, quads: &Quads) -> Self {
        let (mut left, mut rows_short, mut open, mut full, mut rest) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for of_right in 0..=weight {
            let lefts = quads.of_weight(weight - of_right);
            for &right in quads.of_weight(of_right) {
                for &quad in lefts {
                    let half = Half::of_quads(quad, right);
                    let (is_left, is_right) = (half.left(), half.mirrored().left());
                    match (is_left, is_right) {
                        (true, true) if half.full() => full.push(half),
                        (true, true) => open.push(half),
                        (true, false) if quad.full() => left.push(half),
                        (true, false) => rows_short.push(half),
                        (false, true) => {}
                        (false, false) => rest.push(half),
                    }
                }
            }
        }
        let long = left.len();
        left.append(&mut rows_short);
        let right: Vec<Half> = left.iter().map(|half| half.mirrored()).collect();
        let (left_len, open_len) = (left.len(), open.len());
        open.append(&mut full);
        let mut halves = Vec::new();
        let mut starts = [0; 5];
        for (stretch, members) in [left, open, right, rest].into_iter().enumerate() {
            halves.extend(members.iter().map(|half| half.0));
            halves.resize(halves.len().next_multiple_of(LINE), NONE);
            starts[stretch + 1] = halves.len() / LINE;
        }
        Self {
            halves,
            starts,
            left: left_len,
            open: open_len,
            long,
        }
    }

    /// The half at a position.
    pub(crate) fn half(&self, position: u32) -> Option<Half> {
        let half = self.halves[position as usize];
        (half != NONE).then_some(Half(half))
    }

    /// All positions with their halves.
    pub(crate) fn halves(&self) -> impl Iterator<Item = (u32, Half)> + '_ {
        let all = self.halves.iter().enumerate();
        all.filter(|&(_, &half)| half != NONE)
            .map(|(position, &half)| (position as u32, Half(half)))
    }

    /// Lines of a whole row.
    pub(crate) fn lines(&self) -> usize {
        self.starts[4]
    }

    pub(crate) fn left(&self) -> Range<usize> {
        self.starts[0]..self.starts[1]
    }

    pub(crate) fn both(&self) -> Range<usize> {
        self.starts[1]..self.starts[2]
    }

    pub(crate) fn right(&self) -> Range<usize> {
        self.starts[2]..self.starts[3]
    }

    /// `left` and `both`: where a move to the left leads.
    pub(crate) fn moved(&self) -> Range<usize> {
        self.starts[0]..self.starts[2]
    }

    /// `left`, `both` and `right`.
    pub(crate) fn settled(&self) -> Range<usize> {
        self.starts[0]..self.starts[3]
    }

    /// The row of a half that is settled to the left and has an empty cell, among all of them.
    pub(crate) fn row(&self, position: u32) -> Option<usize> {
        let position = position as usize;
        let both = self.starts[1] * LINE;
        if position < self.left {
            Some(position)
        } else if (both..both + self.open).contains(&position) {
            Some(self.left + position - both)
        } else {
            None
        }
    }

    /// The rows of halves whose left quad is not full.
    pub(crate) fn short_rows(&self) -> Range<usize> {
        self.long..self.rows()
    }

    /// How many of `both` are not full; they come first.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// Number of those rows.
    pub(crate) fn rows(&self) -> usize {
        self.left + self.open
    }

    /// The position of such a row.
    pub(crate) fn position_of_row(&self, row: usize) -> u32 {
        let position = if row < self.left {
            row
        } else {
            self.starts[1] * LINE + row - self.left
        };
        position as u32
    }

    /// The positions of the halves that fulfil a condition, as a mask of a row.
    pub(crate) fn mask(&self, condition: impl Fn(Half) -> bool) -> Vec<Line> {
        let mut mask = vec![Line::ZERO; self.lines()];
        for (position, half) in self.halves() {
            if condition(half) {
                set(&mut mask, position);
            }
        }
        mask
    }
}
