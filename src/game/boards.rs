//! Moves and spawns of one board.
//!
//! These methods take one board at a time; the engine works on slices of boards (`rules.rs`).

use super::board::{Board, exps};
use super::exp::Exp;
use super::slide::Moved;
use super::symmetry::Symmetry;
use super::variant::Game;

impl Game {
    /// The results of a board's four moves, in the order of
    /// [`Direction::ALL`](super::Direction::ALL).
    ///
    /// ```
    /// use enum48::{Game, game::Moved};
    /// let game: Game = "2x2-8".parse()?;
    /// // 4 4 / 2 .
    /// let [up, right, down, left] = game.moves(0x2210);
    /// assert_eq!((up, down), (Moved::Illegal, Moved::To(0x2012)));
    /// assert_eq!((right, left), (Moved::Wins, Moved::Wins));
    /// # Ok::<(), enum48::Error>(())
    /// ```
    #[must_use]
    pub fn moves(&self, board: Board) -> [Moved; 4] {
        self.rules().moves(board, self.win())
    }

    /// The boards that follow an afterstate when `tile` comes up: one for each empty cell, the
    /// first cell first, not canonical.
    ///
    /// ```
    /// use enum48::{Game, game::Exp};
    /// let game: Game = "2x2".parse()?;
    /// let boards: Vec<_> = game.spawns(0x2010, Exp::FOUR).collect();
    /// assert_eq!(boards, [0x2210, 0x2012]);
    /// # Ok::<(), enum48::Error>(())
    /// ```
    pub fn spawns(&self, afterstate: Board, tile: Exp) -> impl Iterator<Item = Board> {
        let cells = 0..self.size().cells();
        let empty = cells
            .zip(exps(afterstate))
            .filter(|&(_, exp)| exp == Exp::EMPTY);
        let empty: Vec<u32> = empty.map(|(cell, _)| cell).collect();
        let boards = empty.into_iter().rev();
        boards.map(move |cell| afterstate | u64::from(tile.get()) << (4 * cell))
    }

    /// The canonical image of a board, and the symmetry that leads to it.
    #[must_use]
    pub fn canonical(&self, board: Board) -> (Board, Symmetry) {
        self.rules().canonical(board)
    }

    /// The image of a board under a symmetry of its size.
    #[must_use]
    pub fn turned(&self, board: Board, symmetry: Symmetry) -> Board {
        self.rules().turned(board, symmetry)
    }

    /// Replace each board by its canonical image; under 1 ns per board for hundreds of boards.
    pub fn canonicalise(&self, boards: &mut [Board]) {
        self.rules().canonicalise(boards);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Direction, line};

    /// The rule as a person states it, line by line.
    fn by_lines(game: Game, board: Board, direction: Direction) -> Moved {
        let mut after = 0;
        for line in line::lines(game.size(), direction) {
            let mut tiles = line::unpack(line.of_board(board), line.len());
            line::slide(&mut tiles);
            if tiles.contains(&game.win().get()) {
                return Moved::Wins;
            }
            after |= line.to_board(line::pack(&tiles).expect("no tile reaches 65536"));
        }
        if after == board {
            Moved::Illegal
        } else {
            Moved::To(after)
        }
    }

    #[test]
    fn moves_agree_with_the_rule_as_a_person_states_it() {
        for name in ["2x2-16", "2x2"] {
            let game: Game = name.parse().unwrap();
            let boards = 1..1u64 << (4 * game.size().cells());
            for board in boards.filter(|&board| exps(board).all(|exp| exp <= game.top())) {
                for (direction, moved) in Direction::ALL.into_iter().zip(game.moves(board)) {
                    let expected = by_lines(game, board, direction);
                    assert_eq!(moved, expected, "{board:#x} {direction:?}");
                }
            }
        }
    }

    #[test]
    fn spawns_agree_with_the_kernel() {
        for (name, board) in [
            ("2x2", 0x2010),
            ("3x3", 0x1_0203_0000),
            ("4x4", 0),
            ("2x2", 0x1234),
        ] {
            let game: Game = name.parse().unwrap();
            for tile in [Exp::TWO, Exp::FOUR] {
                let mut kernel = Vec::new();
                game.rules().spawn(&[board], tile, &mut kernel);
                kernel.sort_unstable();
                let mut spawns: Vec<Board> = game.spawns(board, tile).collect();
                spawns.sort_unstable();
                assert_eq!(spawns, kernel, "{name} {board:#x}");
            }
        }
    }
}
