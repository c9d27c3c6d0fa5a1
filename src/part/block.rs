//! A block: thousands of states or values that can be decoded without the other blocks; and its
//! compression by zstd.
//!
//! Key idea: too little memory for a context is an error. The types of the crate `zstd` panic.

use std::io;

use zstd::zstd_safe::{CCtx, CParameter, DCtx, ErrorCode, compress_bound, get_error_name};

use super::bytes::{u32_at, u64_at};
use super::delta::{MAX_BYTES, put_deltas, take_deltas};
use super::fingerprint::{Fingerprint, fingerprint};
use crate::error::{Error, Result};
use crate::game::Size;
use crate::game::beside::Beside;

/// Maximum number of states in a block that this program writes. Larger blocks compress better
/// (each doubling from 2^14 on saves about a tenth); smaller blocks make look-ups and parallel
/// reads faster.
pub const BLOCK: usize = 1 << 17;

/// Length of the header in front of a block's payload.
pub(crate) const PREFIX: usize = 20;

/// An encoded block, and the fields that a writer adds to the index and the footer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// First state, or the afterstate of the first value.
    pub first: u64,
    /// Last state, or the afterstate of the last value.
    pub last: u64,
    /// Number of states, or of values.
    pub count: u32,
    /// Fingerprint of the states, or of the values and their states.
    pub fingerprint: Fingerprint,
    /// The bytes, prefix and payload.
    pub bytes: Vec<u8>,
}

impl Block {
    /// Fill in the prefix in front of the payload, and the fields that describe a block of `states`
    /// or of their values.
    pub(super) fn seal(&mut self, states: &[u64], fingerprint: Fingerprint) {
        self.first = states[0];
        self.last = states[states.len() - 1];
        self.count = states.len() as u32;
        self.fingerprint = fingerprint;
        let stored = (self.bytes.len() - PREFIX) as u32;
        self.bytes[0..8].copy_from_slice(&self.first.to_le_bytes());
        self.bytes[8..12].copy_from_slice(&self.count.to_le_bytes());
        self.bytes[12..16].copy_from_slice(&stored.to_le_bytes());
        let crc = checksum(&self.bytes);
        self.bytes[16..20].copy_from_slice(&crc.to_le_bytes());
    }
}

/// Encodes blocks. Keeps its buffers and its zstd context between calls.
pub struct Encoder {
    zstd: CCtx<'static>,
    beside: Option<Beside>,
    /// The states without the cells that locks fix.
    smaller: Vec<u64>,
    deltas: Vec<u8>,
}

impl Encoder {
    /// An encoder of boards of a size, at a zstd level: from 1 to 22, or below 0, which is faster.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if zstd cannot allocate its context.
    pub fn new(level: i32, size: Size) -> Result<Self> {
        Ok(Self {
            zstd: compressor(level)?,
            beside: Beside::new(size),
            smaller: Vec::new(),
            deltas: Vec::new(),
        })
    }

    /// Encode `states`, at least one and at most [`BLOCK`], into `block`, reusing its buffer.
    /// The bytes depend only on the states and the level.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfOrder`] unless the states are strictly increasing;
    /// [`Error::Zstd`] if zstd has too little memory.
    ///
    /// # Panics
    ///
    /// If there are no states, or more than [`BLOCK`].
    pub fn encode(&mut self, states: &[u64], block: &mut Block) -> Result<()> {
        assert!(
            (1..=BLOCK).contains(&states.len()),
            "a block of {} states",
            states.len()
        );
        let length = match &self.beside {
            None => put_deltas(states, &mut self.deltas)?,
            Some(beside) => {
                self.smaller.clear();
                self.smaller.extend_from_slice(states);
                beside.leave_out(&mut self.smaller);
                put_deltas(&self.smaller, &mut self.deltas)?
            }
        };
        let deltas = &self.deltas[..length];

        let bytes = &mut block.bytes;
        bytes.clear();
        bytes.resize(PREFIX + compress_bound(length), 0);
        let compressed = self.zstd.compress2(&mut bytes[PREFIX..], deltas);
        let compressed = compressed.map_err(error)?;
        bytes.truncate(PREFIX + compressed);
        block.seal(states, fingerprint(states));
        Ok(())
    }
}

/// CRC of all bytes of a block except the CRC itself.
fn checksum(block: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&block[..16]);
    crc.update(&block[PREFIX..]);
    crc.finalize()
}

/// A block whose bytes agree with its checksum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payload<'a> {
    /// First state, or the afterstate of the first value.
    pub(crate) first: u64,
    /// Number of states, or of values.
    pub(crate) count: u32,
    /// The encoded states or values.
    pub(crate) bytes: &'a [u8],
}

impl<'a> Payload<'a> {
    /// The payload of a block, or a description of the damage.
    pub(crate) fn of(bytes: &'a [u8]) -> Result<Self, &'static str> {
        if bytes.len() < PREFIX || bytes.len() - PREFIX != u32_at(bytes, 12) as usize {
            return Err("length differs");
        }
        if checksum(bytes) != u32_at(bytes, 16) {
            return Err("checksum differs");
        }
        Ok(Self {
            first: u64_at(bytes, 0),
            count: u32_at(bytes, 8),
            bytes: &bytes[PREFIX..],
        })
    }
}

/// Decodes blocks of boards and of values. Keeps its buffer and its zstd context between calls.
pub struct Decoder {
    pub(super) zstd: DCtx<'static>,
    /// Decompressed bytes.
    pub(super) bytes: Vec<u8>,
}

impl Decoder {
    /// A decoder.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if zstd cannot allocate its context.
    pub fn new() -> Result<Self> {
        Ok(Self {
            zstd: decompressor()?,
            bytes: Vec::new(),
        })
    }

    /// Append the states of a block to `out`, or describe the damage. The memory is bounded by the
    /// count, even if the bytes are damaged.
    pub(crate) fn decode(
        &mut self,
        payload: Payload<'_>,
        beside: Option<&Beside>,
        out: &mut Vec<u64>,
    ) -> Result<(), &'static str> {
        let Payload { first, count, .. } = payload;
        self.bytes.clear();
        self.bytes.reserve(MAX_BYTES * count as usize);
        self.zstd
            .decompress(&mut self.bytes, payload.bytes)
            .map_err(|_| "zstd cannot decode it")?;
        let begin = out.len();
        let mut smaller = [first];
        if let Some(beside) = beside {
            beside.leave_out(&mut smaller);
        }
        take_deltas(&self.bytes, smaller[0], count, out)
            .ok_or("differences do not match the count")?;
        if let Some(beside) = beside {
            let last = out[out.len() - 1];
            if last.checked_shr(4 * beside.cells()).unwrap_or(0) != 0 {
                return Err("states beyond the cells that locks leave");
            }
            beside.put_back(&mut out[begin..]);
            if out[begin] != first {
                return Err("first state without the stones that locks fix");
            }
        }
        Ok(())
    }
}

/// A compressor at a level from 1 to 22, or below 0.
///
/// # Errors
///
/// [`Error::Zstd`] if there is too little memory.
pub(super) fn compressor(level: i32) -> Result<CCtx<'static>> {
    let mut context = CCtx::try_create().ok_or_else(no_memory)?;
    let level = CParameter::CompressionLevel(level);
    context.set_parameter(level).map_err(error)?;
    Ok(context)
}

/// A decompressor.
///
/// # Errors
///
/// [`Error::Zstd`] if there is too little memory.
pub(super) fn decompressor() -> Result<DCtx<'static>> {
    DCtx::try_create().ok_or_else(no_memory)
}

fn no_memory() -> Error {
    Error::Zstd(io::ErrorKind::OutOfMemory.into())
}

/// The error of a call.
pub(super) fn error(code: ErrorCode) -> Error {
    Error::Zstd(io::Error::other(get_error_name(code)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use proptest::prelude::*;

    fn size() -> Size {
        Size::new(4, 4).unwrap()
    }

    proptest! {
        #[test]
        fn any_increasing_list_survives_a_block(
            states in prop::collection::btree_set(any::<u64>(), 1..500),
            level in 1..20,
        ) {
            let states: Vec<u64> = states.into_iter().collect();
            let mut block = Block::default();
            Encoder::new(level, size()).unwrap().encode(&states, &mut block).unwrap();
            let mut decoded = Vec::new();
            let payload = Payload::of(&block.bytes).unwrap();
            Decoder::new().unwrap().decode(payload, None, &mut decoded).unwrap();
            prop_assert_eq!(&decoded, &states);
            prop_assert_eq!((block.first, block.last), (states[0], states[states.len() - 1]));
        }
    }

    #[test]
    fn fixed_cells_are_left_out_of_a_block() {
        let size: Size = "442".parse().unwrap();
        let beside = Beside::new(size);
        // The boards differ by 1 in their other cells, so 1,000 of them compress to a few bytes.
        let states: Vec<u64> = (0x12..0x412).map(|x| x << 24 | 0xff_ffff).collect();
        let mut block = Block::default();
        let mut encoder = Encoder::new(3, size).unwrap();
        encoder.encode(&states, &mut block).unwrap();
        assert_eq!(block.first, 0x12ff_ffff);
        assert!(block.bytes.len() < 60, "{} bytes", block.bytes.len());
        let decode = |first, bytes| {
            let payload = Payload {
                first,
                count: 1024,
                bytes,
            };
            let mut decoded = vec![7];
            let mut decoder = Decoder::new().unwrap();
            decoder.decode(payload, beside.as_ref(), &mut decoded)?;
            Ok(decoded)
        };
        let payload = &block.bytes[PREFIX..];
        assert_eq!(decode(0x12ff_ffff, payload).unwrap()[1..], states);
        let unlocked = "first state without the stones that locks fix";
        assert_eq!(decode(0x12ff_ff2f, payload), Err(unlocked));
        let beyond = "states beyond the cells that locks leave";
        assert_eq!(decode(u64::MAX - 0x1ff, payload), Err(beyond));
    }

    #[test]
    fn disorder_and_repeats_are_refused() {
        let mut encoder = Encoder::new(1, size()).unwrap();
        for bad in [[1, 1], [2, 1]] {
            let refused = encoder.encode(&bad, &mut Block::default());
            assert!(
                matches!(refused, Err(Error::OutOfOrder { previous, got }) if [previous, got] == bad)
            );
        }
    }

    #[test]
    fn the_bytes_do_not_depend_on_blocks_encoded_before() {
        let states = |step: u64| {
            (0..BLOCK as u64)
                .map(|i| i * step + i % 7)
                .collect::<Vec<_>>()
        };
        let encode = |encoder: &mut Encoder, states: &[u64]| {
            let mut block = Block::default();
            encoder.encode(states, &mut block).unwrap();
            block.bytes
        };
        let mut used = Encoder::new(3, size()).unwrap();
        for step in [1000, 9, 8] {
            encode(&mut used, &states(step));
        }
        assert_eq!(
            encode(&mut used, &states(50)),
            encode(&mut Encoder::new(3, size()).unwrap(), &states(50))
        );
    }

    #[test]
    fn every_flipped_byte_and_every_cut_is_found() {
        let states: Vec<u64> = (1..600u64).map(|i| i * i * i).collect();
        let mut block = Block::default();
        Encoder::new(3, size())
            .unwrap()
            .encode(&states, &mut block)
            .unwrap();
        for at in 0..block.bytes.len() {
            for bit in 0..8 {
                let mut bytes = block.bytes.clone();
                bytes[at] ^= 1 << bit;
                assert!(Payload::of(&bytes).is_err(), "bit {bit} of {at}");
            }
            assert!(Payload::of(&block.bytes[..at]).is_err(), "cut at {at}");
        }
    }
}
