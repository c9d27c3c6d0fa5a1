//! The quarter turn: boards moved down, made of boards moved to the left. Only squares have one.
//!
//! Key idea: a turn copies fields of bits. A board moved to the left has quads `a b` on top and `c d`
//! below; turned, with each quad transposed, it has `b d` on top and `a c` below, moved down. For
//! given `a`, `b` and `d` all full quads `c` are a stretch of bits in the row of `a b`, and in the
//! turned row of `b d` they are one, too. If `a` is full as well, the stretches for all `a` follow
//! each other in the turned row.
//!
//! Where `c` is full and `a` is not, or the other way around, or neither, boards are rare: they have
//! a column with at most one tile, so that the top half is hollow and the bottom half short.

use std::hint::black_box;
use std::mem;
use std::ops::Range;

use super::afterstates::{Afterstates, shapes};
use super::half::Quad;
use super::halves::Halves;
use super::kernels::{BitLine, LINE, bit, set, words_mut};
use super::matrix::Made;
use super::quads::{Quads, Transposer};
use crate::engine::workers::{Done, Workers};
use crate::error::Result;

impl Afterstates {
    /// Complete the afterstates from those moved to the left.
    pub(crate) fn complete(&mut self, halves: &Halves, workers: &Workers) -> Result<()> {
        let weight = self.weight;
        let (mut full, mut short) = (mem::take(&mut self.full), mem::take(&mut self.short));
        full.lay_out(shapes(weight, halves, |rows, columns| {
            (rows.fallen.len(), columns.class.both().len())
        }))?;
        short.lay_out(shapes(weight, halves, |rows, columns| {
            (rows.hollows.len(), columns.class.short.lines())
        }))?;
        let this = &*self;
        let tops = halves.largest_first(weight);
        let turned = full.make(|full| {
            short.make(|short| {
                workers.each(&tops, |_, &top| {
                    turn_full(
                        this,
                        top,
                        halves,
                        &mut full[top].lock().expect("no thread panics"),
                    );
                    turn_short(
                        this,
                        top,
                        halves,
                        &mut short[top].lock().expect("no thread panics"),
                    );
                    Ok(Done)
                })
            })
        });
        (self.full, self.short) = (full, short);
        turned.map(|Done| ())
    }
}

/// The boards moved down that have a full bottom half and a top half of weight `top` of which the
/// right quad is not full, in the order of `Tables::fallen`.
fn turn_full(afterstates: &Afterstates, top: usize, halves: &Halves, fallen: &mut Made) {
    let bottom = afterstates.weight - top;
    let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
    let quads = &halves.quads;
    let blocks: Vec<TurnBlock> = (0..=bottom)
        .filter_map(|right| TurnBlock::new(right, bottom - right, quads))
        .collect();
    let reachable = |&(_, _, right): &(u32, Quad, Quad)| {
        blocks
            .iter()
            .any(|block| afterstates.moved.any(block.right + right.weight()))
    };
    if !rows.fallen.iter().any(reachable) {
        return;
    }
    fallen.matrix.clear();
    let mut any = 0;
    let mut to = fallen.matrix.rows_mut();
    let (mut at, mut lines, mut gathered) = (Vec::new(), Vec::new(), Vec::new());
    // Rows with the same right quad are made of the same rows, side by side.
    for group in rows.fallen.chunk_by(|a, b| a.2 == b.2) {
        let right = group[0].2;
        let begin = columns.class.open() as u32;
        let mut packers: Vec<FieldWriter> = to
            .by_ref()
            .take(group.len())
            .map(|row| FieldWriter::new(words_mut(row), begin))
            .collect();
        for block in &blocks {
            let from = block.right + right.weight();
            if !afterstates.moved.any(from) {
                for packer in &mut packers {
                    packer.skip(block.fields * block.bits);
                }
                continue;
            }
            // In `left` the position of a half is its row.
            let first_row = halves.block(from, right) as usize;
            at.clear();
            at.extend(
                group
                    .iter()
                    .map(|&(_, left, _)| halves.block(afterstates.weight - from, left) as usize),
            );
            let moved = afterstates.moved.of(from);
            let (bytes, width) = moved.bytes();
            // Rows lie far apart. A byte of each line is read first, so that many are on their way
            // from memory at a time.
            let of_block = || block.rows.iter().cloned().flatten();
            let row = |row| &bytes[(first_row + row) * width..];
            lines.clear();
            lines.extend(at.iter().map(|at| at / LINE * size_of::<BitLine>()));
            lines.dedup();
            let seen = |row: &[u8]| lines.iter().fold(0, |seen, &line| seen | row[line]);
            black_box(of_block().fold(0, |all, at| all | seen(row(at))));
            gathered.clear();
            for row in of_block().map(row) {
                gathered.extend(at.iter().map(|at| word(row, at / 8)));
            }
            for (left, (packer, at)) in packers.iter_mut().zip(&at).enumerate() {
                for word in gathered[left..].iter().step_by(group.len()) {
                    let field = block.transposer.transpose(word >> (at % 8));
                    any |= field;
                    packer.put(field, block.bits);
                }
            }
        }
        packers.into_iter().for_each(FieldWriter::finish);
    }
    fallen.any = any != 0;
}

/// The boards moved down that have a hollow top half of weight `top` and a short bottom half: a row
/// for each hollow half, of the windows of the short ones.
fn turn_short(afterstates: &Afterstates, top: usize, halves: &Halves, fallen: &mut Made) {
    let (sum, bottom) = (afterstates.weight, afterstates.weight - top);
    let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
    let quads = &halves.quads;
    let transposers: Vec<_> = (0..=quads.most().min(bottom))
        .map(|weight| quads.transposer(weight))
        .collect();
    fallen.matrix.clear();
    let mut any = false;
    for (row, &position) in rows.hollows.iter().enumerate() {
        let half = rows.class.half(position).expect("a hollow half");
        let (b, d) = half.quads();
        let to = fallen.matrix.row_mut(row);
        // The row of a board moved to the left, by its top quads; none if there are no such boards.
        let source = |a: Quad, b: Quad| {
            let from = halves.quad_weight(a) + halves.quad_weight(b);
            if !afterstates.moved.any(from) {
                return None;
            }
            let row = halves.tables[from].class.row(halves.position_of(a, b));
            Some((from, row.expect("it is not full, and moved to the left")))
        };
        // One bottom quad is full: on the right, or after a flip of the board on the left.
        for (b, d, flipped) in [(b, d, false), (d, b, true)] {
            for (weight, under) in halves.under(b).iter().enumerate().take(bottom + 1) {
                let Some(transposer) = transposers.get(bottom - weight).filter(|t| t.bits() > 0)
                else {
                    continue;
                };
                for &a in under {
                    let Some((from, row)) = source(a, b.transposed()) else {
                        continue;
                    };
                    let at = halves.block(sum - from, d.transposed()) as usize;
                    let moved = afterstates.moved.of(from);
                    let (bytes, width) = moved.bytes();
                    let field = transposer.transpose(word(bytes, row * width + at / 8) >> (at % 8));
                    if field != 0 {
                        any = true;
                        let short = a.transposed();
                        let at = if flipped {
                            halves.short_block(bottom, short)
                        } else {
                            halves.short_image_block(bottom, short)
                        };
                        set_field(words_mut(to), at, field);
                    }
                }
            }
        }
        for (weight, under) in halves.under(b).iter().enumerate().take(bottom + 1) {
            let others = halves
                .under(d)
                .get(bottom - weight)
                .map_or(&[][..], Vec::as_slice);
            for (&a, &c) in under
                .iter()
                .flat_map(|a| others.iter().map(move |c| (a, c)))
            {
                let Some((from, row)) = source(a, b.transposed()) else {
                    continue;
                };
                if bit(
                    afterstates.moved.of(from).row(row),
                    halves.position_of(c, d.transposed()),
                ) {
                    any = true;
                    let position = halves.position_of(a.transposed(), c.transposed());
                    set(
                        to,
                        columns.class.short.place(position).expect("a short half"),
                    );
                }
            }
        }
    }
    fallen.any = any;
}

/// Eight bytes as a word.
#[inline]
fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Set the bits of a field of less than 64, which begins at a bit of some words.
#[inline]
fn set_field(words: &mut [u64], at: u32, field: u64) {
    let (word, shift) = (at as usize / 64, at % 64);
    words[word] |= field << shift;
    if shift > 0 && field >> (64 - shift) != 0 {
        words[word + 1] |= field >> (64 - shift);
    }
}

/// The full bottom halves with right quads of one weight, and left quads of another.
struct TurnBlock {
    right: usize,
    /// Number of right quads: each has a field of bits for its left quads.
    fields: u32,
    bits: u32,
    /// Rows that the fields come from, from the first one of a right quad of the row's half.
    rows: [Range<usize>; 3],
    transposer: Transposer,
}

impl TurnBlock {
    fn new(right: usize, left: usize, quads: &Quads) -> Option<Self> {
        let (fields, bits) = (
            quads.full(right).len() as u32,
            quads.full(left).len() as u32,
        );
        (fields > 0 && bits > 0).then(|| Self {
            right,
            fields,
            bits,
            rows: quads.transposed_places(right),
            transposer: quads.transposer(left),
        })
    }
}

/// Appends fields of bits to a row.
struct FieldWriter<'a> {
    words: &'a mut [u64],
    word: usize,
    /// Bits for the next word, and how many there are.
    bits: u64,
    filled: u32,
}

impl<'a> FieldWriter<'a> {
    fn new(words: &'a mut [u64], at: u32) -> Self {
        let (word, filled) = (at as usize / 64, at % 64);
        Self {
            words,
            word,
            bits: 0,
            filled,
        }
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
