//! All halves of one weight, in the order of the bits of a row.
//!
//! Key idea: in this order the afterstates of a move are whole ranges of a row.
//!
//! ```text
//! | left | both | right | odd | rest |
//! ```
//!
//! A *moved half* is a half that a move to the left leads to. The range `both` has the halves whose
//! rows are full or empty. The range `left` has the other moved halves, and `right` has their
//! mirror images in the order of `left`. A move to the left leads to bits of `left` and `both`. A
//! move to the right leads to the corresponding bits of `right`, and to mirrored bits of `both`.
//! `odd` has the other halves that are hollow or short (see `half`): moves down and up seldom lead
//! to them.
//!
//! In each range, halves with one right quad and any full left quad lie together, in the order of
//! their left quads; so do halves with one left quad and any full right quad. A quarter turn copies
//! their bits as a *field* (see `field`). Short halves come first, then halves that are short and
//! hollow, then hollow halves. So the lines with short halves are one range of lines, and so are
//! the lines with hollow halves. In `both`, moved halves with an empty cell come first, and full
//! halves last. Each range begins with a new line of 512 bits, and the last line
//! of a range is padded with zeros.

use std::ops::Range;

use super::half::Half;
use super::kernels::{BitLine, LINE, set};
use super::quads::Quads;

/// No position, or no row.
pub(crate) const NONE: u32 = u32::MAX;

/// The digits of the padding, of no half: no memory holds the tables of eight tiles 16384.
pub(super) const PADDING: u32 = 0xeeee_eeee;

/// The halves of one weight.
#[derive(Default)]
pub(crate) struct Class {
    /// The digits of the half at each position, or of the padding.
    pub(super) digits: Vec<u32>,
    /// The first line of each range, and the end.
    starts: [usize; 6],
    /// Number of halves in `left`.
    left: usize,
    /// Number of moved halves in `both` with an empty cell. They come first.
    both_moved: usize,
    /// Number of halves in `both` with an empty cell. They come before the full halves.
    pub(super) both_with_gap: usize,
    pub(crate) short: RareHalves,
    pub(crate) hollow: RareHalves,
}

/// The short halves of a class, or the hollow halves. A compact row has only the lines that contain
/// them: at most one range of lines for each range of the class.
#[derive(Default)]
pub(crate) struct RareHalves {
    /// The position of each half.
    pub(crate) positions: Vec<u32>,
    /// The number of each half in `positions`, by position in a compact row.
    pub(crate) numbers: Vec<u32>,
    /// For each range its lines in a whole row, and its lines in a compact row.
    pub(crate) ranges: Vec<(Range<usize>, Range<usize>)>,
    /// Number of lines of a compact row.
    pub(crate) lines: usize,
}

impl RareHalves {
    fn new(class: &Class, condition: fn(Half) -> bool) -> Self {
        let mask = class.mask(condition);
        let mut rare = Self::default();
        for ends in class.starts.windows(2) {
            let mut with_bits = (ends[0]..ends[1]).filter(|&line| mask[line] != BitLine::ZERO);
            if let Some(first) = with_bits.next() {
                let end = with_bits.next_back().unwrap_or(first) + 1;
                let at = rare.lines;
                rare.lines += end - first;
                rare.ranges.push((first..end, at..rare.lines));
            }
        }
        rare.numbers = vec![NONE; rare.lines * LINE];
        for (position, _) in class.halves().filter(|&(_, half)| condition(half)) {
            let compact = rare.compact(position).expect("a line with a bit");
            rare.numbers[compact as usize] = rare.positions.len() as u32;
            rare.positions.push(position);
        }
        rare
    }

    /// The position in a compact row, given the position in a whole row.
    pub(crate) fn compact(&self, position: u32) -> Option<u32> {
        let position = position as usize;
        let line = position / LINE;
        let found = self.ranges.iter().find(|(range, _)| range.contains(&line));
        found.map(|(range, at)| (position - (range.start - at.start) * LINE) as u32)
    }

    /// The number of the half at a position of a whole row.
    pub(crate) fn number(&self, position: u32) -> Option<u32> {
        let compact = self.compact(position)?;
        Some(self.numbers[compact as usize]).filter(|&number| number != NONE)
    }
}

/// Some consecutive ranges of a class: the columns of a matrix, or of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ColumnRange {
    first: u8,
    last: u8,
}

impl ColumnRange {
    pub(crate) const BOTH: Self = Self { first: 1, last: 1 };
    pub(crate) const RIGHT: Self = Self { first: 2, last: 2 };
    pub(crate) const MOVED_LEFT: Self = Self { first: 0, last: 1 };
    const MOVED_RIGHT: Self = Self { first: 1, last: 2 };
    /// The halves that moves in any direction lead to: all but `rest`.
    pub(crate) const MOVED: Self = Self { first: 0, last: 3 };

    /// The columns of a top half's afterstates. `None` if no move leads to the top half, or if it
    /// only lies over hollow bottom halves.
    pub(crate) fn of_top(top: Half) -> Option<Self> {
        let kinds = [
            (top.is_moved(), Self::MOVED_LEFT),
            (top.mirrored().is_moved(), Self::MOVED_RIGHT),
            (top.is_fallen(), Self::BOTH),
            (top.is_hollow(), Self::MOVED),
        ];
        let columns = kinds.into_iter().filter(|&(is, _)| is);
        columns.map(|(_, columns)| columns).reduce(|a, b| Self {
            first: a.first.min(b.first),
            last: a.last.max(b.last),
        })
    }
}

impl Class {
    /// All halves of `weight` made of `quads`, in order.
    pub(crate) fn new(weight: usize, quads: &Quads) -> Self {
        let (mut left, mut both, mut both_full) = (Vec::new(), Vec::new(), Vec::new());
        let (mut odd, mut odd_without_full, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for &of_right in quads.weights(weight) {
            let lefts = quads.of_weight(weight - of_right);
            for &right in quads.of_weight(of_right) {
                for &quad in lefts {
                    let half = Half::of_quads(quad, right);
                    match (half.is_moved(), half.mirrored().is_moved()) {
                        _ if half.is_full() => both_full.push(half),
                        _ if half.has_whole_rows() => both.push(half),
                        (true, _) => left.push(half),
                        (_, true) => {}
                        _ if !half.is_short() && !half.is_hollow() => rest.push(half),
                        _ if quad.is_full() => odd.push(half),
                        _ if right.is_full() => {}
                        _ => odd_without_full.push(half),
                    }
                }
            }
        }
        let mirrored =
            |halves: &[Half]| -> Vec<Half> { halves.iter().map(|half| half.mirrored()).collect() };
        // By the mirror images, halves with one left quad and any full right quad lie together,
        // too.
        odd.extend(mirrored(&odd));
        odd.append(&mut odd_without_full);
        for range in [&mut left, &mut both, &mut odd] {
            range.sort_by_key(|half| match (half.is_short(), half.is_hollow()) {
                (true, false) => 0,
                (true, true) => 1,
                (false, true) => 2,
                (false, false) => 3,
            });
        }
        both.sort_by_key(|half| !half.is_moved());
        let both_moved = both.partition_point(|half| half.is_moved());
        let right = mirrored(&left);
        let (left_len, both_with_gap) = (left.len(), both.len());
        both.append(&mut both_full);
        let mut digits = Vec::new();
        let mut starts = [0; 6];
        for (range, halves) in [left, both, right, odd, rest].into_iter().enumerate() {
            digits.extend(halves.iter().map(|half| half.0));
            digits.resize(digits.len().next_multiple_of(LINE), PADDING);
            starts[range + 1] = digits.len() / LINE;
        }
        let mut class = Self {
            digits,
            starts,
            left: left_len,
            both_moved,
            both_with_gap,
            short: RareHalves::default(),
            hollow: RareHalves::default(),
        };
        class.short = RareHalves::new(&class, Half::is_short);
        class.hollow = RareHalves::new(&class, Half::is_hollow);
        class
    }

    /// The half at a position outside the padding.
    pub(crate) fn half(&self, position: u32) -> Half {
        let digits = self.digits[position as usize];
        debug_assert_ne!(digits, PADDING, "{position} is padding");
        Half(digits)
    }

    /// The position of a half, found by a search through all halves; `None` if the class does not have
    /// it. `Positions::of` is fast.
    pub(crate) fn search(&self, half: Half) -> Option<u32> {
        let found = self.digits.iter().position(|&digits| digits == half.0);
        found.map(|position| position as u32)
    }

    /// All positions with their halves.
    pub(crate) fn halves(&self) -> impl Iterator<Item = (u32, Half)> + '_ {
        let halves = (0..).zip(&self.digits);
        halves.filter_map(|(at, &digits)| (digits != PADDING).then_some((at, Half(digits))))
    }

    /// Number of lines of a whole row.
    pub(crate) fn lines(&self) -> usize {
        self.starts[5]
    }

    /// The lines of some ranges.
    pub(crate) fn lines_of(&self, columns: ColumnRange) -> Range<usize> {
        self.starts[usize::from(columns.first)]..self.starts[usize::from(columns.last) + 1]
    }

    /// The lines of `both` that have full halves.
    pub(crate) fn full_lines(&self) -> Range<usize> {
        let both = self.lines_of(ColumnRange::BOTH);
        both.start + self.both_with_gap / LINE..both.end
    }

    /// Number of moved rows: halves with an empty cell that moves to the left lead to.
    pub(crate) fn moved_rows(&self) -> usize {
        self.left + self.both_moved
    }

    /// The moved row of the half at a position.
    pub(crate) fn moved_row(&self, position: u32) -> Option<usize> {
        let position = position as usize;
        let both = self.starts[1] * LINE;
        if position < self.left {
            Some(position)
        } else if (both..both + self.both_moved).contains(&position) {
            Some(self.left + position - both)
        } else {
            None
        }
    }

    /// Whether the half at a position is a column of moves to the left.
    pub(crate) fn is_moved_column(&self, position: u32) -> bool {
        (position as usize) < self.starts[2] * LINE
    }

    /// The columns of moves to the left, without the padding.
    pub(crate) fn mask_of_moved_columns(&self) -> Vec<BitLine> {
        let mut mask = self.mask(|_| true);
        mask.truncate(self.starts[2]);
        mask
    }

    /// The position of the half of a moved row: the inverse of [`Class::moved_row`].
    pub(crate) fn position_of_moved_row(&self, row: usize) -> u32 {
        let position = if row < self.left {
            row
        } else {
            self.starts[1] * LINE + row - self.left
        };
        position as u32
    }

    /// A mask of a row: the halves that meet a condition.
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
