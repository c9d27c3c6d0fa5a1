//! All afterstates of one sum whose top half has one weight and an empty cell.
//!
//! The matrix is derived from `Afterstates` and their moves down:
//!
//! - Moves to the left: the stored rows.
//! - Moves to the right: the rows of the mirrored top halves. Their bits of `left` go to `right`,
//!   and their bits of `both` are mirrored.
//! - Moves down onto a full bottom half: the turned rows and their mirror images.
//! - Moves down onto a short bottom half: the turned rows. All have hollow top halves.
//! - Moves up with an empty cell in the top half: the flips of the boards with a hollow top half
//!   and a short bottom half. They have compact rows of their own, because they have few columns.

use std::ops::Range;

use super::afterstates::{Afterstates, shapes_of_moves_down};
use super::class::{ColumnRange, NONE};
use super::count::{count_by_max, find_symmetric};
use super::counts::{BoardCounts, EXPONENTS, add};
use super::half::Half;
use super::kernels::{BitLine, LINE, bit, or};
use super::matrix::{LineMemory, Matrix};
use super::packed_matrix::PackedMatrix;
use super::tables::{Halves, Sides, Tables};
use super::transpose::{transpose_lines, transpose_square};
use crate::error::Result;
use crate::game::orbit;

/// See the module.
#[derive(Default)]
pub(crate) struct AfterstateMatrix {
    slots: Slots,
    /// For each short top half a compact row of hollow bottom halves. No lines if no row has bits.
    short_rows: Matrix,
    /// The boards with a hollow top half and a short bottom half, before they are flipped.
    to_flip: Matrix,
    mirror: Mirror,
    pub(crate) has_bits: bool,
}

/// The rows of all slots. Each has only the lines of its columns.
#[derive(Default)]
struct Slots {
    lines: LineMemory,
    /// For each slot, the first line in memory, and the lines of the columns.
    places: Vec<(usize, Range<usize>)>,
}

impl Slots {
    /// Lay out the rows of a matrix, without bits.
    fn lay_out(&mut self, Sides { rows, columns }: Sides) -> Result<()> {
        self.places.clear();
        let mut at = 0;
        for &range in &rows.afterstates.columns {
            let range = columns.class.lines_of(range);
            self.places.push((at, range.clone()));
            at += range.len();
        }
        self.lines.resize(at)?;
        self.lines.fill(BitLine::ZERO);
        Ok(())
    }

    /// The lines of a row in memory, and its columns.
    fn place(&self, slot: u32) -> (Range<usize>, Range<usize>) {
        let (at, ref columns) = self.places[slot as usize];
        (at..at + columns.len(), columns.clone())
    }

    /// The row of a slot without the columns before `line`.
    fn row_from(&mut self, slot: u32, line: usize) -> &mut [BitLine] {
        let (lines, columns) = self.place(slot);
        &mut self.lines[lines][line - columns.start..]
    }
}

/// Up to 512 rows of the columns `both`, whose mirror images are added together.
///
/// Key idea: a permutation of columns is a permutation of rows between two transpositions.
#[derive(Default)]
struct Mirror {
    /// The slot of each image.
    slots: Vec<u32>,
    /// For each line of the rows a square. Rows that are not taken have undefined bits.
    squares: Vec<BitLine>,
}

impl Mirror {
    /// Take a row, whose image belongs to a slot. Returns whether there are 512 rows.
    fn take(&mut self, row: &[BitLine], slot: u32) -> bool {
        self.squares.resize(row.len() * LINE, BitLine::ZERO);
        let at = self.slots.len();
        for (square, &bits) in self.squares.as_chunks_mut::<LINE>().0.iter_mut().zip(row) {
            square[at] = bits;
        }
        self.slots.push(slot);
        self.slots.len() == LINE
    }

    /// Add the images of the rows that were taken to the rows of their slots.
    fn add_images(&mut self, slots: &mut Slots, columns: &Tables) {
        if self.slots.is_empty() {
            return;
        }
        let both = columns.class.lines_of(ColumnRange::BOTH);
        for square in self.squares.as_chunks_mut().0 {
            transpose_square(square);
        }
        let mut square = [BitLine::ZERO; LINE];
        for line in both.clone() {
            let images = &columns.symmetry.images[line * LINE..][..LINE];
            for (to, &image) in square.iter_mut().zip(images) {
                *to = self.squares[image as usize - both.start * LINE];
            }
            transpose_square(&mut square);
            for (&slot, bits) in self.slots.iter().zip(&square) {
                let to = &mut slots.row_from(slot, line)[0].0;
                to.iter_mut().zip(bits.0).for_each(|(to, bits)| *to |= bits);
            }
        }
        self.slots.clear();
    }
}

impl AfterstateMatrix {
    /// Make the matrix of the top halves of weight `top`. The moves down with these halves must be
    /// there.
    pub(crate) fn make(
        &mut self,
        afterstates: &Afterstates,
        top: usize,
        halves: &Halves,
    ) -> Result<()> {
        self.has_bits = false;
        if !halves.weights.has_top(afterstates.weight, top) {
            return Ok(());
        }
        let bottom = afterstates.weight - top;
        let sides = halves.sides(top, bottom);
        let moved = &afterstates.moved[top];
        let [on_full, on_short] = &afterstates.moves_down[&top];
        let [_, to_flip] = &afterstates.moves_down[&bottom];
        let all = [moved, on_full, on_short, to_flip];
        self.has_bits = all.into_iter().any(PackedMatrix::has_bits);
        if !self.has_bits {
            return Ok(());
        }
        self.slots.lay_out(sides)?;
        if on_full.has_bits() {
            self.add_down_on_full(on_full, sides);
        }
        if moved.has_bits() {
            self.add_moved(moved, sides);
        }
        let [_, shape] = shapes_of_moves_down(sides);
        on_short.for_each_row(shape, |number, row| {
            let position = sides.rows.class.hollow.positions[number];
            let slot = sides.rows.afterstates.slots[position as usize];
            let to = self.slots.row_from(slot, 0);
            for (range, compact) in sides.columns.class.short.ranges.iter().cloned() {
                or(&mut to[range], &row[compact]);
            }
        });
        match to_flip.has_bits() {
            true => self.flip(to_flip, sides),
            false => self.short_rows.reshape(0, 0),
        }
    }

    /// Add moves down onto a full bottom half. These rows are still empty.
    fn add_down_on_full(&mut self, down: &PackedMatrix, sides: Sides) {
        let (rows, columns) = (&sides.rows.afterstates, sides.columns);
        let both = columns.class.lines_of(ColumnRange::BOTH);
        let [shape, _] = shapes_of_moves_down(sides);
        down.for_each_row(shape, |number, row| {
            let to = self.slots.row_from(rows.down[number].slot, both.start);
            to[..both.len()].copy_from_slice(row);
        });
        for &(image, slot) in &rows.mirrored_down {
            let from = self.slots.row_from(image, both.start);
            if self.mirror.take(&from[..both.len()], slot) {
                self.mirror.add_images(&mut self.slots, columns);
            }
        }
        self.mirror.add_images(&mut self.slots, columns);
    }

    /// Add moves to the left and to the right.
    fn add_moved(&mut self, moved: &PackedMatrix, sides: Sides) {
        let (rows, columns) = (&sides.rows.afterstates, sides.columns);
        let [both, right] =
            [ColumnRange::BOTH, ColumnRange::RIGHT].map(|range| columns.class.lines_of(range));
        let shape = Afterstates::shape_of(&sides.rows.class, &columns.class);
        let Self { slots, mirror, .. } = self;
        moved.for_each_row(shape, |row, from| {
            let (slot, image) = rows.moved[row];
            or(slots.row_from(slot, 0), from);
            let to = &mut slots.row_from(image, right.start)[..right.len()];
            or(to, &from[..right.len()]);
            if mirror.take(&from[both.clone()], image) {
                mirror.add_images(slots, columns);
            }
        });
        mirror.add_images(slots, columns);
    }

    /// Make the rows of short top halves: flip the boards with a hollow top half.
    fn flip(&mut self, packed: &PackedMatrix, sides: Sides) -> Result<()> {
        let [_, shape] = shapes_of_moves_down(sides.flipped());
        packed.unpack(shape, &mut self.to_flip)?;
        let boards = &self.to_flip;
        let (short, hollow) = (&sides.rows.class.short, &sides.columns.class.hollow);
        self.short_rows
            .reshape(short.positions.len(), hollow.lines)?;
        self.short_rows.clear();
        let mut square = [BitLine::ZERO; LINE];
        for (across, numbers) in hollow.numbers.chunks(LINE).enumerate() {
            for line in 0..short.lines {
                let from = numbers
                    .iter()
                    .map(|&number| (number != NONE).then(|| &boards.row(number as usize)[line]));
                if !transpose_lines(&mut square, from) {
                    continue;
                }
                let numbers = &short.numbers[line * LINE..][..LINE];
                for (&bits, &number) in square.iter().zip(numbers) {
                    if number != NONE {
                        self.short_rows.row_mut(number as usize)[across] = bits;
                    }
                }
            }
        }
        Ok(())
    }

    /// Make the rows by bottom half of one line of columns.
    pub(crate) fn flip_line(&self, line: usize, rows: &Tables, flipped: &mut Matrix) -> Result<()> {
        flipped.reshape(LINE, rows.class.lines())?;
        flipped.clear();
        let mut square = [BitLine::ZERO; LINE];
        for (across, slots) in rows.afterstates.slots.chunks(LINE).enumerate() {
            let from = slots.iter().map(|&slot| {
                let (lines, columns) = (slot != NONE).then(|| self.slots.place(slot))?;
                let line = line.checked_sub(columns.start)?;
                self.slots.lines[lines].get(line)
            });
            if transpose_lines(&mut square, from) {
                for (column, &bits) in square.iter().enumerate() {
                    flipped.row_mut(column)[across] = bits;
                }
            }
        }
        Ok(())
    }

    /// Add to a row the afterstates with the top half of a slot.
    pub(crate) fn add_slot(&self, slot: u32, row: &mut [BitLine]) {
        let (lines, columns) = self.slots.place(slot);
        or(&mut row[columns], &self.slots.lines[lines]);
    }

    /// Add to a row the afterstates with a short top half and a hollow bottom half.
    pub(crate) fn add_short(&self, number: u32, sides: Sides, row: &mut [BitLine]) {
        if !self.short_rows.has_lines() {
            return;
        }
        let short = self.short_rows.row(number as usize);
        for (range, compact) in sides.columns.class.hollow.ranges.iter().cloned() {
            or(&mut row[range], &short[compact]);
        }
    }

    /// Call `act` with each top half that has bits: its position, the half and its whole row.
    pub(crate) fn for_each_row(
        &self,
        sides: Sides,
        row: &mut Vec<BitLine>,
        mut act: impl FnMut(u32, Half, &[BitLine]) -> Result<()>,
    ) -> Result<()> {
        let Sides { rows, columns } = sides;
        for (position, half) in rows.class.halves() {
            let slot = rows.afterstates.slots[position as usize];
            let short = rows.class.short.number(position);
            if slot == NONE && (short.is_none() || !self.short_rows.has_lines()) {
                continue;
            }
            row.clear();
            row.resize(
                columns.class.lines_of(ColumnRange::MOVED).len(),
                BitLine::ZERO,
            );
            if slot != NONE {
                self.add_slot(slot, row);
            }
            if let Some(number) = short {
                self.add_short(number, sides, row);
            }
            act(position, half, row)?;
        }
        Ok(())
    }

    /// Count the afterstates of the matrix and their vertical flips.
    ///
    /// A board with a full top half is the flip of a board with a full bottom half, so boards with
    /// a full bottom half count twice. Summed over all matrices, top halves have as many empty
    /// cells as bottom halves. So the empty cells of top halves are counted twice, and the empty
    /// cells of bottom halves are not counted.
    pub(crate) fn count(&self, sides: Sides, row: &mut Vec<BitLine>) -> Result<BoardCounts> {
        let mut counts = BoardCounts::default();
        if !self.has_bits {
            return Ok(counts);
        }
        let columns = sides.columns;
        let full = columns.census.full.as_slice();
        self.for_each_row(sides, row, |position, half, row| {
            let max = half.max_exp();
            let empty = half.empty_cells();
            let labeled = count_by_max(row, None, max, columns);
            if labeled == [0; EXPONENTS] {
                return Ok(());
            }
            let labeled_full = count_by_max(row, Some(full), max, columns);
            add(&mut counts.labeled, 1, &labeled);
            add(&mut counts.labeled, 1, &labeled_full);
            add(&mut counts.empty_cells, 2 * empty, &labeled);
            for at in find_symmetric(position, sides, row) {
                let other = columns.class.half(at);
                let more = 8 / orbit::<4, 4>(Half::board(half, other)) - 1;
                if more > 0 {
                    let flips = 1 + u64::from(bit(full, at));
                    let exp = usize::from(max.max(other.max_exp()));
                    counts.symmetries[exp] += flips * more;
                    counts.empty_cells[exp] += flips * more * (empty + other.empty_cells());
                }
            }
            Ok(())
        })?;
        Ok(counts)
    }
}
