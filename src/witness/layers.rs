//! Ways back through the layers of a run.

use super::back::Back;
use super::lookup::Lookup;
use super::{Answer, Trail, is_start, place, won};
use crate::error::Result;
use crate::game::Board;
use crate::store::Archive;

/// A run, to ask for witnesses.
pub struct Layers<'a> {
    archive: &'a Archive,
    back: Back,
    states: Lookup<'a>,
}

impl<'a> Layers<'a> {
    /// The layers of a run, with about `memory` bytes for decoded blocks.
    ///
    /// # Errors
    ///
    /// If zstd cannot be started.
    pub fn new(archive: &'a Archive, memory: u64) -> Result<Self> {
        Ok(Self {
            archive,
            back: Back::new(archive.game()),
            states: Lookup::new(archive, memory)?,
        })
    }

    /// Whether a board can be reached, whatever its state: a live one is in its part, a dead or won one comes from a
    /// live one that is.
    ///
    /// # Errors
    ///
    /// [`Error::NotCounted`](crate::Error::NotCounted) or [`Error::Gone`](crate::Error::Gone) if the run does not
    /// have the layers that tell; damaged files.
    pub fn reached(&mut self, board: Board) -> Result<bool> {
        let (sum, _) = place(board);
        self.archive.has_layer(sum)?;
        if self.is_listed(board) {
            let mut canonical = [board];
            self.archive.game().rules().canonicalise(&mut canonical);
            return self.states.has(canonical[0]);
        }
        self.archive.has_layer(sum.saturating_sub(4).max(4))?;
        let mut trail = Trail::new(*self.archive.game(), &self.back, board);
        trail.step(|before| self.states.has(before))
    }

    /// A game that ends in a board. Costs a few blocks for each move.
    ///
    /// # Errors
    ///
    /// As for [`Layers::reached`]; it needs every layer up to the board's.
    pub fn witness(&mut self, board: Board) -> Result<Answer> {
        let (sum, _) = place(board);
        self.archive.has_layer(4)?;
        let dir = self.archive.dir().display();
        if !self.reached(board)? {
            return Ok(Answer::Unreachable(if self.is_listed(board) {
                format!("{dir} has every live state of sum {sum}, and it is not among them")
            } else {
                format!(
                    "{dir} has every live state up to sum {sum}, and no move leads from one to it"
                )
            }));
        }
        let mut trail = Trail::new(*self.archive.game(), &self.back, board);
        while !is_start(trail.board) {
            if !trail.step(|before| self.states.has(before))? {
                let board = trail.board;
                return Ok(Answer::Unreachable(format!(
                    "{dir} has {board:#x}, but no state from which a move leads to it"
                )));
            }
        }
        Ok(Answer::Reached(Box::new(trail.code()?)))
    }

    /// Whether a board would be in a part if it was reached: it has a legal move, and the game is not won.
    fn is_listed(&self, board: Board) -> bool {
        let mut one = vec![board];
        self.archive.game().rules().census(&mut one);
        !one.is_empty() && !won(self.archive.game(), board)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Plan, Silent};
    use crate::error::Error;
    use crate::graph::Graph;
    use crate::play::Position;
    use crate::run::Kind;
    use crate::store::Store;

    /// Count a game in a directory of its own.
    fn counted(game: &str, until: Option<u32>) -> (tempfile::TempDir, Archive) {
        let place = tempfile::tempdir().unwrap();
        let game = game.parse().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let plan = Plan::new(64 << 20, 2).unwrap();
        engine::count(&game, &mut store, &plan, until, &mut Silent).unwrap();
        drop(store);
        let archive = Archive::open(place.path()).unwrap();
        (place, archive)
    }

    #[test]
    fn every_state_and_every_image_of_it_has_a_witness() {
        for name in ["2x2", "2x2-32", "2x3-16"] {
            let (_place, archive) = counted(name, None);
            let game = *archive.game();
            let mut layers = Layers::new(&archive, 1 << 20).unwrap();
            let graph = Graph::new(&game, None, 1 << 20).unwrap();
            let reached: Vec<Board> = graph.states().iter().map(|state| state.board).collect();
            assert!(reached.len() > 50);
            // All boards of two tiles or more, reached or not, in every orientation.
            for board in 1..1u64 << (4 * game.size().cells()) {
                let digits = || (0..16).map(|place| board >> (4 * place) & 15);
                if digits().any(|digit| digit > u64::from(game.top_exponent())) {
                    continue;
                }
                let mut canonical = [board];
                game.rules().canonicalise(&mut canonical);
                let expected = reached.contains(&canonical[0]);
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

    /// By induction on the sum every state has a game then: that of the state before it, and a step more.
    #[test]
    fn every_state_of_2x4_is_a_start_or_one_step_from_another() {
        let (_place, archive) = counted("2x4", None);
        let game = *archive.game();
        let mut layers = Layers::new(&archive, 1 << 30).unwrap();
        let mut states = 0;
        for (sum, max) in archive.parts(Kind::States) {
            let part = archive.part(Kind::States, sum, max).unwrap().unwrap();
            for state in part.stream().unwrap() {
                let state = state.unwrap();
                states += 1;
                if is_start(state) {
                    continue;
                }
                let mut trail = Trail::new(game, &layers.back, state);
                assert!(
                    trail.step(|before| layers.states.has(before)).unwrap(),
                    "{state:#x}"
                );
                let (direction, spawn) = trail.steps[0];
                let mut position = Position::on(game, trail.board);
                assert!(position.slide(direction) && position.place(spawn.unwrap()));
                assert_eq!(position.board(), Some(state));
            }
        }
        // As the table of `results/2x4.csv` has it.
        assert_eq!(states, 4_088_119);
    }

    #[test]
    fn a_bound_that_holds_no_block_changes_nothing() {
        let (_place, archive) = counted("3x3-64", None);
        let witness = |memory| {
            Layers::new(&archive, memory)
                .unwrap()
                .witness(0x1_2312_3454)
                .unwrap()
        };
        assert!(matches!(witness(0), Answer::Reached(_)));
        assert_eq!(witness(0), witness(1 << 30));
    }

    #[test]
    fn layers_that_are_not_there_yet_tell_nothing() {
        let (_place, archive) = counted("2x2", Some(12));
        let mut layers = Layers::new(&archive, 0).unwrap();
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
