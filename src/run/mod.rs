//! Sorted lists of `u64` as bytes. Nothing here knows what a board is.
//!
//! # The part file, format version 1
//!
//! All integers are little-endian. `crc` is the CRC-32 of zlib (polynomial 0xEDB88320).
//!
//! ```text
//! +--------+---------+---------+-- ... --+---------+-------+--------+
//! | header | block 0 | block 1 |         | block n | index | footer |
//! +--------+---------+---------+-- ... --+---------+-------+--------+
//!
//! header, 40 bytes                          block, 20 bytes and its payload
//!   0  magic "enum48pt"                       0  first      u64  first state
//!   8  version     u32  1                     8  count      u32  states, 1 to block size
//!  12  kind        u8   0 states,            12  stored     u32  bytes of payload
//!                       1 afterstates        16  crc        u32  of bytes 0 to 16 and the payload
//!  13  rows        u8                        20  payload         a zstd frame (RFC 8878) of count - 1
//!  14  cols        u8                                            LEB128 varints: each state minus
//!  15  win         u8   exponent of the                          the one before it
//!                       winning tile, or 16
//!  16  sum         u32  sum of every state   index, 16 bytes for each block
//!  20  max         u32  largest tile of each   0  offset   u64  of the block in the file
//!  24  block size  u32  states in every block  8  first    u64  its first state
//!                       but the last
//!  28  length      u64  bytes of the file,   footer, 40 bytes
//!                       0 while unfinished     0  states      u64  in all blocks
//!  36  crc         u32  of bytes 0 to 36       8  blocks      u64
//!                                             16  fingerprint u64
//!                                             24  index crc   u32  of the whole index
//!                                             28  crc         u32  of bytes 0 to 28
//!                                             32  magic "enum48/."
//! ```
//!
//! States are strictly increasing within a block and from block to block. A block can be decoded
//! alone: its first state is absolute. The index starts at `length - 40 - 16 * blocks`.
//!
//! The *fingerprint* of a set is the sum, modulo 2^64, of `mix(x)` over its members ([`fingerprint()`]):
//! it depends on no order, block size or codec, so two programs can compare sets, not just counts.
//!
//! Every byte of a file is covered by a checksum or is one, and every later version keeps the
//! header's magic, version, length and crc where they are; that is how a cut file, a damaged one, an
//! unfinished one, a foreign one and a newer one are told apart.
//!
//! Reading order: [`varint`], [`block`], [`writer`], [`reader`]; then [`sort`] and [`merge`], which
//! make sorted lists.

pub mod block;
pub mod fingerprint;
pub mod header;
mod little_endian;
pub mod merge;
pub mod reader;
pub mod sort;
pub mod varint;
pub mod writer;

pub use block::{BLOCK, Block, Decoder, Encoder};
pub use fingerprint::{Fingerprint, fingerprint};
pub use header::{Kind, Label};
pub use reader::Part;
pub use sort::Sorter;
pub use writer::{PartWriter, Sealed};
