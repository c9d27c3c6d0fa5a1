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

use std::mem;
use std::ops::{AddAssign, Range};
use std::sync::Mutex;

use super::census::{self, Counts};
use super::groups::Groups;
use super::half::{Half, Quad};
use super::halves::Halves;
use super::kernels::{LINE, Line, bit, for_ones, or, set, transpose, words_mut};
use super::matrix::Matrix;
use super::pair::Scratch;
use super::quads::{Quads, Transposer};
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::game::orbit;
use crate::per_thread::PerThread;

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
    /// By weight of the top half: those moved down that have a full bottom half; the bits of `both`,
    /// in the order of `Tables::fallen`, then of `Tables::fallen_mirrored`.
    fallen: Vec<Matrix>,
    /// By weight of the top half: whether none was moved to the left.
    none: Vec<bool>,
}

impl Afterstates {
    /// Begin anew with half a sum, in the same memory.
    pub(crate) fn reset(&mut self, weight: usize) {
        self.weight = weight;
        for matrices in [&mut self.moved, &mut self.fallen] {
            matrices.resize_with(weight + 1, Matrix::default);
            matrices.iter_mut().for_each(|matrix| matrix.reset(0, 0));
        }
    }

    /// Whether none was moved to the left with this weight of the top half.
    fn none(&self, top: usize) -> bool {
        self.none.get(top).is_none_or(|&none| none)
    }

    /// Complete the afterstates from those moved to the left.
    pub(crate) fn complete(
        &mut self,
        halves: &Halves,
        workers: &Workers,
        mirrors: &PerThread<Scratch>,
    ) -> Result<()> {
        let most = halves.most();
        let tops: Vec<usize> = (0..=self.weight).collect();
        self.none = self.moved.iter().map(Matrix::is_zero).collect();
        let rare = Mutex::new(vec![Vec::new(); self.moved.len()]);
        let fallen: Vec<Mutex<Matrix>> = mem::take(&mut self.fallen).into_iter().map(Mutex::new).collect();
        let this = &*self;
        let Done = workers.each(&tops, |worker, &top| {
            if top <= most && this.weight - top <= most {
                let mut scratch = mirrors.lock(worker.index);
                let to = &mut fallen[top].lock().expect("no thread panics");
                turn(this, top, halves, &mut scratch.mirror, to);
                let found = this.find_rare(top, halves);
                let mut rare = rare.lock().expect("no thread panics");
                for (top, bit) in found {
                    rare[top].push(bit);
                }
            }
            Ok(Done)
        })?;
        self.rare = rare.into_inner().expect("no thread panics");
        self.fallen = fallen.into_iter().map(|fallen| fallen.into_inner().expect("no thread panics")).collect();
        Ok(())
    }

    /// The boards moved down with a bottom half that is not full, and the same flipped: from the
    /// rows moved to the left with tops of weight `top` of which the left half is not.
    fn find_rare(&self, top: usize, halves: &Halves) -> Vec<(usize, Bit)> {
        let mut found = Vec::new();
        if self.none(top) {
            return found;
        }
        let (rows, columns) = (&halves.tables[top], &halves.tables[self.weight - top]);
        let mut add = |upper: Half, lower: Half| {
            for (upper, lower) in [(upper, lower), (lower, upper)] {
                let top = halves.weight(upper);
                let slot = halves.tables[top].slots[halves.position(upper) as usize];
                found.push((top, (slot, halves.position(lower))));
            }
        };
        for row in rows.class.short_rows() {
            let position = rows.class.position_of_row(row);
            let upper = rows.class.half(position).expect("a row has a half");
            for_ones(self.moved[top].row(row), |bit| {
                let lower = columns.class.half(bit).expect("no bit is set beyond");
                let ((a, b), (c, d)) = (upper.quads(), lower.quads());
                let [a, b, c, d] = [a.transposed(), b.transposed(), c.transposed(), d.transposed()];
                let (upper, lower) = (Half::of_quads(b, d), Half::of_quads(a, c));
                add(upper, lower);
                if c.full() {
                    // The flipped board is in no short row.
                    add(upper.mirrored(), lower.mirrored());
                }
            });
        }
        found
    }
}

/// Nothing to add up.
#[derive(Default)]
struct Done;

impl AddAssign for Done {
    fn add_assign(&mut self, Self: Self) {}
}

/// The boards moved down that have a full bottom half and a top half of weight `top`; empty if there
/// are none.
fn turn(
    afterstates: &Afterstates,
    top: usize,
    halves: &Halves,
    mirror: &mut Mirror,
    fallen: &mut Matrix,
) {
    fallen.reset(0, 0);
    let bottom = afterstates.weight - top;
    let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
    let quads = &halves.quads;
    let blocks: Vec<Block> = (0..=bottom).filter_map(|right| Block::new(right, bottom - right, quads)).collect();
    let reachable = |&(_, _, right): &(u32, Quad, Quad)| {
        blocks.iter().any(|block| !afterstates.none(block.right + right.weight()))
    };
    if !rows.fallen.iter().any(reachable) {
        return;
    }
    let width = columns.class.both().len();
    fallen.reset(rows.fallen.len() + rows.fallen_mirrored.len(), width);
    let mut any = 0;
    for (row, &(_, left, right)) in rows.fallen.iter().enumerate() {
        let right_weight = right.weight();
        let mut to = Packer::new(words_mut(fallen.row_mut(row)), columns.class.open() as u32);
        for block in &blocks {
            let from = block.right + right_weight;
            if afterstates.none(from) {
                to.skip(block.fields * block.bits);
                continue;
            }
            let first_row = halves.block(from, right) as usize;
            let at = halves.block(afterstates.weight - from, left);
            let (bytes, width) = afterstates.moved[from].bytes();
            for rows in block.rows.clone() {
                let mut byte = (first_row + rows.start) * width + at as usize / 8;
                for _ in rows {
                    let word = bytes[byte..byte + 8].try_into().expect("eight bytes");
                    let field = block.transposer.transpose(u64::from_le_bytes(word) >> (at % 8));
                    any |= field;
                    to.put(field, block.bits);
                    byte += width;
                }
            }
        }
        to.finish();
    }
    if any == 0 {
        fallen.reset(0, 0);
        return;
    }
    let mut done = rows.fallen.len();
    for images in rows.fallen_mirrored.chunks(LINE) {
        mirror.load(images.len(), width, |at| fallen.row(images[at].0 as usize));
        mirror.store(&columns.mirrored, |at, line, bits| fallen.row_mut(done + at)[line] = bits);
        done += images.len();
    }
}

/// The full bottom halves with right quads of one weight, and left quads of another.
struct Block {
    right: usize,
    /// Number of right quads: each has a field of bits for its left quads.
    fields: u32,
    bits: u32,
    /// Rows that the fields come from, from the first one of a right quad of the row's half.
    rows: [Range<usize>; 3],
    transposer: Transposer,
}

impl Block {
    fn new(right: usize, left: usize, quads: &Quads) -> Option<Self> {
        let (fields, bits) = (quads.full(right).len() as u32, quads.full(left).len() as u32);
        (fields > 0 && bits > 0).then(|| Self {
            right,
            fields,
            bits,
            rows: quads.transposed_places(right),
            transposer: quads.transposer(left),
        })
    }
}

/// All afterstates with tops of one weight that have an empty cell.
#[derive(Default)]
pub(crate) struct Slab {
    /// A row for each slot: bits of `left`, `both` and `right`.
    pub(crate) rows: Matrix,
    /// The other bits: positions by slot.
    rest: Groups,
    /// The same as pairs, while they are collected.
    bits: Vec<Bit>,
    /// Whether it has no bits at all.
    pub(crate) empty: bool,
}

impl Slab {
    /// The bits of a slot's row that are not in `rows`.
    pub(crate) fn rest(&self, slot: u32) -> &[u32] {
        self.rest.of(slot)
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
        let fallen = &afterstates.fallen[top];
        self.empty = fallen.is_empty() && afterstates.none(top) && afterstates.rare[top].is_empty();
        if self.empty {
            return;
        }
        self.rows.reset(rows.open.len(), columns.class.settled().len());
        if !fallen.is_empty() {
            let direct = rows.fallen.iter().map(|&(slot, ..)| slot);
            let mirrored = rows.fallen_mirrored.iter().map(|&(_, slot)| slot);
            for (row, slot) in direct.chain(mirrored).enumerate() {
                let to = &mut self.rows.row_mut(slot as usize)[both.clone()];
                to.copy_from_slice(fallen.row(row));
            }
        }
        let moved = &afterstates.moved[top];
        for (row, &(slot, image)) in rows.settled.iter().enumerate() {
            let from = moved.row(row);
            or(self.rows.row_mut(slot as usize), from);
            or(&mut self.rows.row_mut(image as usize)[right.clone()], &from[..right.len()]);
        }
        for (batch, rows) in rows.settled.chunks(LINE).enumerate() {
            let first = batch * LINE;
            mirror.load(rows.len(), both.len(), |at| &moved.row(first + at)[both.clone()]);
            mirror.store(&columns.mirrored, |at, line, bits| {
                let line = &mut self.rows.row_mut(rows[at].1 as usize)[both.start + line];
                or(std::slice::from_mut(line), &[bits]);
            });
        }
        self.scatter(&afterstates.rare[top], columns.class.settled().len(), rows.open.len());
    }

    /// Count the afterstates of the slab and those that a vertical flip leads to.
    ///
    /// Whatever has a full top half is the flip of a row's bit with a full bottom half, so these
    /// count twice. Over all slabs top halves have as many empty cells as bottom halves, so those of
    /// the top halves are counted twice instead.
    pub(crate) fn count(&self, weight: usize, top: usize, halves: &Halves) -> Counts {
        let mut counts = Counts::default();
        if self.empty {
            return counts;
        }
        let bottom = weight - top;
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let mut found = Vec::new();
        let full = columns.full.as_slice();
        for (slot, &position) in rows.open.iter().enumerate() {
            let (row, rest) = (self.rows.row(slot), self.rest(slot as u32));
            let max = rows.max[position as usize];
            let half = rows.class.half(position).expect("a slot has a half");
            let empty = half.empty_cells();
            let labeled = census::add_by_max(&mut counts.labeled, 1, row, None, max, columns);
            if labeled > 0 {
                census::add_by_max(&mut counts.labeled, 1, row, Some(full), max, columns);
                census::add_by_max(&mut counts.empty_cells, 2 * empty, row, None, max, columns);
                census::symmetric(position, rows, columns, top == bottom, row, &mut found);
            }
            for &at in rest {
                let exp = usize::from(max.max(columns.max[at as usize]));
                counts.labeled[exp] += 1;
                counts.empty_cells[exp] += 2 * empty;
            }
            for &at in found.iter().chain(rest) {
                let other = columns.class.half(at).expect("a half");
                let more = 8 / orbit::<4, 4>(Half::board(half, other)) - 1;
                if more > 0 {
                    let flips = 1 + u64::from(bit(full, at));
                    let exp = usize::from(max.max(columns.max[at as usize]));
                    counts.states[exp] += flips * more;
                    counts.empty_cells[exp] += flips * more * (empty + other.empty_cells());
                }
            }
            found.clear();
        }
        counts
    }

    /// Set the rare bits: in the rows, or apart.
    fn scatter(&mut self, bits: &[Bit], lines: usize, slots: usize) {
        self.bits.clear();
        for &(slot, position) in bits {
            if (position as usize) < lines * LINE {
                set(self.rows.row_mut(slot as usize), position);
            } else {
                self.bits.push((slot, position));
            }
        }
        self.rest.fill(slots, &self.bits);
    }

}

/// Appends fields of bits to a row.
struct Packer<'a> {
    words: &'a mut [u64],
    word: usize,
    /// Bits for the next word, and how many there are.
    bits: u64,
    filled: u32,
}

impl<'a> Packer<'a> {
    fn new(words: &'a mut [u64], at: u32) -> Self {
        let (word, filled) = (at as usize / 64, at % 64);
        Self { words, word, bits: 0, filled }
    }

    /// Append a field of 1 to 63 bits.
    #[inline]
    fn put(&mut self, field: u64, bits: u32) {
        self.bits |= field << self.filled;
        self.filled += bits;
        if self.filled >= 64 {
            self.words[self.word] |= self.bits;
            self.word += 1;
            self.filled -= 64;
            self.bits = field >> (bits - self.filled);
        }
    }

    /// Append zeros.
    fn skip(&mut self, bits: u32) {
        self.words[self.word] |= self.bits;
        self.bits = 0;
        let at = self.filled + bits;
        self.word += at as usize / 64;
        self.filled = at % 64;
    }

    fn finish(self) {
        if self.bits != 0 {
            self.words[self.word] |= self.bits;
        }
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
