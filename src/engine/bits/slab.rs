//! All afterstates whose top halves have one weight and an empty cell, ready to be spawned into.
//!
//! They are made of what is kept (`Afterstates`):
//!
//! - moved left: the rows as they are;
//! - moved right: the rows of the mirrored tops, their bits of `left` in `right`, and those of
//!   `both` mirrored;
//! - moved down, the bottom half full: what was turned, and its mirror image;
//! - moved down, the bottom half short: what was turned; all these have hollow top halves;
//! - moved up with an empty cell in the top half: the last ones flipped, so the top half is short
//!   and the bottom half hollow. These have rows of their own, for they have few columns.

use std::convert::Infallible;
use std::ops::Range;

use super::afterstates::Afterstates;
use super::census::{self, Counts, EXPONENTS};
use super::class::NONE;
use super::half::Half;
use super::halves::Halves;
use super::kernels::{BitLine, LINE, bit, or, transpose};
use super::lines::LineMemory;
use super::matrix::Matrix;
use super::mirror::Mirror;
use super::tables::Tables;
use crate::error::Result;
use crate::game::orbit;

/// See the module.
#[derive(Default)]
pub(crate) struct Slab {
    lines: LineMemory,
    /// For each slot: which lines are its row, and the columns that these are.
    spans: Vec<SlabRow>,
    /// A row for each short top half: the windows of the hollow ones.
    short: Matrix<LineMemory>,
    any_short: bool,
    /// Whether it has no bits at all.
    pub(crate) empty: bool,
}

/// A row with the lines of its extent only.
#[derive(Clone, Copy)]
struct SlabRow {
    at: usize,
    first: u32,
    lines: u32,
}

impl SlabRow {
    fn kept(self) -> Range<usize> {
        self.at..self.at + self.lines as usize
    }

    fn columns(self) -> Range<usize> {
        self.first as usize..(self.first + self.lines) as usize
    }
}

impl Slab {
    /// Make the slab of tops of weight `top`.
    pub(crate) fn make(
        &mut self,
        afterstates: &Afterstates,
        top: usize,
        halves: &Halves,
        mirror: &mut Mirror,
    ) -> Result<()> {
        self.empty = true;
        if !halves.tops(afterstates.weight).contains(&top) {
            return Ok(());
        }
        let bottom = afterstates.weight - top;
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let Afterstates {
            moved, full, short, ..
        } = afterstates;
        self.empty = !(moved.any(top) || full.any(top) || short.any(top) || short.any(bottom));
        if self.empty {
            return Ok(());
        }
        self.lay_out(rows, columns)?;
        if full.any(top) {
            self.add_fallen(&full.of(top), rows, columns, mirror);
        }
        if moved.any(top) {
            self.add_moved(&moved.of(top), rows, columns, mirror);
        }
        if short.any(top) {
            let short = short.of(top);
            for (number, &position) in rows.hollows.iter().enumerate() {
                let to = self.row_mut(rows.slots[position as usize]);
                for (range, kept) in columns.class.short.ranges() {
                    or(&mut to[range], &short.row(number)[kept]);
                }
            }
        }
        self.any_short = short.any(bottom);
        if self.any_short {
            self.flip(&short.of(bottom), rows, columns)?;
        }
        Ok(())
    }

    /// Lay out empty rows.
    fn lay_out(&mut self, rows: &Tables, columns: &Tables) -> Result<()> {
        self.spans.clear();
        let mut at = 0;
        for &(_, extent) in &rows.open {
            let range = columns.class.lines_of(extent);
            let (first, lines) = (range.start as u32, range.len() as u32);
            self.spans.push(SlabRow { at, first, lines });
            at += range.len();
        }
        self.lines.resize(at)?;
        self.lines.fill(BitLine::ZERO);
        Ok(())
    }

    /// The lines of a slot's row.
    fn row_mut(&mut self, slot: u32) -> &mut [BitLine] {
        &mut self.lines[self.spans[slot as usize].kept()]
    }

    /// The lines of a slot's row from a column line on.
    fn row_from(&mut self, slot: u32, line: usize) -> &mut [BitLine] {
        let first = self.spans[slot as usize].first as usize;
        &mut self.row_mut(slot)[line - first..]
    }

    fn add_fallen(
        &mut self,
        full: &Matrix<&[BitLine]>,
        rows: &Tables,
        columns: &Tables,
        mirror: &mut Mirror,
    ) {
        let both = columns.class.both();
        for (number, &(slot, ..)) in rows.fallen.iter().enumerate() {
            let to = self.row_from(slot, both.start);
            to[..both.len()].copy_from_slice(full.row(number));
        }
        for images in rows.fallen_mirrored.chunks(LINE) {
            mirror.load(images.len(), both.len(), |at| {
                full.row(images[at].0 as usize)
            });
            mirror.store(&columns.mirrored, |at, line, bits| {
                self.row_from(images[at].1, both.start)[line] = bits;
            });
        }
    }

    fn add_moved(
        &mut self,
        moved: &Matrix<&[BitLine]>,
        rows: &Tables,
        columns: &Tables,
        mirror: &mut Mirror,
    ) {
        let (both, right) = (columns.class.both(), columns.class.right());
        for (row, &(slot, image)) in rows.settled.iter().enumerate() {
            let from = moved.row(row);
            or(self.row_mut(slot), from);
            or(
                &mut self.row_from(image, right.start)[..right.len()],
                &from[..right.len()],
            );
        }
        for (batch, rows) in rows.settled.chunks(LINE).enumerate() {
            let first = batch * LINE;
            mirror.load(rows.len(), both.len(), |at| {
                &moved.row(first + at)[both.clone()]
            });
            mirror.store(&columns.mirrored, |at, line, bits| {
                let to = &mut self.row_from(rows[at].1, both.start)[line];
                or(std::slice::from_mut(to), &[bits]);
            });
        }
    }

    /// Make the rows of short top halves from the flipped boards: those with a hollow top half.
    fn flip(
        &mut self,
        flipped: &Matrix<&[BitLine]>,
        rows: &Tables,
        columns: &Tables,
    ) -> Result<()> {
        self.short
            .reshape(rows.shorts.len(), columns.class.hollow.lines())?;
        self.short.clear();
        let mut tile = [BitLine::ZERO; 64];
        for (word, numbers) in columns.hollow_numbers.chunks(64).enumerate() {
            for line in 0..rows.class.short.lines() {
                let mut any = false;
                for (to, &number) in tile.iter_mut().zip(numbers) {
                    *to = if number == NONE {
                        BitLine::ZERO
                    } else {
                        flipped.row(number as usize)[line]
                    };
                    any |= *to != BitLine::ZERO;
                }
                if !any {
                    continue;
                }
                transpose(&mut tile);
                for (lane, numbers) in rows.short_numbers[line * LINE..][..LINE]
                    .chunks(64)
                    .enumerate()
                {
                    for (from, &number) in tile.iter().zip(numbers) {
                        if number != NONE {
                            self.short.row_mut(number as usize)[word / 8].0[word % 8] =
                                from.0[lane];
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Make the rows by bottom half of one line of columns.
    pub(crate) fn flip_line(
        &self,
        line: usize,
        rows: &Tables,
        flipped: &mut Matrix<LineMemory>,
    ) -> Result<()> {
        flipped.reshape(LINE, rows.class.lines())?;
        flipped.clear();
        let mut tile = [BitLine::ZERO; 64];
        for (word, slots) in rows.slots.chunks(64).enumerate() {
            let mut any = false;
            for (to, &slot) in tile.iter_mut().zip(slots) {
                let span = self.spans.get(slot as usize);
                let span = span.filter(|span| span.columns().contains(&line));
                *to = span.map_or(BitLine::ZERO, |span| {
                    self.lines[span.at + line - span.first as usize]
                });
                any |= *to != BitLine::ZERO;
            }
            if !any {
                continue;
            }
            transpose(&mut tile);
            for (column, from) in tile.iter().enumerate() {
                for (lane, &bits) in from.0.iter().enumerate() {
                    flipped.row_mut(64 * lane + column)[word / 8].0[word % 8] = bits;
                }
            }
        }
        Ok(())
    }

    /// Add the afterstates with the top half of a slot to a row.
    pub(crate) fn add_slot(&self, slot: u32, row: &mut [BitLine]) {
        let span = self.spans[slot as usize];
        or(&mut row[span.columns()], &self.lines[span.kept()]);
    }

    /// Add the afterstates with a short top half and a hollow bottom half to a row.
    pub(crate) fn add_short(&self, number: u32, columns: &Tables, row: &mut [BitLine]) {
        if !self.any_short {
            return;
        }
        let short = self.short.row(number as usize);
        for (range, kept) in columns.class.hollow.ranges() {
            or(&mut row[range], &short[kept]);
        }
    }

    /// Go through the top halves that have bits, each with its whole row.
    pub(crate) fn rows<E>(
        &self,
        rows: &Tables,
        columns: &Tables,
        row: &mut Vec<BitLine>,
        mut act: impl FnMut(u32, Half, &[BitLine]) -> Result<(), E>,
    ) -> Result<(), E> {
        for (position, half) in rows.class.halves() {
            let (slot, short) = (rows.slots[position as usize], rows.short_number(position));
            if slot == NONE && (short.is_none() || !self.any_short) {
                continue;
            }
            row.clear();
            row.resize(columns.class.settled().len(), BitLine::ZERO);
            if slot != NONE {
                self.add_slot(slot, row);
            }
            if let Some(number) = short {
                self.add_short(number, columns, row);
            }
            act(position, half, row)?;
        }
        Ok(())
    }

    /// Count the afterstates of the slab and those that a vertical flip leads to.
    ///
    /// Whatever has a full top half is the flip of a row's bit with a full bottom half, so these
    /// count twice. Over all slabs top halves have as many empty cells as bottom halves, so those of
    /// the top halves are counted twice instead.
    pub(crate) fn count(
        &self,
        weight: usize,
        top: usize,
        halves: &Halves,
        row: &mut Vec<BitLine>,
    ) -> Counts {
        let mut counts = Counts::default();
        if self.empty {
            return counts;
        }
        let bottom = weight - top;
        let (rows, columns) = (&halves.tables[top], &halves.tables[bottom]);
        let mut found = Vec::new();
        let full = columns.full.as_slice();
        let Ok(()) = self.rows(rows, columns, row, |position, half, row| {
            let max = rows.max[position as usize];
            let empty = half.empty_cells();
            let labeled = census::by_max(row, None, max, columns);
            if labeled == [0; EXPONENTS] {
                return Ok::<_, Infallible>(());
            }
            census::add(&mut counts.labeled, 1, &labeled);
            census::add(
                &mut counts.labeled,
                1,
                &census::by_max(row, Some(full), max, columns),
            );
            census::add(&mut counts.empty_cells, 2 * empty, &labeled);
            census::find_symmetric(position, rows, columns, top == bottom, row, &mut found);
            for &at in &found {
                let other = columns.class.half(at).expect("a half");
                let more = 8 / orbit::<4, 4>(Half::board(half, other)) - 1;
                if more > 0 {
                    let flips = 1 + u64::from(bit(full, at));
                    let exp = usize::from(max.max(columns.max[at as usize]));
                    counts.symmetries[exp] += flips * more;
                    counts.empty_cells[exp] += flips * more * (empty + other.empty_cells());
                }
            }
            Ok(())
        });
        counts
    }
}
