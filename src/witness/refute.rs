//! Boards that no game can end in, and why, without a search.

use crate::game::board::max_exponent;
use crate::game::{Board, Game};

/// The reason why a board cannot be reached, if it is one of those that need no search.
pub(super) fn refute(game: &Game, board: Board) -> Option<String> {
    let digits = || (0..16).map(|place| (board >> (4 * place) & 15) as u8);
    let tiles = digits().filter(|&digit| digit > 0).count();
    let (largest, win) = (max_exponent(board), game.win_exponent());
    if tiles < 2 && largest < win {
        return Some("a game starts with two tiles, and never has fewer".to_owned());
    }
    if largest > win {
        return Some(format!(
            "the tile {} ends the game, and this board has a {}",
            1 << win,
            1u32 << largest
        ));
    }
    if largest < win && !digits().any(|digit| matches!(digit, 1 | 2)) {
        return Some("the last tile to come was a 2 or a 4, and this board has neither".to_owned());
    }
    // See `laws`: to make a tile of exponent q, a chain of smaller ones stands beside those that are there.
    let cells = game.size().cells();
    (3..=u32::from(largest)).find_map(|q| {
        let found = digits().filter(|&digit| u32::from(digit) >= q).count() as u32;
        let most = (cells + 2).saturating_sub(q);
        let tile = 1u32 << q;
        let more = found > most && largest < win;
        more.then(|| match most {
            0 => format!("no tile of {tile} or more can be made on {cells} cells"),
            _ => format!(
                "{found} tiles are {tile} or more, and {cells} cells have room to make {most}"
            ),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Grid;

    fn reason(game: &str, board: &str) -> Option<String> {
        let game: Game = game.parse().unwrap();
        refute(&game, Grid::parse(board, game.size()).unwrap().board())
    }

    #[test]
    fn boards_that_break_a_rule_are_refused_with_it() {
        for (game, board, says) in [
            ("2x2", "0x0000", "never has fewer"),
            ("2x2", "2 . / . .", "never has fewer"),
            (
                "2x2-8",
                "16 2 / . .",
                "the tile 8 ends the game, and this board has a 16",
            ),
            ("2x2", "8 16 / . .", "has neither"),
            (
                "2x2",
                "64 2 / . .",
                "no tile of 64 or more can be made on 4 cells",
            ),
            (
                "2x2",
                "16 16 / 16 2",
                "3 tiles are 16 or more, and 4 cells have room to make 2",
            ),
            (
                "4x4",
                "0xffff222222222222",
                "4 tiles are 32768 or more, and 16 cells have room to make 3",
            ),
        ] {
            let reason = reason(game, board).unwrap_or_default();
            assert!(reason.contains(says), "{board}: {reason}");
        }
    }

    #[test]
    fn boards_that_were_reached_are_not_refused() {
        for (game, board) in [
            ("2x2-32", "0x0132"),
            ("2x2", "32 16 / 8 4"),
            ("2x2-8", "8 . / . ."),
            ("2x2-8", "8 4 / . ."),
            ("4x4-64", "0x2345454554544545"),
        ] {
            assert_eq!(reason(game, board), None, "{board}");
        }
    }
}
