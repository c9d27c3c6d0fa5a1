//! The rules of 2048 on small boards: what a board is, how it moves, when two boards are the same.
//!
//! Nothing here touches a file or a thread. One board is a `u64` ([`Board`]); everything that runs
//! billions of times works on slices of them, behind the trait [`Rules`], in code that the compiler
//! turns into wide vector instructions.
//!
//! Reading order: [`board`] (the picture), [`symmetry`] (why one board stands for eight),
//! [`slide`] (a move without a branch), [`line`](mod@line) (a move as it is told), [`rules`] (the kernels over slices), `rank` (boards as
//! shorter numbers), [`variant`] (a game: board size and winning tile).

pub mod audit;
pub mod board;
pub mod grid;
pub mod line;
pub(crate) mod rank;
pub mod rules;
pub mod shape;
pub mod slide;
pub mod symmetry;
pub mod variant;

pub use audit::Claim;
pub use board::{Board, Size};
pub use grid::Grid;
pub use rules::{Census, Moves, Rules};
pub use slide::Direction;
pub use variant::Game;
