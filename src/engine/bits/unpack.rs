//! Unpacks a layer: turns its matrices into the files of its parts.
//!
//! The files are byte for byte the files of the list engine. A count unpacks its frontier when lists
//! take over. A run that keeps matrices is unpacked layer by layer, when its boards are asked for.

use std::path::Path;
use std::slice;
use std::sync::Arc;

use super::listing::{Listing, RowSource};
use super::memory::for_layer;
use super::sweep::Sweep;
use super::tables::Halves;
use crate::counts::Row;
use crate::engine::job::{CountAfterstates, OnlyList, PartJob, Source};
use crate::engine::parts::Parts;
use crate::engine::plan::Plan;
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::fork::ForkLock;
use crate::game::Game;
use crate::laws;
use crate::part::{Kind, MatrixFile, Sealed};
use crate::progress::{Cuts, Progress, Silent, Stop};
use crate::store::{Files, Run, Store};

/// The totals of a part that was unpacked.
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
    let jobs = jobs(rows, listing, || OnlyList);
    let built = parts.build_files(Kind::States, jobs, files, |_| report())?;
    let listed = built.into_iter().zip(rows).map(|((job, sealed), row)| {
        laws::equal(row, "live states", row.live, sealed.states)?;
        laws::equal(row, "fingerprint", row.fingerprint.0, sealed.fingerprint.0)?;
        Ok(ListedPart {
            sealed,
            cuts: job.source.cuts(),
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
    let jobs = jobs(rows, listing, || CountAfterstates(game.rules()));
    let built = parts.build_files(Kind::Afterstates, jobs, files, |_| report())?;
    let listed = built.into_iter().zip(rows).map(|((job, sealed), row)| {
        let tally = job.tally;
        if known {
            laws::equal(row, "afterstates", row.afterstates, sealed.states)?;
            laws::equal(row, "empty cells", row.empty_cells, tally.empty_cells)?;
        }
        (row.afterstates, row.empty_cells) = (sealed.states, tally.empty_cells);
        Ok(ListedPart {
            sealed,
            cuts: job.source.cuts(),
        })
    });
    listed.collect()
}

/// The jobs for the parts of a layer.
fn jobs<V>(rows: &[Row], listing: Listing, visit: impl Fn() -> V) -> Vec<PartJob<RowSource, V>> {
    let jobs = rows
        .iter()
        .zip(listing.into_sources())
        .map(|(row, source)| {
            let key = row.key().expect("a row of the engine has a tile");
            PartJob::new(key, source, visit())
        });
    jobs.collect()
}

/// Unpacks layers of runs of one game, in the memory and on the threads of a plan.
pub(crate) struct Unpacker {
    plan: Plan,
    /// The tables that were made last, with their greatest weight. Making them takes seconds.
    halves: ForkLock<Option<(usize, Arc<Halves>)>>,
}

impl Unpacker {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            plan: plan.clone(),
            halves: ForkLock::default(),
        }
    }

    /// Write the files of the states, or the afterstates, of a layer, until a stop is asked. Boards
    /// that do not fit in memory are spilled to a file in `dir`.
    ///
    /// # Errors
    ///
    /// [`Error::MatrixMemory`](crate::Error::MatrixMemory) if the plan has too little memory;
    /// [`Error::Law`](crate::Error::Law) if the boards are not the boards of the table; errors of
    /// the system.
    pub(crate) fn unpack(
        &self,
        layer: (&Run, Kind, u32),
        dir: &Path,
        files: &mut (impl Files + Send),
        stop: &Stop,
    ) -> Result<()> {
        self.work(layer.0, layer.2, stop, |beside, halves, workers| {
            let matrices = LayerMatrices::open(layer)?;
            matrices.unpack((beside, dir), halves, workers, files, &mut Silent)
        })
    }

    /// Compare the matrices of a layer with the table. Returns the number of afterstates.
    ///
    /// # Errors
    ///
    /// [`Error::MatrixMemory`](crate::Error::MatrixMemory); damage; errors of the system.
    pub(crate) fn check(&self, run: &Run, sum: u32, stop: &Stop) -> Result<u64> {
        let Some(file) = run.matrices(sum)? else {
            return Ok(0);
        };
        self.work(run, sum, stop, |beside, halves, workers| {
            let next = sum as usize / 2 + 1;
            let mut sweep = Sweep::new(run.game(), next, halves, workers, beside)?;
            sweep.load_matrices(0, slice::from_ref(&file))?;
            let rows = run.rows(sum);
            sweep.compare(0, &file, &rows)?;
            Ok(rows.iter().map(|row| row.afterstates).sum())
        })
    }

    /// Call `act` on the threads of the plan, with the plan for everything but matrices, and with the
    /// tables: for all layers of the run if they fit, so that they are made once.
    fn work<T: Send>(
        &self,
        run: &Run,
        sum: u32,
        stop: &Stop,
        act: impl FnOnce(&Plan, Arc<Halves>, &Workers) -> Result<T> + Send,
    ) -> Result<T> {
        let plan = self.plan.clone().with_stop(stop.clone());
        let workers = Workers::start(&plan)?;
        let divided = |end| for_layer(run.game(), sum, end, &plan).map(|(beside, _)| (beside, end));
        let (beside, end) = divided(run.sealed_sum()).or_else(|_| divided(sum))?;
        workers.install(|| {
            let halves = self.halves(run.game(), end as usize / 2);
            act(&beside, halves, &workers)
        })
    }

    /// Tables for halves up to a weight.
    fn halves(&self, game: &Game, weight: usize) -> Arc<Halves> {
        let mut kept = self.halves.lock();
        if let Some((to, halves)) = kept.as_deref().and_then(Option::as_ref)
            && *to == weight
        {
            return halves.clone();
        }
        if let Some(kept) = kept.as_deref_mut() {
            // The old tables would take memory beside the new tables.
            *kept = None;
        }
        let halves = Arc::new(Halves::new(game, weight));
        if let Some(kept) = kept.as_deref_mut() {
            *kept = Some((weight, halves.clone()));
        }
        halves
    }
}

/// The matrices of a layer, open.
struct LayerMatrices {
    game: Game,
    kind: Kind,
    sum: u32,
    /// A row for each largest tile.
    rows: Vec<Row>,
    /// The matrices of its afterstates; or of the last two sums, from which its states come.
    files: [Option<MatrixFile>; 2],
}

impl LayerMatrices {
    /// Open the matrices for the states, or the afterstates, of a layer.
    fn open((run, kind, sum): (&Run, Kind, u32)) -> Result<Self> {
        Ok(Self {
            game: *run.game(),
            kind,
            sum,
            rows: run.all_rows(sum),
            files: match kind {
                Kind::Afterstates => [run.matrices(sum)?, None],
                Kind::States => [run.matrices(sum - 2)?, run.matrices(sum - 4)?],
            },
        })
    }

    /// Write the files of the layer, given the halves of its boards and a plan for everything but
    /// matrices. Boards that do not fit in memory are spilled to a file in `dir`.
    fn unpack(
        mut self,
        (beside, dir): (&Plan, &Path),
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
        for (back, file) in self.files.iter().enumerate() {
            if let Some(file) = file {
                sweep.load_matrices(back, slice::from_ref(file))?;
            }
        }
        let listing = Listing::new(game.top(), beside, dir);
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

/// Unpack a frontier in matrices, so that the list engine can go on. Nothing is left to do if there
/// are no matrices, or if the run keeps them.
///
/// # Errors
///
/// As for [`Unpacker::unpack`]. The matrices then stay.
pub(crate) fn unpack_frontier(
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
        let dir = store.run().dir().to_owned();
        let matrices = LayerMatrices::open((store.run(), Kind::Afterstates, sum))?;
        matrices.unpack((&beside, &dir), halves.clone(), workers, store, progress)?;
    }
    store.seal_listed_frontier()
}
