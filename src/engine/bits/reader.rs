//! Reads the boards of a run that keeps matrices.
//!
//! A look-up of one board reads some bits. An afterstate is in the matrices if one of its images
//! has its bit. A state follows from an afterstate by a spawn, or is a start.

use std::collections::HashMap;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::afterstates::Afterstates;
use super::class::Class;
use super::half::Half;
use super::halves::{Halves, Quads};
use super::list_layer::LayerToList;
use super::memory::for_layer;
use super::packed_matrix::PackedMatrix;
use super::sweep::Sweep;
use crate::engine::plan::Plan;
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::fork::ForkLock;
use crate::game::{Board, Exp, Game, images, max_exp, sum};
use crate::part::Kind;
use crate::progress::{Silent, Stop};
use crate::store::{ListedLayer, MatrixReader, ReadMatrices, Run};

/// A reader of the boards of runs that keep matrices: lists layers in the memory of `plan`, on its
/// threads.
#[must_use]
pub fn matrix_reader(plan: &Plan) -> MatrixReader {
    MatrixReader::new(Arc::new(Reader {
        plan: plan.clone(),
        shared: AtomicU64::new(0),
        halves: ForkLock::default(),
        classes: ForkLock::default(),
    }))
}

struct Reader {
    plan: Plan,
    /// Bytes of the plan's memory that other work holds.
    shared: AtomicU64,
    /// The tables that were made last, with their game and their greatest weight. Making them takes
    /// seconds.
    halves: ForkLock<Option<(Game, usize, Arc<Halves>)>>,
    classes: ForkLock<Classes>,
}

/// The classes that single boards of a game needed.
#[derive(Default)]
struct Classes {
    quads: Option<(Game, Quads)>,
    by_weight: HashMap<usize, Arc<Class>>,
}

impl Reader {
    /// Divide the memory for the layer of a sum. Returns the plan for everything but matrices, and the
    /// tables: for all layers of the run if they fit, so that they are made once.
    ///
    /// # Errors
    ///
    /// [`Error::MatrixMemory`](crate::Error::MatrixMemory) if the plan has too little memory.
    fn divide(&self, run: &Run, sum: u32, workers: &Workers) -> Result<(Plan, Arc<Halves>)> {
        let plan = self.plan.without(self.shared.load(Ordering::Relaxed));
        let divided = |end| {
            let divided = for_layer(run.game(), sum, end, &plan);
            divided.map(|(beside, _)| (beside, end as usize / 2))
        };
        let (beside, weight) = divided(run.sealed_sum()).or_else(|_| divided(sum))?;
        Ok((beside, workers.install(|| self.halves(run.game(), weight))))
    }

    /// Tables for halves up to a weight.
    fn halves(&self, game: &Game, weight: usize) -> Arc<Halves> {
        let mut kept = self.halves.lock();
        if let Some((of, to, halves)) = kept.as_deref().and_then(Option::as_ref)
            && (of, *to) == (game, weight)
        {
            return halves.clone();
        }
        if let Some(kept) = kept.as_deref_mut() {
            // The old tables would take memory beside the new tables.
            *kept = None;
        }
        let halves = Arc::new(Halves::new(game, weight));
        if let Some(kept) = kept.as_deref_mut() {
            *kept = Some((*game, weight, halves.clone()));
        }
        halves
    }

    fn class(&self, game: &Game, weight: usize) -> Arc<Class> {
        let (mut kept, mut new) = (self.classes.lock(), Classes::default());
        let classes = kept.as_deref_mut().unwrap_or(&mut new);
        if classes.quads.as_ref().is_some_and(|(of, _)| of != game) {
            *classes = Classes::default();
        }
        let Classes { quads, by_weight } = classes;
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
    fn list(
        &self,
        run: &Run,
        kind: Kind,
        sum: u32,
        files: &mut ListedLayer,
        stop: Option<&Stop>,
    ) -> Result<()> {
        let stop = stop.unwrap_or(self.plan.stop());
        let workers = Workers::start(&self.plan.clone().with_stop(stop.clone()))?;
        let (beside, halves) = self.divide(run, sum, &workers)?;
        let layer = LayerToList::open(run, kind, sum, files.dir())?;
        workers.install(|| layer.list(&beside, halves, &workers, files, &mut Silent))
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
        let Some(file) = run.matrices(sum)? else {
            return Ok(0);
        };
        let workers = Workers::start(&self.plan)?;
        let (beside, halves) = self.divide(run, sum, &workers)?;
        let next = sum as usize / 2 + 1;
        workers.install(|| {
            let mut sweep = Sweep::new(run.game(), next, halves, &workers, &beside)?;
            sweep.load_matrices(0, slice::from_ref(&file))?;
            let rows = run.rows(sum);
            sweep.compare(0, &file, &rows)?;
            Ok(rows.iter().map(|row| row.afterstates).sum())
        })
    }

    fn share(&self, bytes: u64) {
        self.shared.store(bytes, Ordering::Relaxed);
    }
}
