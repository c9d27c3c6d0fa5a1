//! Play a game move by move, with tiles from a seeded generator or from a list.
//!
//! A seed gives the same tiles on every machine and in every version of this program.

use std::fmt;
use std::iter::Chain;
use std::slice::Iter;
use std::str::FromStr;

use super::position::{Position, Spawn, Status};
use super::refused;
use crate::error::{Error, InputError, Result};
use crate::game::{Direction, Game, Size};
use crate::random::Random;

/// A seed: a number, written in base 36.
///
/// ```
/// use enum48::play::Seed;
/// let seed: Seed = "tiles".parse()?;
/// assert_eq!((seed.0, seed.to_string().as_str()), (49_576_420, "tiles"));
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut left, mut digits) = (self.0, Vec::new());
        while left > 0 || digits.is_empty() {
            digits.push(char::from_digit((left % 36) as u32, 36).expect("below the base"));
            left /= 36;
        }
        f.write_str(&digits.iter().rev().collect::<String>())
    }
}

/// Reads only the form that [`fmt::Display`] writes, so that a seed has one spelling.
impl FromStr for Seed {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let seed = u64::from_str_radix(text, 36).ok().map(Self);
        seed.filter(|seed| seed.to_string() == text)
            .ok_or_else(|| InputError::Seed(text.to_owned()).into())
    }
}

/// The source of a game's tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Luck {
    /// A generator with this seed.
    Seed(Seed),
    /// A list.
    Spawns {
        /// The cells of the stones at the start, in increasing order; none in a game without stones.
        stones: Vec<u8>,
        /// The two tiles of the start, in increasing order of cells.
        start: [Spawn; 2],
        /// The tile after each move that does not win.
        then: Vec<Spawn>,
    },
}

/// The generator of a seeded game. [`crate::play`] describes how its numbers become tiles.
#[derive(Clone, Debug)]
pub struct Chance(Random);

impl Chance {
    /// The generator for a seed, at its beginning.
    pub fn new(seed: Seed) -> Self {
        Self(Random::new(seed.0))
    }

    /// The cells of a mask, if there are masks. All masks are equally likely.
    fn mask(&mut self, size: Size) -> Vec<u8> {
        let masks = size.locks().masks();
        let drawn = match masks.len() {
            0 => return Vec::new(),
            1 => 0,
            masks => self.0.below(masks as u64),
        };
        let mask = masks[drawn as usize];
        let last = size.cells() - 1;
        let has_stone = |&cell: &u8| mask >> (4 * (last - u32::from(cell))) & 15 != 0;
        (0..=last as u8).filter(has_stone).collect()
    }

    /// The cell of the next stone of the start. All empty cells are equally likely.
    fn stone(&mut self, position: &Position) -> u8 {
        let empty = position.empty().count();
        let cell = position.empty().nth(self.0.below(empty as u64) as usize);
        cell.expect("the draw is below the number of empty cells")
    }

    /// The next tile for a board: a 2 nine times in ten, else a 4. All empty cells are equally
    /// likely.
    ///
    /// # Panics
    ///
    /// If the board is full. A board after a move has an empty cell.
    pub fn spawn(&mut self, position: &Position) -> Spawn {
        let empty = position.empty().count();
        let drawn = self.0.below(10 * empty as u64);
        let cell = position.empty().nth((drawn / 10) as usize);
        Spawn {
            cell: cell.expect("the draw is below the number of empty cells"),
            tile: if drawn % 10 == 9 { 4 } else { 2 },
        }
    }
}

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
    /// The tile spawned after the move; none after the win, or at the horizon.
    pub spawn: Option<Spawn>,
    /// The board after both.
    pub position: Position,
}

/// `left, a 2 at row 1 column 3`, `left, wins`, or `left, comes to the horizon`.
impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.direction.name())?;
        match self.spawn {
            None if self.position.status() == Status::Won => f.write_str(", wins"),
            None => f.write_str(", comes to the horizon"),
            Some(spawn) => {
                let (row, column) = spawn.row_and_column(self.position.game().size());
                write!(f, ", a {} at row {row} column {column}", spawn.tile)
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
    /// The generator of a seeded game.
    chance: Option<Chance>,
    /// The tiles of another game.
    listed: Chain<Iter<'a, Spawn>, Iter<'a, Spawn>>,
}

impl<'a> Replay<'a> {
    /// Start a game: place its stones and its first two tiles.
    ///
    /// # Errors
    ///
    /// [`InputError::Code`] if a stone or a tile of `luck` cannot be placed, and unless the two tiles of
    /// the start are in the order of their cells.
    pub(super) fn new(game: Game, luck: &'a Luck, moves: &'a [Direction]) -> Result<Self> {
        if let Luck::Spawns { start, .. } = luck
            && start[0].cell >= start[1].cell
        {
            let what = "the start: expected two tiles, the lesser cell first";
            return Err(refused(what.to_owned()));
        }
        let mut position = Position::new(game);
        let (chance, listed) = match luck {
            Luck::Seed(seed) => {
                let mut chance = Chance::new(*seed);
                for cell in chance.mask(game.size()) {
                    position.place_stone(cell);
                }
                for _ in game.size().locks().stones()..game.size().stones() {
                    let cell = chance.stone(&position);
                    position.place_stone(cell);
                }
                (Some(chance), [].iter().chain(&[]))
            }
            Luck::Spawns {
                stones,
                start,
                then,
            } => {
                let expected = game.size().stones();
                let mut placed = stones.iter().map(|&cell| position.place_stone(cell));
                if !placed.all(|done| done)
                    || stones.len() != expected as usize
                    || !stones.is_sorted()
                {
                    let what = format!(
                        "the start: its stones: expected {expected} different cells, the least first"
                    );
                    return Err(refused(what));
                }
                if !position
                    .board()
                    .is_some_and(|board| game.size().locks().keeps(board))
                {
                    let what = "the start: its stones: expected some in all cells of a mask";
                    return Err(refused(what.to_owned()));
                }
                (None, start.iter().chain(then))
            }
        };
        let mut replay = Self {
            position,
            played: 0,
            moves,
            chance,
            listed,
        };
        for _ in 0..2 {
            let placed = replay.spawn();
            placed.map_err(|what| refused(format!("the start: {what}")))?;
        }
        Ok(replay)
    }

    /// The current board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Play the next move, or return the reason why it is not legal.
    fn turn(&mut self, direction: Direction) -> Result<Turn, String> {
        if self.position.ended() {
            let how = match self.position.status() {
                Status::Won => "won the game",
                _ => "came to the horizon",
            };
            return Err(format!("the move before it {how}"));
        }
        let before = self.position.score();
        if !self.position.slide(direction) {
            let why = match self.position.game().size().locks().masks()[..] {
                [] => "changes nothing",
                _ => "changes nothing, or leaves no mask with all its stones",
            };
            return Err(format!("{} {why}", direction.name()));
        }
        let ends = self.position.ended();
        let spawn = (!ends).then(|| self.spawn()).transpose()?;
        self.played += 1;
        Ok(Turn {
            number: self.played as u64,
            direction,
            gained: self.position.score() - before,
            spawn,
            position: self.position.clone(),
        })
    }

    /// Place the next tile, or return the reason why it cannot be placed.
    fn spawn(&mut self) -> Result<Spawn, String> {
        let spawn = match &mut self.chance {
            Some(chance) => chance.spawn(&self.position),
            None => *self
                .listed
                .next()
                .ok_or("no tile follows, though it does not win")?,
        };
        if self.position.place(spawn) {
            return Ok(spawn);
        }
        let size = self.position.game().size();
        let Spawn { cell, tile } = spawn;
        Err(match self.position.tiles().nth(cell.into()) {
            _ if !matches!(tile, 2 | 4) => {
                format!("the tile {tile} cannot be placed: expected a 2 or a 4")
            }
            Some(there) => {
                let (row, column) = spawn.row_and_column(size);
                let there = match there {
                    1 => "stone".to_owned(),
                    tile => tile.to_string(),
                };
                format!(
                    "a {tile} cannot be placed at row {row} column {column}: a {there} is there"
                )
            }
            None => format!(
                "a {tile} cannot be placed at cell {cell}: {size} has the cells 0 to {}",
                size.cells() - 1
            ),
        })
    }

    /// Check that no tile is left over; returns the last board.
    pub(super) fn end(mut self) -> Result<Position> {
        match self.listed.next() {
            None => Ok(self.position),
            Some(_) => Err(InputError::Code {
                turn: Some(self.played as u64).filter(|&turn| turn > 0),
                what: "a tile is left over after the last move".to_owned(),
            }
            .into()),
        }
    }
}

impl Iterator for Replay<'_> {
    type Item = Result<Turn>;

    fn next(&mut self) -> Option<Result<Turn>> {
        let direction = *self.moves.get(self.played)?;
        Some(self.turn(direction).map_err(|what| {
            self.moves = &[];
            let turn = Some(self.played as u64 + 1);
            InputError::Code { turn, what }.into()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Code;

    #[test]
    fn a_list_of_tiles_that_breaks_the_rules_is_refused() {
        let spawn = |cell, tile| Spawn { cell, tile };
        for (start, what) in [
            (
                [spawn(0, 8), spawn(1, 2)],
                "the tile 8 cannot be placed: expected a 2 or a 4",
            ),
            ([spawn(0, 2), spawn(1, 0)], "the tile 0 cannot be placed"),
            ([spawn(1, 2), spawn(0, 2)], "the lesser cell first"),
        ] {
            let luck = Luck::Spawns {
                stones: vec![],
                start,
                then: vec![],
            };
            let said = Code::new("2x2".parse().unwrap(), luck, vec![]).unwrap_err();
            assert!(said.to_string().contains(what), "{said}");
        }
    }

    #[test]
    fn a_seed_has_one_spelling() {
        for (text, seed) in [("0", 0), ("z", 35), ("10", 36), ("3w5e11264sgsf", u64::MAX)] {
            assert_eq!(text.parse::<Seed>().unwrap(), Seed(seed));
            assert_eq!(Seed(seed).to_string(), text);
        }
        for bad in [
            "",
            "00",
            "01",
            "Z",
            "+1",
            "-1",
            "3w5e11264sgsg",
            "a.b",
            "ä",
            " 1",
            "zzzzzzzzzzzzzzzz",
        ] {
            assert!(bad.parse::<Seed>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn tiles_and_cells_come_with_their_probabilities() {
        let mut position = Position::new("3x3".parse().unwrap());
        position.place(Spawn { cell: 4, tile: 2 });
        let mut chance = Chance::new(Seed(1));
        let (mut cells, mut fours) = ([0u32; 9], 0);
        for _ in 0..80_000 {
            let spawn = chance.spawn(&position);
            cells[usize::from(spawn.cell)] += 1;
            fours += u32::from(spawn.tile == 4);
        }
        assert_eq!(cells[4], 0);
        // Expected: 10,000 spawns per cell, standard deviation 94; 8,000 fours, standard deviation
        // 85.
        let empty = cells.iter().enumerate().filter(|(cell, _)| *cell != 4);
        assert!(
            empty.clone().all(|(_, n)| (9_600..10_400).contains(n)),
            "{cells:?}"
        );
        assert!((7_650..8_350).contains(&fours), "{fours}");
    }
}
