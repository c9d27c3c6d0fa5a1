//! Witnesses with the layers of a run.

use std::sync::Arc;

use super::predecessors::{Predecessors, Trail, before_spawn};
use super::{Answer, is_start, is_won};
use crate::error::{Error, Result};
use crate::game::{Board, sum};
use crate::part::Kind;
use crate::progress::Stop;
use crate::read::{Lookup, Reader};
use crate::store::Run;

/// Finds witnesses in the layers of a run.
pub struct Layers {
    run: Arc<Run>,
    predecessors: Predecessors,
    boards: Lookup,
    stop: Stop,
}

impl Layers {
    /// Search in the run of `reader`, until its stop. Uses about `memory` bytes for decoded blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Zstd`] if no decoder can be started.
    pub fn new(reader: &Reader, memory: u64) -> Result<Self> {
        let run = reader.run().clone();
        Ok(Self {
            predecessors: Predecessors::new(run.game()),
            run,
            boards: Lookup::new(reader, memory)?,
            stop: reader.stop().clone(),
        })
    }

    /// Whether a board can be reached. A live board is listed in its part, or follows from an
    /// afterstate if the states were dropped. A dead or won board is one step after a live board.
    ///
    /// # Errors
    ///
    /// [`Error::NotCounted`] or [`Error::Gone`] if the run lacks a layer that the answer needs;
    /// damaged files; [`Error::Stopped`] after [`Stop::ask`].
    pub fn reached(&mut self, board: Board) -> Result<bool> {
        let sum = sum(board);
        has_layer(&self.run, sum)?;
        if self.is_listed(board) {
            return is_reached(&mut self.boards, board, &self.stop);
        }
        has_layer(&self.run, sum.saturating_sub(4).max(4))?;
        let mut trail = Trail::new(&self.predecessors, board);
        trail.step(|before| is_reached(&mut self.boards, before, &self.stop))
    }

    /// A game that ends in a board. Reads a few blocks for each move.
    ///
    /// # Errors
    ///
    /// As for [`Layers::reached`]; needs all layers of states or of afterstates up to the sum of
    /// the board.
    pub fn witness(&mut self, board: Board) -> Result<Answer> {
        let sum = sum(board);
        has_layer(&self.run, 4)?;
        let run = self.run.clone();
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
        while !is_start(trail.board) {
            if !trail.step(|before| is_reached(&mut self.boards, before, &self.stop))? {
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
        self.run.game().rules().census(&mut live);
        !live.is_empty() && !is_won(self.run.game(), board)
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
fn is_reached(boards: &mut Lookup, board: Board, stop: &Stop) -> Result<bool> {
    stop.check()?;
    match boards.run().has_layer(Kind::States, sum(board)) {
        Ok(()) => boards.contains(Kind::States, board),
        Err(_) => is_spawned(boards, board),
    }
}

/// Whether a board is a start, or follows by a spawn from an afterstate of the run.
pub(crate) fn is_spawned(boards: &mut Lookup, board: Board) -> Result<bool> {
    if is_start(board) {
        return Ok(true);
    }
    for (_, afterstate) in before_spawn(boards.run().game().size(), board) {
        if boards.contains(Kind::Afterstates, afterstate)? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Plan, Silent};
    use crate::game::max_exp;
    use crate::graph::Graph;
    use crate::part::Stream;
    use crate::play::Position;
    use crate::share::share;
    use crate::store::{Keep, Store};

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
            let reached: Vec<Board> = graph.states().iter().map(|state| state.board).collect();
            assert!(reached.len() > 50);
            // Every board, reached or not, in every orientation.
            for board in 1..1u64 << (4 * game.size().cells()) {
                if max_exp(board) > game.top() {
                    continue;
                }
                let expected = reached.contains(&game.canonical(board).0);
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
            states.extend(Stream::new(&part).unwrap().map(Result::unwrap));
        }
        // The number in `results/tables/2x4.csv`.
        assert_eq!(states.len(), 4_088_119);
        for state in share(states) {
            if is_start(state) {
                continue;
            }
            let mut trail = Trail::new(&layers.predecessors, state);
            assert!(
                trail
                    .step(|before| is_reached(&mut layers.boards, before, &layers.stop))
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
