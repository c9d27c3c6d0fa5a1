//! A slow exact twin of what solves a game: the definition of best play, as recursion over boards
//! of plain cells whose values are remembered. In fractions nothing is rounded; the same recursion
//! in floating point reaches larger boards.
//!
//! A board that is asked for may lie in any way, as its hexadecimal digits. A value is that of all
//! that is still to come, under the best play for one objective.

mod games;
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
    /// The value of a move, if that of the afterstate is `rest`.
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

/// Exponents of the tiles that appear, and in how many of ten cases they do.
const SPAWNS: [(u8, u32); 2] = [(1, 9), (2, 1)];

/// A game with the values of all its states and afterstates.
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
            solved.state(start);
        }
        solved
    }

    fn state(&mut self, board: u64) -> V {
        if let Some(value) = self.states.get(&board) {
            return value.clone();
        }
        let (cells, objective) = (self.game.cells(board), self.objective);
        let moves: Vec<Moved> = self.game.moves(&cells).collect();
        let values = moves.into_iter().map(|moved| {
            let board = self.game.canonical(&moved.after);
            objective.worth(&moved, || self.afterstate(board))
        });
        let best = values.reduce(|best, value| if best < value { value } else { best });
        let value = best.unwrap_or_else(|| objective.end(&cells));
        self.states.insert(board, value.clone());
        value
    }

    fn afterstate(&mut self, board: u64) -> V {
        if let Some(value) = self.afterstates.get(&board) {
            return value.clone();
        }
        let spawns = spawns(&self.game, &[(board, 1)], &SPAWNS);
        let value = mean(
            spawns
                .into_iter()
                .map(|(state, cases)| (self.state(state), cases)),
        );
        self.afterstates.insert(board, value.clone());
        value
    }

    /// The starts, with what part of all cases each is.
    fn starts(&self, tiles: &[(u8, u32)]) -> Vec<(u64, u32)> {
        spawns(&self.game, &spawns(&self.game, &[(0, 1)], tiles), tiles)
    }

    /// The value of a game, each start by its probability.
    pub(crate) fn start(&self) -> V {
        self.mean_of_starts(&SPAWNS)
    }

    /// The value of a game that starts with two 2s, all places alike.
    pub(crate) fn start_two_2s(&self) -> V {
        self.mean_of_starts(&SPAWNS[..1])
    }

    fn mean_of_starts(&self, tiles: &[(u8, u32)]) -> V {
        let starts = self.starts(tiles).into_iter();
        mean(starts.map(|(start, cases)| (self.value_of_state(start), cases)))
    }

    pub(crate) fn value_of_state(&self, board: u64) -> V {
        self.states[&self.game.canonical(&self.game.cells(board))].clone()
    }

    pub(crate) fn value_of_afterstate(&self, board: u64) -> V {
        self.afterstates[&self.game.canonical(&self.game.cells(board))].clone()
    }

    /// The value of a state if this is its next move, where it is legal.
    pub(crate) fn value_of_move(&self, state: u64, direction: Direction) -> Option<V> {
        let moved = self.game.moved(&self.game.cells(state), direction)?;
        let rest = || self.value_of_afterstate(self.game.canonical(&moved.after));
        Some(self.objective.worth(&moved, rest))
    }

    /// A best move of a live state.
    pub(crate) fn best(&self, state: u64) -> Direction {
        let values = Direction::ALL.map(|direction| self.value_of_move(state, direction));
        let best = (0..4).reduce(|best, i| if values[best] < values[i] { i } else { best });
        Direction::ALL[best.unwrap()]
    }

    /// All states, live and dead, by canonical boards.
    pub(crate) fn states(&self) -> &HashMap<u64, V> {
        &self.states
    }

    /// All afterstates but the winning ones, by canonical boards.
    pub(crate) fn afterstates(&self) -> &HashMap<u64, V> {
        &self.afterstates
    }
}

/// The canonical boards with one tile more, each with how many of all cases it is.
fn spawns(game: &Plain, boards: &[(u64, u32)], tiles: &[(u8, u32)]) -> Vec<(u64, u32)> {
    let mut spawned = Vec::new();
    for &(board, cases) in boards {
        let cells = game.cells(board);
        for &(tile, times) in tiles {
            let states = game.spawns(&cells, tile);
            spawned.extend(states.map(|state| (game.canonical(&state), cases * times)));
        }
    }
    spawned
}

fn mean<V: Num + FromPrimitive>(values: impl Iterator<Item = (V, u32)>) -> V {
    let sum = values.fold((V::zero(), 0), |(sum, all), (value, cases)| {
        (sum + value * number(cases), all + cases)
    });
    sum.0 / number(sum.1)
}

fn number<V: FromPrimitive>(n: u32) -> V {
    V::from_u32(n).unwrap()
}
