//! Lists the boards of a layer in files.
//!
//! A run that keeps matrices lists a layer only when its boards are asked for. The files are byte
//! for byte the files of the list engine.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use super::halves::Halves;
use super::listing::{Listing, RowSource};
use super::memory::for_layer;
use super::sweep::Sweep;
use crate::counts::Row;
use crate::engine::parts::{PartOrder, Parts};
use crate::engine::pipeline::Source;
use crate::engine::plan::Plan;
use crate::engine::visit::{CountAfterstates, OnlyList};
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::game::Game;
use crate::laws;
use crate::part::{Kind, MatrixFile, Sealed};
use crate::progress::{Cuts, Progress};
use crate::store::{Files, Run, Store};

/// The totals of a part that was listed.
pub(super) struct ListedPart {
    pub(super) sealed: Sealed,
    pub(super) cuts: Cuts,
}

/// Write the files of the live states of a layer, given its rows.
pub(super) fn write_states(
    rows: &[Row],
    listing: Listing,
    parts: &mut Parts,
    files: &mut impl Files,
    report: &mut dyn FnMut(),
) -> Result<Vec<ListedPart>> {
    let orders = orders(rows, listing, || OnlyList);
    let built = parts.build_files(Kind::States, orders, files, |_| report())?;
    let listed = built.into_iter().zip(rows).map(|(built, row)| {
        let sealed = built.part;
        laws::equal(row, "live states", row.live, sealed.states)?;
        laws::equal(row, "fingerprint", row.fingerprint.0, sealed.fingerprint.0)?;
        Ok(ListedPart {
            sealed,
            cuts: built.source.cuts(),
        })
    });
    listed.collect()
}

/// Write the files of the afterstates of a layer, and set their numbers in its rows. If the numbers
/// are `known`, compare them instead.
pub(super) fn write_afterstates(
    rows: &mut [Row],
    known: bool,
    listing: Listing,
    parts: &mut Parts,
    (game, files): (&Game, &mut impl Files),
    report: &mut dyn FnMut(),
) -> Result<Vec<ListedPart>> {
    let orders = orders(rows, listing, || CountAfterstates(game.rules()));
    let built = parts.build_files(Kind::Afterstates, orders, files, |_| report())?;
    let listed = built.into_iter().zip(rows).map(|(built, row)| {
        let (sealed, tally) = (built.part, built.tally);
        if known {
            laws::equal(row, "afterstates", row.afterstates, sealed.states)?;
            laws::equal(row, "empty cells", row.empty_cells, tally.empty_cells)?;
        }
        (row.afterstates, row.empty_cells) = (sealed.states, tally.empty_cells);
        Ok(ListedPart {
            sealed,
            cuts: built.source.cuts(),
        })
    });
    listed.collect()
}

/// The orders for the parts of a layer.
fn orders<V>(
    rows: &[Row],
    listing: Listing,
    visit: impl Fn() -> V,
) -> Vec<PartOrder<RowSource, V>> {
    rows.iter()
        .zip(listing.into_sources())
        .map(|(row, source)| PartOrder {
            key: row.key().expect("a row of the engine has a tile"),
            source,
            visit: visit(),
        })
        .collect()
}

/// A layer in matrices, open to be listed.
pub(crate) struct LayerToList {
    game: Game,
    dir: PathBuf,
    kind: Kind,
    sum: u32,
    /// A row for each largest tile.
    rows: Vec<Row>,
    /// The matrices of its afterstates; or of the last two sums, from which its states come.
    matrices: [Option<MatrixFile>; 2],
}

impl LayerToList {
    /// Open the matrices for the states, or the afterstates, of a layer. Boards that do not fit in
    /// memory are spilled to a file in `dir`.
    pub(crate) fn open(run: &Run, kind: Kind, sum: u32, dir: &Path) -> Result<Self> {
        let game = *run.game();
        Ok(Self {
            game,
            dir: dir.to_owned(),
            kind,
            sum,
            rows: run.all_rows(sum),
            matrices: match kind {
                Kind::Afterstates => [run.matrices(sum)?, None],
                Kind::States => [run.matrices(sum - 2)?, run.matrices(sum - 4)?],
            },
        })
    }

    /// Write the files of the layer, on the threads of `workers`, given the halves of its boards and a
    /// plan for everything but matrices.
    ///
    /// # Errors
    ///
    /// [`Error::Law`](crate::Error::Law) if the boards are not the boards of the table; errors of the
    /// system.
    pub(crate) fn list(
        mut self,
        beside: &Plan,
        halves: Arc<Halves>,
        workers: &Workers,
        files: &mut impl Files,
        progress: &mut dyn Progress,
    ) -> Result<()> {
        let (game, sum) = (self.game, self.sum);
        let next = match self.kind {
            Kind::States => sum as usize / 2,
            Kind::Afterstates => sum as usize / 2 + 1,
        };
        let mut sweep = Sweep::new(&game, next, halves, workers, beside)?;
        for (back, file) in self.matrices.iter().enumerate() {
            if let Some(file) = file {
                sweep.load_matrices(back, slice::from_ref(file))?;
            }
        }
        let listing = Listing::new(game.top(), beside, &self.dir);
        let mut parts = Parts::new(beside, workers);
        match self.kind {
            Kind::States => {
                sweep.count(Some(&listing), &mut |live| progress.advance(live))?;
                let report = &mut || progress.advance(0);
                write_states(&self.rows, listing, &mut parts, files, report)?;
            }
            Kind::Afterstates => {
                sweep.list_afterstates(0, &listing, &mut || progress.advance(0))?;
                let report = &mut || progress.advance(0);
                let rows = &mut self.rows;
                write_afterstates(rows, true, listing, &mut parts, (&game, files), report)?;
            }
        }
        Ok(())
    }
}

/// Write a frontier that is in matrices as lists, from which the list engine can go on. Nothing is
/// left to do if there are no matrices, or if the run keeps them.
///
/// # Errors
///
/// [`Error::MatrixMemory`](crate::Error::MatrixMemory) if the plan has too little memory; errors of
/// [`LayerToList::list`]. The matrices then stay.
pub(crate) fn list_frontier(
    store: &mut Store,
    plan: &Plan,
    workers: &Workers,
    progress: &mut dyn Progress,
) -> Result<()> {
    let sums: Vec<u32> = store.run().sums_in_matrices().collect();
    if sums.is_empty() || store.run().keep().matrices() {
        return Ok(());
    }
    let (game, last) = (*store.run().game(), store.run().sealed_sum());
    let mut plans = Vec::new();
    for &sum in &sums {
        plans.push(for_layer(&game, sum, last, plan)?.0);
    }
    let halves = Arc::new(workers.install(|| Halves::new(&game, last as usize / 2)));
    for (sum, beside) in sums.into_iter().zip(plans) {
        let run = store.run();
        let layer = LayerToList::open(run, Kind::Afterstates, sum, run.dir())?;
        layer.list(&beside, halves.clone(), workers, store, progress)?;
    }
    store.seal_listed_frontier()
}
