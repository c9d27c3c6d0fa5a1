//! The matrices of a layer as a file: a block for each weight of the top half.

use zstd::zstd_safe::compress_bound;

use super::block::{Block, PREFIX};
use super::bytes::u32_at;
use super::compression::{Compressor, Decompressor};
use super::fingerprint::{Fingerprint, mix};
use super::segments::MatrixFile;
use crate::error::Result;

/// The version of the order of rows and columns.
const ORDER: u32 = 1;

/// Bytes before the packed rows of a matrix.
const SHAPE: usize = 12;

/// Most bytes of a packed line.
pub(crate) const LINE_AT_MOST: usize = 1 + 8 * (1 + 8);

/// A packed matrix of the afterstates with one weight of the top half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredMatrix<'a> {
    /// The weight of the top half.
    pub(crate) top: usize,
    pub(crate) rows: usize,
    /// Lines of 512 bits in a row.
    pub(crate) lines: usize,
    /// The packed rows; see `packed_matrix`.
    pub(crate) packed: &'a [u8],
}

impl StoredMatrix<'_> {
    /// The block of the matrix, compressed at a zstd level from 1 to 22.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`](crate::Error::Zstd) if zstd has too little memory.
    pub(crate) fn to_block(self, level: i32) -> Result<Block> {
        let mut block = Block::default();
        block.bytes.resize(PREFIX, 0);
        for number in [ORDER, self.rows as u32, self.lines as u32] {
            block.bytes.extend(number.to_le_bytes());
        }
        let top = self.top as u64;
        let fingerprint = fingerprint_of(top, &block.bytes[PREFIX..], self.packed);
        let mut frame = Vec::with_capacity(compress_bound(self.packed.len()));
        Compressor::new(level)?.compress(self.packed, &mut frame)?;
        block.bytes.extend(frame);
        block.seal(&[top], fingerprint);
        Ok(block)
    }
}

/// The fingerprint of a matrix.
fn fingerprint_of(top: u64, shape: &[u8], packed: &[u8]) -> Fingerprint {
    let mut crc = crc32fast::Hasher::new();
    crc.update(shape);
    crc.update(packed);
    Fingerprint(mix(top << 32 | u64::from(crc.finalize())))
}

impl MatrixFile {
    /// A block as it is stored, for another file. The first block has the fingerprint of the whole file,
    /// the other blocks have none.
    pub(crate) fn stored(&self, number: usize) -> Result<Block> {
        let mut block = Block::default();
        self.decode(number, |payload| {
            block.bytes.resize(PREFIX, 0);
            block.bytes.extend(payload.bytes);
            let fingerprint = match number {
                0 => self.fingerprint(),
                _ => Fingerprint::default(),
            };
            block.seal(&[payload.first], fingerprint);
            Ok(())
        })?;
        Ok(block)
    }

    /// Give a matrix to `read`, which may describe its damage. `shape` tells the numbers of rows, and
    /// of lines of a row, for a weight of the top half; `None` if no board has it. Returns the
    /// fingerprint.
    pub(crate) fn read(
        &self,
        block: usize,
        shape: impl FnOnce(usize) -> Option<(usize, usize)>,
        read: impl FnOnce(StoredMatrix<'_>) -> Result<(), &'static str>,
    ) -> Result<Fingerprint> {
        let mut zstd = Decompressor::new()?;
        let mut fingerprint = Fingerprint::default();
        self.decode(block, |payload| {
            if payload.bytes.len() < SHAPE {
                return Err("too short for a matrix");
            }
            let (numbers, frame) = payload.bytes.split_at(SHAPE);
            if u32_at(numbers, 0) != ORDER {
                return Err("rows and columns in an unknown order");
            }
            let [rows, lines] = [4, 8].map(|at| u32_at(numbers, at) as usize);
            let top = usize::try_from(payload.first).ok();
            if top.and_then(shape) != Some((rows, lines)) {
                return Err("a matrix of this shape is not in the layer");
            }
            // The memory is bounded by the shape, even if the bytes are damaged.
            let most = rows.div_ceil(8) + rows * lines * LINE_AT_MOST;
            let mut packed = Vec::with_capacity(most);
            zstd.decompress(frame, &mut packed)
                .map_err(|_| "zstd cannot decode it")?;
            fingerprint = fingerprint_of(payload.first, numbers, &packed);
            read(StoredMatrix {
                top: payload.first as usize,
                rows,
                lines,
                packed: &packed,
            })
        })?;
        Ok(fingerprint)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Arc;

    use super::super::contents::LayerLabel;
    use super::super::frame::tests::damage_is_an_error;
    use super::super::writer::PartWriter;
    use super::*;
    use crate::game::Game;

    const MATRICES: [StoredMatrix<'_>; 3] = [
        StoredMatrix {
            top: 0,
            rows: 1,
            lines: 1,
            packed: &[1, 1, 1, 4],
        },
        StoredMatrix {
            top: 3,
            rows: 1000,
            lines: 3,
            packed: &[7; 300],
        },
        StoredMatrix {
            top: 70,
            rows: 2,
            lines: 0,
            packed: &[],
        },
    ];

    fn file() -> (LayerLabel, Vec<u8>) {
        let game: Game = "4x4-64".parse().unwrap();
        let label = LayerLabel::new(&game, 140);
        let file = Cursor::new(Vec::new());
        let mut writer = PartWriter::new(file, "a.matrices".as_ref(), label).unwrap();
        for matrix in MATRICES {
            writer.append(&matrix.to_block(4).unwrap()).unwrap();
        }
        let (file, sealed) = writer.finish().unwrap();
        assert_eq!(
            (sealed.states, sealed.bytes),
            (3, file.get_ref().len() as u64)
        );
        (label, file.into_inner())
    }

    fn shape(top: usize) -> Option<(usize, usize)> {
        let matrix = MATRICES.iter().find(|matrix| matrix.top == top)?;
        Some((matrix.rows, matrix.lines))
    }

    fn open(bytes: &[u8]) -> Result<MatrixFile> {
        MatrixFile::from_memory("a.matrices".as_ref(), Arc::from(bytes))
    }

    #[test]
    fn matrices_are_read_back() {
        let (label, bytes) = file();
        let file = open(&bytes).unwrap();
        assert_eq!(file.contents, label);
        assert_eq!(label.to_string(), "matrices of 4x4-64, sum 140");
        let mut fingerprints = Fingerprint::default();
        for (block, expected) in MATRICES.iter().enumerate() {
            let read = file.read(block, shape, |found| {
                assert_eq!(found, *expected);
                Ok(())
            });
            fingerprints += read.unwrap();
        }
        assert_eq!(file.fingerprint(), fingerprints);
    }

    #[test]
    fn a_matrix_of_another_shape_is_refused() {
        let file = open(&file().1).unwrap();
        for shape in [None, Some((1000, 4)), Some((3, 1000))] {
            let refused = file.read(1, |_| shape, |_| Ok(())).unwrap_err();
            let said = refused.to_string();
            assert!(said.contains("block 1: a matrix of this shape"), "{said}");
        }
    }

    #[test]
    fn damaged_matrices_are_refused() {
        damage_is_an_error(&file().1, |bytes| {
            let file = open(bytes)?;
            (0..file.blocks()).try_for_each(|block| file.read(block, shape, |_| Ok(())).map(|_| ()))
        });
    }
}
