//! The rules of 2048 on small boards: boards, moves, spawns and symmetries.
//!
//! Nothing here touches a file or a thread. One board is a `u64` ([`Board`]). Functions that run
//! billions of times take slices of boards, as methods of `Rules`, and compile to wide vector
//! instructions.
//!
//! Games can have stones, which slide and never merge (see `board`). They can also have locks, which tell
//! where a move must leave stones (see `locks`). They have kernels of their own, which cost other games
//! nothing.
//!
//! Reading order: `locks`, `board` (the picture), `exp` (tiles), `symmetry` (why one board stands for
//! eight), `pattern` (the names of sizes), `slide` (a move without a branch), `line` (a move as a
//! person states it), `grid` (a board as a person states it), `rules` (the kernels over slices),
//! `spawned` (the moves of all candidates of an afterstate), `rank` with `beside` (the number of a board),
//! `variant` (a game), `full_game` (a player's board), `turned` (a board in another orientation),
//! `objective` (the quantity that a player maximises, and how often a 4 is spawned), `audit` (whether
//! boards belong to their part).

pub(crate) mod audit;
mod beside;
pub(crate) mod board;
mod exp;
mod full_game;
pub(crate) mod grid;
pub(crate) mod line;
mod locks;
mod objective;
mod pattern;
pub(crate) mod rank;
pub(crate) mod rules;
mod slide;
mod spawned;
mod symmetry;
mod turned;
mod variant;

pub use board::{Board, PartKey, Size, max_exp, sum};
pub(crate) use board::{STONE, empty_cells, exps, holds};
pub use exp::Exp;
pub use grid::Grid;
pub use objective::{FourRate, Objective};
pub(crate) use rules::Rules;
pub use rules::Tally;
pub use slide::{Direction, Moved};
pub(crate) use spawned::{LineTables, SpawnedMoves};
pub(crate) use symmetry::{canonical, images, orbit};
pub(crate) use turned::Turned;
pub use variant::Game;
pub(crate) use variant::LAST_START;
