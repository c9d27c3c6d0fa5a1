//! A slow exact twin of the solver: the definition of best play as a recursion over boards of plain
//! cells, each board solved once. It shares no line with the library. Computed in fractions, nothing
//! is rounded; the same recursion in floating point reaches larger boards.
//!
//! Boards are hexadecimal digits, in any orientation. The value of a board is what the rest of the
//! game brings under the best play for the objective.

pub(crate) mod games;
mod published;
mod values;

use std::collections::HashMap;

use enum48::game::Direction;
use num_traits::{FromPrimitive, Num};

use crate::plain::{Cells, Moved, Plain};

/// What a player plays for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Objective {
    /// The sum of the tiles that merges make; the merge that wins counts.
    Score,
    /// The number of moves; the one that wins counts.
    Moves,
    /// The chance that the largest tile becomes this one or a larger one.
    Tile(u32),
}

impl Objective {
    /// The value of a move; `rest` is that of the afterstate, unless the move wins.
    fn worth<V: Num + FromPrimitive>(self, moved: &Moved, rest: impl FnOnce() -> V) -> V {
        let earned = match self {
            Self::Score => moved.earned,
            Self::Moves => 1,
            Self::Tile(_) => 0,
        };
        let rest = if moved.won {
            self.end(&moved.after)
        } else {
            rest()
        };
        number::<V>(earned) + rest
    }

    /// The value of a board in which a game has ended, dead or won.
    fn end<V: FromPrimitive>(self, cells: &Cells) -> V {
        number(match self {
            Self::Score | Self::Moves => 0,
            Self::Tile(tile) => cells.iter().any(|&e| 1 << e >= tile).into(),
        })
    }
}

/// The exponents of the tiles that spawn, and how many times in ten each does.
const SPAWNS: [(u8, u32); 2] = [(1, 9), (2, 1)];

/// A game with the values of all its states and afterstates, by canonical boards. To ask for a board
/// that no game reaches is a panic.
pub(crate) struct Solved<V> {
    game: Plain,
    objective: Objective,
    states: HashMap<u64, V>,
    afterstates: HashMap<u64, V>,
}

impl<V: Clone + Num + FromPrimitive + PartialOrd> Solved<V> {
    pub(crate) fn new(game: Plain, objective: Objective) -> Self {
        let mut solved = Self {
            game,
            objective,
            states: HashMap::new(),
            afterstates: HashMap::new(),
        };
        for (start, _) in solved.starts(&SPAWNS) {
            solved.solve_state(start);
        }
        solved
    }

    fn solve_state(&mut self, board: u64) -> V {
        if let Some(value) = self.states.get(&board) {
            return value.clone();
        }
        let (cells, objective) = (self.game.cells(board), self.objective);
        let moves: Vec<Moved> = self.game.moves(&cells).collect();
        let values = moves.into_iter().map(|moved| {
            let board = self.game.canonical(&moved.after);
            objective.worth(&moved, || self.solve_afterstate(board))
        });
        let best = values.reduce(|best, value| if best < value { value } else { best });
        let value = best.unwrap_or_else(|| objective.end(&cells));
        self.states.insert(board, value.clone());
        value
    }

    fn solve_afterstate(&mut self, board: u64) -> V {
        if let Some(value) = self.afterstates.get(&board) {
            return value.clone();
        }
        let spawns = spawns(&self.game, &[(board, 1)], &SPAWNS).into_iter();
        let value = mean(spawns.map(|(state, weight)| (self.solve_state(state), weight)));
        self.afterstates.insert(board, value.clone());
        value
    }

    /// The starts with these tiles, each with its weight.
    fn starts(&self, tiles: &[(u8, u32)]) -> Vec<(u64, u32)> {
        spawns(&self.game, &spawns(&self.game, &[(0, 1)], tiles), tiles)
    }

    /// The value of a game, its starts weighted by their probability.
    pub(crate) fn start(&self) -> V {
        self.mean_of_starts(&SPAWNS)
    }

    /// The value of a game from two 2s, all places alike.
    pub(crate) fn start_two_2s(&self) -> V {
        self.mean_of_starts(&SPAWNS[..1])
    }

    fn mean_of_starts(&self, tiles: &[(u8, u32)]) -> V {
        let starts = self.starts(tiles).into_iter();
        mean(starts.map(|(start, weight)| (self.value_of_state(start), weight)))
    }

    pub(crate) fn value_of_state(&self, board: u64) -> V {
        self.states[&self.game.canonical(&self.game.cells(board))].clone()
    }

    pub(crate) fn value_of_afterstate(&self, board: u64) -> V {
        self.afterstates[&self.game.canonical(&self.game.cells(board))].clone()
    }

    /// The value of a move and of the best play after it, where the move is legal.
    pub(crate) fn value_of_move(&self, state: u64, direction: Direction) -> Option<V> {
        let moved = self.game.moved(&self.game.cells(state), direction)?;
        let rest = || self.value_of_afterstate(self.game.board(&moved.after));
        Some(self.objective.worth(&moved, rest))
    }

    /// The best move of a live state; of equally good ones the first.
    pub(crate) fn best(&self, state: u64) -> Direction {
        let values = Direction::ALL.map(|direction| self.value_of_move(state, direction));
        let best = (0..4).reduce(|best, i| if values[best] < values[i] { i } else { best });
        Direction::ALL[best.unwrap()]
    }

    /// All states, live and dead.
    pub(crate) fn states(&self) -> &HashMap<u64, V> {
        &self.states
    }

    /// All afterstates but those of moves that win.
    pub(crate) fn afterstates(&self) -> &HashMap<u64, V> {
        &self.afterstates
    }
}

/// The canonical boards with one of these tiles more, each with its weight; with repeats.
fn spawns(game: &Plain, boards: &[(u64, u32)], tiles: &[(u8, u32)]) -> Vec<(u64, u32)> {
    let mut spawned = Vec::new();
    for &(board, weight) in boards {
        let cells = game.cells(board);
        for &(tile, times) in tiles {
            let states = game.spawns(&cells, tile);
            spawned.extend(states.map(|state| (game.canonical(&state), weight * times)));
        }
    }
    spawned
}

fn mean<V: Num + FromPrimitive>(values: impl Iterator<Item = (V, u32)>) -> V {
    let (sum, weights) = values.fold((V::zero(), 0), |(sum, weights), (value, weight)| {
        (sum + value * number(weight), weights + weight)
    });
    sum / number(weights)
}

fn number<V: FromPrimitive>(n: u32) -> V {
    V::from_u32(n).unwrap()
}
