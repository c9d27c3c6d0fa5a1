//! The rules of 2048 on small boards: boards, moves, spawns and symmetries.
//!
//! Nothing here touches a file or a thread. One board is a `u64` ([`Board`]). Code that runs
//! billions of times works on slices of boards, behind the trait `Rules`, and compiles to wide
//! vector instructions.
//!
//! Reading order: `board` (the picture), `exp` (tiles), `symmetry` (why one board stands for
//! eight), `slide` (a move without a branch), `line` (a move as a person states it), `rules` (the
//! kernels over slices), `tally` (counts), `boards` (the rules for one board), `spawned` (the moves
//! of all candidates of an afterstate), `key` (boards as shorter numbers), `variant` (a game: board
//! size and winning tile), `objective` (the quantity that a player maximises).

pub(crate) mod audit;
pub(crate) mod board;
mod boards;
mod exp;
pub(crate) mod grid;
pub(crate) mod key;
pub(crate) mod line;
mod objective;
pub(crate) mod rules;
mod shape;
mod slide;
mod spawned;
mod symmetry;
mod tally;
mod variant;

pub(crate) use audit::Claim;
pub use board::{Board, Size, max_exp, sum};
pub(crate) use board::{empty_cells, exps, holds};
pub use exp::{Exp, PartKey};
pub use grid::Grid;
pub use objective::Objective;
pub(crate) use rules::Rules;
pub use slide::{Direction, Moved};
pub(crate) use spawned::{LineTables, SpawnedMoves};
pub use symmetry::Symmetry;
pub(crate) use symmetry::{canonical, images, orbit};
pub use tally::Tally;
pub use variant::Game;
