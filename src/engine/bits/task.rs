//! The sweep of some pairs of a layer, as a task of a cluster.
//!
//! Key idea: the states of a pair, and their moves, follow from the afterstates of two sums. So any
//! machine can sweep any pairs of a layer, given the files of these sums. Each pair has its own matrices
//! of afterstates, so the files of all tasks together are the matrices of the layer.

use std::ops::Range;
use std::sync::Arc;

use super::counts::PairCounts;
use super::memory::for_layer;
use super::sweep::Sweep;
use super::tables::Halves;
use crate::engine::plan::Plan;
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::part::{Block, MatrixFile};
use crate::store::Run;

/// Some pairs of a layer.
pub(crate) struct SweepTask<'a> {
    /// The run that has the files of the sums before the layer.
    pub(crate) run: &'a Run,
    pub(crate) sum: u32,
    /// The weights of the lighter halves of the pairs.
    pub(crate) lighter: Range<usize>,
    /// The files of the last sum, if it is not sealed.
    pub(crate) unsealed: Option<Vec<MatrixFile>>,
}

impl SweepTask<'_> {
    /// Sweep the pairs, and give the matrices of their afterstates to `append`, in order. They are
    /// compressed at the plan's zstd level.
    ///
    /// # Errors
    ///
    /// [`Error::MatrixMemory`](crate::Error::MatrixMemory) if the plan has too little memory; damaged
    /// files.
    pub(crate) fn carry_out(
        &self,
        plan: &Plan,
        workers: &Workers,
        append: &mut dyn FnMut(&Block) -> Result<()>,
    ) -> Result<PairCounts> {
        let (game, weight) = (self.run.game(), self.sum as usize / 2);
        let (plan, sizes) = for_layer(game, self.sum, self.sum, plan)?;
        let (first, end) = (self.lighter.start, self.lighter.end.min(weight / 2 + 1));
        // A spawn leads to a half from halves that are lighter by up to two.
        let halves = Halves::with_tables(game, weight, |of| {
            (first..end + 2).contains(&(of + 2)) || (first..end + 2).contains(&(weight - of))
        });
        let halves = Arc::new(halves);
        let mut sweep = Sweep::new(game, weight, halves, workers, &plan);
        match &self.unsealed {
            Some(files) => sweep.load_matrices(self.sum - 2, files)?,
            None => drop(sweep.load_sealed(self.sum - 2, self.run)?),
        }
        sweep.load_sealed(self.sum - 4, self.run)?;
        sweep.lighter = self.lighter.clone();
        sweep.most_moves_down = sizes.most_moves_down(self.sum..=self.sum, plan.all_memory());
        let found = sweep.count(None, &mut |_| ())?;
        sweep.found().write(&sweep.halves, plan.level(), append)?;
        Ok(found)
    }
}
