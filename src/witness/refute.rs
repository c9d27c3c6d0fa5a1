//! Refutes some boards, in which no game can end, without a search.

use crate::game::board::exps;
use crate::game::{Board, Exp, Game, max_exp};

/// The reason why a board cannot be reached, if it breaks one of a few simple rules.
pub(super) fn refute(game: &Game, board: Board) -> Option<String> {
    let tiles = exps(board).filter(|&exp| exp != Exp::EMPTY);
    let (largest, win) = (max_exp(board), game.win());
    if tiles.clone().count() < 2 && largest < win {
        return Some("a game starts with two tiles, and never has fewer".to_owned());
    }
    if largest > win {
        return Some(format!(
            "the tile {} ends the game, and this board has a {}",
            win.tile(),
            largest.tile()
        ));
    }
    if largest == win {
        return None;
    }
    if !tiles.clone().any(|exp| exp <= Exp::FOUR) {
        return Some("the last tile to come was a 2 or a 4, and this board has neither".to_owned());
    }
    // The law of large tiles, see `laws`: while a tile is made, smaller tiles need room beside the
    // existing ones.
    let cells = game.size().cells();
    let mut at_least_8 = largest.up_to().filter(|&exp| exp > Exp::FOUR);
    at_least_8.find_map(|least| {
        let found = tiles.clone().filter(|&exp| exp >= least).count() as u32;
        let most = (cells + 2).saturating_sub(least.get().into());
        let tile = least.tile();
        (found > most).then(|| match most {
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
