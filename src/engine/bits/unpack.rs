//! Unpacks a layer: turns its matrices into the files of its parts.
//!
//! The files are byte for byte the files of the list engine. A count unpacks its frontier when lists
//! take over. A run that keeps matrices is unpacked layer by layer, when its boards are asked for.

use std::path::Path;
use std::sync::Arc;

use super::listing::{Listing, RowSource};
use super::memory::for_layer;
use super::sweep::Sweep;
use super::tables::Halves;
use crate::counts::Row;
use crate::engine::job::{CountAfterstates, OnlyList, PartJob, Source};
use crate::engine::pipeline::Pipeline;
use crate::engine::plan::Plan;
use crate::engine::rankings::Rankings;
use crate::engine::workers::Workers;
use crate::error::Result;
use crate::fork::ForkLock;
use crate::game::rank::Ranking;
use crate::game::{Game, Tally};
use crate::laws;
use crate::part::{Kind, Sealed};
use crate::progress::{Progress, Silent, Stop};
use crate::store::{Files, Run, Store};

/// Writes the lists of layers, part by part.
pub(super) struct ListWriter<'a> {
    parts: Pipeline<'a>,
    rankings: Rankings,
}

impl<'a> ListWriter<'a> {
    /// A writer of lists of a game, under a plan for everything but matrices.
    pub(super) fn new(game: &Game, plan: &Plan, workers: &'a Workers) -> Self {
        Self {
            parts: Pipeline::new(plan.batch, workers),
            rankings: Rankings::new(game),
        }
    }

    /// Write the files of the live states of a layer, given its rows. Returns the bytes of the files,
    /// and the bytes that went through temporary files.
    pub(super) fn write_states(
        &mut self,
        rows: &mut [Row],
        listing: Listing,
        files: &mut impl Files,
        progress: &mut dyn Progress,
    ) -> Result<(u64, u64)> {
        let jobs = self.jobs(rows, listing, |ranking| OnlyList { ranking });
        let report = |_| progress.advance(0);
        let built = self.parts.build_files(Kind::States, jobs, files, report)?;
        check(rows, built, |row, sealed, _| {
            laws::equal(row, "live states", row.live, sealed.states)?;
            laws::equal(row, "fingerprint", row.fingerprint.0, sealed.fingerprint.0)
        })
    }

    /// Write the files of the afterstates of one of the last two sums of a sweep, and set their numbers in
    /// the rows of the sum. If the numbers are `known`, compare them instead. Boards that do not fit in the
    /// memory of the plan go to a file in `dir`. Returns what [`ListWriter::write_states`] returns.
    pub(super) fn write_afterstates(
        &mut self,
        sweep: &mut Sweep,
        (sum, rows, known): (u32, &mut [Row], bool),
        (plan, dir): (&Plan, &Path),
        files: &mut impl Files,
        progress: &mut dyn Progress,
    ) -> Result<(u64, u64)> {
        let (rules, listing) = (
            sweep.game.rules(),
            Listing::new(sweep.game.top(), plan, dir),
        );
        sweep.list_afterstates(sum, &listing, &mut || progress.advance(0))?;
        let visit = |ranking| CountAfterstates { rules, ranking };
        let jobs = self.jobs(rows, listing, visit);
        let (kind, report) = (Kind::Afterstates, |_| progress.advance(0));
        let built = self.parts.build_files(kind, jobs, files, report)?;
        check(rows, built, |row, sealed, tally| {
            if known {
                laws::equal(row, "afterstates", row.afterstates, sealed.states)?;
                laws::equal(row, "empty cells", row.empty_cells, tally.empty_cells)?;
            }
            (row.afterstates, row.empty_cells) = (sealed.states, tally.empty_cells);
            Ok(())
        })
    }

    /// The jobs for the parts of a layer.
    fn jobs<V>(
        &mut self,
        rows: &[Row],
        listing: Listing,
        visit: impl Fn(Arc<Ranking>) -> V,
    ) -> Vec<PartJob<RowSource, V>> {
        let sources = rows.iter().zip(listing.into_sources());
        let job = |(row, source): (&Row, RowSource)| {
            let key = row.key().expect("a row of the engine has a tile");
            PartJob::new(key, source, visit(self.rankings.of(key)))
        };
        sources.map(job).collect()
    }
}

/// Check the parts that were built. Returns what
/// [`ListWriter::write_states`] returns.
fn check<V>(
    rows: &mut [Row],
    built: Vec<(PartJob<RowSource, V>, Sealed)>,
    check: impl Fn(&mut Row, &Sealed, &Tally) -> Result<()>,
) -> Result<(u64, u64)> {
    let (mut bytes, mut spilled) = (0, 0);
    for ((job, sealed), row) in built.into_iter().zip(rows) {
        check(row, &sealed, &job.tally)?;
        bytes += sealed.bytes;
        spilled += job.source.spilled();
    }
    Ok((bytes, spilled))
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
        (run, kind, sum): (&Run, Kind, u32),
        dir: &Path,
        files: &mut (impl Files + Send),
        stop: &Stop,
    ) -> Result<()> {
        self.work(run, sum, stop, |beside, halves, workers| {
            let mut lists = ListWriter::new(run.game(), beside, workers);
            let mut rows = run.all_rows(sum);
            // States come from the afterstates of two sums.
            let (next, sums) = match kind {
                Kind::States => (sum, &[sum - 2, sum - 4][..]),
                Kind::Afterstates => (sum + 2, &[sum][..]),
            };
            let mut sweep = Sweep::new(run.game(), next, halves, workers, beside);
            for &sum in sums {
                sweep.load(sum, run)?;
            }
            if kind == Kind::Afterstates {
                let (layer, place) = ((sum, &mut rows[..], true), (beside, dir));
                lists.write_afterstates(&mut sweep, layer, place, files, &mut Silent)?;
                return Ok(());
            }
            let listing = Listing::new(run.game().top(), beside, dir);
            sweep.count(Some(&listing), &mut |_| ())?;
            lists.write_states(&mut rows, listing, files, &mut Silent)?;
            Ok(())
        })
    }

    /// Compare the matrices of a layer with the table. Returns the number of afterstates.
    ///
    /// # Errors
    ///
    /// [`Error::MatrixMemory`](crate::Error::MatrixMemory); damage; errors of the system.
    pub(crate) fn check(&self, run: &Run, sum: u32, stop: &Stop) -> Result<u64> {
        if run.matrices(sum)?.is_none() {
            return Ok(0);
        }
        self.work(run, sum, stop, |beside, halves, workers| {
            let mut sweep = Sweep::new(run.game(), sum + 2, halves, workers, beside);
            sweep.load_compared(sum, run)?;
            Ok(run.rows(sum).iter().map(|row| row.afterstates).sum())
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
        let (mut kept, mut new) = (self.halves.lock(), None);
        let kept = kept.as_deref_mut().unwrap_or(&mut new);
        if kept.as_ref().is_none_or(|(to, _)| *to != weight) {
            // The old tables would take memory beside the new tables.
            *kept = None;
        }
        let make = || (weight, Arc::new(Halves::new(game, weight, |_| true)));
        kept.get_or_insert_with(make).1.clone()
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
    let halves = Arc::new(workers.install(|| Halves::new(&game, last as usize / 2, |_| true)));
    for (sum, beside) in sums.into_iter().zip(plans) {
        let mut lists = ListWriter::new(&game, &beside, workers);
        let (mut rows, dir) = (store.run().all_rows(sum), store.run().dir().to_owned());
        let mut sweep = Sweep::new(&game, sum + 2, halves.clone(), workers, &beside);
        sweep.load(sum, store.run())?;
        let (layer, place, files) = ((sum, &mut rows[..], true), (&beside, &*dir), store.outbox());
        lists.write_afterstates(&mut sweep, layer, place, files, progress)?;
    }
    store.seal(&[])
}
