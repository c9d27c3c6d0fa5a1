//! Packed matrices: the form of afterstates between two layers.
//!
//! Key idea: neighbouring rows of afterstates are nearly equal. So a row is the difference from the
//! last row with bits, and of the difference only the bytes with bits are stored.
//!
//! ```text
//! a bit for each row: whether it has bits
//! for each row with bits, for each of its lines:
//!     a byte: the words of the line that differ
//!     for each such word a byte: the bytes of the word that differ
//!     all these bytes, XORed
//! ```

use std::array;

use super::kernels::{BitLine, bit, kernel};
use super::matrix::Matrix;
use crate::error::Result;
use crate::pages::Pages;
use crate::part::LINE_AT_MOST;

/// Most bytes of a packed line.
const MOST: usize = LINE_AT_MOST;

/// A bit matrix, packed. It has no bytes if the matrix has no bits.
#[derive(Default)]
pub(crate) struct PackedMatrix {
    /// [`MOST`] zeros follow the last row, so that a line is read without a look at the end. Matrices
    /// come and go in all sizes. In memory of their own they leave no gaps.
    bytes: Pages<u8>,
}

impl PackedMatrix {
    /// Pack the rows of a matrix.
    ///
    /// # Errors
    ///
    /// [`Error::Io`](crate::Error::Io) if the system has no more memory.
    pub(crate) fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [BitLine]>) -> Result<Self> {
        let mut rows = rows.peekable();
        let width = rows.peek().map_or(0, |row| row.len());
        let zeros = vec![BitLine::ZERO; width];
        let (mut last, mut end) = (zeros.as_slice(), rows.len().div_ceil(8));
        let mut bytes = vec![0; end];
        for (number, row) in rows.enumerate() {
            if row == zeros {
                continue;
            }
            bytes[number / 8] |= 1 << (number % 8);
            bytes.resize(end + width * MOST, 0);
            end += pack_row(row, last, &mut bytes[end..]);
            last = row;
        }
        if last == zeros {
            return Ok(Self::default());
        }
        Self::hold(&bytes[..end])
    }

    /// Hold packed rows.
    fn hold(rows: &[u8]) -> Result<Self> {
        let mut bytes = Pages::new(rows.len() + MOST)?;
        bytes[..rows.len()].copy_from_slice(rows);
        Ok(Self { bytes })
    }

    /// A matrix of `shape` from the bytes of a file. `None` unless they are the packed form of a
    /// matrix that has bits, all of them in `columns`.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub(crate) fn from_bytes(
        bytes: &[u8],
        shape: (usize, usize),
        columns: &[BitLine],
    ) -> Result<Option<Self>> {
        let packed = Self::hold(bytes)?;
        Ok(packed.is_packed(shape, columns).then_some(packed))
    }

    /// Whether the bytes are the packed form of a matrix that has bits, all of them in `columns`.
    fn is_packed(&self, (rows, width): (usize, usize), columns: &[BitLine]) -> bool {
        let bytes = self.bytes();
        let mut at = rows.div_ceil(8);
        let Some((with_bits, _)) = bytes.split_at_checked(at) else {
            return false;
        };
        let has_bits = |row: usize| with_bits[row / 8] >> (row % 8) & 1 != 0;
        let no_more = (rows..8 * at).all(|row| !has_bits(row));
        let zeros = vec![BitLine::ZERO; width];
        let (mut row, mut last, mut packed) = (zeros.clone(), zeros.clone(), Vec::new());
        packed.resize(width * MOST, 0);
        for _ in (0..rows).filter(|&row| has_bits(row)) {
            last.copy_from_slice(&row);
            let Some(end) = unpack_row(&self.bytes[at..], &mut row) else {
                return false;
            };
            let end = at + end;
            let inside = row
                .iter()
                .zip(columns)
                .all(|(row, columns)| (0..8).all(|word| row.0[word] & !columns.0[word] == 0));
            // A row has one packed form.
            let length = pack_row(&row, &last, &mut packed);
            if row == zeros || !inside || bytes.get(at..end) != Some(&packed[..length]) {
                return false;
            }
            at = end;
        }
        no_more && at == bytes.len() && row != zeros
    }

    /// Whether the matrix of `shape` has a bit.
    pub(crate) fn has(&self, shape: (usize, usize), row: usize, column: u32) -> bool {
        let mut has = false;
        self.for_each_row(shape, |number, bits| {
            has |= number == row && bit(bits, column);
        });
        has
    }

    /// Unpack the matrix of `shape` into the memory of another.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub(crate) fn unpack(&self, shape: (usize, usize), to: &mut Matrix) -> Result<()> {
        to.reshape(shape.0, shape.1)?;
        to.clear();
        self.for_each_row(shape, |number, row| {
            to.row_mut(number).copy_from_slice(row);
        });
        Ok(())
    }

    /// The packed rows, as they stand in a file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.bytes.len().saturating_sub(MOST)]
    }

    /// Whether the matrix has bits.
    pub(crate) fn has_bits(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// Call `act` with the number of each row with bits, and the row. The matrix has `rows` rows, each
    /// of `width` lines.
    pub(crate) fn for_each_row(
        &self,
        (rows, width): (usize, usize),
        mut act: impl FnMut(usize, &[BitLine]),
    ) {
        let mut row = vec![BitLine::ZERO; width];
        let mut at = rows.div_ceil(8);
        for number in (0..rows).filter(|_| self.has_bits()) {
            if self.bytes[number / 8] >> (number % 8) & 1 != 0 {
                at += unpack_row(&self.bytes[at..], &mut row).expect("whole rows");
                act(number, &row);
            }
        }
    }
}

kernel! {
    /// Pack the difference of a row from the last row. Returns the number of bytes.
    pub(crate) fn pack_row(row: &[BitLine], last: &[BitLine], to: &mut [u8]) -> usize {
        let mut end = 0;
        for (row, last) in row.iter().zip(last) {
            let line = to[end..].first_chunk_mut::<MOST>().expect("room for a line");
            let words: [u64; 8] = array::from_fn(|at| row.0[at] ^ last.0[at]);
            let mut differ = 0u8;
            for (at, &word) in words.iter().enumerate() {
                differ |= u8::from(word != 0) << at;
            }
            line[0] = differ;
            let (mut at, mut next) = (1, 1 + differ.count_ones() as usize);
            while differ != 0 {
                let word = words[differ.trailing_zeros() as usize % 8];
                differ &= differ - 1;
                let mut with_bits = 0;
                for (place, byte) in word.to_le_bytes().into_iter().enumerate() {
                    // The next byte is written over this one if it has no bits.
                    line[next.min(MOST - 1)] = byte;
                    with_bits |= u8::from(byte != 0) << place;
                    next += usize::from(byte != 0);
                }
                line[at] = with_bits;
                at += 1;
            }
            end += next;
        }
        end
    }
    avx512 {
        registers::pack_row(row, last, to)
    }
}

kernel! {
    /// Change the last row into the next, given its packed difference, with [`MOST`] bytes after it.
    /// Returns the number of bytes; `None` if the bytes end before the row.
    pub(crate) fn unpack_row(bytes: &[u8], row: &mut [BitLine]) -> Option<usize> {
        let mut end = 0;
        for line in row {
            let bytes = bytes[end..].first_chunk::<MOST>()?;
            let mut differ = bytes[0];
            let (mut at, mut next) = (1, 1 + differ.count_ones() as usize);
            while differ != 0 {
                let place = differ.trailing_zeros() as usize % 8;
                differ &= differ - 1;
                let with_bits = bytes[at];
                at += 1;
                let mut word = [0; 8];
                for (place, byte) in word.iter_mut().enumerate() {
                    let is_set = with_bits >> place & 1;
                    *byte = bytes[next.min(MOST - 1)] & is_set.wrapping_neg();
                    next += usize::from(is_set);
                }
                line.0[place] ^= u64::from_le_bytes(word);
            }
            end += next;
        }
        Some(end)
    }
    avx512 {
        registers::unpack_row(bytes, row)
    }
}

/// Rows with AVX-512.
///
/// Key idea: one instruction moves all bytes of a line that differ together, or back to their places.
#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::x86_64::{
        _mm512_maskz_compress_epi8, _mm512_maskz_expand_epi8, _mm512_test_epi8_mask,
        _mm512_test_epi64_mask, _mm512_xor_si512, _pdep_u64, _pext_u64,
    };

    use super::{BitLine, MOST};
    use bytemuck::must_cast;

    /// A byte of ones for each bit.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn bytes_of_ones(bits: u8) -> u64 {
        _pdep_u64(bits.into(), 0x0101_0101_0101_0101) * 0xff
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    pub(super) fn pack_row(row: &[BitLine], last: &[BitLine], to: &mut [u8]) -> usize {
        let mut end = 0;
        for (&row, &last) in row.iter().zip(last) {
            let line = to[end..]
                .first_chunk_mut::<MOST>()
                .expect("room for a line");
            let differing = _mm512_xor_si512(must_cast(row), must_cast(last));
            let words = _mm512_test_epi64_mask(differing, differing);
            let bytes = _mm512_test_epi8_mask(differing, differing);
            let of_words = _pext_u64(bytes, bytes_of_ones(words));
            let packed = _mm512_maskz_compress_epi8(bytes, differing);
            let next = 1 + words.count_ones() as usize;
            line[0] = words;
            line[1..9].copy_from_slice(&of_words.to_le_bytes());
            line[next..next + 64].copy_from_slice(&must_cast::<_, [u8; 64]>(packed));
            end += next + bytes.count_ones() as usize;
        }
        end
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    pub(super) fn unpack_row(bytes: &[u8], row: &mut [BitLine]) -> Option<usize> {
        let mut end = 0;
        for line in row {
            let from = bytes[end..].first_chunk::<MOST>()?;
            let words = from[0];
            if words == 0 {
                end += 1;
                continue;
            }
            let next = 1 + words.count_ones() as usize;
            let (of_words, _) = from[1..].split_first_chunk()?;
            let bytes = _pdep_u64(u64::from_le_bytes(*of_words), bytes_of_ones(words));
            let packed: [u8; 64] = *from[next..].first_chunk()?;
            let differing = _mm512_maskz_expand_epi8(bytes, must_cast(packed));
            *line = must_cast(_mm512_xor_si512(must_cast(*line), differing));
            end += next + bytes.count_ones() as usize;
        }
        Some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernels::versions::{KernelVersion, lines, run, versions};
    use super::*;

    #[test]
    fn a_matrix_that_is_unpacked_is_what_was_packed() {
        for (rows, width) in [(0, 0), (0, 3), (1, 0), (1, 1), (9, 1), (70, 3), (64, 2)] {
            for sparse in [0, 1, 2, 5] {
                let mut matrix = lines(rows * width, 7 * sparse + rows as u64);
                for (number, row) in matrix.chunks_mut(width.max(1)).enumerate() {
                    match (number as u64 * 5) % (sparse + 1) {
                        0 => {}
                        1 => row.fill(BitLine::ZERO),
                        2 => row.fill(BitLine([u64::MAX; 8])),
                        _ => row[0] = BitLine::ZERO,
                    }
                }
                let all = (0..rows).map(|row| &matrix[row * width..][..width]);
                let packed = PackedMatrix::new(all).unwrap();
                let mut found = vec![BitLine::ZERO; rows * width];
                let mut next = 0;
                packed.for_each_row((rows, width), |number, row| {
                    assert!(number >= next && row.iter().any(|&line| line != BitLine::ZERO));
                    next = number + 1;
                    found[number * width..][..width].copy_from_slice(row);
                });
                assert!(found == matrix, "{rows} x {width}");
                let has_bits = matrix.iter().any(|&line| line != BitLine::ZERO);
                assert_eq!(packed.has_bits(), has_bits, "{rows} x {width}");
                let all = vec![BitLine([u64::MAX; 8]); width];
                let read = PackedMatrix::from_bytes(packed.bytes(), (rows, width), &all).unwrap();
                assert_eq!(read.is_some(), has_bits, "{rows} x {width}");
                assert!(read.is_none_or(|read| *read.bytes == *packed.bytes));
            }
        }
    }

    #[test]
    fn bytes_that_no_matrix_packs_to_are_refused() {
        let (rows, width) = (11, 2);
        let mut matrix = lines(rows * width, 3);
        matrix[4 * width..6 * width].fill(BitLine::ZERO);
        matrix[9 * width + 1] = matrix[8 * width + 1];
        let mut columns = vec![BitLine([u64::MAX; 8]); width];
        let packed = PackedMatrix::new(matrix.chunks(width)).unwrap();
        let good = packed.bytes();
        let read = |bytes: &[u8], columns: &[BitLine]| {
            let read = PackedMatrix::from_bytes(bytes, (rows, width), columns).unwrap()?;
            let mut found = vec![BitLine::ZERO; rows * width];
            read.for_each_row((rows, width), |number, row| {
                found[number * width..][..width].copy_from_slice(row);
            });
            Some(found)
        };
        assert!(read(good, &columns).unwrap() == matrix);
        let mut changed = 0;
        for at in 0..good.len() {
            assert!(read(&good[..at], &columns).is_none(), "cut at {at}");
            for bit in 0..8 {
                let mut bytes = good.to_owned();
                bytes[at] ^= 1 << bit;
                // Some changed bytes are the packed form of another matrix.
                if let Some(found) = read(&bytes, &columns) {
                    assert!(found != matrix, "bit {bit} of {at}");
                    let again = PackedMatrix::new(found.chunks(width)).unwrap();
                    assert_eq!(again.bytes(), bytes, "bit {bit} of {at}");
                    changed += 1;
                }
            }
        }
        assert!(changed > 0, "bits of rows can change");
        assert!(
            read(&[good, &[0]].concat(), &columns).is_none(),
            "a byte too many"
        );
        columns[1].0[7] = 0;
        assert!(read(good, &columns).is_none(), "a bit outside the columns");
    }

    #[test]
    fn all_versions_pack_to_equal_bytes() {
        let ones = [BitLine([u64::MAX; 8]); 3];
        let zeros = [BitLine::ZERO; 3];
        let mut one = zeros;
        one[1].0[3] = 0x00ff_0000_0001_0000;
        one[1].0[7] = 5;
        let some = [lines(3, 1), lines(3, 2)];
        for (last, row, expected) in [
            (&zeros[..], &zeros[..], Some(vec![0, 0, 0])),
            (
                &zeros,
                &one,
                Some(vec![0, 0b1000_1000, 0b0100_0100, 1, 1, 0xff, 5, 0]),
            ),
            (&zeros, &ones, None),
            (&one, &ones, None),
            (&some[0], &some[1], None),
        ] {
            let packed = versions().into_iter().map(|version| {
                let mut bytes = vec![0; row.len() * MOST];
                let end = run!(version, pack_row(row, last, &mut bytes));
                bytes.truncate(end);
                let padded = [bytes.as_slice(), &[0x55; MOST]].concat();
                let mut found = last.to_vec();
                assert_eq!(
                    run!(version, unpack_row(&padded, &mut found)),
                    Some(end),
                    "{version:?}"
                );
                assert!(found == row, "{version:?}");
                bytes
            });
            let mut packed: Vec<Vec<u8>> = packed.collect();
            packed.dedup();
            assert_eq!(packed.len(), 1);
            assert!(
                expected.is_none_or(|expected| packed[0] == expected),
                "{packed:?}"
            );
        }
    }
}
