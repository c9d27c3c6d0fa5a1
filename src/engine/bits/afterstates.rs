//! The stored afterstates of a layer.
//!
//! Key idea: by symmetry the afterstates of moves to the left determine all others. Every
//! afterstate has an empty cell, so it or its vertical flip has an empty cell in the top half. Only
//! the rows of these top halves are stored. A quarter turn derives the afterstates of moves down
//! (`turn`), and `AfterstateMatrix` derives all others when it is made.

use std::collections::BTreeMap;
use std::sync::Mutex;

use rayon::prelude::*;

use super::class::{Class, ColumnRange};
use super::half::{Half, at_left};
use super::kernels::set;
use super::matrix::Matrix;
use super::packed_matrix::PackedMatrix;
use super::tables::{Halves, Sides};
use crate::engine::frontier::FrontierPart;
use crate::engine::workers::{Done, Workers};
use crate::error::{Error, Result};
use crate::game::images;
use crate::part::{Block, Fingerprint, MatrixFile, matrix_block};

/// The afterstates of one sum.
pub(crate) struct Afterstates {
    /// Half the sum.
    pub(crate) weight: usize,
    /// Afterstates of moves to the left with an empty cell in the top half, by weight of the top
    /// half. Rows are moved rows of `Class`, and columns are `left` and `both`.
    pub(crate) moved: Vec<PackedMatrix>,
    /// The afterstates of moves down that were derived, by weight of the top half: boards with a full
    /// bottom half, then boards with a short bottom half. Of the first matrix, the rows are
    /// `AfterstateRows::down` and the columns are `both`. Of the second matrix, the rows are hollow
    /// halves and the columns are compact rows of short halves.
    pub(crate) moves_down: BTreeMap<usize, [PackedMatrix; 2]>,
}

/// The numbers of rows, and of lines of a row, of the two matrices of moves down.
pub(crate) fn shapes_of_moves_down(Sides { rows, columns }: Sides) -> [(usize, usize); 2] {
    let both = columns.class.lines_of(ColumnRange::BOTH);
    [
        (rows.afterstates.down.len(), both.len()),
        (rows.class.hollow.positions.len(), columns.class.short.lines),
    ]
}

impl Afterstates {
    /// No afterstates.
    pub(crate) fn new(weight: usize) -> Self {
        Self {
            weight,
            moved: (0..=weight).map(|_| PackedMatrix::default()).collect(),
            moves_down: BTreeMap::new(),
        }
    }

    /// The numbers of rows, and of lines of a row, of a matrix of moves to the left.
    pub(crate) fn shape(&self, top: usize, halves: &Halves) -> (usize, usize) {
        if !halves.weights.has_top(self.weight, top) {
            return (0, 0);
        }
        let Sides { rows, columns } = halves.sides(top, self.weight - top);
        Self::shape_of(&rows.class, &columns.class)
    }

    /// The numbers of rows, and of lines of a row, given the classes of both halves.
    pub(super) fn shape_of(rows: &Class, columns: &Class) -> (usize, usize) {
        let moved = columns.lines_of(ColumnRange::MOVED_LEFT);
        (rows.moved_rows(), moved.len())
    }

    /// Read a matrix from a file, given the classes of both halves. Returns its fingerprint, too.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] unless the block is the packed form of such a matrix.
    pub(super) fn read_matrix(
        file: &MatrixFile,
        block: usize,
        classes: Option<[&Class; 2]>,
    ) -> Result<(PackedMatrix, Fingerprint)> {
        let shape = classes.map(|[rows, columns]| Self::shape_of(rows, columns));
        let (matrix, fingerprint) = file.read(block, shape, |packed, shape| {
            let columns = classes.map(|[_, columns]| columns.mask_of_moved_columns());
            PackedMatrix::from_bytes(packed, shape, &columns.unwrap_or_default())
                .transpose()
                .ok_or("not a packed matrix of afterstates")
        })?;
        Ok((matrix?, fingerprint))
    }

    /// Read the matrices of a file. Other files may have the matrices of other weights.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] unless each block is the packed form of a matrix of
    /// afterstates of the sum.
    pub(crate) fn read(
        &mut self,
        file: &MatrixFile,
        halves: &Halves,
        workers: &Workers,
    ) -> Result<()> {
        let (weight, moved) = (self.weight, Mutex::new(&mut self.moved));
        let blocks: Vec<usize> = (0..file.blocks()).collect();
        let expected: Fingerprint = workers.each(&blocks, |_, &block| {
            let top = file.first(block) as usize;
            let sides = halves.weights.has_top(weight, top);
            let sides = sides.then(|| halves.sides(top, weight - top));
            let classes = sides.map(|Sides { rows, columns }| [&rows.class, &columns.class]);
            let (matrix, fingerprint) = Self::read_matrix(file, block, classes)?;
            moved.lock().expect("no thread panics")[top] = matrix;
            Ok(fingerprint)
        })?;
        let got = file.fingerprint();
        if got != expected {
            let what = format!("footer: fingerprint: expected {expected}, got {got}");
            return Err(Error::damaged(file.path(), what));
        }
        Ok(())
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
            let shape = self.shape(top, halves);
            matrix_block(top, shape, self.moved[top].bytes(), level)
        };
        for tops in tops.chunks(2 * rayon::current_num_threads()) {
            let blocks: Vec<Result<Block>> = tops.par_iter().map(to_block).collect();
            for block in blocks {
                append(&block?)?;
            }
        }
        Ok(())
    }

    /// Bytes of the moves down that were derived.
    pub(crate) fn bytes_of_moves_down(&self) -> u64 {
        let all = self.moves_down.values().flatten();
        all.map(|packed| packed.bytes().len() as u64).sum()
    }

    /// Whether there are no afterstates.
    pub(crate) fn is_empty(&self) -> bool {
        !self.moved.iter().any(PackedMatrix::has_bits)
    }

    /// Load the canonical afterstates from their files, at about 100 ns each.
    ///
    /// All images of an afterstate are afterstates. So `load` sets the bit of every image that has
    /// one, even if no move to the left from a state leads to it. The derived afterstates are equal
    /// either way.
    pub(crate) fn load(
        &mut self,
        parts: &[&FrontierPart],
        halves: &Halves,
        workers: &Workers,
    ) -> Result<()> {
        let weight = self.weight;
        let matrix = |top| Ok(Mutex::new(Matrix::new(self.shape(top, halves))?));
        let moved: Vec<Mutex<Matrix>> = (0..=weight).map(matrix).collect::<Result<_>>()?;
        let blocks: Vec<_> = parts
            .iter()
            .flat_map(|&part| (0..part.blocks()).map(move |block| (part, block)))
            .collect();
        let Done = workers.each(&blocks, |worker, &(part, block)| {
            let boards = part.read(block, &mut worker.decoder, &mut worker.boards)?;
            let mut bits: Vec<Vec<(u32, u32)>> = vec![Vec::new(); weight + 1];
            let images = boards.iter().flat_map(|&board| images::<4, 4>(board));
            for (top, bottom) in images.filter(|&image| at_left(image)).map(Half::of_board) {
                let of_top = halves.weights.of(&top.cells());
                let Sides { rows, columns } = halves.sides(of_top, weight - of_top);
                let row = rows.class.moved_row(halves.positions.of(top));
                let column = halves.positions.of(bottom);
                if let Some(row) = row.filter(|_| columns.class.is_moved_column(column)) {
                    bits[of_top].push((row as u32, column));
                }
            }
            for (new, bits) in moved.iter().zip(bits).filter(|(_, bits)| !bits.is_empty()) {
                let mut new = new.lock().expect("no thread panics");
                for (row, at) in bits {
                    set(new.row_mut(row as usize), at);
                }
            }
            Ok(Done)
        })?;
        let packed = moved.into_par_iter().map(|moved| {
            let moved = moved.into_inner().expect("no thread panics");
            PackedMatrix::new(moved.rows())
        });
        self.moved = packed.collect::<Result<_>>()?;
        Ok(())
    }
}
