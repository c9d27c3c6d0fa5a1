//! The state graph of a small game, whole and in memory, to be drawn or given to other programs.
//!
//! Key idea: a move keeps the sum of the tiles and a spawn adds 2 or 4, so every edge leads from one
//! sum to a greater one. Taken by sum, then by number, each state is met before any of its successors;
//! one pass makes the graph, and the two sums of an edge say which tile was spawned. A graph with more
//! states than anyone can look at is refused as soon as so many have been met.
//!
//! Reading order: this file (what a graph is), `walk` (how it is made), and a writer a format: `dot`
//! (pictures), `graphml` and `json` (other programs).

mod dot;
mod graphml;
mod json;
mod walk;

use std::io::{self, Write};

use crate::error::Result;
use crate::game::board::{max_exponent, sum};
use crate::game::{Board, Direction, Game, Grid};

/// A state of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The board, canonical.
    pub board: Board,
    /// Whether it has a legal move; if not, the game is lost here.
    pub live: bool,
    /// Whether a game can begin with it.
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
        1 << max_exponent(self.board)
    }
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// To a state, by its place in [`Graph::states`].
    State(usize),
    /// To the win.
    Win,
    /// To the loss.
    Loss,
}

/// An edge: there is at most one from a state to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its state, by its place in [`Graph::states`].
    pub from: usize,
    /// Where it leads.
    pub to: Target,
    /// The moves that it can come from, on the board as it stands; none to the loss.
    pub moves: Vec<Direction>,
    /// The tile spawned after the move; none where the game ends.
    pub spawn: Option<u32>,
}

impl Edge {
    /// The moves as letters, such as `UL`.
    #[must_use]
    pub fn letters(&self) -> String {
        let letter = |&direction: &Direction| match direction {
            Direction::Up => 'U',
            Direction::Right => 'R',
            Direction::Down => 'D',
            Direction::Left => 'L',
        };
        self.moves.iter().map(letter).collect()
    }
}

/// What a graph is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For Graphviz, with the boards drawn; `grouped` puts each part (sum and largest tile) in a box.
    Dot {
        /// Whether parts are boxed.
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
    /// The graph of a game, or of its states up to the sum `until`; edges beyond it are left out.
    ///
    /// # Errors
    ///
    /// [`Error::Vast`](crate::Error::Vast) as soon as there are more than `limit` states, live and dead;
    /// [`Error::Until`](crate::Error::Until) for a sum below the first state's.
    pub fn new(game: &Game, until: Option<u32>, limit: usize) -> Result<Self> {
        walk::walk(game, until, limit)
    }

    /// The states, live and dead, in order of sum, then of number.
    #[must_use]
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The edges, in order of their states, then of where they lead.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The ends of the game that are reached, of the win and the loss.
    pub fn ends(&self) -> impl Iterator<Item = Target> {
        let reached = |end: &Target| self.edges.iter().any(|edge| edge.to == *end);
        [Target::Win, Target::Loss].into_iter().filter(reached)
    }

    /// Write it.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Dot { grouped } => dot::write(self, grouped, out),
            Format::GraphMl => graphml::write(self, out),
            Format::Json => json::write(self, out),
        }
    }

    /// The name of a node in all formats: the board in hexadecimal, a digit a cell; `win`; `loss`.
    fn name(&self, node: Target) -> String {
        match node {
            Target::State(at) => {
                let digits = self.game.size().cells() as usize;
                format!("0x{:0digits$x}", self.states[at].board)
            }
            Target::Win => "win".to_owned(),
            Target::Loss => "loss".to_owned(),
        }
    }

    /// What a node is, in a word.
    fn kind(&self, node: Target) -> &'static str {
        match node {
            Target::State(at) if self.states[at].live => "live",
            Target::State(_) => "dead",
            Target::Win => "win",
            Target::Loss => "loss",
        }
    }

    /// The board of a state, to print.
    fn grid(&self, state: &State) -> Grid {
        Grid::new(state.board, self.game.size()).expect("its boards are of the game's size")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// 2x2 to 8: sixteen states, few enough to look at one by one.
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
