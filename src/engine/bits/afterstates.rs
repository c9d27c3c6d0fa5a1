//! The stored afterstates of a layer.
//!
//! Key idea: by symmetry the afterstates of moves to the left determine all others. Every
//! afterstate has an empty cell, so it or its vertical flip has an empty cell in the top half. Only
//! the rows of these top halves are stored. A quarter turn derives the afterstates of moves down
//! (`turn`), and `AfterstateMatrix` derives all others when it is made.

use std::sync::Mutex;

use rayon::prelude::*;

use super::class::{Class, ColumnRange};
use super::half::{Half, at_left};
use super::kernels::set;
use super::matrix::{Matrices, lock};
use super::packed_matrix::PackedMatrix;
use super::tables::Halves;
use crate::engine::frontier::FrontierPart;
use crate::engine::workers::{Done, Workers};
use crate::error::{Error, Result};
use crate::game::images;
use crate::part::{Block, Fingerprint, MatrixFile, StoredMatrix};

/// The afterstates of one sum.
pub(crate) struct Afterstates {
    /// Half the sum.
    pub(crate) weight: usize,
    /// Afterstates of moves to the left with an empty cell in the top half, by weight of the top
    /// half. Rows are moved rows of `Class`, and columns are `left` and `both`.
    pub(crate) moved: Vec<PackedMatrix>,
}

impl Afterstates {
    /// No afterstates.
    pub(crate) fn new(weight: usize) -> Self {
        Self {
            weight,
            moved: (0..=weight).map(|_| PackedMatrix::default()).collect(),
        }
    }

    /// The numbers of rows, and of lines of a row, of a matrix.
    pub(crate) fn shape(&self, top: usize, halves: &Halves) -> (usize, usize) {
        let (rows, columns) = (halves.tables.get(top), halves.tables.get(self.weight - top));
        rows.zip(columns).map_or((0, 0), |(rows, columns)| {
            Self::shape_of(&rows.class, &columns.class)
        })
    }

    /// The numbers of rows, and of lines of a row, given the classes of both halves.
    pub(super) fn shape_of(rows: &Class, columns: &Class) -> (usize, usize) {
        let moved = columns.lines_of(ColumnRange::MOVED_LEFT);
        (rows.moved_rows(), moved.len())
    }

    /// The afterstates of files of matrices. Each file has the matrices of other weights.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] unless each block is the packed form of a matrix of
    /// afterstates of the sum.
    pub(crate) fn read(
        weight: usize,
        files: &[MatrixFile],
        halves: &Halves,
        workers: &Workers,
    ) -> Result<Self> {
        let mut all = Self::new(weight);
        let blocks = |(file, of): (usize, &MatrixFile)| {
            let blocks = 0..of.blocks();
            blocks.map(move |block| (file, block))
        };
        let blocks: Vec<_> = files.iter().enumerate().flat_map(blocks).collect();
        let moved = Mutex::new(Vec::new());
        let fingerprints = Mutex::new(vec![Fingerprint::default(); files.len()]);
        let Done = workers.each(&blocks, |_, &(file, block)| {
            let is_top = |top: &usize| halves.tops(weight).contains(top);
            let shape = |top| Some(top).filter(is_top).map(|top| all.shape(top, halves));
            let fingerprint = files[file].read(block, shape, |stored| {
                let StoredMatrix { top, packed, .. } = stored;
                let shape = (stored.rows, stored.lines);
                let columns = halves.tables[weight - top].class.mask_of_moved_columns();
                let matrix = PackedMatrix::from_bytes(packed, shape, &columns)
                    .transpose()
                    .ok_or("not a packed matrix of afterstates")?;
                moved.lock().expect("no thread panics").push((top, matrix));
                Ok(())
            })?;
            fingerprints.lock().expect("no thread panics")[file] += fingerprint;
            Ok(Done)
        })?;
        let fingerprints = fingerprints.into_inner().expect("no thread panics");
        for (file, expected) in files.iter().zip(fingerprints) {
            let got = file.fingerprint();
            if got != expected {
                return Err(Error::Damaged {
                    path: file.path().to_owned(),
                    what: format!("footer: fingerprint: expected {expected}, got {got}"),
                });
            }
        }
        for (top, matrix) in moved.into_inner().expect("no thread panics") {
            all.moved[top] = matrix?;
        }
        Ok(all)
    }

    /// Give the blocks of the file of the afterstates to `append`, in order. They are compressed at a
    /// zstd level, on all threads.
    pub(crate) fn write(
        &self,
        halves: &Halves,
        level: i32,
        mut append: impl FnMut(&Block) -> Result<()>,
    ) -> Result<()> {
        let with_bits = |top: &usize| self.moved[*top].has_bits();
        let tops: Vec<usize> = (0..=self.weight).filter(with_bits).collect();
        let to_block = |&top: &usize| {
            let (rows, lines) = self.shape(top, halves);
            let matrix = StoredMatrix {
                top,
                rows,
                lines,
                packed: self.moved[top].bytes(),
            };
            matrix.to_block(level)
        };
        for tops in tops.chunks(2 * rayon::current_num_threads()) {
            let blocks: Vec<Result<Block>> = tops.par_iter().map(to_block).collect();
            for block in blocks {
                append(&block?)?;
            }
        }
        Ok(())
    }

    /// Bytes of all packed matrices.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = self.moved.iter().map(|moved| moved.bytes().len() as u64);
        bytes.sum()
    }

    /// Whether there are no afterstates.
    pub(crate) fn is_empty(&self) -> bool {
        !self.moved.iter().any(PackedMatrix::has_bits)
    }

    /// Load the canonical afterstates of sum `2 * weight` from their files, at about 100 ns each.
    ///
    /// All images of an afterstate are afterstates. So `load` sets the bit of every image that has
    /// one, even if no move to the left from a state leads to it. The derived afterstates are equal
    /// either way.
    pub(crate) fn load(
        &mut self,
        weight: usize,
        parts: &[&FrontierPart],
        halves: &Halves,
        workers: &Workers,
    ) -> Result<()> {
        *self = Self::new(weight);
        let mut matrices = Matrices::default();
        matrices.lay_out((0..=weight).map(|top| self.shape(top, halves)))?;
        let blocks: Vec<_> = parts
            .iter()
            .flat_map(|&part| (0..part.blocks()).map(move |block| (part, block)))
            .collect();
        let loaded = matrices.fill(|moved| {
            for new in moved {
                lock(new).matrix.clear();
            }
            workers.each(&blocks, |worker, &(part, block)| {
                worker.boards.clear();
                part.read(block, &mut worker.decoder, &mut worker.boards)?;
                let mut bits: Vec<Vec<(u32, u32)>> = vec![Vec::new(); weight + 1];
                let boards = worker.boards.iter();
                let images = boards.flat_map(|&board| images::<4, 4>(board));
                for (top, bottom) in images.filter(|&image| at_left(image)).map(Half::of_board) {
                    let of_top = halves.positions.weight(top);
                    let [rows, columns] =
                        [of_top, weight - of_top].map(|at| &halves.tables[at].class);
                    let row = rows.moved_row(halves.positions.of(top));
                    let column = halves.positions.of(bottom);
                    if let Some(row) = row.filter(|_| columns.is_moved_column(column)) {
                        bits[of_top].push((row as u32, column));
                    }
                }
                for (new, bits) in moved.iter().zip(bits).filter(|(_, bits)| !bits.is_empty()) {
                    let mut new = lock(new);
                    new.has_bits = true;
                    for (row, at) in bits {
                        set(new.matrix.row_mut(row as usize), at);
                    }
                }
                Ok(Done)
            })
        });
        let Done = loaded?;
        let tops = (0..=weight).into_par_iter();
        self.moved = tops.map(|top| matrices.pack(top)).collect::<Result<_>>()?;
        Ok(())
    }
}
