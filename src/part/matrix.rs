//! The matrices of a layer as a file: a block for each weight of the top half.

use zstd::zstd_safe::compress_bound;

use super::block::{Block, PREFIX, compressor, decompressor, error};
use super::bytes::u32_at;
use super::fingerprint::{Fingerprint, mix};
use super::segments::MatrixFile;
use crate::error::Result;

/// The version of the order of rows and columns.
const ORDER: u32 = 1;

/// Bytes before the packed rows of a matrix.
const SHAPE: usize = 12;

/// Most bytes of a packed line.
pub(crate) const LINE_AT_MOST: usize = 1 + 8 * (1 + 8);

/// The block of a matrix, given the weight of its top half, the numbers of its rows and of the lines
/// of a row, and its packed rows. It is compressed at a zstd level from 1 to 22.
///
/// # Errors
///
/// [`Error::Zstd`](crate::Error::Zstd) if zstd has too little memory.
pub(crate) fn matrix_block(
    top: usize,
    (rows, lines): (usize, usize),
    packed: &[u8],
    level: i32,
) -> Result<Block> {
    let mut block = Block::default();
    block.bytes.resize(PREFIX, 0);
    for number in [ORDER, rows as u32, lines as u32] {
        block.bytes.extend(number.to_le_bytes());
    }
    let top = top as u64;
    let fingerprint = fingerprint_of(top, &block.bytes[PREFIX..], packed);
    let mut frame = Vec::with_capacity(compress_bound(packed.len()));
    let compressed = compressor(level)?.compress2(&mut frame, packed);
    compressed.map_err(error)?;
    block.bytes.extend(frame);
    block.seal(&[top], fingerprint);
    Ok(block)
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
        self.decode(number, |payload| {
            let mut block = Block::default();
            block.bytes.resize(PREFIX, 0);
            block.bytes.extend(payload.bytes);
            let fingerprint = match number {
                0 => self.fingerprint(),
                _ => Fingerprint::default(),
            };
            block.seal(&[payload.first], fingerprint);
            Ok(block)
        })
    }

    /// Give the packed rows and the shape of a matrix to `read`, which may describe their damage.
    /// `shape` is the expected shape: the numbers of rows, and of lines of a row; `None` if no board
    /// has a top half of this weight. Returns the fingerprint, too.
    pub(crate) fn read<T>(
        &self,
        block: usize,
        shape: Option<(usize, usize)>,
        read: impl FnOnce(&[u8], (usize, usize)) -> Result<T, &'static str>,
    ) -> Result<(T, Fingerprint)> {
        let mut zstd = decompressor()?;
        self.decode(block, |payload| {
            if payload.bytes.len() < SHAPE {
                return Err("too short for a matrix");
            }
            let (numbers, frame) = payload.bytes.split_at(SHAPE);
            if u32_at(numbers, 0) != ORDER {
                return Err("rows and columns in an unknown order");
            }
            let [rows, lines] = [4, 8].map(|at| u32_at(numbers, at) as usize);
            if shape != Some((rows, lines)) {
                return Err("a matrix of this shape is not in the layer");
            }
            // The memory is bounded by the shape, even if the bytes are damaged.
            let most = rows.div_ceil(8) + rows * lines * LINE_AT_MOST;
            let mut packed = Vec::with_capacity(most);
            zstd.decompress(&mut packed, frame)
                .map_err(|_| "zstd cannot decode it")?;
            let fingerprint = fingerprint_of(payload.first, numbers, &packed);
            Ok((read(&packed, (rows, lines))?, fingerprint))
        })
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

    /// Matrices: the weight of the top half, the shape and the packed rows.
    const MATRICES: [(usize, (usize, usize), &[u8]); 3] = [
        (0, (1, 1), &[1, 1, 1, 4]),
        (3, (1000, 3), &[7; 300]),
        (70, (2, 0), &[]),
    ];

    fn file() -> (LayerLabel, Vec<u8>) {
        let game: Game = "4x4-64".parse().unwrap();
        let label = LayerLabel::new(&game, 140);
        let file = Cursor::new(Vec::new());
        let mut writer = PartWriter::new(file, "a.matrices".as_ref(), label).unwrap();
        for (top, shape, packed) in MATRICES {
            let block = matrix_block(top, shape, packed, 4).unwrap();
            writer.append(&block).unwrap();
        }
        let (file, sealed) = writer.finish().unwrap();
        assert_eq!(
            (sealed.states, sealed.bytes),
            (3, file.get_ref().len() as u64)
        );
        (label, file.into_inner())
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
        for (block, (top, shape, packed)) in MATRICES.into_iter().enumerate() {
            assert_eq!(file.first(block), top as u64);
            let read = file.read(block, Some(shape), |found, found_shape| {
                assert_eq!((found, found_shape), (packed, shape));
                Ok(())
            });
            fingerprints += read.unwrap().1;
        }
        assert_eq!(file.fingerprint(), fingerprints);
    }

    #[test]
    fn a_matrix_of_another_shape_is_refused() {
        let file = open(&file().1).unwrap();
        for shape in [None, Some((1000, 4)), Some((3, 1000))] {
            let refused = file.read(1, shape, |_, _| Ok(())).unwrap_err();
            let said = refused.to_string();
            assert!(said.contains("block 1: a matrix of this shape"), "{said}");
        }
    }

    #[test]
    fn damaged_matrices_are_refused() {
        damage_is_an_error(&file().1, |bytes| {
            let file = open(bytes)?;
            let mut shapes = MATRICES.into_iter().map(|(_, shape, _)| Some(shape));
            (0..file.blocks()).try_for_each(|block| {
                let shape = shapes.next().flatten();
                file.read(block, shape, |_, _| Ok(())).map(|_| ())
            })
        });
    }
}
