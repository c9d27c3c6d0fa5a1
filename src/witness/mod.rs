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
//! Reading order: this file (boards that need no search, and witnesses with a run), `predecessors` (one
//! step back, and a game on its way back), `search` (without a run).

mod predecessors;
mod search;

use crate::error::{Error, Result};
use crate::game::board::exps;
use crate::game::{Board, Exp, Game};
use crate::part::Kind;
use crate::play::Code;
use crate::read::{Lookup, Reader};
use crate::store::Run;
use predecessors::{Trail, before_spawn};

pub(crate) use predecessors::{Predecessors, Step};
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

/// Whether a game can start with this board: two tiles, each a 2 or a 4, and all stones.
fn is_start(game: &Game, board: Board) -> bool {
    let size = game.size();
    let tiles: Vec<Exp> = exps(size.tiles(board))
        .filter(|&exp| exp != Exp::EMPTY)
        .collect();
    matches!(tiles[..], [Exp::TWO | Exp::FOUR, Exp::TWO | Exp::FOUR])
        && size.stones_of(board) == size.stones()
        && size.locks().keeps(board)
}

/// The reason why a board cannot be reached, if it breaks one of a few simple rules.
fn refute(game: &Game, board: Board) -> Option<String> {
    let tiles = exps(game.size().tiles(board)).filter(|&exp| exp != Exp::EMPTY);
    let (largest, win) = (game.max_exp(board), game.win());
    if tiles.clone().count() < 2 && largest < win {
        return Some("a game starts with two tiles, and never has fewer".to_owned());
    }
    if !game.size().locks().keeps(board) {
        return Some("every move leaves stones in all cells of a mask".to_owned());
    }
    let has_targets = game.size().locks().targets().is_some();
    if largest > win && !has_targets {
        return Some(format!(
            "the tile {} ends the game, and this board has a {}",
            win.tile(),
            largest.tile()
        ));
    }
    if game.is_won(board) {
        return None;
    }
    if !tiles.clone().any(|exp| exp <= Exp::FOUR) {
        return Some("the last tile to come was a 2 or a 4, and this board has neither".to_owned());
    }
    // The law of large tiles, see `laws`: while a tile is made, smaller tiles need room beside the
    // existing ones.
    let cells = game.size().tile_cells();
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

/// Finds witnesses in the layers of a run.
pub struct Layers {
    predecessors: Predecessors,
    boards: Lookup,
}

impl Layers {
    /// Search in the run of `reader`, until its stop. Uses about `memory` bytes for decoded blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if no decoder can be started.
    pub fn new(reader: &Reader, memory: u64) -> Result<Self> {
        Ok(Self {
            predecessors: Predecessors::new(reader.run().game()),
            boards: Lookup::new(reader, memory)?,
        })
    }

    /// Whether a board can be reached. A live board is listed in its part, or follows from an
    /// afterstate if the states were dropped. A dead or won board is one step after a live board.
    ///
    /// # Errors
    ///
    /// [`Error::NotCounted`] or [`Error::Gone`] if the run lacks a layer that the answer needs;
    /// damaged files; [`Error::Stopped`] after [`Stop::ask`](crate::engine::Stop::ask).
    pub fn reached(&mut self, board: Board) -> Result<bool> {
        let sum = self.boards.run().game().sum(board);
        has_layer(self.boards.run(), sum)?;
        if self.is_listed(board) {
            return is_reached(&mut self.boards, board);
        }
        // Stones can leave so little room that a start is dead.
        if is_start(self.boards.run().game(), board) {
            return Ok(true);
        }
        has_layer(self.boards.run(), sum.saturating_sub(4).max(4))?;
        let mut trail = Trail::new(&self.predecessors, board);
        trail.step(|before| is_reached(&mut self.boards, before))
    }

    /// A game that ends in a board. Reads a few blocks for each move.
    ///
    /// # Errors
    ///
    /// As for [`Layers::reached`]; needs all layers of states or of afterstates up to the sum of
    /// the board.
    pub fn witness(&mut self, board: Board) -> Result<Answer> {
        let sum = self.boards.run().game().sum(board);
        has_layer(self.boards.run(), 4)?;
        let run = self.boards.reader().run().clone();
        let dir = run.dir().display();
        if !self.reached(board)? {
            return Ok(Answer::Unreachable(if self.is_listed(board) {
                format!("{dir} lists all live states of sum {sum}; this board is not one of them")
            } else {
                format!(
                    "{dir} lists all live states up to sum {sum}; no move leads from one to this board"
                )
            }));
        }
        let mut trail = Trail::new(&self.predecessors, board);
        while !is_start(&self.predecessors.game, trail.board) {
            if !trail.step(|before| is_reached(&mut self.boards, before))? {
                return Ok(Answer::Unreachable(format!(
                    "{dir} has {:#x}, but no state from which a move leads to it",
                    trail.board
                )));
            }
        }
        Ok(Answer::Reached(Box::new(trail.code()?)))
    }

    /// Whether parts can list the board: it has a legal move, and the game is not won.
    fn is_listed(&self, board: Board) -> bool {
        let mut live = vec![board];
        self.predecessors.game.rules().census(&mut live);
        !live.is_empty() && !self.predecessors.game.is_won(board)
    }
}

/// Check that the run has the states of a sum, or the afterstates from which they follow.
fn has_layer(run: &Run, sum: u32) -> Result<()> {
    let first = run.first_sum(Kind::Afterstates);
    match run.has_layer(Kind::States, sum) {
        Err(Error::Gone { .. }) if first <= sum.saturating_sub(4).max(4) => Ok(()),
        told => told,
    }
}

/// Whether the run reached a live board, in a layer that passed [`has_layer`].
fn is_reached(boards: &mut Lookup, board: Board) -> Result<bool> {
    boards.reader().stop().check()?;
    let sum = boards.run().game().sum(board);
    match boards.run().has_layer(Kind::States, sum) {
        Ok(()) => boards.contains(Kind::States, board),
        Err(_) => is_spawned(boards, board),
    }
}

/// Whether a board is a start, or follows by a spawn from an afterstate of the run.
pub(crate) fn is_spawned(boards: &mut Lookup, board: Board) -> Result<bool> {
    let game = *boards.run().game();
    if is_start(&game, board) {
        return Ok(true);
    }
    for (_, afterstate) in before_spawn(game.size(), board) {
        if !game.is_beyond(afterstate) && boards.contains(Kind::Afterstates, afterstate)? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Plan, Silent};
    use crate::game::{Grid, max_exp};
    use crate::graph::Graph;
    use crate::part::Stream;
    use crate::play::Position;
    use crate::progress::Stop;
    use crate::share::share;
    use crate::store::{Keep, Store};

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

    /// Count a game in a directory of its own.
    fn counted(game: &str, until: Option<u32>, keep: Keep) -> (tempfile::TempDir, Reader) {
        let place = tempfile::tempdir().unwrap();
        let game = game.parse().unwrap();
        let mut store = Store::open(place.path(), &game, Some(keep)).unwrap();
        let plan = Plan::new(64 << 20, 2).unwrap();
        engine::count(&mut store, &plan, until, &mut Silent).unwrap();
        drop(store);
        let run = Run::open(place.path()).unwrap();
        (place, Reader::new(run, &plan))
    }

    #[test]
    fn every_state_and_every_image_of_it_has_a_witness() {
        let games = ["2x2", "2x2-32", "2x3-16"];
        let kept = [Keep::All, Keep::Afterstates];
        for (name, keep) in games.iter().flat_map(|name| kept.map(|keep| (name, keep))) {
            let (_place, reader) = counted(name, None, keep);
            let game = *reader.run().game();
            let mut layers = Layers::new(&reader, 1 << 20).unwrap();
            let graph = Graph::new(&game, None, 1 << 20).unwrap();
            let reached: Vec<Board> = graph.states.iter().map(|state| state.board).collect();
            assert!(reached.len() > 50);
            // Every board, reached or not, in every orientation.
            for board in 1..1u64 << (4 * game.size().cells()) {
                if max_exp(board) > game.top() {
                    continue;
                }
                let expected = reached.contains(&game.canonical(board));
                match layers.witness(board).unwrap() {
                    Answer::Reached(code) => {
                        assert!(expected, "{name} {board:#x}");
                        assert_eq!(code.end().board(), Some(board));
                    }
                    answer => assert!(!expected, "{name} {board:#x}: {answer:?}"),
                }
            }
        }
    }

    /// By induction on the sum, every state then has a game: the game of a state before it, and one
    /// more step.
    #[test]
    fn every_state_of_2x4_is_a_start_or_one_step_from_another() {
        let (_place, reader) = counted("2x4", None, Keep::All);
        let game = *reader.run().game();
        let mut layers = Layers::new(&reader, 1 << 30).unwrap();
        let mut states = Vec::new();
        for key in reader.run().parts(Kind::States) {
            let part = reader.part(Kind::States, key).unwrap().unwrap();
            states.extend(Stream::new(part.clone()).unwrap().map(Result::unwrap));
        }
        // The number in `results/tables/2x4.csv`.
        assert_eq!(states.len(), 4_088_119);
        for state in share(states) {
            if is_start(&game, state) {
                continue;
            }
            let mut trail = Trail::new(&layers.predecessors, state);
            assert!(
                trail
                    .step(|before| is_reached(&mut layers.boards, before))
                    .unwrap(),
                "{state:#x}"
            );
            let (direction, spawn) = trail.steps[0];
            let mut position = Position::on(game, trail.board);
            assert!(position.slide(direction) && position.place(spawn.unwrap()));
            assert_eq!(position.board(), Some(state));
        }
    }

    #[test]
    fn a_bound_that_holds_no_block_changes_nothing() {
        let (_place, reader) = counted("3x3-64", None, Keep::All);
        let witness = |memory| {
            Layers::new(&reader, memory)
                .unwrap()
                .witness(0x1_2312_3454)
                .unwrap()
        };
        assert!(matches!(witness(0), Answer::Reached(_)));
        assert_eq!(witness(0), witness(1 << 30));
    }

    #[test]
    fn a_stop_ends_the_search() {
        let (_place, reader) = counted("2x2", None, Keep::All);
        let stop = Stop::default();
        let mut layers = Layers::new(&reader.with_stop(&stop), 0).unwrap();
        assert!(matches!(layers.witness(0x0132), Ok(Answer::Reached(_))));
        stop.ask();
        assert!(matches!(layers.witness(0x0132), Err(Error::Stopped)));
    }

    #[test]
    fn uncounted_layers_give_an_error() {
        let (_place, reader) = counted("2x2", Some(12), Keep::All);
        let mut layers = Layers::new(&reader, 0).unwrap();
        assert!(layers.reached(0x0132 - 0x0100).unwrap());
        let error = layers.witness(0x0132).unwrap_err();
        assert!(
            matches!(
                error,
                Error::NotCounted {
                    sum: 14,
                    last: 12,
                    ..
                }
            ),
            "{error}"
        );
    }
}
