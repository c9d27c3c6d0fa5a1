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

use std::io::{self, Write};

pub use model::{Edge, Graph, State, Target};

/// A file format for graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// For Graphviz, with the boards drawn.
    Dot {
        /// Whether to draw a box around each part (sum and largest tile).
        grouped: bool,
    },
    /// For networkx, Gephi, yEd and others.
    GraphMl,
    /// One JSON object.
    Json,
}

impl Graph {
    /// Write the graph.
    ///
    /// # Errors
    ///
    /// If `out` cannot be written.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Dot { grouped } => dot::write(self, grouped, out),
            Format::GraphMl => data::write_graphml(self, out),
            Format::Json => data::write_json(self, out),
        }
    }
}
