//! A block: thousands of states or values that can be decoded without the other blocks; and its
//! compression by zstd.
//!
//! Key idea: too little memory for a context is an error. The types of the crate `zstd` panic.

use std::io;

use zstd::zstd_safe::{CCtx, CParameter, DCtx, ErrorCode, compress_bound, get_error_name};

use super::bytes::{u32_at, u64_at};
use super::contents::{BLOCK, Label};
use super::delta::{MAX_BYTES, expect_order, put_deltas, take_deltas};
use super::fingerprint::{Fingerprint, fingerprint};
use super::ranks::Ranks;
use crate::error::{Error, Result};
use crate::game::PartKey;
use crate::game::rank::Ranking;

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
    /// The ranks of the states.
    ranks: Vec<u64>,
    deltas: Vec<u8>,
}

impl Encoder {
    /// An encoder at a zstd level: from 1 to 22, or below 0, which is faster.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if zstd cannot allocate its context.
    pub fn new(level: i32) -> Result<Self> {
        Ok(Self {
            zstd: compressor(level)?,
            ranks: Vec::new(),
            deltas: Vec::new(),
        })
    }

    /// Encode `states`, at least one and at most [`BLOCK`], into `block`, reusing its buffer. The ranking
    /// must have them. The bytes depend only on the states and the level.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfOrder`] unless the states are strictly increasing; [`Error::Zstd`] if zstd has too little
    /// memory.
    ///
    /// # Panics
    ///
    /// If there are no states, or more than [`BLOCK`], or one with a tile that the ranking has not.
    pub fn encode(&mut self, ranking: &Ranking, states: &[u64], block: &mut Block) -> Result<()> {
        assert!(
            (1..=BLOCK).contains(&states.len()),
            "a block of {} states",
            states.len()
        );
        let mut pairs = states.windows(2);
        pairs.try_for_each(|pair| expect_order(pair[0], pair[1]))?;
        self.ranks.clear();
        ranking.ranks(states, &mut self.ranks);
        let length = put_deltas(&self.ranks, &mut self.deltas)?;
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

    /// Append the states of a block of a part to `out`, or describe the damage. The memory is bounded by the
    /// count and by the sum, even if the bytes are damaged.
    pub(crate) fn decode(
        &mut self,
        payload: Payload<'_>,
        label: Label,
        out: &mut Vec<u64>,
    ) -> Result<(), &'static str> {
        let Payload { first, count, .. } = payload;
        self.bytes.clear();
        self.bytes.reserve(MAX_BYTES * count as usize);
        self.zstd
            .decompress(&mut self.bytes, payload.bytes)
            .map_err(|_| "zstd cannot decode it")?;
        let begin = out.len();
        let differ = "differences do not match the count";
        let first_wrong = "first state does not belong to the part";
        if PartKey::of(label.size.tiles(first)) != label.key {
            return Err(first_wrong);
        }
        let ranks = Ranks::of(label.size, first);
        let rank = ranks.rank(first).ok_or(first_wrong)?;
        take_deltas(&self.bytes, rank, count, out).ok_or(differ)?;
        let boards = ranks.boards(&mut out[begin..]);
        boards.ok_or("states beyond the last possible board of the part")
    }

    /// The decoder that a thread keeps. It is made at the first use.
    pub(crate) fn of(kept: &mut Option<Self>) -> Result<&mut Self> {
        match kept {
            Some(decoder) => Ok(decoder),
            None => Ok(kept.insert(Self::new()?)),
        }
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
    use super::super::contents::Kind;
    use super::super::ranks::tests::{boards_at, number_of_boards, some_boards};
    use super::super::stream::tests::{label, sample};
    use super::*;
    use crate::game::rank::{RankTables, Ranking};
    use crate::game::{Exp, Game, Size};
    use proptest::prelude::*;

    /// Decode a payload as states of a game.
    fn decode(game: &str, payload: Payload, key: PartKey) -> Result<Vec<u64>, &'static str> {
        let label = Label::new(&game.parse().unwrap(), Kind::States, key);
        let mut decoded = vec![7];
        Decoder::new()
            .unwrap()
            .decode(payload, label, &mut decoded)?;
        assert_eq!(decoded[0], 7);
        Ok(decoded.split_off(1))
    }

    proptest! {
        #[test]
        fn any_increasing_list_survives_a_block(
            ranks in prop::collection::btree_set(0..number_of_boards(label()), 1..500),
            level in 1..20,
        ) {
            let states = boards_at(label(), ranks.into_iter());
            prop_assume!(!states.is_empty());
            let mut block = Block::default();
            Encoder::new(level).unwrap().encode(&Ranking::of_part(label().size, label().key), &states, &mut block).unwrap();
            let payload = Payload::of(&block.bytes).unwrap();
            let decoded = decode("4x4", payload, label().key);
            prop_assert_eq!(&decoded.unwrap(), &states);
            prop_assert_eq!((block.first, block.last), (states[0], states[states.len() - 1]));
        }
    }

    #[test]
    fn boards_with_stones_become_ranks_and_forged_ones_are_refused() {
        let size: Size = "442".parse().unwrap();
        let key = PartKey::of(0x11);
        // Two 2s in ten cells, and the stones of 442: 45 boards, with the ranks 0 to 44.
        let pairs = (0..10).flat_map(|low| (low + 1..10).map(move |high| (low, high)));
        let boards = pairs.map(|(low, high)| (1 << (4 * low) | 1 << (4 * high)) << 24 | 0xff_ffff);
        let mut states: Vec<u64> = boards.collect();
        states.sort_unstable();
        let mut block = Block::default();
        let mut encoder = Encoder::new(3).unwrap();
        let ranking = RankTables::new(size, key.max, key.sum).of_sum(key.sum);
        encoder.encode(&ranking, &states, &mut block).unwrap();
        assert_eq!(block.first, 0x11ff_ffff);
        // The differences are 44 times 1, so zstd repeats one byte.
        let bytes = &block.bytes[PREFIX..];
        assert!(bytes.len() < 20, "{} bytes", bytes.len());
        let count = 45;
        let read = |first, key| {
            let payload = Payload {
                first,
                count,
                bytes,
            };
            decode("442-64", payload, key)
        };
        assert_eq!(read(states[0], key).unwrap(), states);

        let beyond = Err("states beyond the last possible board of the part");
        assert_eq!(read(states[1], key), beyond);
        let wrong = Err("first state does not belong to the part");
        // Another sum, a tile in a fixed cell, a stone too few or too many.
        for first in [
            0x0001_11ff_ffff,
            0x01ff_ff1f,
            0x11ff_ff0f,
            0x000f_11ff_ffff,
            0,
            u64::MAX,
        ] {
            assert_eq!(read(first, key), wrong, "{first:#x}");
        }
        assert_eq!(read(0x02ff_ffff, key), wrong, "another largest tile");
        // The label asks for more memory than any board can need.
        let key = PartKey {
            sum: u32::MAX - 1,
            ..key
        };
        assert_eq!(read(states[0], key), wrong);
    }

    #[test]
    fn both_numbers_of_a_board_are_equal() {
        for name in ["2x4-32", "4x3-64", "4x4-64", "442-64", "2x3free4lockf-16"] {
            let game: Game = name.parse().unwrap();
            let size = game.size();
            // All boards that two spawns into the starts give.
            let mut boards = game.starts(4);
            for _ in 0..2 {
                let mut more = Vec::new();
                game.rules().spawn(&boards, Exp::TWO, &mut more);
                boards = more;
            }
            boards.sort_unstable();
            boards.dedup();
            let key = PartKey::of(size.tiles(boards[0]));
            let ranking = RankTables::new(size, key.max, 100).of_sum(key.sum);
            let mut ranks = Vec::new();
            ranking.ranks(&boards, &mut ranks);
            let walked = Ranks::of(size, boards[0]);
            assert!(
                boards
                    .iter()
                    .map(|&board| walked.rank(board).unwrap())
                    .eq(ranks),
                "{name}"
            );
        }
    }

    #[test]
    fn disorder_and_repeats_are_refused() {
        let (mut encoder, ranking) = (
            Encoder::new(1).unwrap(),
            Ranking::of_part(label().size, label().key),
        );
        for bad in [[1, 1], [16, 1]] {
            let refused = encoder.encode(&ranking, &bad, &mut Block::default());
            assert!(
                matches!(refused, Err(Error::OutOfOrder { previous, got }) if [previous, got] == bad)
            );
        }
    }

    #[test]
    fn the_bytes_do_not_depend_on_blocks_encoded_before() {
        let states = |step: u64| some_boards(label(), (0..).map(|i| i * step + i % 7), BLOCK);
        let ranking = Ranking::of_part(label().size, label().key);
        let encode = |encoder: &mut Encoder, states: &[u64]| {
            let mut block = Block::default();
            encoder.encode(&ranking, states, &mut block).unwrap();
            block.bytes
        };
        let mut used = Encoder::new(3).unwrap();
        for step in [1000, 9, 8] {
            encode(&mut used, &states(step));
        }
        assert_eq!(
            encode(&mut used, &states(50)),
            encode(&mut Encoder::new(3).unwrap(), &states(50))
        );
    }

    #[test]
    fn every_flipped_byte_and_every_cut_is_found() {
        let states = sample(600);
        let mut block = Block::default();
        Encoder::new(3)
            .unwrap()
            .encode(
                &Ranking::of_part(label().size, label().key),
                &states,
                &mut block,
            )
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
