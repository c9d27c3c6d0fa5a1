//! The states and edges of a game, found in one pass.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, InputError, Result};
use crate::game::{Board, Direction, Exp, Game, Grid, PartKey};
use crate::play::{Position, Status};

/// A state of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct State {
    /// The board, canonical.
    pub board: Board,
    /// Its sum and largest tile.
    pub part: PartKey,
    /// Whether the board has a legal move; otherwise the game is lost.
    pub live: bool,
    /// Whether a game can start from this state.
    pub start: bool,
}

impl State {
    /// Sum of the tiles.
    pub fn sum(&self) -> u32 {
        self.part.sum
    }

    /// The largest tile.
    pub fn max_tile(&self) -> u32 {
        self.part.max.tile()
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
    /// The moves of the source's board that lead to the target; empty for the loss of a dead state.
    pub moves: Vec<Direction>,
    /// The tile spawned after the move; none if the game ends.
    pub spawn: Option<u32>,
}

impl Edge {
    /// The moves as letters, such as `UL`.
    pub fn letters(&self) -> String {
        let letter = |direction: &Direction| direction.name()[..1].to_uppercase();
        self.moves.iter().map(letter).collect()
    }
}

/// The state graph of a game.
///
/// ```
/// use enum48::{Game, graph::Graph};
/// let graph = Graph::new(&"2x2-32".parse::<Game>()?, None, 1000)?;
/// // 57 live states and 18 dead ones.
/// assert_eq!(graph.states.len(), 75);
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Graph {
    /// The game.
    pub game: Game,
    /// The states, live and dead, in order of sum, then of board.
    pub states: Vec<State>,
    /// The edges, in order of source, then of target.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// The ends of the game that can be reached: the win, the loss, or both.
    pub fn ends(&self) -> impl Iterator<Item = Target> {
        let reached = |end: &Target| self.edges.iter().any(|edge| edge.to == *end);
        [Target::Win, Target::Loss].into_iter().filter(reached)
    }

    /// The state of a node; none of the win and the loss.
    pub(super) fn state(&self, node: Target) -> Option<&State> {
        match node {
            Target::State(at) => Some(&self.states[at]),
            Target::Win | Target::Loss => None,
        }
    }

    /// The name of a node in all formats: the board in hexadecimal, with a digit for each cell;
    /// `win`; `loss`.
    pub(super) fn name(&self, node: Target) -> String {
        match self.state(node) {
            Some(state) => format!("{:#x}", self.grid(state)),
            None => self.kind(node).to_owned(),
        }
    }

    /// The kind of a node, in one word.
    pub(super) fn kind(&self, node: Target) -> &'static str {
        match node {
            Target::State(at) if self.states[at].live => "live",
            Target::State(_) => "dead",
            Target::Win => "win",
            Target::Loss => "loss",
        }
    }

    /// The board of a state, for printing.
    pub(super) fn grid(&self, state: &State) -> Grid {
        Grid::new(state.board, self.game.size()).expect("a state has the size of the game")
    }
}

/// A move and a spawn, by the state that they lead to; or a move that ends the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum WalkStep {
    To(Board),
    Win,
    /// The move comes to the horizon.
    Loss,
}

impl Graph {
    /// The graph of a game, or only its states up to the sum `until` and the edges between them.
    ///
    /// # Errors
    ///
    /// [`Error::Vast`] if there are more than `limit` states, live and dead;
    /// [`InputError::Until`] for a sum below 4, the least sum of a state.
    pub fn new(game: &Game, until: Option<u32>, limit: usize) -> Result<Self> {
        let last = match until {
            Some(sum) if sum < 4 => return Err(InputError::Until(sum).into()),
            Some(sum) => sum,
            None => u32::MAX,
        };
        let starts: BTreeSet<Board> = [4, 6, 8].iter().flat_map(|&sum| game.starts(sum)).collect();
        let in_order = |board: Board| (game.sum(board), board);
        // States that were found but not yet expanded. A successor has a greater sum than its state,
        // so no state is found again after it was taken out.
        let mut found: BTreeSet<(u32, Board)> =
            starts.iter().map(|&board| in_order(board)).collect();
        found.retain(|&(sum, _)| sum <= last);
        let (mut states, mut steps) = (Vec::new(), Vec::new());
        while let Some((_, board)) = found.pop_first() {
            if states.len() + found.len() >= limit {
                return Err(Error::Vast {
                    game: game.to_string(),
                    until,
                    limit,
                });
            }
            let successors = successors(game, board);
            let live = !successors.is_empty();
            for (step, moves) in successors {
                // A move that ends the game has no spawn, so the limit on the sum does not apply.
                if let WalkStep::To(board) = step {
                    if game.sum(board) > last {
                        continue;
                    }
                    found.insert(in_order(board));
                }
                steps.push((states.len(), step, moves));
            }
            states.push(State {
                board,
                part: game.part_of(board),
                live,
                start: starts.contains(&board),
            });
        }
        Ok(Self {
            game: *game,
            edges: edges(game, &states, steps),
            states,
        })
    }
}

/// The edges of all steps, and an edge from each dead state to the loss. A step has the index of its
/// first state, and the moves that take it.
fn edges(
    game: &Game,
    states: &[State],
    steps: Vec<(usize, WalkStep, Vec<Direction>)>,
) -> Vec<Edge> {
    let index = |board: Board| {
        let found = states.binary_search_by_key(&(game.sum(board), board), |s| (s.sum(), s.board));
        found.expect("every successor is a state")
    };
    let steps = steps.into_iter().map(|(from, step, moves)| {
        let (to, spawn) = match step {
            WalkStep::To(board) => {
                let spawned = game.sum(board) - states[from].sum();
                (Target::State(index(board)), Some(spawned))
            }
            WalkStep::Win => (Target::Win, None),
            WalkStep::Loss => (Target::Loss, None),
        };
        Edge {
            from,
            to,
            moves,
            spawn,
        }
    });
    let dead = (0..states.len()).filter(|&at| !states[at].live);
    let losses = dead.map(|from| Edge {
        from,
        to: Target::Loss,
        moves: Vec::new(),
        spawn: None,
    });
    let mut edges: Vec<Edge> = steps.chain(losses).collect();
    edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
    edges
}

/// All steps from a state, with the moves that take each step; none from a dead state.
fn successors(game: &Game, board: Board) -> BTreeMap<WalkStep, Vec<Direction>> {
    let mut found: BTreeMap<WalkStep, Vec<Direction>> = BTreeMap::new();
    for direction in Direction::ALL {
        let mut after = Position::on(*game, board);
        if !after.slide(direction) {
            continue;
        }
        // `board` is `None` only with the tile 65536; no graph reaches its sum.
        let board = after.board().filter(|_| after.status() != Status::Won);
        let steps: BTreeSet<WalkStep> = match board {
            None => BTreeSet::from([WalkStep::Win]),
            Some(after) if game.is_beyond(after) => BTreeSet::from([WalkStep::Loss]),
            Some(after) => {
                let spawned = [Exp::TWO, Exp::FOUR].map(|tile| game.spawns(after, tile));
                let states = spawned.into_iter().flatten();
                let step = |state| WalkStep::To(game.canonical(state));
                states.map(step).collect()
            }
        };
        for step in steps {
            found.entry(step).or_default().push(direction);
        }
    }
    found
}

#[cfg(test)]
pub(super) mod tests {
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
        let dead = graph.states.iter().position(|state| !state.live).unwrap();
        assert_eq!(graph.kind(Target::State(dead)), "dead");
        assert_eq!(graph.name(Target::Loss), "loss");
        assert!(graph.ends().eq([Target::Win, Target::Loss]));
    }

    fn graph(game: &str, until: Option<u32>) -> Graph {
        Graph::new(&game.parse().unwrap(), until, 100_000).unwrap()
    }

    /// Live and dead states.
    fn counts(graph: &Graph) -> (usize, usize) {
        let live = graph.states.iter().filter(|state| state.live).count();
        (live, graph.states.len() - live)
    }

    #[test]
    fn graphs_have_the_published_numbers_of_states() {
        // 57 live states: Lees-Miller, 2017. 110 states, 36 of them dead: several sources, see
        // `known`.
        assert_eq!(counts(&graph("2x2-32", None)), (57, 18));
        assert_eq!(counts(&graph("2x2", None)), (74, 36));
    }

    #[test]
    fn the_spawned_tile_is_the_difference_of_sums() {
        let graph = graph("2x3-32", None);
        for edge in &graph.edges {
            let from = graph.states[edge.from].sum();
            match edge.to {
                Target::State(to) => {
                    assert_eq!(Some(graph.states[to].sum() - from), edge.spawn);
                    assert!(matches!(edge.spawn, Some(2 | 4)) && !edge.moves.is_empty());
                }
                Target::Win => assert!(edge.spawn.is_none() && !edge.moves.is_empty()),
                Target::Loss => assert!(edge.spawn.is_none() && edge.moves.is_empty()),
            }
        }
        let pair = |edge: &Edge| (edge.from, edge.to);
        assert!(graph.edges.is_sorted_by(|a, b| pair(a) < pair(b)));
    }

    #[test]
    fn until_keeps_the_states_up_to_a_sum_and_the_edges_between_them() {
        let (whole, part) = (graph("2x2-32", None), graph("2x2-32", Some(13)));
        let states = whole.states.iter().filter(|state| state.sum() <= 12);
        assert!(states.eq(&part.states));
        let inside = |edge: &&Edge| match edge.to {
            Target::State(to) => to < part.states.len(),
            _ => edge.from < part.states.len(),
        };
        assert!(whole.edges.iter().filter(inside).eq(&part.edges));
        let refused = Graph::new(&"2x2".parse().unwrap(), Some(3), 9).unwrap_err();
        assert!(matches!(refused, Error::Input(InputError::Until(3))));
    }

    #[test]
    fn more_states_than_the_limit_are_refused() {
        let refused = |game: &str, until, limit| {
            let refused = Graph::new(&game.parse().unwrap(), until, limit).unwrap_err();
            refused.to_string()
        };
        assert!(Graph::new(&"2x2-32".parse().unwrap(), None, 75).is_ok());
        assert_eq!(
            refused("2x2-32", None, 74),
            "graph: 2x2-32 has over 74 states: too many: give --limit, or --until with a smaller sum"
        );
        assert!(refused("4x4", Some(100), 2000).starts_with("graph: 4x4 up to sum 100 has over"));
    }
}
