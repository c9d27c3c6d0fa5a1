//! `enum48` lists every reachable state of a game of 2048 on a small board, exactly.
//!
//! Two facts make the game layered: a move keeps the sum of the tiles, and a spawn adds 2 or 4. So
//! all states of one sum (a *layer*) follow from the two layers before it, and no state belongs to
//! two layers. A count goes through the sums in order. Each layer is a map (spawn, move, canonical
//! form) and a reduce (sort, drop repeats), or operations on matrices of bits. The boards are written
//! to files that other programs can stream.
//!
//! ```
//! use enum48::{Game, engine, store::Store};
//!
//! let game = Game::new("2".parse()?, Some(32))?;
//! let place = tempfile::tempdir().unwrap();
//! let mut store = Store::open(place.path(), &game, None)?;
//! let plan = engine::Plan::new(256 << 20, 2)?;
//! engine::count(&mut store, &plan, None, &mut engine::Silent)?;
//! // 57 live states, the win and the loss: Lees-Miller, 2017.
//! assert_eq!(store.run().table().totals().total(), 59);
//! # Ok::<(), enum48::Error>(())
//! ```
//!
//! # For a solver
//!
//! - [`store::Run`] opens a run: its table and its parts. [`read::Reader`] reads its boards, such as a
//!   layer's states in one iterator (with an example that moves them).
//! - [`read::Lookup`] finds the position of a state or an afterstate in its part, and the board at a
//!   position, so that an array beside the part can hold anything about its boards (with an example).
//! - [`solve::solve`] solves a complete run that kept its afterstates, for any [`store::Goal`]s;
//!   [`solve::Values`] looks up the values of a board and of each of its moves (with an example).
//! - [`part::ValueColumn`] reads the values of a part's afterstates, in the same blocks.
//! - [`Game::moves`], [`Game::spawns`] and [`Game::canonical`] are the rules for one board.
//!
//! # Words
//!
//! | word | meaning |
//! |---|---|
//! | state | a board with the player to move, after a spawn |
//! | afterstate | a board after a move, before the spawn |
//! | live, dead, won | has a legal move; has none; holds the winning tile |
//! | canonical | the least of a board's images under the symmetries, boards compared as numbers |
//! | labeled | counted without symmetry: the sum of orbit sizes |
//! | sum | the sum of a board's tiles (*age* in part of the literature) |
//! | weight | half the sum of a row, or of a half of a board |
//! | layer | all canonical states of one sum |
//! | part | all canonical states, or afterstates, of one sum and one largest tile ([`PartKey`](game::PartKey)) |
//! | tile, exponent | 32 is a tile, 5 its exponent ([`Exp`](game::Exp)) |
//! | tally | counts of boards; each thread has one, and their sum is the result ([`Tally`](game::Tally)) |
//! | row | the counts of one part in the table ([`Row`](counts::Row)) |
//! | fingerprint | the sum of a mix of each board: it identifies a set of boards |
//! | run | the count of one game so far, in a directory of its own |
//! | segment | one of the files of a large part |
//! | block | boards that are encoded together and can be decoded alone |
//! | range | boards, keys or positions from one up to another |
//! | task | work for one thread; in `cluster`, for one process |
//! | job | a part to build: its source, the work on its boards, its files |
//! | batch | the tasks that run at one time |
//! | share | the tasks of one job in a batch |
//! | slice | boards that fit a core's first caches |
//! | position | the number of states before a state in its part |
//! | frontier | the afterstates of the last two sums, from which the next layer follows |
//! | candidate | a state or afterstate before repeats are dropped |
//! | key | a shorter number for a board of a sum; keys have the order of the boards |
//! | sorted run | a sorted list of keys, or of boards, without repeats; only in `engine` |
//! | objective, goal | the quantity that a game is solved for; an objective and its precision |
//! | value | the expectation of an afterstate for a goal, in a file's column |
//! | rank | the number of a board among all boards of its sum, reached or not |
//! | code | a game as a line of text |
//! | witness | a game that ends in a given board |
//!
//! # Reading the code
//!
//! Top down: `game` (the rules) -> `engine` (the loop over layers; a state's way from a start to
//! disk) -> `part` (the file format) -> `store` (a directory that survives being stopped) -> `read`
//! (the boards of a run) -> the rest on demand: `progress` (how far work has come), `counts` (the table), `laws` (the laws of all
//! counts), `known` (published numbers), `bound` (how many boards there are), `verify`, `graph`,
//! `play` (games as codes), `witness` (a game that ends in a given board), `solve` (the values of
//! boards), `cluster` (a layer as tasks, for several machines), `estimate` (how long a job will take),
//! `machine` (the cores and the memory that a process may use). Each module uses only the modules to
//! its left in `game -> part -> counts, bound, play -> laws, known -> store -> engine, graph ->
//! read -> witness, cluster -> solve -> verify, estimate, machine -> cli -> python`. All of them may use
//! `error` and small modules such as `progress`.
//!
//! The program is the default feature `cli`; without it the library compiles few other crates. The
//! Python module is the feature `python`, which does not need `cli`; `pip install .` builds it.

// These macros panic if the text cannot be written.
#![warn(clippy::print_stdout, clippy::print_stderr)]
#![warn(clippy::unwrap_used)]

mod bound;
mod cache;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod cluster;
pub mod counts;
pub mod engine;
mod error;
#[cfg(feature = "machine")]
#[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "for the program"))]
mod estimate;
mod fork;
pub mod game;
pub mod graph;
#[doc(hidden)]
pub mod internals;
#[cfg(feature = "machine")]
#[cfg_attr(not(feature = "cli"), expect(dead_code, reason = "for the program"))]
mod known;
mod laws;
mod lines;
#[cfg(feature = "machine")]
mod machine;
mod pages;
pub mod part;
pub mod play;
mod progress;
#[cfg(feature = "python")]
mod python;
mod random;
pub mod read;
#[cfg(test)]
#[expect(clippy::print_stdout, reason = "tests print what repeats them")]
#[path = "../tests/support/share.rs"]
mod share;
pub mod solve;
pub mod store;
mod temporary;
pub mod verify;
mod wide;
pub mod witness;

pub use error::{Error, InputError, Result, SolvingError, TaskError};
pub use game::Game;
