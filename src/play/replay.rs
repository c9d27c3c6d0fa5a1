//! Play a game move by move.

use std::fmt;

use super::chance::{Chance, Luck};
use super::position::{Position, Spawn, Status};
use crate::error::{Error, Result};
use crate::game::{Direction, Game};

/// A move of a game, the tile that followed, and the board after both.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Turn {
    /// Number of the move, counted from 1.
    pub number: u64,
    /// Direction of the move.
    pub direction: Direction,
    /// Points that the move scored.
    pub gained: u64,
    /// The tile spawned after the move; none after the win.
    pub spawn: Option<Spawn>,
    /// The board after both.
    pub position: Position,
}

/// `left, a 2 at row 1 column 3`, or `left, wins`.
impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.direction.name())?;
        match self.spawn {
            None => f.write_str(", wins"),
            Some(Spawn { cell, tile }) => {
                let cols = self.position.game().size().cols();
                let (row, column) = (cell / cols + 1, cell % cols + 1);
                write!(f, ", a {tile} at row {row} column {column}")
            }
        }
    }
}

/// Replays a game: an iterator over its turns, which ends after an error.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    position: Position,
    played: usize,
    moves: &'a [Direction],
    source: SpawnSource<'a>,
    failed: bool,
}

/// Where the next tile comes from.
#[derive(Clone, Debug)]
enum SpawnSource<'a> {
    Chance(Box<Chance>),
    Spawns(&'a [Spawn]),
}

impl<'a> Replay<'a> {
    /// Start a game: place its first two tiles.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] if a tile of `luck` cannot be placed.
    pub(super) fn new(game: Game, luck: &'a Luck, moves: &'a [Direction]) -> Result<Self> {
        let mut position = Position::new(game);
        let source = match luck {
            Luck::Seed(seed) => {
                let mut chance = Box::new(Chance::new(*seed));
                for _ in 0..2 {
                    let spawn = chance.spawn(&position);
                    position.place(spawn);
                }
                SpawnSource::Chance(chance)
            }
            Luck::Spawns { start, then } => {
                for &spawn in start {
                    place(&mut position, spawn).map_err(|what| Error::Code {
                        turn: None,
                        what: format!("the start: {what}"),
                    })?;
                }
                SpawnSource::Spawns(then)
            }
        };
        Ok(Self {
            position,
            played: 0,
            moves,
            source,
            failed: false,
        })
    }

    /// The current board.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Number of moves played so far.
    #[must_use]
    pub fn played(&self) -> usize {
        self.played
    }

    fn turn(&mut self, direction: Direction) -> Result<Turn, String> {
        let number = self.played as u64 + 1;
        if self.position.status() == Status::Won {
            return Err("the move before it won the game".to_owned());
        }
        let before = self.position.score();
        if !self.position.slide(direction) {
            return Err(format!("{} changes nothing", direction.name()));
        }
        let spawn = match (self.position.status(), &mut self.source) {
            (Status::Won, _) => None,
            (_, SpawnSource::Chance(chance)) => Some(chance.spawn(&self.position)),
            (_, SpawnSource::Spawns(spawns)) => match spawns.split_first() {
                Some((&first, rest)) => {
                    *spawns = rest;
                    Some(first)
                }
                None => return Err("no tile follows, though it does not win".to_owned()),
            },
        };
        if let Some(spawn) = spawn {
            place(&mut self.position, spawn)?;
        }
        self.played += 1;
        Ok(Turn {
            number,
            direction,
            gained: self.position.score() - before,
            spawn,
            position: self.position.clone(),
        })
    }

    /// Check that no tile is left over; returns the last board.
    pub(super) fn end(self) -> Result<Position> {
        match self.source {
            SpawnSource::Spawns([_, ..]) => Err(Error::Code {
                turn: Some(self.played as u64).filter(|&turn| turn > 0),
                what: "a tile is left over after the last move".to_owned(),
            }),
            _ => Ok(self.position),
        }
    }
}

impl Iterator for Replay<'_> {
    type Item = Result<Turn>;

    fn next(&mut self) -> Option<Result<Turn>> {
        let direction = *self.moves.get(self.played).filter(|_| !self.failed)?;
        let turn = self.turn(direction);
        self.failed = turn.is_err();
        Some(turn.map_err(|what| Error::Code {
            turn: Some(self.played as u64 + 1),
            what,
        }))
    }
}

/// Place a tile, or return the reason why it cannot be placed.
fn place(position: &mut Position, spawn: Spawn) -> Result<(), String> {
    if position.place(spawn) {
        return Ok(());
    }
    let size = position.game().size();
    let Spawn { cell, tile } = spawn;
    Err(match position.tiles().nth(cell.into()) {
        Some(there) => {
            let (row, column) = (cell / size.cols() + 1, cell % size.cols() + 1);
            format!("a {tile} cannot be placed at row {row} column {column}: a {there} is there")
        }
        None => format!(
            "a {tile} cannot be placed at cell {cell}: {size} has the cells 0 to {}",
            size.cells() - 1
        ),
    })
}
