//! A part as a file: sorted boards, in blocks that can be decoded alone. A second file can hold a
//! value for each board, in blocks that begin at these boards.
//!
//! In these files a board is a number, and a part is a sorted list of numbers with a label. Checksums
//! do not show whether the numbers are boards of the part. So the afterstates of a run, from which
//! counts and values follow, are also audited by the rules of the game, as each block is decoded.
//!
//! # The part file, format version 1
//!
//! All integers are little-endian and unsigned. Ranges of bytes leave out their end. `crc` is the
//! CRC-32 of zlib (polynomial 0xEDB88320).
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
//!                       2 values,            20  payload         one zstd frame of count - 1
//!                       3 matrices,                              varints: the rank of each state minus
//!                       both below                               the rank of the one before it
//!  13  rows        u8
//!  14  cols        u8
//!  15  win         u8   exponent of the
//!                       winning tile, 16
//!                       if there is none     index, 16 bytes for each block
//!  16  sum         u32  sum of every state     0  offset   u64  of the block in the file
//!  20  max         u32  largest tile of each   8  first    u64  its first state
//!                       (32, not 5)
//!  24  block size  u32  states in every      footer, 40 bytes
//!                       block but the last     0  states      u64  in all blocks
//!  28  length      u64  bytes of the file,     8  blocks      u64
//!                       0 while unfinished    16  fingerprint u64
//!  36  crc         u32  of bytes 0 to 36      24  index crc   u32  of the whole index
//!                                             28  crc         u32  of bytes 0 to 28
//!                                             32  magic "enum48/."
//! ```
//!
//! - *Stones.* If the game has stones, the version is 2, byte 13 is 16 * rows + cols, and byte 14 is
//!   the number of stones, at least 1. Such boards have the digit 15 for a stone, which adds nothing to
//!   the sum. If the game has masks, target cells or a horizon, byte 14 is 128 more, and 16 bytes follow
//!   byte 40: three masks, u16 each, in increasing order, then 0s; the target cells, u16, 0 if every cell
//!   is one; the horizon, u32, 0 if there is none; and their crc. A mask has a bit for each cell, the last
//!   cell least significant.
//! - *Places.* Block 0 is at byte 40, or 56 with these bytes. Each block follows the one before it
//!   directly, the index follows the last one, and the footer ends the file: the index starts at
//!   `length - 40 - 16 * blocks`. A part without states has no blocks, an index of no bytes (crc 0), and
//!   80 bytes in all, or 96.
//! - *Blocks.* The block size is from 1 to 2^20 (this program writes 2^17 for states, 2^14 for
//!   afterstates). Every block but the last is full, the last has at least one state. States
//!   strictly increase within a block and from block to block. A block can be decoded alone: its
//!   first state is absolute.
//! - *Ranks.* A state's rank is its number, from 0 on and in their order, among all boards that have the
//!   sum of the part and no larger tile than the part's largest. A smaller largest tile is allowed. If the
//!   game has stones, these boards also have their number, and a stone in each cell that all masks have.
//!   `first` is a board, in the block and in the index.
//! - *Payload.* Exactly one frame of RFC 8878, without a dictionary, which states the size of its
//!   contents, 0 for a block with one state. A varint is unsigned LEB128 (seven bits a byte, least
//!   significant first, high bit set on all bytes but the last). It is the
//!   shortest encoding, so at most 10 bytes, and its value is at least 1. So the contents have at
//!   most `10 * (count - 1)` bytes, and a reader can bound its memory without trusting the frame. No
//!   block takes more than `4096 + 16 * block size` bytes in the file.
//! - *Fingerprint.* The sum of `mix(x)` over all states x, modulo 2^64. `mix` is the first output
//!   of `SplitMix64` seeded with x, also modulo 2^64: `z = x + 0x9E3779B97F4A7C15`,
//!   `z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9`, `z = (z ^ z >> 27) * 0x94D049BB133111EB`,
//!   `mix = z ^ z >> 31`. It does not depend on order, block size or codec, so two programs can
//!   compare sets, not just counts.
//! - *Errors.* A checksum covers every byte but the checksums and the last magic, which a reader
//!   compares. Later versions keep the header's magic, version, length and crc in place. A reader
//!   checks the magic first (else the file is foreign), then the header's crc (damaged), the
//!   version (newer), the length (unfinished, cut or too long), the footer, the index, and each
//!   block as it is read.
//!
//! Worked example: in 2x2 to 32, the part of sum 4 and largest tile 2 holds the states 0x0011 and
//! 0x0110. Of all boards with two 2s, 0x0101 lies between them, so their ranks are 0 and 2, and the
//! payload has the one varint 2. The file has these 126 bytes.
//!
//! ```text
//! 00  65 6e 75 6d 34 38 70 74 01 00 00 00 00 02 02 05
//! 10  04 00 00 00 02 00 00 00 00 00 02 00 7e 00 00 00
//! 20  00 00 00 00 44 c9 9d ed 11 00 00 00 00 00 00 00
//! 30  02 00 00 00 0a 00 00 00 f0 1d 0c e7 28 b5 2f fd
//! 40  20 01 09 00 00 02 28 00 00 00 00 00 00 00 11 00
//! 50  00 00 00 00 00 00 02 00 00 00 00 00 00 00 01 00
//! 60  00 00 00 00 00 00 93 45 3a b1 27 24 b9 f8 d2 9e
//! 70  86 38 a1 d9 27 c9 65 6e 75 6d 34 38 2f 2e
//! ```
//!
//! # Segments
//!
//! A large part is cut into several files, its *segments*. The run's manifest gives the number of
//! boards in a segment (2^27 by default); the last segment holds the rest. A segment is a whole
//! number of blocks, so the blocks of a part are the blocks of its segments in order. Each segment
//! is a part file as above, and its header, index and footer describe its own boards. The names are
//! numbered: `sum-00164-max-00032-0000.states`, `sum-00164-max-00032-0001.states`. Only the
//! manifest lists the files of a part and their fingerprints. The segments of values end where the
//! segments of their afterstates end.
//!
//! # The file of values, format version 1
//!
//! This file holds a value for each afterstate of a part, in the order of the afterstates. Its
//! blocks begin where the blocks of the afterstates begin. Its layout differs from the layout of
//! the part file in the header and in the payload.
//!
//! ```text
//! header, 60 bytes                          payload of a block
//!   0  as above, kind 2; sum and max are      0  lengths  4 u32  bytes stored of each plane
//!      those of the afterstates              16  planes          one after the other
//!  40  objective   u32  0 score, 1 moves,
//!                       or a tile (512, not
//!                       9), from 4 to 65536;
//!                       2^31 + tile: forced
//!  44  fraction    u16  bits after the binary point, at most 32
//!  46  fours       u8   the rate of spawned 4s as a reduced ratio,
//!  47  spawns      u8   fours of spawns; both 0 for 1 of 10
//!  48  keys        u64  fingerprint of the afterstates, as in the footer of their file
//!  56  crc         u32  of bytes 40 to 56
//! ```
//!
//! - *Values.* A value is a u32 and stands for the number `value / 2^fraction`, the expectation
//!   from the afterstate on under the best play for the objective. For moves it is the number of
//!   moves left, without the move that led to the afterstate. For a tile it is the chance that
//!   the game ever has this tile or a larger one, so 1 if the afterstate has it. For a tile to be
//!   forced it is 1 if some play gets this tile against every spawn, else 0. For the score it
//!   is the score still to come plus the *potential* of the afterstate, which readers must
//!   subtract. The potential is the sum of (k - 1) 2^k over the tiles 2^k: 0 for a 2, 4 for a 4,
//!   16 for an 8.
//! - *States.* The value of a move is the value of the canonical image of the board after it. A
//!   winning move leads to a board that is in no file. Its value is the board's potential for the
//!   score, 0 for moves, and 1 for a tile. The best move has the greatest value v. For a state,
//!   the chance is v, the number of moves left is v + 1, and the score to come is v less the
//!   state's potential, because a merge raises the potential by its score. A state without a
//!   legal move has no moves and no score to come.
//! - *Rounding.* The value of an afterstate is a mean over its empty cells: if f of s spawned tiles
//!   are 4s, (s - f)/s of the value with a 2 in the cell, and f/s of the value with a 4. For the
//!   score, 4 is subtracted from the value with a 4, because a spawned 4 scores nothing (the
//!   potential of states stays in). The mean is rounded once, so that other programs get the same
//!   integers: add s - f times the value with a 2 and f times the value with a 4 over all n empty
//!   cells, add half the divisor sn, divide by sn and drop the fraction. If `solution.json` says
//!   `down`, add 0 instead of half the divisor; if it says `up`, add sn - 1.
//! - *Forced tiles.* The value is the least of the values of all candidates. It equals the mean
//!   above, rounded down, because all values are 0 or 1. Both spawns count, whatever the rate, and
//!   the rate in the header is 1 of 10.
//! - *Places.* Block 0 is at byte 60. A file without values is 100 bytes.
//! - *Blocks.* `first` is the afterstate of the block's first value, here and in the index. All
//!   other afterstates are only in their own file. For "states", read "values".
//! - *Payload.* Four planes: the most significant byte of each value, then the second, the third,
//!   and the least significant. A plane of length `count` is not compressed. A shorter plane is
//!   one frame as above, with `count` bytes of contents. No plane is longer, and nothing follows
//!   the last plane. If the lengths of the last three planes are 0, the first has two bytes for
//!   each value, the less significant first, and fills the rest of the payload.
//! - *Fingerprint.* The sum, modulo 2^64, of `mix(mix(x) + value)` over all afterstates x and
//!   their values. It can be checked only with the afterstates.
//! - *Errors.* A reader checks the crc at byte 56 after the length.
//!
//! Worked example: the chance of the tile 32 in 2x2 to 32, from the afterstates of sum 22 and
//! largest tile 16. It is 0.0909 from 0x0124, 0.0819 from 0x0142 and 0.009 from 0x0241. With 31
//! bits the values are 195206264, 175878911 and 19327353, and their file has these 164 bytes.
//!
//! ```text
//! 00  65 6e 75 6d 34 38 70 74 01 00 00 00 02 02 02 05
//! 10  16 00 00 00 10 00 00 00 00 40 00 00 a4 00 00 00
//! 20  00 00 00 00 19 60 49 3a 20 00 00 00 1f 00 00 00
//! 30  fe 34 0c a6 ae c1 cb 62 61 f3 0b 0d 24 01 00 00
//! 40  00 00 00 00 03 00 00 00 1c 00 00 00 f4 30 70 be
//! 50  03 00 00 00 03 00 00 00 03 00 00 00 03 00 00 00
//! 60  0b 0a 01 a2 7b 26 9c b2 e9 78 ff 79 3c 00 00 00
//! 70  00 00 00 00 24 01 00 00 00 00 00 00 03 00 00 00
//! 80  00 00 00 00 01 00 00 00 00 00 00 00 ae 57 bb 29
//! 90  b7 b7 c5 84 66 ba ca 61 c9 2a 49 9e 65 6e 75 6d
//! a0  34 38 2f 2e
//! ```
//!
//! # The file of matrices, format version 1
//!
//! This file, `sum-00164.matrices`, holds the afterstates of a layer of 4x4, of all largest tiles, as
//! packed bit matrices. The layout is the layout of the part file, with kind 3, 65536 as the largest
//! tile, and block size 1: a block is a matrix. The block may be longer than the limit
//! above. `first` is the *weight* of the top halves of its boards, half the sum of their tiles.
//! The bottom halves have the rest of the weight, `sum / 2 - first`. A layer has no block for a weight
//! without boards. In a game with n stones and c other cells, a stone weighs 4 + b, and a board weighs
//! n * (4 + b) + sum / 2. Here b is 2^(c+2) - 4, or c times half the winning tile if that is less.
//!
//! ```text
//! payload of a block
//!   0  order   u32  1, the order of rows and columns described here
//!   4  rows    u32  of the matrix
//!   8  lines   u32  of each row, in both ranges of columns; a line is 512 bits
//!  12  frame        one frame as above, which holds the packed matrix
//!
//! packed matrix
//!      mask         (rows + 7) / 8 bytes: bit r % 8 of byte r / 8 is set if row r has bits
//!      rows         for each row with bits, for each of its lines:
//!                     words  u8  bit w is set if word w of the line differs from the last row's
//!                     bytes  u8 for each such word: bit b is set if byte b of the word differs
//!                     for each such byte of all words: the difference, an exclusive or
//! ```
//!
//! - *Words.* A line has eight words of 64 bits. Bit i of a word is 1 << i, byte 0 has its least
//!   significant bits. The last row is the last row before it that has bits, or zeros.
//! - *Halves.* The top half of a board is its first two rows. The bottom half is read upside down:
//!   its *outer* row is the last row of the board, its *inner* row the third. The outer row of the
//!   top half is the first. The two left cells of a half are its left *quad*, the two right cells
//!   its right quad, which is read mirrored. So the four cells of a quad are the corner of the
//!   board, its neighbour in the outer row, its neighbour in the inner row, and the cell in the
//!   middle. As a number, a quad has the exponents of these cells as hexadecimal digits, in this
//!   order, the corner as the highest digit.
//! - *Order of quads.* Among quads of one weight, quads without an empty cell come first, then the
//!   others by number. Quads without an empty cell have three groups: less than their transpose, equal
//!   to it, greater. The lesser of a quad and its transpose decides the order in a group. A transpose
//!   swaps the two neighbours of the corner.
//! - *Order of halves.* Halves of one weight are ordered by weight of the right quad; then by right
//!   quad, in the order of quads; then by left quad, in the order of quads. All tiles are below the
//!   winning tile, and with stones none is above 2^(c+1).
//! - *Moved halves.* A half is moved if a move to the left leads to it. In each row the tiles are at
//!   the left end. If two neighbouring tiles are equal, they are not 2s, and the row has an empty cell.
//!   Stones, of digit 15, are tiles here, but may be equal neighbours in any row.
//! - *Columns.* First the range `left`, then the range `both`. They hold halves of the weight of
//!   the bottom half. Each range begins with a new line. The rest of its last line is padding. A
//!   range without halves has no line.
//! - *`left`.* The moved halves with a row that is neither full nor empty.
//! - *`both`.* The halves whose rows are all full or empty, in three groups: the moved halves with an
//!   empty row, the other halves with an empty row, and the full halves, whether moved or not.
//! - *Order of columns.* In `left`, and in the first two groups of `both`, four kinds follow each
//!   other: short halves, halves that are short and hollow, hollow halves, and others. The order of
//!   halves decides within each kind, and within the full halves. A half is *short* if it has an empty
//!   cell and no tile of its inner row has an empty outer neighbour. It is *hollow* if it has an empty
//!   column and no tile of its outer row has an empty inner neighbour.
//! - *Rows.* The moved halves of weight `first` with an empty cell. The halves of `left` come
//!   first, then the halves of `both`, in the order of columns.
//! - *Boards.* The bit in row r and column c stands for the board whose top half is r and whose bottom
//!   half is c. A board is an afterstate of the sum if one of its eight images has its bit. A state
//!   is a start of the game, or has a 2 or a 4 without which it is an afterstate of its sum.
//! - *Bits.* If a board has a row and a column, its bit is set if a move to the left, without a
//!   win, leads to it from an image of a live state. A run that keeps all matrices sets no other
//!   bits. In another run, a layer that was read from part files can have the bits of other images
//!   of its afterstates.
//! - *Fingerprint.* The sum of `mix(2^32 * first + crc)` over all blocks, modulo 2^64; `crc` is of the
//!   first 12 bytes of the payload and the contents of the frame, so it does not depend on the zstd
//!   level. The footer's number of states is the number of matrices.
//! - *Errors.* A reader refuses a bit of the mask after the last row, a bit in the padding, a row
//!   of the mask without bits, and a matrix without bits. It refuses bytes that are not the
//!   shortest form of these rows: a word that differs in no byte, a difference of 0, and bytes
//!   after the last row. The contents of a frame have at most `(rows + 7) / 8 + 73 * rows * lines`
//!   bytes.
//!
//! Worked example: in 4x4 to 8, the layer of sum 4 has three matrices, for top halves of weight 0, 1
//! and 2. Its file has these 266 bytes. The packed matrix at byte 81 has one row, the empty half. Its
//! bits 0 to 2 are the bottom halves of weight 2: a 4 in the corner, a 2 in both left cells, and a 4 in
//! the inner row. The packed matrix at byte 126 has two rows, which are equal, so the second is the
//! byte 0. Its four boards have a 2 in a left cell of each half.
//!
//! ```text
//! 00  65 6e 75 6d 34 38 70 74 01 00 00 00 03 04 04 03
//! 10  04 00 00 00 00 00 01 00 01 00 00 00 0a 01 00 00
//! 20  00 00 00 00 c9 81 17 d7 00 00 00 00 00 00 00 00
//! 30  01 00 00 00 19 00 00 00 9c 84 0d 0a 01 00 00 00
//! 40  01 00 00 00 01 00 00 00 28 b5 2f fd 20 04 21 00
//! 50  00 01 01 01 07 01 00 00 00 00 00 00 00 01 00 00
//! 60  00 1a 00 00 00 42 a8 63 2d 01 00 00 00 02 00 00
//! 70  00 01 00 00 00 28 b5 2f fd 20 05 29 00 00 03 01
//! 80  01 03 00 02 00 00 00 00 00 00 00 01 00 00 00 1b
//! 90  00 00 00 83 78 67 72 01 00 00 00 03 00 00 00 01
//! a0  00 00 00 28 b5 2f fd 20 06 31 00 00 07 01 01 01
//! b0  00 00 28 00 00 00 00 00 00 00 00 00 00 00 00 00
//! c0  00 00 55 00 00 00 00 00 00 00 01 00 00 00 00 00
//! d0  00 00 83 00 00 00 00 00 00 00 02 00 00 00 00 00
//! e0  00 00 03 00 00 00 00 00 00 00 03 00 00 00 00 00
//! f0  00 00 f5 f8 d3 09 00 f3 47 fd 21 a0 d6 41 e0 a8
//! 100  8c 3a 65 6e 75 6d 34 38 2f 2e
//! ```
//!
//! # Readers
//!
//! `scripts/read.py` shows how to read each kind of file, in Python written from this page. It
//! reads millions of boards or values a second into a `NumPy` array, some hundred thousand boards with
//! stones, and subtracts the potential.
//!
//! Reading order: `fingerprint`, `delta`, `ranks`, `block`, `contents`, `header`, `writer`, `bytes`, `frame`,
//! `segments`, `stream`; then for values `planes`, `column`; `matrix`.

pub(crate) mod block;
mod bytes;
mod column;
pub(crate) mod contents;
pub(crate) mod delta;
mod fingerprint;
mod frame;
mod header;
mod matrix;
pub(crate) mod planes;
mod ranks;
mod segments;
mod stream;
pub(crate) mod writer;

pub use block::Decoder;
pub(crate) use block::{Block, Encoder};
pub(crate) use bytes::read_exact_at;
pub use contents::{About, Kind, Label, LayerLabel};
pub(crate) use contents::{Contents, FileContents};
pub(crate) use fingerprint::mix;
pub use fingerprint::{Fingerprint, fingerprint, value_fingerprint};
pub(crate) use matrix::{LINE_AT_MOST, matrix_block};
pub(crate) use planes::ValueEncoder;
#[cfg(test)]
pub(crate) use ranks::tests::some_boards;
pub use segments::{MatrixFile, Part, Segments, ValueColumn};
pub use stream::Stream;
pub(crate) use stream::{check_boards, each_block};
pub(crate) use writer::{PartWriter, Sealed};
