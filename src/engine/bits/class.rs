//! All halves of one weight, in the order that bits of a row have.
//!
//! Key idea: the order is chosen so that the afterstates of a move are whole stretches of a row.
//!
//! ```text
//! | left | both | right | odd | rest |
//! ```
//!
//! *left* are the halves with all tiles at the left end of their rows, *right* their mirror images
//! in the same order, *both* those that are both at once (each row full or empty). So afterstates
//! of a move to the left are bits of `left` and `both`, and those of a move to the right are the
//! same bits of `right`, and of `both` mirrored. *odd* are the others that are hollow or short (see
//! `half`): only moves down and up lead there, and seldom.
//!
//! In each stretch halves with the same right quad and a full left quad lie together, in the order
//! of the left quads, and so do those with the same left and a full right one: such a *block* is
//! what a quarter turn copies. Halves that are short come
//! first, then those that are short and hollow, then those that are hollow, so either kind lies in
//! one *window* of the stretch. Each stretch begins with a new line of 512 bits; what is left over
//! stays empty.

use std::ops::Range;

use super::half::Half;
use super::kernels::{BitLine, LINE, set};
use super::quads::Quads;

/// No position, or no row.
pub(crate) const NONE: u32 = u32::MAX;

/// The halves of one weight.
pub(crate) struct Class {
    /// The half at each position; `NONE` where a stretch was filled up.
    halves: Vec<u32>,
    /// Lines in which the stretches begin, and the end.
    starts: [usize; 6],
    /// Positions in `left`, and how many of `both` are not full.
    left: usize,
    open: usize,
    /// Where the short ones and the hollow ones lie.
    pub(crate) short: Windows,
    pub(crate) hollow: Windows,
}

/// Lines of a row that hold all halves of a kind: at most one range for each stretch.
#[derive(Default)]
pub(crate) struct Windows {
    /// Ranges of lines in a row, and where each begins if only these lines are kept.
    ranges: Vec<(Range<usize>, usize)>,
    lines: usize,
}

impl Windows {
    /// The windows of a mask, given where stretches begin and end.
    fn new(mask: &[BitLine], starts: &[usize]) -> Self {
        let mut windows = Self::default();
        for ends in starts.windows(2) {
            let any = |line: &usize| mask[*line] != BitLine::ZERO;
            let stretch = ends[0]..ends[1];
            let (first, last) = (stretch.clone().find(any), stretch.rev().find(any));
            if let (Some(first), Some(last)) = (first, last) {
                windows.ranges.push((first..last + 1, windows.lines));
                windows.lines += last + 1 - first;
            }
        }
        windows
    }

    /// Number of lines in all windows.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Ranges of lines in a row, and the ranges of the same lines where only windows are kept.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + '_ {
        let ranges = self.ranges.iter().cloned();
        ranges.map(|(range, at)| (range.clone(), at..at + range.len()))
    }

    /// Where a position of a row is if only windows are kept.
    pub(crate) fn place(&self, position: u32) -> Option<u32> {
        let position = position as usize;
        let line = position / LINE;
        let window = self.ranges.iter().find(|(range, _)| range.contains(&line));
        window.map(|(range, at)| (position - (range.start - at) * LINE) as u32)
    }
}

/// The stretches, from a first to a last one, that boards with some top half can have bits in after
/// a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    first: u8,
    last: u8,
}

impl Extent {
    /// The extent of a top half; none if a move leaves it only over bottom halves that are hollow,
    /// or not at all.
    pub(crate) fn of(top: Half) -> Option<Self> {
        let [left, both, right, odd] = [0, 1, 2, 3];
        let kinds = [
            (top.left(), left, both),
            (top.mirrored().left(), both, right),
            (top.inward(), both, both),
            (top.hollow(), left, odd),
        ];
        let kinds = kinds.into_iter().filter(|&(is, ..)| is);
        let extents = kinds.map(|(_, first, last)| Self { first, last });
        extents.reduce(|a, b| Self {
            first: a.first.min(b.first),
            last: a.last.max(b.last),
        })
    }
}

impl Class {
    /// All halves of `weight` made of `quads`, in order.
    pub(crate) fn new(weight: usize, quads: &Quads) -> Self {
        let (mut left, mut open, mut full) = (Vec::new(), Vec::new(), Vec::new());
        let (mut odd, mut others, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for of_right in 0..=weight {
            let lefts = quads.of_weight(weight - of_right);
            for &right in quads.of_weight(of_right) {
                for &quad in lefts {
                    let half = Half::of_quads(quad, right);
                    match (half.left(), half.mirrored().left()) {
                        (true, true) if half.full() => full.push(half),
                        (true, true) => open.push(half),
                        (true, false) => left.push(half),
                        (false, true) => {}
                        (false, false) if !half.short() && !half.hollow() => rest.push(half),
                        (false, false) if quad.full() => odd.push(half),
                        (false, false) if right.full() => {}
                        (false, false) => others.push(half),
                    }
                }
            }
        }
        // So those with a full right quad lie in blocks, too.
        let images: Vec<Half> = odd.iter().map(|half| half.mirrored()).collect();
        odd.extend(images);
        odd.append(&mut others);
        for stretch in [&mut left, &mut open, &mut odd] {
            stretch.sort_by_key(|half| match (half.short(), half.hollow()) {
                (true, false) => 0,
                (true, true) => 1,
                (false, true) => 2,
                (false, false) => 3,
            });
        }
        let right: Vec<Half> = left.iter().map(|half| half.mirrored()).collect();
        let (left_len, open_len) = (left.len(), open.len());
        open.append(&mut full);
        let mut halves = Vec::new();
        let mut starts = [0; 6];
        for (stretch, members) in [left, open, right, odd, rest].into_iter().enumerate() {
            halves.extend(members.iter().map(|half| half.0));
            halves.resize(halves.len().next_multiple_of(LINE), NONE);
            starts[stretch + 1] = halves.len() / LINE;
        }
        let mut class = Self {
            halves,
            starts,
            left: left_len,
            open: open_len,
            short: Windows::default(),
            hollow: Windows::default(),
        };
        class.short = Windows::new(&class.mask(Half::short), &starts);
        class.hollow = Windows::new(&class.mask(Half::hollow), &starts);
        class
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
        self.starts[5]
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

    /// All but `rest`: where some move leads.
    pub(crate) fn settled(&self) -> Range<usize> {
        self.starts[0]..self.starts[4]
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

    /// How many of `both` are not full; they come first.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// The lines of `both` that have full halves.
    pub(crate) fn full(&self) -> Range<usize> {
        let both = self.both();
        both.start + self.open / LINE..both.end
    }

    /// Number of halves that [`Class::row`] gives rows.
    pub(crate) fn rows(&self) -> usize {
        self.left + self.open
    }

    /// The position of the half that has a row; the inverse of [`Class::row`].
    pub(crate) fn position_of_row(&self, row: usize) -> u32 {
        let position = if row < self.left {
            row
        } else {
            self.starts[1] * LINE + row - self.left
        };
        position as u32
    }

    /// Lines of a row from the beginning of one stretch to the end of another.
    pub(crate) fn lines_of(&self, extent: Extent) -> Range<usize> {
        self.starts[usize::from(extent.first)]..self.starts[usize::from(extent.last) + 1]
    }

    /// The positions of the halves that fulfil a condition, as a mask of a row.
    pub(crate) fn mask(&self, condition: impl Fn(Half) -> bool) -> Vec<BitLine> {
        let mut mask = vec![BitLine::ZERO; self.lines()];
        for (position, half) in self.halves() {
            if condition(half) {
                set(&mut mask, position);
            }
        }
        mask
    }
}
