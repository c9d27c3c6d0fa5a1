//! The orientations in which a board keeps a mask of its game.
//!
//! A player's large tiles can be in any corner. A game with masks has them in one place. So a board is turned or
//! mirrored before a run is asked for it, and the moves of the run are turned back.

use super::board::{Board, Size, for_size};
use super::slide::Direction;
use super::symmetry::{image_of_direction, images, inverse};
use super::variant::Game;

/// An image of a board that keeps a mask of the game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turned {
    /// The image.
    pub(crate) board: Board,
    size: Size,
    /// The symmetry that turns it back.
    back: usize,
}

impl Game {
    /// The images of a board that keep a mask of the game, first the board itself if it does. If symmetries of
    /// the game turn some of them into each other, only the first of them. Without masks, the board alone.
    pub(crate) fn turned(&self, board: Board) -> impl Iterator<Item = Turned> {
        let (game, size) = (*self, self.size());
        let locks = size.locks();
        let number = if locks.stones() == 0 { 1 } else { 8 };
        let images = for_size!(size, images::<R, C>(board)).into_iter();
        let mut seen = Vec::new();
        images
            .enumerate()
            .take(number)
            .filter(move |&(_, image)| {
                let is_new = locks.keeps(image) && !seen.contains(&game.canonical(image));
                seen.extend(is_new.then(|| game.canonical(image)));
                is_new
            })
            .map(move |(symmetry, board)| Turned {
                board,
                size,
                back: inverse(symmetry),
            })
    }
}

impl Turned {
    /// The direction of a move on the board that was turned.
    pub(crate) fn direction_back(&self, direction: Direction) -> Direction {
        image_of_direction(self.back, direction)
    }

    /// Turn a board back.
    pub(crate) fn board_back(&self, board: Board) -> Board {
        for_size!(self.size, images::<R, C>(board))[self.back]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Moved;

    fn turned(name: &str, board: Board) -> Vec<Board> {
        let game: Game = name.parse().unwrap();
        game.turned(board).map(|turned| turned.board).collect()
    }

    #[test]
    fn a_board_is_turned_to_each_different_board_that_keeps_a_mask() {
        // Six stones in two by three cells fit in one way.
        assert_eq!(turned("L3-64", 0x1fff_0fff), [0x1fff_0fff]);
        assert_eq!(
            turned("L3-64", 0xff00_ff00_ff02_1000),
            [0x0200_0000_0fff_1fff]
        );
        assert!(turned("L3-64", 0xff10_ff00_f0f0_0000).is_empty());
        // A row is its own mirror image, and all of its images are the same board of the game.
        assert_eq!(turned("444-64", 0xffff), [0xffff]);
        assert_eq!(
            turned("444-64", 0xf000_f100_f000_f000),
            [0x0000_0000_0100_ffff]
        );
        // The row or the column of the corner, and the row of the other corner.
        let corner = turned("3x3free6lockff-16", 0x001_00f_0ff);
        assert_eq!(corner, [0x001_00f_0ff, 0x000_00f_1ff]);
        let row = turned("3x3free6lockff-16", 0x100_000_fff);
        assert_eq!(row, [0x100_000_fff, 0x001_000_fff]);
        assert_eq!(turned("2x3free4lockff-16", 0xff_0010), [0x01_00ff]);
        // Without masks a board stays as it is.
        assert_eq!(turned("2x2free3-16", 0xf100), [0xf100]);
    }

    #[test]
    fn a_move_of_the_turned_board_is_a_move_of_the_board() {
        let free: Game = "free10-64".parse().unwrap();
        let game: Game = "L3-64".parse().unwrap();
        let board = 0x1031_0fff_0fff_2100;
        let mut symmetries = Vec::new();
        for image in images::<4, 4>(0x1031_2100_0fff_1fff) {
            let [turned] = game.turned(image).collect::<Vec<_>>()[..] else {
                panic!("{image:#x}: it fits in one way");
            };
            assert_eq!(turned.board_back(turned.board), image);
            assert_eq!(turned.board, 0x1031_2100_0fff_1fff);
            symmetries.push(turned.back);
            for (direction, moved) in Direction::ALL.into_iter().zip(game.moves(turned.board)) {
                let back = turned.direction_back(direction);
                if let Moved::To(after) = moved {
                    let expected = Moved::To(turned.board_back(after));
                    assert_eq!(free.moves(image)[back as usize], expected, "{image:#x}");
                }
            }
        }
        symmetries.sort_unstable();
        assert_eq!(symmetries, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(game.turned(board).count(), 0);
    }
}
