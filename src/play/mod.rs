//! Games as short codes that anyone can replay.
//!
//! Readers must believe a count, but they can check a game. A game consists of its moves and its spawned
//! tiles. A [`Code`] holds both in one line of characters that need no escaping in the query or
//! fragment of a URL. Key idea: replaying shares no code with the engine. It moves tiles line by
//! line on a plain array (`game/line.rs`), so a code that replays is independent evidence.
//!
//! # The codes, version 1
//!
//! There are two forms, with fields separated by dots:
//!
//! ```text
//! s1.GAME.SEED.COUNT.MOVES[.W].CHECK                   seeded: a generator spawned the tiles
//! w1.GAME.START.COUNT.MOVES.SPAWNS[.W].CHECK           witnessed: the tiles are written down
//! ```
//!
//! | field | contents |
//! |---|---|
//! | GAME | rows, columns and winning tile: `4x4-2048`; without a winning tile `4x3`; with stones `free8-64` |
//! | SEED | a number below 2^64 in base 36: digits `0`-`9`, `a`-`z`, no leading zero |
//! | START | the stones and then the two tiles of the start, a character each, both in order of cells |
//! | COUNT | number of moves, decimal, no leading zero |
//! | MOVES | the moves, three per character |
//! | SPAWNS | the tile after each move, one character per tile; none after a winning move |
//! | `W` | present if and only if the last move wins |
//! | CHECK | CRC-32 (zlib's) of everything before its dot, eight lower-case hexadecimal digits |
//!
//! Each character stands for a number below 64, its position in
//! `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-/`.
//!
//! - **Moves**: 0 up, 1 right, 2 down, 3 left. Two bits per move, first move most significant; the
//!   last character is padded with 0. So right, right, up are `U` (01 01 00), and up, right, down
//!   are `G`.
//! - **Spawns**: twice the cell, plus 1 if the tile is a 4. Cells are counted from 0 at the top
//!   left, along the rows. So `A` is a 2 in the first cell, `f` a 4 in the last of sixteen.
//! - **Stones**: twice the cell.
//! - **Seeds**: the generator is the stream cipher `ChaCha20` (RFC 8439). The first eight bytes of
//!   the key are the seed, little-endian; the other bytes, the nonce and the counter are 0. The
//!   output is read as little-endian 32-bit words. To spawn a tile on a board with n empty cells,
//!   drop words until one, w, is below the greatest multiple of 10n that is at most 2^32. Let k = w
//!   mod 10n. The tile is a 4 if k mod 10 is 9, else a 2; it goes into empty cell number k div 10,
//!   counted from 0 along the rows. Two spawns on the empty board start the game, and one follows
//!   each move that does not win. Stones come before the first spawn, one after the other: with n empty
//!   cells, let k be w mod n for the next word w below the greatest multiple of n that is at most 2^32.
//!   In a game with masks, stones fill a mask before the others come. Of n > 1 masks, such a k chooses one.
//!
//! A code is valid if every field is as described, each move changes the board and keeps a mask if there
//! are masks, each tile is spawned into an empty cell, no move follows the win or the horizon, and `W` is
//! present exactly if the game is won. CHECK detects every change within four neighbouring characters
//! before it. CHECK finds typing errors; only the moves prove a game.
//!
//! Worked example on 2x2 to 8: `w1.2x2-8.BD.1.w..W.10f0c486` starts with `4 4 / . .` (cells 0 and
//! 1), moves left (3, padded to 110000, which is 48), and wins, so no tile follows.
//! `scripts/replay_code.py` replays codes in 120 lines of Python.
//!
//! Reading order: `position` (a board during a game), `replay` (a game move by move, with the source
//! of its tiles), `code` (a game that was played, and its text), `others` (the forms of other
//! programs), `read` (text back to a game).

mod code;
mod others;
mod position;
mod read;
mod replay;

use crate::error::{Error, InputError};

pub use code::{Code, decode_moves, encode_moves};
pub use others::OtherForm;
pub use position::{Position, Spawn, Status};
pub use replay::{Chance, Luck, Replay, Seed, Turn};

/// Every code is shorter than this many bytes. The sum of a board is at most 2^17 + 2^16 + ... + 4,
/// less than 2^18, and each move but a winning move adds at least 2. So a game has at most 2^17
/// moves. A move takes a third of a character, and the tile after it one character.
pub const LONGEST: usize = 1 << 18;

/// The error for a code with this fault, before any move.
fn refused(what: String) -> Error {
    InputError::Code { turn: None, what }.into()
}
