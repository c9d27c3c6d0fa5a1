//! The afterstates of a layer: what is kept, and all of them, made when they are needed.
//!
//! Key idea: by symmetry the afterstates of a move to the left tell those of the other three. Only
//! they are kept, and of these only the rows of top halves with an empty cell: every afterstate has
//! an empty cell, so a vertical flip leads from any of them to such a row. From them a *slab* is
//! made, all afterstates with tops of one weight that have an empty cell, ready to be spawned into:
//!
//! - moved left: the rows as they are;
//! - moved right: the rows of the mirrored tops, their bits of `left` in `right`, and those of
//!   `both` mirrored;
//! - moved down, the bottom half full: a quarter turn. Where a board has top right quad `r` and
//!   bottom right quad `s`, and full left quads, the turned one has `r` and `s` on top and the full
//!   quads below, all transposed. For given `r`, `s` and bottom left quad the top left quads are a
//!   stretch of bits in a row, and so they are in the turned row: fields are copied;
//! - moved down, the bottom half not full: boards with at most one tile in some column. They are
//!   rare, and kept as a list;
//! - moved up with an empty cell in the top half: these, flipped.

use super::half::{Half, Quad};
use super::halves::Halves;
use super::kernels::{LINE, Line, or, set, transpose};
use super::matrix::Matrix;

/// A bit of a slab: the slot of its row, and its position.
type Bit = (u32, u32);

/// The afterstates of one sum.
#[derive(Default)]
pub(crate) struct Afterstates {
    /// Half the sum.
    pub(crate) weight: usize,
    /// By weight of the top half: those moved to the left.
    pub(crate) moved: Vec<Matrix>,
    /// By weight of the top half: those moved down or up that have at most one tile in some column.
    pub(crate) rare: Vec<Vec<Bit>>,
    /// By weight of the top half: whether none was moved to the left.
    none: Vec<bool>,
}

impl Afterstates {
    /// Of half a sum, none yet.
    pub(crate) fn new(weight: usize) -> Self {
        Self {
            weight,
            moved: (0..=weight).map(|_| Matrix::default()).collect(),
            ..Self::default()
        }
    }

    /// Whether none was moved to the left with this weight of the top half.
    fn none(&self, top: usize) -> bool {
        self.none.get(top).is_none_or(|&none| none)
    }

    /// The boards moved down with a bottom half that is not full, from the rows moved to the left
    /// that have a left half which is not.
    pub(crate) fn find_rare(&mut self, halves: &Halves) {
        let mut rare = vec![Vec::new(); self.moved.len()];
        self.none = self.moved.iter().map(Matrix::is_zero).collect();
        for top in 0..self.moved.len() {
            if self.none(top) {
                continue;
            }
            let (rows, columns) = (&halves.tables[top], &halves.tables[self.weight - top]);
            for row in rows.class.short_rows() {
                let position = rows.class.position_of_row(row);
                let upper = rows.class.half(position).expect("a row has a half");
                for bit in super::kernels::ones(self.moved[top].row(row)) {
                    let lower = columns.class.half(bit).expect("no bit is set beyond");
                    let ((a, b), (c, d)) = (upper.quads(), lower.quads());
                    let [a, b, c, d] = [a, b, c, d].map(Quad::transposed);
                    let (upper, lower) = (Half::of_quads(b, d), Half::of_quads(a, c));
                    add_rare(&mut rare, halves, upper, lower);
                    if c.full() {
                        // The flipped board is in no short row.
                        add_rare(&mut rare, halves, upper.mirrored(), lower.mirrored());
                    }
                }
            }
        }
        self.rare = rare;
    }
}

/// Note a board that was moved down, and the same flipped.
fn add_rare(rare: &mut [Vec<Bit>], halves: &Halves, upper: Half, lower: Half) {
    for (upper, lower) in [(upper, lower), (lower, upper)] {
        let top = upper.weight();
        let slot = halves.tables[top].slots[halves.position(upper) as usize];
        rare[top].push((slot, halves.position(lower)));
    }
}

/// All afterstates with tops of one weight that have an empty cell.
#[derive(Default)]
pub(crate) struct Slab {
    /// A row for each slot: bits of `left`, `both` and `right`.
    pub(crate) rows: Matrix,
    /// The other bits, in order of slots.
    rest: Vec<Bit>,
    /// Where those of each slot begin.
    rest_starts: Vec<u32>,
    /// Whether it has no bits at all.
    pub(crate) empty: bool,
}

impl Slab {
    /// The bits of a slot's row that are not in `rows`.
    pub(crate) fn rest(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let slot = slot as usize;
        let range = self.rest_starts[slot] as usize..self.rest_starts[slot + 1] as usize;
        self.rest[range].iter().map(|&(_, position)| position)
    }

    /// Make the slab of tops of weight `top`.
    pub(crate) fn make(
        &mut self,
        afterstates: &Afterstates,
        top: usize,
        halves: &Halves,
        mirror: &mut Mirror,
    ) {
        self.empty = true;
        if top >= afterstates.moved.len() || top > halves.most() || afterstates.weight - top > halves.most() {
            return;
        }
        let bottom = afterstates.weight - top;
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let (both, right) = (columns.class.both(), columns.class.right());
        self.rows.reset(rows.open.len(), columns.class.settled().len());
        let turned = self.turn(afterstates, top, halves, mirror);
        self.empty = !turned && afterstates.none(top) && afterstates.rare[top].is_empty();
        if self.empty {
            return;
        }
        let moved = &afterstates.moved[top];
        let mut turned_right = Vec::new();
        for row in 0..rows.class.rows() {
            let position = rows.class.position_of_row(row);
            let half = rows.class.half(position).expect("a row has a half");
            let slot = rows.slots[position as usize] as usize;
            let from = moved.row(row);
            or(self.rows.row_mut(slot), from);
            let slot = rows.slots[halves.position(half.mirrored()) as usize] as usize;
            or(&mut self.rows.row_mut(slot)[right.clone()], &from[..right.len()]);
            turned_right.push((row, slot));
        }
        for rows in turned_right.chunks(LINE) {
            mirror.load(rows.len(), both.len(), |at| &moved.row(rows[at].0)[both.clone()]);
            mirror.store(&columns.mirrored, |at, line, bits| {
                let line = &mut self.rows.row_mut(rows[at].1)[both.start + line];
                or(std::slice::from_mut(line), &[bits]);
            });
        }
        self.scatter(&afterstates.rare[top], columns.class.settled().len(), rows.open.len());
    }

    /// Set the rare bits: in the rows, or apart.
    fn scatter(&mut self, bits: &[Bit], lines: usize, slots: usize) {
        self.rest.clear();
        for &(slot, position) in bits {
            if (position as usize) < lines * LINE {
                set(self.rows.row_mut(slot as usize), position);
            } else {
                self.rest.push((slot, position));
            }
        }
        self.rest.sort_unstable();
        self.rest_starts.clear();
        self.rest_starts.resize(slots + 1, 0);
        for &(slot, _) in &self.rest {
            self.rest_starts[slot as usize + 1] += 1;
        }
        for slot in 0..slots {
            self.rest_starts[slot + 1] += self.rest_starts[slot];
        }
    }

    /// The boards moved down that have a full bottom half. Returns whether there are any.
    fn turn(
        &mut self,
        afterstates: &Afterstates,
        top: usize,
        halves: &Halves,
        mirror: &mut Mirror,
    ) -> bool {
        let mut any = 0;
        let bottom = afterstates.weight - top;
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let quads = &halves.quads;
        let mut mirrored = Vec::new();
        for (slot, &position) in rows.open.iter().enumerate() {
            let half = rows.class.half(position).expect("a slot has a half");
            if !half.inward() {
                continue;
            }
            let (left, right) = half.quads();
            if right.full() {
                let image = halves.position(half.mirrored());
                mirrored.push((rows.slots[image as usize] as usize, slot));
                continue;
            }
            let (left, right) = (left.transposed(), right.transposed());
            let to = self.rows.row_mut(slot);
            for lower_right in 0..=bottom {
                let lower_left = bottom - lower_right;
                let fields = quads.full(lower_right);
                let bits = quads.full(lower_left).len() as u32;
                let from = lower_right + right.weight();
                if fields.is_empty() || bits == 0 || afterstates.none(from) {
                    continue;
                }
                let from_bottom = afterstates.weight - from;
                let first_row = halves.block(from, right);
                let at = halves.block(from_bottom, left);
                let matrix = &afterstates.moved[from];
                let mut to_bit = halves.block(bottom, fields[0]);
                for &field in fields {
                    let row = first_row as usize + quads.place(field.transposed());
                    let field = quads.transposed(lower_left, matrix.field(row, at, bits));
                    any |= field;
                    put(to, to_bit, bits, field);
                    to_bit += bits;
                }
            }
        }
        let both = columns.class.both();
        for rows in mirrored.chunks(LINE) {
            mirror.load(rows.len(), both.len(), |at| &self.rows.row(rows[at].0)[both.clone()]);
            mirror.store(&columns.mirrored, |at, line, bits| {
                self.rows.row_mut(rows[at].1)[both.start + line] = bits;
            });
        }
        any != 0
    }
}

/// OR a field of up to 64 bits into a row.
#[inline]
fn put(row: &mut [Line], at: u32, bits: u32, field: u64) {
    let (word, shift) = (at as usize / 64, at % 64);
    row[word / 8].0[word % 8] |= field << shift;
    if shift + bits > 64 {
        row[(word + 1) / 8].0[(word + 1) % 8] |= field >> (64 - shift);
    }
}

/// Puts the bits of rows in another order: a permutation of columns is one of rows, between two
/// transpositions.
#[derive(Default)]
pub(crate) struct Mirror {
    /// For each column a line: the bits of up to 512 rows.
    columns: Vec<Line>,
    rows: usize,
    width: usize,
}

impl Mirror {
    /// Take up to 512 rows of `width` lines.
    fn load<'a>(&mut self, rows: usize, width: usize, row: impl Fn(usize) -> &'a [Line]) {
        (self.rows, self.width) = (rows, width);
        self.columns.resize(width * LINE, Line::ZERO);
        let mut tile = [Line::ZERO; 64];
        for first in (0..rows).step_by(64) {
            let word = first / 64;
            for line in 0..width {
                for (at, to) in tile.iter_mut().enumerate() {
                    *to = if first + at < rows { row(first + at)[line] } else { Line::ZERO };
                }
                transpose(&mut tile);
                for (column, from) in tile.iter().enumerate() {
                    for (lane, &bits) in from.0.iter().enumerate() {
                        self.columns[line * LINE + lane * 64 + column].0[word] = bits;
                    }
                }
            }
        }
    }

    /// Give the rows back, line by line, with the bit that was at `order[position]` at each
    /// position.
    fn store(&self, order: &[u32], mut line_of_row: impl FnMut(usize, usize, Line)) {
        let mut tile = [Line::ZERO; 64];
        for first in (0..self.rows).step_by(64) {
            let word = first / 64;
            for line in 0..self.width {
                for (column, to) in tile.iter_mut().enumerate() {
                    for (lane, bits) in to.0.iter_mut().enumerate() {
                        let from = order[line * LINE + lane * 64 + column];
                        *bits = self.columns[from as usize].0[word];
                    }
                }
                transpose(&mut tile);
                for at in 0..64.min(self.rows - first) {
                    line_of_row(first + at, line, tile[at]);
                }
            }
        }
    }
}
