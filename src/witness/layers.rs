//! Ways back through the layers of a run.

use std::collections::HashMap;
use std::path::Path;

use super::{Answer, Trail, is_start, place};
use crate::error::{Error, Result};
use crate::game::{Board, Game};
use crate::run::{Decoder, Kind, Part};
use crate::store::Archive;

/// A run's live states, to ask for single ones. Decoded blocks are kept, up to a bound, as the ways back from many
/// boards go through the same ones.
pub struct Layers<'a> {
    archive: &'a Archive,
    parts: HashMap<(u32, u32), Option<Part>>,
    decoder: Decoder,
    blocks: HashMap<(u32, u32, usize), Vec<u64>>,
    /// States in the blocks that are kept, and the most that may be.
    kept: usize,
    bound: usize,
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
            parts: HashMap::new(),
            decoder: Decoder::new().map_err(Error::io(archive.dir(), "start zstd for"))?,
            blocks: HashMap::new(),
            kept: 0,
            bound: usize::try_from(memory / 8).unwrap_or(usize::MAX),
        })
    }

    fn game(&self) -> &Game {
        self.archive.game()
    }

    /// Whether a board can be reached, whatever its state: a live one is in its part, a dead or won one comes from a
    /// live one that is.
    ///
    /// # Errors
    ///
    /// [`Error::NotCounted`] or [`Error::Gone`] if the run does not have the layers that tell; damaged files.
    pub fn reached(&mut self, board: Board) -> Result<bool> {
        let (sum, _) = place(board);
        self.archive.has_layer(sum)?;
        let trail = Trail::new(*self.game(), board);
        if !trail.won() && self.lives(board) {
            return self.has_image(board);
        }
        self.archive.has_layer(sum.saturating_sub(4).max(4))?;
        Ok(is_start(board) || { trail }.step(|before| self.has(before))?)
    }

    /// A game that ends in a board. Costs a few blocks for each move.
    ///
    /// # Errors
    ///
    /// As for [`Layers::reached`]; it needs every layer up to the board's.
    pub fn witness(&mut self, board: Board) -> Result<Answer> {
        let (sum, _) = place(board);
        self.archive.has_layer(4)?;
        if !self.reached(board)? {
            let dir = name(self.archive.dir());
            let live = self.lives(board) && !Trail::new(*self.game(), board).won();
            return Ok(Answer::Unreachable(if live {
                format!("{dir} has every live state of sum {sum}, and it is not among them")
            } else {
                format!(
                    "{dir} has every live state up to sum {sum}, and no move leads from one of them to it"
                )
            }));
        }
        let mut trail = Trail::new(*self.game(), board);
        while !is_start(trail.board) {
            if !trail.step(|before| self.has(before))? {
                let (dir, board) = (name(self.archive.dir()), trail.board);
                return Ok(Answer::Unreachable(format!(
                    "{dir} has {board:#x}, and none of the states from which a move leads to it"
                )));
            }
        }
        Ok(Answer::Reached(Box::new(trail.code()?)))
    }

    /// Whether a board has a legal move.
    fn lives(&self, board: Board) -> bool {
        let mut one = vec![board];
        self.game().rules().census(&mut one);
        !one.is_empty()
    }

    fn has_image(&mut self, board: Board) -> Result<bool> {
        let mut canonical = [board];
        self.game().rules().canonicalise(&mut canonical);
        self.has(canonical[0])
    }

    /// Whether a canonical board is in its part.
    fn has(&mut self, board: Board) -> Result<bool> {
        let (sum, max) = place(board);
        let part = match self.parts.entry((sum, max)) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(self.archive.part(Kind::States, sum, max)?)
            }
        };
        let Some(part) = part else { return Ok(false) };
        let Some(block) = part.block_of(board) else {
            return Ok(false);
        };
        if let Some(states) = self.blocks.get(&(sum, max, block)) {
            return Ok(states.binary_search(&board).is_ok());
        }
        let mut states = Vec::new();
        part.read_block(block, &mut self.decoder, &mut states)?;
        let found = states.binary_search(&board).is_ok();
        if self.kept + states.len() > self.bound {
            self.blocks.clear();
            self.kept = 0;
        }
        self.kept += states.len();
        self.blocks.insert((sum, max, block), states);
        Ok(found)
    }
}

/// A directory, to be named in an answer.
fn name(dir: &Path) -> String {
    dir.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Plan, Silent};
    use crate::graph::Graph;
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
