//! Reads the boards of a run that keeps matrices.
//!
//! A single board is a bit, or some bits: an afterstate is in the matrices if one of its images has
//! its bit, and a state follows from an afterstate by a spawn, or is a start.

use std::collections::HashMap;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

use super::afterstates::Afterstates;
use super::class::Class;
use super::half::Half;
use super::halves::{Halves, Quads};
use super::list_layer::LayerToList;
use super::packed_matrix::PackedMatrix;
use super::sweep::Sweep;
use crate::engine::plan::Plan;
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::game::{Board, Exp, Game, images, max_exp, sum};
use crate::part::Kind;
use crate::progress::Silent;
use crate::store::{ListedLayer, MatrixReader, ReadMatrices, Run};

/// A reader of the boards of runs that keep matrices: lists layers in the memory of `plan`, on its
/// threads.
#[must_use]
pub fn matrix_reader(plan: &Plan) -> MatrixReader {
    MatrixReader::new(Arc::new(Reader {
        plan: plan.clone(),
        halves: Mutex::default(),
        classes: Mutex::default(),
    }))
}

struct Reader {
    plan: Plan,
    /// The tables that were made last, with their game and their greatest weight. Making them takes
    /// seconds.
    halves: Mutex<Option<(Game, usize, Arc<Halves>)>>,
    classes: Mutex<Classes>,
}

/// The classes that single boards of a game needed.
#[derive(Default)]
struct Classes {
    quads: Option<(Game, Quads)>,
    by_weight: HashMap<usize, Arc<Class>>,
}

impl Reader {
    /// Tables for all layers of a run.
    fn halves(&self, run: &Run) -> Arc<Halves> {
        let weight = run.sealed_sum() as usize / 2;
        let mut made = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((game, to, halves)) if game == run.game() && *to == weight => halves.clone(),
            _ => {
                let halves = Arc::new(Halves::new(run.game(), weight));
                *made = Some((*run.game(), weight, halves.clone()));
                halves
            }
        }
    }

    fn class(&self, game: &Game, weight: usize) -> Arc<Class> {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        if classes.quads.as_ref().is_some_and(|(of, _)| of != game) {
            *classes = Classes::default();
        }
        let Classes { quads, by_weight } = &mut *classes;
        let make = || (*game, Quads::new(game.win().get(), usize::from(u16::MAX)));
        let (_, quads) = quads.get_or_insert_with(make);
        let class = by_weight.entry(weight);
        let class = class.or_insert_with(|| Arc::new(Class::new(weight, quads)));
        class.clone()
    }

    /// Whether the matrices have the bit of an image of a board.
    fn has_afterstate(&self, run: &Run, board: Board) -> Result<bool> {
        let Some(file) = run.matrices(sum(board))? else {
            return Ok(false);
        };
        for (top, bottom) in images::<4, 4>(board).map(Half::of_board) {
            if !top.is_moved() || top.is_full() || !bottom.is_moved() {
                continue;
            }
            let [rows, columns] = [top, bottom].map(|half| self.class(run.game(), half.weight()));
            let (row, column) = (rows.search(top), columns.search(bottom));
            let row = row.and_then(|row| rows.moved_row(row));
            let (Some(row), Some(column)) = (row, column) else {
                continue;
            };
            let Some(block) = file.block_of(top.weight() as u64) else {
                continue;
            };
            let mut matrix = None;
            if file.first(block) != top.weight() as u64 {
                continue;
            }
            let shape = Afterstates::shape_of(&rows, &columns);
            file.read(
                block,
                |_| Some(shape),
                |stored| {
                    let mask = columns.mask_of_moved_columns();
                    let packed = PackedMatrix::from_bytes(stored.packed, shape, &mask).transpose();
                    matrix = Some(packed.ok_or("not a packed matrix of afterstates")?);
                    Ok(())
                },
            )?;
            let matrix = matrix.transpose()?;
            if matrix.is_some_and(|matrix| matrix.has(shape, row, column)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl ReadMatrices for Reader {
    fn list(&self, run: &Run, kind: Kind, sum: u32, files: &mut ListedLayer) -> Result<()> {
        let workers = Workers::start(&self.plan)?;
        let halves = workers.install(|| self.halves(run));
        let layer = LayerToList::open(run, kind, sum, files.dir())?;
        workers.install(|| layer.list(&self.plan, halves, &workers, files, &mut Silent))?;
        Ok(())
    }

    fn contains(&self, run: &Run, kind: Kind, board: Board) -> Result<bool> {
        if kind == Kind::Afterstates {
            return self.has_afterstate(run, board);
        }
        let game = run.game();
        let mut live = vec![board];
        game.rules().census(&mut live);
        if live.is_empty() || max_exp(board) >= game.win() {
            return Ok(false);
        }
        let (start, _) = game.canonical(board);
        if game.starts(sum(board)).contains(&start) {
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

    fn check(&self, run: &Run, sum: u32) -> Result<u64> {
        let workers = Workers::start(&self.plan)?;
        let halves = workers.install(|| self.halves(run));
        let Some(file) = run.matrices(sum)? else {
            return Ok(0);
        };
        let next = sum as usize / 2 + 1;
        workers.install(|| {
            let mut sweep = Sweep::new(run.game(), next, halves, &workers, &self.plan)?;
            sweep.load_matrices(0, slice::from_ref(&file))?;
            let rows = run.rows(sum);
            sweep.compare(0, &file, &rows)?;
            Ok(rows.iter().map(|row| row.afterstates).sum())
        })
    }
}
