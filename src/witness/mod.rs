//! Witnesses: for a board, a game that ends in it, or the reason why there is none.
//!
//! A count gives the number of reachable states; a witness proves that one state is reachable, by a
//! game that can be replayed ([`crate::play`]). The search goes backward: a state came from an
//! afterstate by a spawn, and the afterstate from a state by a move. The predecessors of both steps
//! can be listed, because a move treats each line on its own. Key idea: if a board on *some* way
//! back is itself reachable, a game leads through it. So with the layers of a run, the search takes
//! the first predecessor that they list, and never undoes a step.
//!
//! Without a run, this is a beam search, layer by layer and backward: all predecessors of the
//! boards of one sum, then of the next lower sum, down to a start. There are too many to keep, so
//! only some boards of each sum are kept (`search` says which). If no board had to be dropped and no
//! start was found, no game ends in the target.
//!
//! Reading order: this file (boards that need no search), `predecessors` (one step back, and a game
//! on its way back), `layers` (with a run), `search` (without).

mod layers;
mod predecessors;
mod search;

use crate::game::board::exps;
use crate::game::{Board, Exp, Game, max_exp};
use crate::play::Code;

pub use layers::Layers;
pub(crate) use layers::is_spawned;
pub(crate) use predecessors::Predecessors;
pub use search::Search;

/// Whether a board can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes: this game ends in the board.
    Reached(Box<Code>),
    /// No, for this reason.
    Unreachable(String),
    /// No game was found, but a search with more memory might find one.
    Unknown,
}

/// Whether a game can start with this board: two tiles, each a 2 or a 4.
fn is_start(board: Board) -> bool {
    let tiles: Vec<Exp> = exps(board).filter(|&exp| exp != Exp::EMPTY).collect();
    matches!(tiles[..], [Exp::TWO | Exp::FOUR, Exp::TWO | Exp::FOUR])
}

/// Whether the game is won on this board.
fn is_won(game: &Game, board: Board) -> bool {
    max_exp(board) >= game.win()
}

/// The reason why a board cannot be reached, if it breaks one of a few simple rules.
fn refute(game: &Game, board: Board) -> Option<String> {
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
