//! Finds single boards in matrices: some bits are read.
//!
//! An afterstate is in the matrices if one of its images has its bit. A state follows from an
//! afterstate by a spawn, or is a start.

use std::collections::HashMap;
use std::sync::Arc;

use super::afterstates::Afterstates;
use super::class::Class;
use super::half::Half;
use super::quads::Quads;
use super::weights::Weights;
use crate::error::Result;
use crate::fork::ForkLock;
use crate::game::{Board, Exp, Game, images};
use crate::part::Kind;
use crate::store::Run;

/// Finds boards in the matrices of a run. Keeps the classes that boards needed.
pub(crate) struct Finder {
    game: Game,
    /// By weight.
    classes: ForkLock<HashMap<usize, Arc<Class>>>,
}

impl Finder {
    pub(crate) fn new(game: &Game) -> Self {
        Self {
            game: *game,
            classes: ForkLock::default(),
        }
    }

    /// Weights of halves whose tiles weigh up to `most`.
    fn weights(&self, most: usize) -> Weights {
        Weights::new(&self.game, most)
    }

    fn class(&self, weight: usize) -> Arc<Class> {
        let (mut kept, mut new) = (self.classes.lock(), HashMap::new());
        let classes = kept.as_deref_mut().unwrap_or(&mut new);
        let class = classes.entry(weight).or_insert_with(|| {
            let tiles = self.weights(0).of_tiles(weight);
            let exponents = self.game.top().get() + 1;
            let quads = Quads::new(exponents, self.weights(tiles));
            Arc::new(Class::new(weight, &quads))
        });
        class.clone()
    }

    /// Whether the matrices have the bit of an image of a board.
    fn has_afterstate(&self, run: &Run, board: Board) -> Result<bool> {
        let Some(file) = run.matrices(self.game.sum(board))? else {
            return Ok(false);
        };
        let weight = |half: Half| self.weights(0).of(&half.cells());
        for (top, bottom) in images::<4, 4>(board).map(Half::of_board) {
            if !top.is_moved() || top.is_full() || !bottom.is_moved() {
                continue;
            }
            let [rows, columns] = [top, bottom].map(|half| self.class(weight(half)));
            let row = rows.search(top).and_then(|row| rows.moved_row(row));
            let first = weight(top) as u64;
            let block = file.block_of(first);
            let block = block.filter(|&block| file.first(block) == first);
            let (Some(row), Some(column), Some(block)) = (row, columns.search(bottom), block)
            else {
                continue;
            };
            let classes = Some([&*rows, &*columns]);
            let (matrix, _) = Afterstates::read_matrix(&file, block, classes)?;
            if matrix.has(Afterstates::shape_of(&rows, &columns), row, column) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a board is a live state, or an afterstate, of the run.
    pub(crate) fn contains(&self, run: &Run, kind: Kind, board: Board) -> Result<bool> {
        if kind == Kind::Afterstates {
            return self.has_afterstate(run, board);
        }
        let game = &self.game;
        let mut live = vec![board];
        game.rules().census(&mut live);
        if live.is_empty() || game.is_won(board) {
            return Ok(false);
        }
        let start = game.canonical(board);
        if game.starts(game.sum(board)).contains(&start) {
            return Ok(true);
        }
        for cell in (0..64).step_by(4) {
            let exp = board >> cell & 15;
            let spawned = [Exp::TWO, Exp::FOUR].map(|exp| u64::from(exp.get()));
            if spawned.contains(&exp) && self.has_afterstate(run, board & !(15 << cell))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
