//! The complete state graph of a small game in memory, for pictures and for other programs.
//!
//! Key idea: a move keeps the sum of the tiles and a spawn adds 2 or 4, so every edge leads to a
//! greater sum. In order of sum, each state comes before all its successors, so one pass makes the
//! graph. The sums of an edge's two states give the spawned tile. A graph with more states than the
//! limit is refused.
//!
//! Reading order: `model` (the graph), `dot` (pictures), `data` (files for other programs).

mod data;
mod dot;
mod model;

pub use data::{write_graphml, write_json};
pub use dot::write_dot;
pub use model::{Edge, Graph, State, Target};
