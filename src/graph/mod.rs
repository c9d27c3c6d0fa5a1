//! The complete state graph of a small game in memory, for pictures and for other programs.
//!
//! Key idea: a move keeps the sum of the tiles and a spawn adds 2 or 4, so every edge leads to a
//! greater sum. In order of sum, each state comes before all its successors, so one pass makes the
//! graph. The sums of an edge's two states give the spawned tile. A graph with more states than the
//! limit is refused.
//!
//! Reading order: this file (the graph), `walk` (building it), `dot` (pictures), `data` (files for
//! other programs).

mod data;
mod dot;
mod walk;

use std::io::{self, Write};

use crate::game::{Board, Direction, Game, Grid, max_exp, sum};

/// A state of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct State {
    /// The board, canonical.
    pub board: Board,
    /// Whether the board has a legal move; otherwise the game is lost.
    pub live: bool,
    /// Whether a game can start from this state.
    pub start: bool,
}

impl State {
    /// Sum of the tiles.
    #[must_use]
    pub fn sum(&self) -> u32 {
        sum(self.board)
    }

    /// The largest tile.
    #[must_use]
    pub fn max_tile(&self) -> u32 {
        max_exp(self.board).tile()
    }
}

/// The end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A state, by its index in [`Graph::states`].
    State(usize),
    /// The win.
    Win,
    /// The loss.
    Loss,
}

/// An edge. There is at most one from a state to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edge {
    /// The source state: its index in [`Graph::states`].
    pub from: usize,
    /// The state, the win or the loss that it leads to.
    pub to: Target,
    /// The moves of the source's board that lead to the target; empty for the loss.
    pub moves: Vec<Direction>,
    /// The tile spawned after the move; none if the game ends.
    pub spawn: Option<u32>,
}

impl Edge {
    /// The moves as letters, such as `UL`.
    #[must_use]
    pub fn letters(&self) -> String {
        let letter = |direction: &Direction| direction.name()[..1].to_uppercase();
        self.moves.iter().map(letter).collect()
    }
}

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

/// The state graph of a game.
///
/// ```
/// use enum48::{Game, graph::Graph};
/// let graph = Graph::new(&"2x2-32".parse::<Game>()?, None, 1000)?;
/// // 57 live states and 18 dead ones.
/// assert_eq!(graph.states().len(), 75);
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    game: Game,
    states: Vec<State>,
    edges: Vec<Edge>,
}

impl Graph {
    /// The states, live and dead, in order of sum, then of board.
    #[must_use]
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The edges, in order of source, then of target.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The ends of the game that can be reached: the win, the loss, or both.
    pub fn ends(&self) -> impl Iterator<Item = Target> {
        let reached = |end: &Target| self.edges.iter().any(|edge| edge.to == *end);
        [Target::Win, Target::Loss].into_iter().filter(reached)
    }

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

    /// The state of a node; none of the win and the loss.
    fn state(&self, node: Target) -> Option<&State> {
        match node {
            Target::State(at) => Some(&self.states[at]),
            Target::Win | Target::Loss => None,
        }
    }

    /// The name of a node in all formats: the board in hexadecimal, with a digit for each cell;
    /// `win`; `loss`.
    fn name(&self, node: Target) -> String {
        match self.state(node) {
            Some(state) => format!("{:#x}", self.grid(state)),
            None => self.kind(node).to_owned(),
        }
    }

    /// The kind of a node, in one word.
    fn kind(&self, node: Target) -> &'static str {
        match node {
            Target::State(at) if self.states[at].live => "live",
            Target::State(_) => "dead",
            Target::Win => "win",
            Target::Loss => "loss",
        }
    }

    /// The board of a state, for printing.
    fn grid(&self, state: &State) -> Grid {
        Grid::new(state.board, self.game.size()).expect("a state has the size of the game")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// 2x2 to 8: sixteen states, few enough to check one by one.
    pub(crate) fn small() -> Graph {
        Graph::new(&"2x2-8".parse().unwrap(), None, 100).unwrap()
    }

    #[test]
    fn nodes_have_a_digit_for_each_cell_and_a_kind() {
        let graph = Graph::new(&"2x2-32".parse().unwrap(), None, 100).unwrap();
        assert_eq!(graph.name(Target::State(0)), "0x0011");
        assert_eq!(graph.kind(Target::State(0)), "live");
        let dead = graph.states().iter().position(|state| !state.live).unwrap();
        assert_eq!(graph.kind(Target::State(dead)), "dead");
        assert_eq!(graph.name(Target::Loss), "loss");
        assert!(graph.ends().eq([Target::Win, Target::Loss]));
    }
}
