//! `enum48` lists every reachable state of a game of 2048 on a small board, exactly.
//!
//! Two facts make the game layered: a move keeps the sum of the tiles, and a spawn adds 2 or 4. So
//! all states of one sum (a *layer*) follow from the two layers before it, and no state is ever met
//! in two layers. The sweep goes through the sums in order; each layer is a map (move, spawn,
//! canonicalise) and a reduce (sort, drop duplicates), and lands in files that later layers stream.
//!
//! Read it top down: [`game`] (the rules) -> [`engine`] (the loop over layers) -> [`run`] (sorted
//! lists as bytes: the file format) -> [`store`] (a directory that survives being stopped) -> the
//! rest on demand: [`counts`] (the table), [`known`] (published numbers), [`laws`] (what any counts must
//! obey), [`bound`] (how many boards there are), [`verify`], [`graph`], [`play`] (games as codes), [`witness`]
//! (a game that ends in a given board). Each module uses only those to the left of it in
//! `game, run -> store, play -> engine, verify, graph, witness -> cli`.
//!
//! ```
//! use enum48::{Game, engine, store::Store};
//!
//! let game = Game::new("2".parse()?, Some(32))?;
//! let place = tempfile::tempdir().unwrap();
//! let mut store = Store::open(place.path(), &game, None)?;
//! let plan = engine::Plan::new(256 << 20, 2)?;
//! engine::count(&game, &mut store, &plan, None, &mut engine::Silent)?;
//! // 57 live states, the win and the loss: Lees-Miller, 2017.
//! assert_eq!(store.table().totals().total(), 59);
//! # Ok::<(), enum48::Error>(())
//! ```

#![warn(clippy::unwrap_used)]

pub mod bound;
pub mod cli;
pub mod counts;
pub mod engine;
pub mod error;
pub mod game;
pub mod graph;
pub mod known;
pub mod laws;
pub mod play;
pub mod run;
pub mod store;
pub mod verify;
mod wide;
pub mod witness;

pub use error::Error;
pub use game::Game;
