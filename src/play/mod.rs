//! Games that were played, as short codes that anyone can replay.
//!
//! A count asks to be believed; a game can be checked. A game is its moves and where chance put tiles, and
//! a [`Code`] writes both down in one line of characters that need no escaping in the query or the
//! fragment of an address. Key idea: replaying shares nothing with the engine. It moves tiles on a plain array,
//! line by line ([`crate::game::line`]), so that a code that replays is evidence of its own.
//!
//! # The codes, version 1
//!
//! Fields are parted by dots; there are two forms:
//!
//! ```text
//! s1.GAME.SEED.COUNT.MOVES[.W].CHECK                   seeded: chance is a generator's
//! w1.GAME.START.COUNT.MOVES.SPAWNS[.W].CHECK           witnessed: chance is written down
//! ```
//!
//! | field | what |
//! |---|---|
//! | GAME | `4x4-2048`: rows, columns and winning tile; `4x3` where nobody wins |
//! | SEED | a number below 2^64 in base 36: digits `0`-`9`, `a`-`z`, no leading zero |
//! | START | the two tiles of the start, two characters, cells in increasing order |
//! | COUNT | how many moves, decimal, no leading zero |
//! | MOVES | the moves, three to a character |
//! | SPAWNS | the tile that follows each move, one character each; none follows a winning move |
//! | `W` | there if, and only if, the last move wins |
//! | CHECK | CRC-32 (zlib's) of all before its dot, eight hexadecimal digits, `a`-`f` small |
//!
//! A character stands for a number below 64, its place in
//! `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-/`.
//!
//! - **Moves**: 0 up, 1 right, 2 down, 3 left; two bits each, the first the most significant. The last character
//!   is filled up with 0. So right, right, up are `U` (01 01 00), and up, right, down are `G`.
//! - **Spawns**: twice the cell, plus 0 for a 2 or 1 for a 4. Cells are counted from 0 at the top left, along the rows.
//!   So `A` is a 2 in the first cell, `f` a 4 in the last of sixteen.
//! - **Seeds**: the generator is the stream cipher `ChaCha20` (RFC 8439) with the seed as the first eight bytes of the key, little-endian, the
//!   others 0, and nonce and counter 0. Its output is taken as little-endian 32-bit words. For a spawn on a board
//!   with n empty cells, words are dropped until one, w, is below the greatest multiple of 10n that is at most
//!   2^32; then k = w mod 10n, the tile is a 4 if k mod 10 is 9, else a 2, and it comes into the empty cell number
//!   k div 10, counted from 0 along the rows. Two such spawns into the empty board start the game, one follows each
//!   move that does not win.
//!
//! A code is true if every field is as above, each move changes the board, each spawn comes into an empty cell,
//! no move follows the win, and `W` is there just if the game is won. CHECK finds every change of up to four
//! neighbouring characters before it; it proves nothing, the moves do.
//!
//! A classic code is the field MOVES alone, of a game whose seed is known. Without a count it cannot say where it
//! ends: what follows the end of its game is left out, and of the last character up to two moves up if they change
//! nothing. Such a code of a game that goes on is therefore best written with its count.
//!
//! Worked on 2x2 to 8: `w1.2x2-8.BD.1.w..W.10f0c486` starts with `4 4 / . .` (cells 0 and 1), moves left (3, filled up to
//! 110000, 48), and wins, so no tile follows. The same in 80 lines of Python is `scripts/replay_code.py`.
//!
//! Reading order: `position` (a board while a game is played), `chance` (where tiles come from), `replay` (playing),
//! `code` (a game that was played), `text`, `moves` and `spawns` (reading and
//! writing it).

mod chance;
mod code;
pub mod moves;
mod position;
mod replay;
mod spawns;
mod text;

pub use chance::{Chance, Luck, Seed};
pub use code::Code;
pub use position::{Position, Spawn, Status};
pub use replay::{Replay, Turn};
