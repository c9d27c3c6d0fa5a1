//! The quarter turn: it copies bits of moves to the left into moves down.
//!
//! Key idea: a turn copies fields of bits (see `field`). A board moved to the left has the quads
//! `a b` on top and `c d` below. After a turn it has `b d` on top and `a c` below, each quad transposed,
//! and it is moved down. For given `a`, `b` and `d`, all full quads `c` are a field in the row of
//! `a b`, and also in the turned row of `b d`. If `a` is full, too, then the fields of all `a`
//! follow each other in the turned row.
//!
//! Boards in which `a` or `c` is not full are rare. They have a column with at most one tile, so
//! the top half is hollow and the bottom half short.

use std::hint::black_box;
use std::ops::Range;

use super::field::{expand, set_field, set_fields, word};
use super::half::Quad;
use super::kernels::{BitLine, LINE, bit, set, words_mut};
use super::matrix::Matrix;
use super::positions::gap;
use super::tables::Halves;

/// A turn of some matrices.
pub(super) struct QuarterTurn<'a> {
    /// Half the sum.
    pub(super) weight: usize,
    /// Moves to the left, by weight of the top half. Some have no lines.
    pub(super) moved: &'a [Matrix],
    pub(super) halves: &'a Halves,
}

impl QuarterTurn<'_> {
    /// The moves to the left with top halves of a weight, if they have lines.
    fn moved(&self, top: usize) -> Option<&Matrix> {
        self.moved.get(top).filter(|moved| moved.has_lines())
    }

    /// Turn the boards that get a full bottom half and a top half of weight `top` whose right quad
    /// is not full. The rows are `AfterstateRows::down`.
    pub(super) fn on_full(&self, top: usize, down: &mut Matrix) {
        let (halves, bottom) = (self.halves, self.weight - top);
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let quads = &halves.positions.quads;
        let mut to = down.rows_mut();
        let (mut sources_of_lefts, mut rows_of_field) = (Vec::new(), Vec::new());
        let (mut lines, mut words) = (Vec::new(), Vec::new());
        // The right quads of the bottom half have one weight. Each has a field of left quads. Full halves
        // come last in `both`.
        let mut end = columns.class.both_with_gap as u32;
        let fields = quads.weights(bottom).iter().map(|&weight| {
            let (fields, transposer) = (quads.full(weight), quads.transposer(bottom - weight));
            let begin = end;
            end += fields.len() as u32 * transposer.bits;
            (weight, begin..end, transposer)
        });
        let fields: Vec<_> = fields.filter(|(_, bits, _)| !bits.is_empty()).collect();
        // Rows with one right quad have their fields side by side in common source rows.
        for down_rows in rows.afterstates.down.chunk_by(|a, b| a.right == b.right) {
            let right = down_rows[0].right;
            let rows = to.by_ref().take(down_rows.len());
            let mut rows: Vec<&mut [u64]> = rows.map(words_mut).collect();
            for &(weight, Range { start: begin, .. }, transposer) in &fields {
                let from = weight + quads.weight(right);
                let Some(moved) = self.moved(from) else {
                    continue;
                };
                let lefts = down_rows.iter().map(|row| row.left);
                let sources = lefts.map(|left| halves.positions.field(self.weight - from, left));
                sources_of_lefts.clear();
                sources_of_lefts.extend(sources);
                let (bytes, width) = moved.bytes();
                // In `left` the position of a half is its row.
                let (first_row, [there, _]) = halves.positions.field(from, right);
                let row = |number: usize| {
                    let before = (there.bits & ((1 << number) - 1)).count_ones();
                    let row = first_row + before;
                    (there.bits >> number & 1 != 0).then_some(row as usize * width)
                };
                rows_of_field.clear();
                rows_of_field.extend(
                    quads
                        .transposed_numbers(weight)
                        .into_iter()
                        .flatten()
                        .map(row),
                );
                // Rows lie far apart. A byte of each line is read first, so that memory delivers
                // many lines at a time.
                lines.clear();
                let first = sources_of_lefts.iter().map(|&(first, _)| first as usize);
                lines.extend(first.map(|first| first / LINE * size_of::<BitLine>()));
                lines.dedup();
                let seen = |row| lines.iter().fold(0, |seen, &line| seen | bytes[row + line]);
                let there = rows_of_field.iter().flatten();
                black_box(there.fold(0, |all, &row| all | seen(row)));
                let count = rows_of_field.len();
                words.resize(count * down_rows.len(), 0);
                for (number, row) in rows_of_field.iter().enumerate() {
                    let to = words[number..].iter_mut().step_by(count);
                    for (to, &(first, _)) in to.zip(&sources_of_lefts) {
                        *to = row.map_or(0, |row| word(bytes, row + first as usize / 8));
                    }
                }
                let fields_of_lefts = words.chunks_exact_mut(count).zip(&sources_of_lefts);
                for ((words, (first, [there, _])), row) in fields_of_lefts.zip(&mut rows) {
                    expand(words, first % 8, there, transposer);
                    set_fields(row, begin, words, transposer.bits);
                }
            }
        }
    }

    /// Turn the boards that get a short bottom half and a hollow top half of weight `top`. Each
    /// hollow half has a compact row of short halves.
    pub(super) fn on_short(&self, top: usize, down: &mut Matrix) {
        let (halves, sum, bottom) = (self.halves, self.weight, self.weight - top);
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let (positions, quads) = (&halves.positions, &halves.positions.quads);
        // By gap, and by gaps of two quads: the pairs of weights that some quads under them have.
        let weights = quads.weights(bottom);
        let with_full = positions.under.each_ref().map(|under| {
            let both = |&&weight: &&usize| {
                !under[weight].is_empty() && !quads.full(bottom - weight).is_empty()
            };
            weights.iter().filter(both).collect::<Vec<_>>()
        });
        let with_short = positions.under.each_ref().map(|under| {
            positions.under.each_ref().map(|others| {
                let pairs = weights
                    .iter()
                    .filter_map(|&weight| Some((&under[weight], others.get(bottom - weight)?)));
                let both = |(a, c): &(&Vec<Quad>, &Vec<Quad>)| !a.is_empty() && !c.is_empty();
                pairs.filter(both).collect::<Vec<_>>()
            })
        });
        for (row, &position) in rows.class.hollow.positions.iter().enumerate() {
            let (b, d) = rows.class.half(position).quads();
            let to = down.row_mut(row);
            // The row of a board moved to the left, by its top quads; `None` if it has no bits.
            let source = |a: Quad, b: Quad| {
                let from = quads.weight(a) + quads.weight(b);
                let moved = self.moved(from)?;
                let class = &halves.tables[from].class;
                let row = class.moved_row(positions.of_quads(a, b));
                row.map(|row| (from, moved, row))
            };
            // One bottom quad is full: the right quad, or the left quad of the flipped board.
            for (b, d, flipped) in [(b, d, false), (d, b, true)] {
                for &&weight in &with_full[gap(b)] {
                    let full = quads.full(bottom - weight);
                    let transposer = quads.transposer(bottom - weight);
                    for &a in &positions.under[gap(b)][weight] {
                        let Some((from, moved, row)) = source(a, b.transposed()) else {
                            continue;
                        };
                        let (at, [there, _]) = positions.field(sum - from, d.transposed());
                        if there.bits == 0 {
                            continue;
                        }
                        let (bytes, width) = moved.bytes();
                        let mut field = [word(bytes, row * width + at as usize / 8)];
                        expand(&mut field, at % 8, there, transposer);
                        if field == [0] {
                            continue;
                        }
                        let short = a.transposed();
                        for there in positions.field(bottom, short).1 {
                            let Some(&first) = full.get(there.bits.trailing_zeros() as usize)
                            else {
                                continue;
                            };
                            let first = if flipped {
                                positions.of_quads(first, short)
                            } else {
                                positions.of_quads(short, first)
                            };
                            let at = columns.class.short.compact(first).expect("a short half");
                            set_field(words_mut(to), at, there.compress(field[0]));
                        }
                    }
                }
            }
            // No bottom quad is full.
            for (under, others) in &with_short[gap(b)][gap(d)] {
                let pairs = under
                    .iter()
                    .flat_map(|a| others.iter().map(move |c| (a, c)));
                for (&a, &c) in pairs {
                    let Some((from, moved, row)) = source(a, b.transposed()) else {
                        continue;
                    };
                    let at = positions.of_quads(c, d.transposed());
                    let sources = &halves.tables[sum - from].class;
                    if sources.is_moved_column(at) && bit(moved.row(row), at) {
                        let position = positions.of_quads(a.transposed(), c.transposed());
                        let compact = columns.class.short.compact(position);
                        set(to, compact.expect("a short half"));
                    }
                }
            }
        }
    }
}
