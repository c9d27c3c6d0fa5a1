//! The values of a block, as four planes of bytes or one of words; a plane is compressed if this makes it
//! shorter.
//!
//! Key idea: neighbouring boards have similar values, so the first bytes of the values compress to
//! almost nothing, while the last bytes are nearly random. Separate planes allow a different form
//! for each. Values that were rounded to two bytes repeat themselves, and compress better as words.

use zstd::zstd_safe::{self, CCtx, DCtx};

use super::block::{Block, Decoder, PREFIX, Payload, compressor, error};
use super::bytes::u32_at;
use super::contents::BLOCK;
use super::delta::expect_order;
use super::fingerprint::value_fingerprint;
use crate::error::Result;

/// One plane for each byte of a value, the most significant byte first.
const PLANES: usize = 4;

/// Bytes of the planes' lengths.
const LENGTHS: usize = 4 * PLANES;

/// Higher levels take several times as long and save almost nothing.
const LEVEL: i32 = 1;

/// The level for words. Level 1 leaves 7 % more bytes of an endgame's chances in 15 bits, and level 15
/// saves 5 %, for nine times the time (`results/endgames.md`).
const WORDS_LEVEL: i32 = 6;

/// Encodes blocks of values. Keeps its buffers and its zstd context between calls.
pub struct ValueEncoder {
    zstd: CCtx<'static>,
    of_words: CCtx<'static>,
    plane: Vec<u8>,
}

impl ValueEncoder {
    /// An encoder.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`](crate::Error::Zstd) if zstd cannot allocate its context.
    pub fn new() -> Result<Self> {
        Ok(Self {
            zstd: compressor(LEVEL)?,
            of_words: compressor(WORDS_LEVEL)?,
            plane: Vec::new(),
        })
    }

    /// Encode the `values` of `keys`, at least one and at most [`BLOCK`], into `block`, reusing its
    /// buffer. The bytes depend only on the values and the first key.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfOrder`](crate::Error::OutOfOrder) unless the keys are strictly increasing;
    /// [`Error::Zstd`](crate::Error::Zstd) if zstd has too little memory.
    ///
    /// # Panics
    ///
    /// If there are no values, more than [`BLOCK`], or a different number of keys.
    pub fn encode(&mut self, keys: &[u64], values: &[u32], block: &mut Block) -> Result<()> {
        let count = values.len();
        assert!((1..=BLOCK).contains(&count), "a block of {count} values");
        assert_eq!(keys.len(), count, "each key has a value");
        keys.windows(2)
            .try_for_each(|pair| expect_order(pair[0], pair[1]))?;
        let bytes = &mut block.bytes;
        bytes.clear();
        let room = PLANES * zstd_safe::compress_bound(count);
        bytes.resize(PREFIX + LENGTHS + room, 0);
        let mut end = PREFIX + LENGTHS;
        let mut put = |number: usize, zstd: &mut CCtx, plane: &[u8]| -> Result<()> {
            let stored = put_plane(zstd, plane, &mut bytes[end..])?;
            let length = PREFIX + 4 * number;
            bytes[length..length + 4].copy_from_slice(&(stored as u32).to_le_bytes());
            end += stored;
            Ok(())
        };
        let greatest = values.iter().copied().max().unwrap_or_default();
        if (1 << 8..1 << 16).contains(&greatest) {
            self.plane.clear();
            let words = values
                .iter()
                .flat_map(|&value| (value as u16).to_le_bytes());
            self.plane.extend(words);
            put(0, &mut self.of_words, &self.plane)?;
        } else {
            for number in 0..PLANES {
                self.plane.clear();
                let shift = 8 * (PLANES - 1 - number);
                let bytes = values.iter().map(|value| (value >> shift) as u8);
                self.plane.extend(bytes);
                put(number, &mut self.zstd, &self.plane)?;
            }
        }
        bytes.truncate(end);
        block.seal(keys, value_fingerprint(keys, values));
        Ok(())
    }
}

/// Write a plane at the start of `out`, compressed if this makes it shorter; returns the length.
fn put_plane(zstd: &mut CCtx, plane: &[u8], out: &mut [u8]) -> Result<usize> {
    let stored = zstd.compress2(out, plane).map_err(error)?;
    if stored < plane.len() {
        return Ok(stored);
    }
    out[..plane.len()].copy_from_slice(plane);
    Ok(plane.len())
}

impl Decoder {
    /// Append the values of a block to `out`, or describe the damage. The memory is bounded by the
    /// count, even if the bytes are damaged.
    pub(super) fn decode_values(
        &mut self,
        payload: Payload<'_>,
        out: &mut Vec<u32>,
    ) -> Result<(), &'static str> {
        let count = payload.count as usize;
        let lengths = payload.bytes.split_at_checked(LENGTHS);
        let (lengths, mut rest) = lengths.ok_or("no room for the lengths of planes")?;
        if lengths[4..] == [0; LENGTHS - 4] {
            if u32_at(lengths, 0) as usize != rest.len() {
                return Err("words that do not fill the payload");
            }
            self.bytes.resize(2 * count, 0);
            take_plane(&mut self.zstd, rest, &mut self.bytes)?;
            let (words, _) = self.bytes.as_chunks();
            out.extend(
                words
                    .iter()
                    .map(|&word| u32::from(u16::from_le_bytes(word))),
            );
            return Ok(());
        }
        self.bytes.resize(PLANES * count, 0);
        for (at, plane) in self.bytes.chunks_exact_mut(count).enumerate() {
            let stored = u32_at(lengths, 4 * at) as usize;
            let stored = rest.split_off(..stored).ok_or("a plane beyond the end")?;
            take_plane(&mut self.zstd, stored, plane)?;
        }
        if !rest.is_empty() {
            return Err("bytes after the planes");
        }
        let (first, last) = self.bytes.split_at(2 * count);
        let (first, last) = (first.split_at(count), last.split_at(count));
        let bytes = first.0.iter().zip(first.1).zip(last.0).zip(last.1);
        out.extend(bytes.map(|(((&a, &b), &c), &d)| u32::from_be_bytes([a, b, c, d])));
        Ok(())
    }
}

/// Decode a plane from its stored bytes.
fn take_plane(zstd: &mut DCtx<'_>, stored: &[u8], plane: &mut [u8]) -> Result<(), &'static str> {
    if stored.len() == plane.len() {
        plane.copy_from_slice(stored);
        return Ok(());
    }
    if stored.len() > plane.len() {
        return Err("a plane longer than its values");
    }
    if zstd_safe::find_frame_compressed_size(stored) != Ok(stored.len()) {
        return Err("a plane that is not one zstd frame");
    }
    let length = zstd
        .decompress(plane, stored)
        .map_err(|_| "zstd cannot decode a plane")?;
    if length < plane.len() {
        return Err("a plane of too few bytes");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fingerprint::mix;
    use super::*;
    use crate::error::Error;
    use proptest::prelude::*;

    fn encode(keys: &[u64], values: &[u32]) -> Block {
        let mut block = Block::default();
        let mut encoder = ValueEncoder::new().unwrap();
        encoder.encode(keys, values, &mut block).unwrap();
        block
    }

    fn decode(bytes: &[u8], count: u32) -> Result<Vec<u32>, &'static str> {
        let mut out = Vec::new();
        let payload = Payload {
            first: 0,
            count,
            bytes,
        };
        Decoder::new().unwrap().decode_values(payload, &mut out)?;
        Ok(out)
    }

    proptest! {
        #[test]
        fn any_values_survive_a_block(
            pairs in prop::collection::btree_map(any::<u64>(), any::<u32>(), 1..500),
            narrow in 0..32,
        ) {
            let keys: Vec<u64> = pairs.keys().copied().collect();
            let values: Vec<u32> = pairs.values().map(|value| value >> narrow).collect();
            let block = encode(&keys, &values);
            let payload = Payload::of(&block.bytes).unwrap();
            prop_assert_eq!((payload.first, payload.count as usize), (keys[0], keys.len()));
            prop_assert_eq!(decode(payload.bytes, payload.count).unwrap(), values);
            prop_assert_eq!((block.first, block.last), (keys[0], keys[keys.len() - 1]));
        }
    }

    #[test]
    fn a_plane_is_compressed_only_where_that_makes_it_shorter() {
        let keys: Vec<u64> = (0..1000).collect();
        let values: Vec<u32> = keys
            .iter()
            .map(|&key| 0x0705_0000 | mix(key) as u32 >> 16)
            .collect();
        let bytes = encode(&keys, &values).bytes;
        let lengths = [0, 1, 2, 3].map(|plane| u32_at(&bytes, PREFIX + 4 * plane));
        assert!(lengths[0] < 30 && lengths[1] < 30, "{lengths:?}");
        assert_eq!(lengths[2..], [1000, 1000]);
        assert_eq!(bytes.len() as u32, 20 + 16 + lengths.iter().sum::<u32>());
    }

    #[test]
    fn values_of_two_bytes_are_words() {
        let keys: Vec<u64> = (0..1000).collect();
        for (greatest, words) in [(255, false), (256, true), (65535, true), (65536, false)] {
            // A few values in any order: their two bytes belong together.
            let drawn = keys.iter().map(|&key| (mix(key) as u32 & 7) * greatest / 7);
            let values: Vec<u32> = drawn.collect();
            let bytes = encode(&keys, &values).bytes;
            assert_eq!(decode(&bytes[PREFIX..], 1000).unwrap(), values);
            let lengths = [0, 1, 2, 3].map(|plane| u32_at(&bytes, PREFIX + 4 * plane));
            assert_eq!(lengths[1..] == [0; 3], words, "{greatest}: {lengths:?}");
            assert!(lengths[0] < 700, "{greatest}: {lengths:?}");
        }
    }

    #[test]
    fn the_bytes_do_not_depend_on_blocks_encoded_before() {
        let keys: Vec<u64> = (0..5000).collect();
        let values = |step: u32| (0..5000).map(|i| i * step).collect::<Vec<u32>>();
        let (mut used, mut block) = (ValueEncoder::new().unwrap(), Block::default());
        for step in [1, 70_000, 3] {
            used.encode(&keys, &values(step), &mut block).unwrap();
        }
        assert_eq!(block, encode(&keys, &values(3)));
    }

    #[test]
    fn keys_in_disorder_are_refused() {
        let mut encoder = ValueEncoder::new().unwrap();
        for bad in [[1, 1], [2, 1]] {
            let refused = encoder.encode(&bad, &[0, 0], &mut Block::default());
            assert!(
                matches!(refused, Err(Error::OutOfOrder { previous, got }) if [previous, got] == bad)
            );
        }
    }

    #[test]
    fn every_contradiction_within_a_payload_is_named() {
        let frame = |count: usize| zstd::bulk::compress(&vec![7; count], LEVEL).unwrap();
        // Four planes of 100 bytes: the first as given, the others not compressed.
        let payload = |first: &[u8]| {
            let lengths = [first.len() as u32, 100, 100, 100];
            let lengths = lengths.into_iter().flat_map(u32::to_le_bytes);
            lengths
                .chain(first.iter().copied())
                .chain([0; 300])
                .collect::<Vec<u8>>()
        };
        let words = |frame: Vec<u8>| {
            let lengths = [frame.len() as u32, 0, 0, 0].into_iter();
            let bytes = lengths.flat_map(u32::to_le_bytes).chain(frame);
            bytes.collect::<Vec<u8>>()
        };
        assert_eq!(decode(&words(frame(200)), 100).unwrap(), [0x0707; 100]);
        let good = payload(&frame(100));
        assert_eq!(decode(&good, 100).unwrap(), [0x0700_0000; 100]);
        for (bytes, what) in [
            (good[..15].to_vec(), "no room for the lengths of planes"),
            (good[..good.len() - 1].to_vec(), "a plane beyond the end"),
            ([&good[..], &[0]].concat(), "bytes after the planes"),
            (payload(&[7; 101]), "a plane longer than its values"),
            (payload(&[7; 99]), "a plane that is not one zstd frame"),
            (
                payload(&[frame(50), frame(50)].concat()),
                "a plane that is not one zstd frame",
            ),
            (payload(&frame(99)), "a plane of too few bytes"),
            (payload(&frame(101)), "zstd cannot decode a plane"),
            (payload(&[]), "a plane that is not one zstd frame"),
            // Without the other planes, the first has words.
            (words(frame(199)), "a plane of too few bytes"),
            (
                [&words(frame(200))[..], &[0]].concat(),
                "words that do not fill the payload",
            ),
        ] {
            assert_eq!(decode(&bytes, 100), Err(what));
        }
    }
}
