//! The quarter turn: moves down, derived from moves to the left.
//!
//! Key idea: a turn copies fields of bits (see `field`). A board moved to the left has the quads
//! `a b` on top and `c d` below. Turned, it has `b d` on top and `a c` below, each quad transposed,
//! and it is moved down. For given `a`, `b` and `d`, all full quads `c` are a field in the row of
//! `a b`, and also in the turned row of `b d`. If `a` is full, too, then the fields of all `a`
//! follow each other in the turned row.
//!
//! Boards in which `a` or `c` is not full are rare. They have a column with at most one tile, so
//! the top half is hollow and the bottom half short.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::ops::Range;

use super::afterstates::{Afterstates, DownRow};
use super::class::ColumnRange;
use super::field::{FieldWriter, Transposer, expand, set_field, word};
use super::half::Quad;
use super::halves::{Halves, Quads};
use super::kernels::{BitLine, LINE, bit, set, words_mut};
use super::matrix::{Matrices, NewMatrix, lock};
use super::packed_matrix::PackedMatrix;
use rayon::prelude::*;

use crate::engine::pipeline::ranges;
use crate::engine::workers::{Done, Workers};
use crate::error::Result;

/// The afterstates of moves down of one sum, packed, by weight of the top half.
#[derive(Default)]
pub(crate) struct Turned {
    /// Half the sum.
    weight: usize,
    /// The weights of the top halves whose matrices are there.
    tops: BTreeSet<usize>,
    /// Boards with a full bottom half. Rows are `AfterstateRows::down`, columns are `both`.
    pub(crate) on_full: Vec<PackedMatrix>,
    /// Boards with a short bottom half. Rows are hollow halves, columns are compact rows of short
    /// halves.
    pub(crate) on_short: Vec<PackedMatrix>,
}

impl Turned {
    /// The most bytes for a top half of some weight.
    pub(crate) fn most_bytes(weight: usize, top: usize, halves: &Halves) -> u64 {
        let shapes = shapes(weight, top, halves);
        let [full, short] = shapes.map(|(rows, lines)| rows * lines * size_of::<BitLine>());
        most_packed(full as u64, short as u64)
    }

    /// Bytes of all matrices.
    pub(crate) fn bytes(&self) -> u64 {
        let all = self.on_full.iter().chain(&self.on_short);
        all.map(|packed| packed.bytes().len() as u64).sum()
    }

    /// Derive the boards with top halves of the weights `tops` from moves to the left, unless they
    /// are there. Other boards are dropped.
    pub(crate) fn make(
        &mut self,
        afterstates: &Afterstates,
        tops: &BTreeSet<usize>,
        scratch: &mut TurnScratch,
        halves: &Halves,
        workers: &Workers,
    ) -> Result<()> {
        let weight = afterstates.weight;
        if self.weight != weight {
            *self = Self {
                weight,
                ..Self::default()
            };
        }
        self.tops.retain(|top| tops.contains(top));
        for packed in [&mut self.on_full, &mut self.on_short] {
            packed.resize_with(weight + 1, PackedMatrix::default);
            for (top, packed) in packed.iter_mut().enumerate() {
                if !tops.contains(&top) {
                    *packed = PackedMatrix::default();
                }
            }
        }
        let mut missing = halves.largest_first(weight);
        missing.retain(|top| tops.contains(top) && !self.tops.contains(top));
        let most = scratch.most / size_of::<BitLine>();
        let in_batches = |tops: Vec<usize>, lines: &dyn Fn(usize) -> usize| {
            let sizes: Vec<usize> = tops.iter().map(|&top| lines(top)).collect();
            let batches = ranges(&sizes, most).into_iter();
            batches
                .map(|range| tops[range].to_vec())
                .collect::<Vec<_>>()
        };
        // Neighbouring sources have neighbouring fields.
        let sources = halves.tops(weight);
        let sources = sources.filter(|&top| afterstates.moved[top].has_bits());
        let sources = in_batches(sources.collect(), &|top| {
            let (rows, width) = afterstates.shape(top, halves);
            rows * width
        });
        let missing = in_batches(missing, &|top| {
            let [full, short] = shapes(weight, top, halves);
            full.0 * full.1 + short.0 * short.1
        });
        let TurnScratch {
            moved, full, short, ..
        } = scratch;
        for tops in &missing {
            for (matrices, kind) in [(&mut *full, 0), (&mut *short, 1)] {
                let shape = |top| match tops.contains(&top) {
                    true => shapes(weight, top, halves)[kind],
                    false => (0, 0),
                };
                matrices.lay_out((0..=weight).map(shape))?;
            }
            for sources in &sources {
                unpack(afterstates, sources, moved, halves, workers)?;
                let turning = Turning {
                    weight,
                    moved,
                    halves,
                };
                let turned = full.fill(|full| {
                    short.fill(|short| {
                        workers.each(tops, |_, &top| {
                            turning.on_full(top, &mut lock(&full[top]));
                            turning.on_short(top, &mut lock(&short[top]));
                            Ok(Done)
                        })
                    })
                });
                let Done = turned?;
            }
            let packed = tops
                .par_iter()
                .map(|&top| Ok((top, full.pack(top)?, short.pack(top)?)));
            for (top, full, short) in packed.collect::<Result<Vec<_>>>()? {
                (self.on_full[top], self.on_short[top]) = (full, short);
                self.tops.insert(top);
            }
        }
        Ok(())
    }
}

/// The most bytes of the packed matrices of moves down, given their bytes before. Measured: 0.68 of
/// the bytes onto full halves, and a ninth of the bytes onto short halves.
pub(crate) fn most_packed(full: u64, short: u64) -> u64 {
    full / 10 * 7 + short / 8
}

/// The shapes of the matrices of moves down, onto a full and onto a short bottom half, for boards of
/// weight `weight` and their top halves of weight `top`.
pub(crate) fn shapes(weight: usize, top: usize, halves: &Halves) -> [(usize, usize); 2] {
    let (rows, columns) = (&halves.tables[top], &halves.tables[weight - top]);
    let both = columns.class.lines_of(ColumnRange::BOTH);
    [
        (rows.afterstates.down.len(), both.len()),
        (rows.class.hollow.positions.len(), columns.class.short.lines),
    ]
}

/// Memory for a turn, which goes batch by batch.
pub(crate) struct TurnScratch {
    /// Afterstates of moves to the left, unpacked.
    moved: Matrices,
    /// Moves down, not yet packed.
    full: Matrices,
    short: Matrices,
    /// Most bytes of a batch of moves to the left, and of a batch of moves down, if it has more than
    /// one matrix.
    most: usize,
}

impl TurnScratch {
    /// Memory of `bytes` bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            moved: Matrices::default(),
            full: Matrices::default(),
            short: Matrices::default(),
            most: bytes as usize / 2,
        }
    }
}

/// Unpack the matrices of the top halves of some weights, and no others.
fn unpack(
    afterstates: &Afterstates,
    tops: &[usize],
    moved: &mut Matrices,
    halves: &Halves,
    workers: &Workers,
) -> Result<()> {
    let shapes = (0..=afterstates.weight).map(|top| match tops.contains(&top) {
        true => afterstates.shape(top, halves),
        false => (0, 0),
    });
    moved.lay_out(shapes)?;
    let unpacked = moved.fill(|moved| {
        workers.each(tops, |_, &top| {
            let mut to = lock(&moved[top]);
            to.has_bits = true;
            to.matrix.clear();
            let shape = afterstates.shape(top, halves);
            afterstates.moved[top].for_each_row(shape, &mut Vec::new(), |number, row| {
                to.matrix.row_mut(number).copy_from_slice(row);
            });
            Ok(Done)
        })
    });
    unpacked.map(|Done| ())
}

/// A turn of some matrices.
struct Turning<'a> {
    /// Half the sum.
    weight: usize,
    moved: &'a Matrices,
    halves: &'a Halves,
}

impl Turning<'_> {
    /// Turn the boards that get a full bottom half and a top half of weight `top` whose right quad
    /// is not full. The rows are `AfterstateRows::down`.
    fn on_full(&self, top: usize, down: &mut NewMatrix) {
        let (halves, bottom) = (self.halves, self.weight - top);
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let quads = &halves.quads;
        let fields: Vec<TurnedFields> = (0..=bottom)
            .filter_map(|right| TurnedFields::new(right, bottom - right, quads))
            .collect();
        let has_source = |row: &DownRow| {
            let right = quads.weight(row.right);
            fields
                .iter()
                .any(|fields| self.moved.has_bits(fields.right + right))
        };
        if !rows.afterstates.down.iter().any(has_source) {
            return;
        }
        if !down.has_bits {
            down.matrix.clear();
        }
        let mut any = 0;
        let mut to = down.matrix.rows_mut();
        let (mut sources_of_lefts, mut rows_of_field) = (Vec::new(), Vec::new());
        let (mut lines, mut words) = (Vec::new(), Vec::new());
        // Rows with one right quad have their fields side by side in common source rows.
        for down_rows in rows.afterstates.down.chunk_by(|a, b| a.right == b.right) {
            let right = down_rows[0].right;
            // Full halves come last in `both`.
            let begin = columns.class.both_with_gap as u32;
            let rows = to.by_ref().take(down_rows.len());
            let mut writers: Vec<FieldWriter> = rows
                .map(|row| FieldWriter::new(words_mut(row), begin))
                .collect();
            let mut skipped = 0;
            for fields in &fields {
                let from = fields.right + quads.weight(right);
                if !self.moved.has_bits(from) {
                    skipped += fields.count * fields.transposer.bits;
                    continue;
                }
                for writer in writers.iter_mut().filter(|_| skipped > 0) {
                    writer.skip(skipped);
                }
                skipped = 0;
                let lefts = down_rows.iter().map(|row| row.left);
                let sources = lefts.map(|left| halves.field(self.weight - from, left));
                sources_of_lefts.clear();
                sources_of_lefts.extend(sources);
                let moved = self.moved.of(from);
                let (bytes, width) = moved.bytes();
                // In `left` the position of a half is its row.
                let (first_row, [there, _]) = halves.field(from, right);
                let row = |number: usize| {
                    let before = (there.bits & ((1 << number) - 1)).count_ones();
                    let row = first_row + before;
                    (there.bits >> number & 1 != 0).then_some(row as usize * width)
                };
                rows_of_field.clear();
                rows_of_field.extend(fields.rows.iter().cloned().flatten().map(row));
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
                let fields_of_lefts = words.chunks_exact_mut(count);
                for ((words, writer), (first, [there, _])) in
                    fields_of_lefts.zip(&mut writers).zip(&sources_of_lefts)
                {
                    expand(words, first % 8, there, fields.transposer);
                    for &field in &*words {
                        any |= field;
                        writer.put(field, fields.transposer.bits);
                    }
                }
            }
            writers.into_iter().for_each(FieldWriter::finish);
        }
        down.has_bits |= any != 0;
    }

    /// Turn the boards that get a short bottom half and a hollow top half of weight `top`. Each
    /// hollow half has a compact row of short halves.
    fn on_short(&self, top: usize, down: &mut NewMatrix) {
        let (halves, sum, bottom) = (self.halves, self.weight, self.weight - top);
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let quads = &halves.quads;
        if !down.has_bits {
            down.matrix.clear();
        }
        let mut any = false;
        for (row, &position) in rows.class.hollow.positions.iter().enumerate() {
            let (b, d) = rows.class.half(position).quads();
            let to = down.matrix.row_mut(row);
            // The row of a board moved to the left, by its top quads; `None` if it has no bits.
            let source = |a: Quad, b: Quad| {
                let from = quads.weight(a) + quads.weight(b);
                if !self.moved.has_bits(from) {
                    return None;
                }
                let class = &halves.tables[from].class;
                class
                    .moved_row(halves.position_of(a, b))
                    .map(|row| (from, row))
            };
            // One bottom quad is full: the right quad, or the left quad of the flipped board.
            for (b, d, flipped) in [(b, d, false), (d, b, true)] {
                for (weight, under) in halves.under(b).iter().enumerate().take(bottom + 1) {
                    let full = quads.full(bottom - weight);
                    if full.is_empty() {
                        continue;
                    }
                    let transposer = quads.transposer(bottom - weight);
                    for &a in under {
                        let Some((from, row)) = source(a, b.transposed()) else {
                            continue;
                        };
                        let (at, [there, _]) = halves.field(sum - from, d.transposed());
                        if there.bits == 0 {
                            continue;
                        }
                        let moved = self.moved.of(from);
                        let (bytes, width) = moved.bytes();
                        let mut field = [word(bytes, row * width + at as usize / 8)];
                        expand(&mut field, at % 8, there, transposer);
                        if field == [0] {
                            continue;
                        }
                        any = true;
                        let short = a.transposed();
                        for there in halves.field(bottom, short).1 {
                            let Some(&first) = full.get(there.bits.trailing_zeros() as usize)
                            else {
                                continue;
                            };
                            let first = if flipped {
                                halves.position_of(first, short)
                            } else {
                                halves.position_of(short, first)
                            };
                            let at = columns.class.short.compact(first).expect("a short half");
                            set_field(words_mut(to), at, there.compress(field[0]));
                        }
                    }
                }
            }
            // No bottom quad is full.
            for (weight, under) in halves.under(b).iter().enumerate().take(bottom + 1) {
                let others = halves.under(d).get(bottom - weight);
                for (&a, &c) in under
                    .iter()
                    .flat_map(|a| others.into_iter().flatten().map(move |c| (a, c)))
                {
                    let Some((from, row)) = source(a, b.transposed()) else {
                        continue;
                    };
                    let at = halves.position_of(c, d.transposed());
                    let sources = &halves.tables[sum - from].class;
                    if sources.is_moved_column(at) && bit(self.moved.of(from).row(row), at) {
                        any = true;
                        let position = halves.position_of(a.transposed(), c.transposed());
                        let compact = columns.class.short.compact(position);
                        set(to, compact.expect("a short half"));
                    }
                }
            }
        }
        down.has_bits |= any;
    }
}

/// The full bottom halves with right quads of one weight and left quads of another.
struct TurnedFields {
    /// Weight of the right quads.
    right: usize,
    /// Number of right quads. Each has a field of bits for its left quads.
    count: u32,
    /// The rows that the fields come from, counted from the first row of a right quad.
    rows: [Range<usize>; 3],
    transposer: Transposer,
}

impl TurnedFields {
    fn new(right: usize, left: usize, quads: &Quads) -> Option<Self> {
        let count = quads.full(right).len() as u32;
        (count > 0 && !quads.full(left).is_empty()).then(|| Self {
            right,
            count,
            rows: quads.transposed_numbers(right),
            transposer: quads.transposer(left),
        })
    }
}
