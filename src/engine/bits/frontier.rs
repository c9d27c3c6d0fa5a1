//! The frontier of a sweep, the afterstates of two sums, in files.
//!
//! Key idea: afterstates are read, compared and written in the form in which a sweep holds them,
//! packed matrices. Lists of them are made row by row.

use std::slice;

use super::afterstates::Afterstates;
use super::counts::compare_afterstates;
use super::kernels::{BitLine, LINE, bit};
use super::listing::Listing;
use super::pair::PairScratch;
use super::sweep::Sweep;
use super::tables::Tables;
use crate::counts::Row;
use crate::engine::frontier::Frontier;
use crate::engine::workers::Done;
use crate::error::{Error, Result};
use crate::game::PartKey;
use crate::part::{Block, MatrixFile};
use crate::store::{Run, Store};

impl Sweep<'_> {
    /// Load the afterstates of the last two sums from their files. Matrices are compared with the
    /// table.
    pub(crate) fn load(&mut self, run: &Run) -> Result<()> {
        for back in [0, 1] {
            if let Some(file) = self.load_sealed(back, run)? {
                let sum = 2 * self.before[back].weight as u32;
                self.compare(back, &file, &run.rows(sum))?;
            }
        }
        Ok(())
    }

    /// Load the afterstates of the last sum from the files of a run, or of the sum before it if
    /// `back` is 1. Returns the file of matrices that was read.
    pub(super) fn load_sealed(&mut self, back: usize, run: &Run) -> Result<Option<MatrixFile>> {
        let weight = self.weight - 1 - back;
        let sum = 2 * weight as u32;
        let file = run.matrices(sum)?;
        if let Some(file) = &file {
            self.load_matrices(back, slice::from_ref(file))?;
        } else {
            let frontier = Frontier::open(run)?;
            let parts = frontier.of_sum(sum);
            self.before[back].load(weight, &parts, &self.halves, self.workers)?;
        }
        Ok(file)
    }

    /// Load the afterstates of the last sum from files of matrices, or of the sum before it if
    /// `back` is 1.
    pub(crate) fn load_matrices(&mut self, back: usize, files: &[MatrixFile]) -> Result<()> {
        let weight = self.weight - 1 - back;
        self.before[back] = Afterstates::read(weight, files, &self.halves, self.workers)?;
        Ok(())
    }

    /// Compare the afterstates of the last sum, or of the sum before it if `back` is 1, with the rows of
    /// the table. The afterstates were read from `file`, which an error names.
    pub(crate) fn compare(&mut self, back: usize, file: &MatrixFile, rows: &[Row]) -> Result<()> {
        let counts = self.count_afterstates(back)?;
        let sum = 2 * self.before[back].weight as u32;
        for max in self.game.top().up_to() {
            let row = Row::among(rows, PartKey { sum, max });
            compare_afterstates(&row, &counts).map_err(|error| match error {
                Error::Law { place, law } => Error::Damaged {
                    path: file.path().to_owned(),
                    what: format!("{place}: {law}"),
                },
                other => other,
            })?;
        }
        Ok(())
    }

    /// Write, as matrices, the afterstates of the last `layers` sums before the layer, at most two.
    /// Returns the bytes of their files.
    pub(crate) fn write_before(&self, layers: usize, level: i32, store: &mut Store) -> Result<u64> {
        let before = self.before.iter().take(layers).rev();
        before
            .map(|afterstates| self.write(afterstates, level, store))
            .sum()
    }

    /// Write, as matrices, the afterstates of the counted layer. Returns the bytes of the file.
    pub(crate) fn write_next(&self, level: i32, store: &mut Store) -> Result<u64> {
        self.write(&self.next, level, store)
    }

    /// Give `append` the blocks of the counted layer's afterstates.
    pub(super) fn append_next(
        &self,
        level: i32,
        append: &mut dyn FnMut(&Block) -> Result<()>,
    ) -> Result<()> {
        self.next.write(&self.halves, level, append)
    }

    fn write(&self, afterstates: &Afterstates, level: i32, store: &mut Store) -> Result<u64> {
        if afterstates.is_empty() {
            return Ok(0);
        }
        let sum = 2 * afterstates.weight as u32;
        store.write_matrices(sum, |append| afterstates.write(&self.halves, level, append))
    }

    /// Bytes of the packed afterstates of the layer that was counted, and of the sum before it.
    pub(crate) fn packed_bytes(&self) -> [u64; 2] {
        [&self.next, &self.before[0]].map(Afterstates::bytes)
    }

    /// List the canonical afterstates of the last sum, or of the sum before it if `back` is 1. Calls
    /// `report` now and then.
    pub(crate) fn list_afterstates(
        &mut self,
        back: usize,
        listing: &Listing,
        report: &mut (dyn FnMut() + Send),
    ) -> Result<()> {
        let list = |this: &Self, top: usize, scratch: &mut PairScratch| {
            this.list(back, top, listing, scratch).map(|()| Done)
        };
        let Done = self.visit_afterstates(back, list, report)?;
        Ok(())
    }

    /// List the canonical afterstates with a top half of weight `top` that has an empty cell, given
    /// their matrix. Also list their flips with a full top half.
    fn list(
        &self,
        back: usize,
        top: usize,
        listing: &Listing,
        scratch: &mut PairScratch,
    ) -> Result<()> {
        let afterstates = &self.before[back];
        let PairScratch { row, flipped, .. } = scratch;
        let matrix = &scratch.matrices[0];
        if !matrix.has_bits {
            return Ok(());
        }
        let tables = &self.halves.tables;
        let (rows, columns) = (&tables[top], &tables[afterstates.weight - top]);
        let mut list = |rows: &Tables, position, row: &[BitLine], columns| {
            let (canonical, lister) = (&mut scratch.canonical, &mut scratch.lister);
            let half = rows.class.half(position);
            let exponents = rows.census.exponents(position);
            canonical.find(half, row, columns, false, |_, bottoms| {
                lister.add(exponents.clone(), bottoms);
            });
            listing.add(half, lister)
        };
        matrix.for_each_row(rows, columns, row, |position, _, row| {
            list(rows, position, row, columns)
        })?;
        for line in columns.class.full_lines() {
            matrix.flip_line(line, rows, flipped)?;
            for at in 0..LINE {
                let position = (line * LINE + at) as u32;
                if bit(&columns.census.full, position) {
                    list(columns, position, flipped.row(at), rows)?;
                }
            }
        }
        Ok(())
    }
}
