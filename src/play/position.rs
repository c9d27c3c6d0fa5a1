//! A board during a game.

use std::fmt;

use serde::Serialize;

use crate::game::board::exps;
use crate::game::{Board, Direction, Game, Size, grid, line};

/// A tile that chance puts on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Spawn {
    /// The cell, counted from 0 at the top left, along the rows.
    pub cell: u8,
    /// The tile: 2 or 4.
    pub tile: u8,
}

impl Spawn {
    /// The row and the column of the cell, both counted from 1.
    pub(crate) fn row_and_column(self, size: Size) -> (u8, u8) {
        (self.cell / size.cols() + 1, self.cell % size.cols() + 1)
    }
}

/// Whether a game goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A move is legal.
    Live,
    /// No move is legal, or the last move came to the horizon: the game is lost.
    Dead,
    /// The winning tile was made.
    Won,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A board during a game, with the score.
///
/// The cells are exponents in a plain array, so they can hold the tile 65536. A [`Board`] cannot:
/// it has no digit for this tile.
///
/// ```
/// use enum48::{game::Direction, play::{Position, Spawn, Status}};
/// let mut position = Position::new("2x2-8".parse()?);
/// assert!(position.place(Spawn { cell: 0, tile: 2 }) && position.place(Spawn { cell: 1, tile: 2 }));
/// assert!(position.slide(Direction::Left));
/// assert_eq!((position.to_string().as_str(), position.score()), ("4 . / . .", 4));
/// assert_eq!(position.status(), Status::Live);
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    game: Game,
    cells: [u8; 16],
    score: u64,
    /// Whether the last move came to the horizon without a win.
    is_over: bool,
}

impl Position {
    /// The empty board, before the two tiles of the start.
    pub fn new(game: Game) -> Self {
        Self {
            game,
            cells: [0; 16],
            score: 0,
            is_over: false,
        }
    }

    /// A game that starts from a board of its size. The score starts at 0.
    pub fn on(game: Game, board: Board) -> Self {
        let mut position = Self::new(game);
        let size = game.size().cells() as usize;
        for (cell, exp) in position.cells[..size].iter_mut().rev().zip(exps(board)) {
            *cell = exp.get();
        }
        position
    }

    /// The game.
    pub fn game(&self) -> Game {
        self.game
    }

    /// The score: the sum of all tiles made by merges.
    pub fn score(&self) -> u64 {
        self.score
    }

    /// The exponents of the cells, row by row.
    fn cells(&self) -> &[u8] {
        &self.cells[..self.game.size().cells() as usize]
    }

    /// The tiles row by row, 0 for an empty cell and 1 for a stone.
    pub fn tiles(&self) -> impl Iterator<Item = u32> {
        let stone = self.game.size().stone();
        let tile = move |&e: &u8| if Some(e) == stone { 1 } else { (1 << e) & !1 };
        self.cells().iter().map(tile)
    }

    /// The board as a number; `None` if it holds the tile 65536.
    pub fn board(&self) -> Option<Board> {
        let cells = self.cells();
        let has_digits = cells.iter().all(|&e| e < 16);
        has_digits.then(|| cells.iter().fold(0, |board, &e| board << 4 | u64::from(e)))
    }

    /// The empty cells, in order.
    pub fn empty(&self) -> impl Iterator<Item = u8> {
        let cells = self.cells().iter().enumerate();
        cells.filter(|(_, e)| **e == 0).map(|(cell, _)| cell as u8)
    }

    /// Place a 2 or a 4. Returns false, and does nothing, for another tile, or if the cell is not
    /// empty or not on the board.
    pub fn place(&mut self, spawn: Spawn) -> bool {
        let cells = &mut self.cells[..self.game.size().cells() as usize];
        match cells.get_mut(usize::from(spawn.cell)) {
            Some(cell) if *cell == 0 && matches!(spawn.tile, 2 | 4) => {
                *cell = spawn.tile.trailing_zeros() as u8;
                true
            }
            _ => false,
        }
    }

    /// Place a stone of the start. Returns false, and does nothing, if the cell is not empty or not on
    /// the board, or if the game has no stones.
    pub(super) fn place_stone(&mut self, cell: u8) -> bool {
        let stone = self.game.size().stone();
        let cells = &mut self.cells[..self.game.size().cells() as usize];
        match (cells.get_mut(usize::from(cell)), stone) {
            (Some(cell), Some(stone)) if *cell == 0 => {
                *cell = stone;
                true
            }
            _ => false,
        }
    }

    /// Move all tiles. Returns false if the move is not legal: the board does not change, or stones would
    /// leave the cells that must keep them, or the game is over at its horizon.
    pub fn slide(&mut self, direction: Direction) -> bool {
        if self.is_over {
            return false;
        }
        let (cells, score) = (self.cells, self.score);
        for line in line::lines(self.game.size(), direction) {
            let mut tiles = [0; 4];
            for (tile, cell) in tiles.iter_mut().zip(line.cells()) {
                *tile = self.cells[cell];
            }
            self.score += line::slide(&mut tiles[..line.len()], self.game.size().stone());
            for (tile, cell) in tiles.into_iter().zip(line.cells()) {
                self.cells[cell] = tile;
            }
        }
        if self.cells == cells {
            return false;
        }
        let locks = self.game.size().locks();
        if locks.is_none() && self.game.horizon().is_none() {
            return true;
        }
        // No game with stones or a horizon has the tile 65536.
        if self.board().is_some_and(|board| !locks.keeps(board)) {
            (self.cells, self.score) = (cells, score);
            return false;
        }
        self.is_over = self.board().is_some_and(|board| self.game.is_beyond(board));
        true
    }

    /// Whether the last move ended the game, so that no tile follows it.
    pub(super) fn ended(&self) -> bool {
        self.is_over || self.status() == Status::Won
    }

    /// Whether the game goes on, is lost or is won.
    pub fn status(&self) -> Status {
        let cells = self.cells();
        let size = self.game.size();
        // No cell has this digit in a game without stones.
        let stone = size.stone().unwrap_or(u8::MAX);
        let win = self.game.win().get();
        let is_won = match size.locks().targets() {
            None => self.game.max().is_some() && cells.iter().any(|&e| e >= win && e != stone),
            Some(_) => self.board().is_some_and(|board| self.game.is_won(board)),
        };
        if is_won {
            return Status::Won;
        }
        if self.is_over {
            return Status::Dead;
        }
        if !size.locks().is_none() {
            let is_legal = |&direction: &Direction| self.clone().slide(direction);
            return match Direction::ALL.iter().any(is_legal) {
                true => Status::Live,
                false => Status::Dead,
            };
        }
        let cols = usize::from(size.cols());
        let merge = |a: u8, b: u8| a == b && a != stone;
        // Most boards have an empty cell, and the look at pairs takes longer.
        let beside = || {
            let mut rows = cells.chunks(cols);
            rows.any(|row| row.windows(2).any(|pair| merge(pair[0], pair[1])))
        };
        let below = || cells.iter().zip(&cells[cols..]).any(|(&a, &b)| merge(a, b));
        if cells.contains(&0) || beside() || below() {
            Status::Live
        } else {
            Status::Dead
        }
    }
}

/// `4 8 / 2 .`, or with `#` each row on its own line, in columns.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        grid::write(f, self.tiles(), self.game.size())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(game: &str, cells: &[u8]) -> Position {
        let mut position = Position::new(game.parse().unwrap());
        position.cells[..cells.len()].copy_from_slice(cells);
        position
    }

    #[test]
    fn tiles_are_placed_only_in_empty_cells_of_the_board() {
        let mut position = Position::new("2x3".parse().unwrap());
        assert!(position.place(Spawn { cell: 5, tile: 4 }));
        assert!(!position.place(Spawn { cell: 5, tile: 2 }), "taken");
        assert!(!position.place(Spawn { cell: 6, tile: 2 }), "outside");
        assert_eq!(position.to_string(), ". . . / . . 4");
        assert!(position.empty().eq(0..5));
    }

    #[test]
    fn each_direction_moves_toward_its_edge() {
        // 2 . 2 / . 4 .
        for (direction, after) in [
            (Direction::Up, "2 4 2 / . . ."),
            (Direction::Right, ". . 4 / . . 4"),
            (Direction::Down, ". . . / 2 4 2"),
            (Direction::Left, "4 . . / 4 . ."),
        ] {
            let mut position = position("2x3", &[1, 0, 1, 0, 2, 0]);
            assert!(position.slide(direction));
            assert_eq!(position.to_string(), after);
        }
        let mut still = position("2x3", &[1, 2, 3, 0, 0, 0]);
        assert!(!still.slide(Direction::Up) && !still.slide(Direction::Left));
    }

    #[test]
    fn a_game_is_won_by_its_tile_and_lost_when_nothing_moves() {
        assert_eq!(position("2x2-8", &[3, 0, 0, 0]).status(), Status::Won);
        assert_eq!(position("2x2", &[3, 0, 0, 0]).status(), Status::Live);
        assert_eq!(position("2x2", &[1, 2, 2, 1]).status(), Status::Dead);
        assert_eq!(position("2x2", &[1, 2, 1, 3]).status(), Status::Live);
        assert_eq!(position("2x2", &[1, 1, 2, 3]).status(), Status::Live);
        assert_eq!(position("2x3", &[1, 2, 3, 3, 1, 2]).status(), Status::Dead);
    }

    #[test]
    fn the_tile_65536_has_room() {
        let mut high = position("4x4-65536", &[15, 0, 0, 15]);
        assert!(high.slide(Direction::Left));
        assert_eq!((high.status(), high.board()), (Status::Won, None));
        assert!(high.to_string().starts_with("65536 . . . /"));
        assert_eq!(high.score(), 65536);
        // Without a winning tile, 65536 is a tile like all others.
        let mut endless = position("4x4", &[15, 15, 0, 16]);
        assert!(endless.slide(Direction::Left) && endless.slide(Direction::Left));
        assert_eq!(
            (endless.status(), endless.score()),
            (Status::Live, 65536 * 3)
        );
    }

    #[test]
    fn moves_agree_with_the_engine() {
        let mut random = fastrand::Rng::with_seed(48);
        for name in [
            "2x2",
            "2x3",
            "4x2",
            "3x3-64",
            "3x4",
            "4x4-32",
            "2x3free4-16",
            "free8-64",
        ] {
            let game: Game = name.parse().unwrap();
            for _ in 0..5_000 {
                let mut cells = [0u8; 16];
                let cells = &mut cells[..game.size().cells() as usize];
                let stone = game.size().stone().unwrap_or(2);
                let cell = |exp| if exp == 2 { stone } else { exp };
                cells.fill_with(|| cell(random.u8(0..game.top().get().min(5))));
                let before = position(name, cells);
                let mut out = [[0u64]; 4];
                let board = [before.board().unwrap()];
                let slices = out.each_mut().map(<[u64; 1]>::as_mut_slice);
                let moves = game.rules().slide(&board, game.win(), slices);
                let mut legal = 0;
                for direction in Direction::ALL {
                    let mut after = before.clone();
                    let moved = after.slide(direction);
                    legal += u64::from(moved);
                    let counted = moved && after.status() != Status::Won;
                    let expected = if counted { after.board().unwrap() } else { 0 };
                    assert_eq!(
                        out[direction as usize],
                        [expected],
                        "{before} {direction:?}"
                    );
                }
                assert_eq!(moves.moves, legal, "{before}");
                let empty = board == [0];
                assert_eq!(
                    before.status() != Status::Dead,
                    empty || legal > 0,
                    "{before}"
                );
            }
        }
    }
}
