//! A slow exact twin of the solver: the definition of best play, as a recursion over boards of
//! plain cells. Each board is solved once. From the library, the twin uses only the names of
//! directions and objectives. With fractions it rounds nothing; with floating point it solves larger
//! boards.
//!
//! Boards are hexadecimal digits, in any orientation. The value of a board is the expectation of
//! the objective for the rest of the game, under best play.

pub(crate) mod games;
mod values;

use std::collections::HashMap;

use enum48::game::Direction;
use num_traits::{FromPrimitive, Num};

use crate::plain::{Cells, Moved, Plain, tiles};

/// The quantity that best play maximises.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Objective {
    /// The sum of the tiles that merges make, including the winning tile.
    Score,
    /// The number of moves, including the winning move.
    Moves,
    /// The probability that the largest tile becomes this tile or a larger tile.
    Tile(u32),
    /// 1 if some play reaches this tile, or a larger tile, against every spawn; else 0.
    Sure(u32),
}

impl From<enum48::game::Objective> for Objective {
    fn from(objective: enum48::game::Objective) -> Self {
        match objective {
            enum48::game::Objective::Score => Self::Score,
            enum48::game::Objective::Moves => Self::Moves,
            enum48::game::Objective::Tile(exp) => Self::Tile(exp.tile()),
            enum48::game::Objective::Sure(exp) => Self::Sure(exp.tile()),
        }
    }
}

impl Objective {
    /// The value of a move. `rest` returns the value of the afterstate; a winning move has no rest.
    fn worth<V: Num + FromPrimitive>(self, moved: &Moved, rest: impl FnOnce() -> V) -> V {
        let earned = match self {
            Self::Score => moved.earned,
            Self::Moves => 1,
            Self::Tile(_) | Self::Sure(_) => 0,
        };
        let rest = if moved.won {
            self.end(&moved.after)
        } else {
            rest()
        };
        number::<V>(earned) + rest
    }

    /// The value of a dead or won board.
    fn end<V: FromPrimitive>(self, cells: &Cells) -> V {
        number(match self {
            Self::Score | Self::Moves => 0,
            Self::Tile(tile) | Self::Sure(tile) => tiles(cells).any(|e| 1 << e >= tile).into(),
        })
    }

    /// The value of boards before their spawns or before the first move: the mean of weighted
    /// values, or the least value.
    fn of_all<V: Num + FromPrimitive + PartialOrd>(
        self,
        values: impl Iterator<Item = (V, u32)>,
    ) -> V {
        match self {
            Self::Sure(_) => {
                let values = values.map(|(value, _)| value);
                let least = values.reduce(|least, value| if value < least { value } else { least });
                least.unwrap()
            }
            _ => mean(values),
        }
    }
}

/// The exponents of the spawned tiles, with their usual probabilities in tenths.
const SPAWNS: [(u8, u32); 2] = [(1, 9), (2, 1)];

/// A game with the values of all its states and afterstates, by canonical boards. Look-ups panic
/// for a board that no game reaches.
pub(crate) struct Solved<V> {
    game: Plain,
    objective: Objective,
    /// The exponents of the spawned tiles, with their weights.
    tiles: [(u8, u32); 2],
    states: HashMap<u64, V>,
    afterstates: HashMap<u64, V>,
}

impl<V: Clone + Num + FromPrimitive + PartialOrd> Solved<V> {
    pub(crate) fn new(game: Plain, objective: Objective) -> Self {
        Self::at_rate(game, objective, SPAWNS)
    }

    /// Like [`Solved::new`], for these weights of spawned 2s and 4s.
    pub(crate) fn at_rate(game: Plain, objective: Objective, tiles: [(u8, u32); 2]) -> Self {
        let mut solved = Self {
            game,
            objective,
            tiles,
            states: HashMap::new(),
            afterstates: HashMap::new(),
        };
        for (start, _) in solved.starts(&tiles) {
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
        let value = best.unwrap_or_else(|| self.lost(&cells));
        self.states.insert(board, value.clone());
        value
    }

    /// The value of a board where the game is lost.
    fn lost(&self, cells: &Cells) -> V {
        match self.objective {
            Objective::Tile(tile) | Objective::Sure(tile) if self.game.needs_win(tile) => V::zero(),
            objective => objective.end(cells),
        }
    }

    fn solve_afterstate(&mut self, board: u64) -> V {
        if let Some(value) = self.afterstates.get(&board) {
            return value.clone();
        }
        let cells = self.game.cells(board);
        let objective = self.objective;
        if !self.game.goes_on(&cells) {
            let value = self.lost(&cells);
            self.afterstates.insert(board, value.clone());
            return value;
        }
        let spawns = spawns(&self.game, &[(board, 1)], &self.tiles).into_iter();
        let value =
            objective.of_all(spawns.map(|(state, weight)| (self.solve_state(state), weight)));
        self.afterstates.insert(board, value.clone());
        value
    }

    /// The starts with these tiles, with their weights.
    fn starts(&self, tiles: &[(u8, u32)]) -> Vec<(u64, u32)> {
        let begin = self.game.begin().into_iter();
        let begin: Vec<_> = begin.map(|cells| (self.game.board(&cells), 1)).collect();
        spawns(&self.game, &spawns(&self.game, &begin, tiles), tiles)
    }

    /// The mean value of the starts, weighted by their probabilities.
    pub(crate) fn start(&self) -> V {
        self.of_starts(&self.tiles)
    }

    /// The mean value of the starts with two 2s.
    pub(crate) fn start_two_2s(&self) -> V {
        self.of_starts(&[(1, 1)])
    }

    fn of_starts(&self, tiles: &[(u8, u32)]) -> V {
        let starts = self.starts(tiles).into_iter();
        self.objective
            .of_all(starts.map(|(start, weight)| (self.value_of_state(start), weight)))
    }

    pub(crate) fn value_of_state(&self, board: u64) -> V {
        self.states[&self.game.canonical(&self.game.cells(board))].clone()
    }

    pub(crate) fn value_of_afterstate(&self, board: u64) -> V {
        self.afterstates[&self.game.canonical(&self.game.cells(board))].clone()
    }

    /// The value of a move followed by best play. `None` if the move is illegal.
    pub(crate) fn value_of_move(&self, state: u64, direction: Direction) -> Option<V> {
        let moved = self.game.moved(&self.game.cells(state), direction)?;
        let rest = || self.value_of_afterstate(self.game.board(&moved.after));
        Some(self.objective.worth(&moved, rest))
    }

    /// The best move of a live state; the first one if several are equal.
    pub(crate) fn best(&self, state: u64) -> Direction {
        let values = Direction::ALL.map(|direction| self.value_of_move(state, direction));
        let best = (0..4).reduce(|best, i| if values[best] < values[i] { i } else { best });
        Direction::ALL[best.unwrap()]
    }

    /// All states, live and dead.
    pub(crate) fn states(&self) -> &HashMap<u64, V> {
        &self.states
    }

    /// All afterstates except won boards.
    pub(crate) fn afterstates(&self) -> &HashMap<u64, V> {
        &self.afterstates
    }
}

/// The canonical boards after one spawn of these tiles, with their weights and with repeats.
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
