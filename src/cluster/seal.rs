//! Seals a layer: adds up the counts of its tasks, and moves their files into the run.

use std::path::PathBuf;

use super::layer::{PlannedLayer, total};
use super::task::Stage;
use crate::counts::Row;
use crate::engine::{compare_afterstates, set_afterstates, set_candidates, states_rows};
use crate::error::Result;
use crate::game::{Exp, LAST_START, PartKey, Tally};
use crate::laws;
use crate::part::{Fingerprint, Kind, MatrixFile, Sealed};
use crate::store::{CountedLayer, Store};

/// A layer whose tasks are all done.
pub(super) struct Sealing {
    pub(super) layer: CountedLayer,
    /// The files of each part.
    parts: Vec<PartFiles>,
    /// The files of sweeps.
    matrices: Vec<MatrixFile>,
}

/// The files of a part, to be moved into the run.
type PartFiles = (Kind, PartKey, Vec<(PathBuf, Sealed)>);

impl Sealing {
    /// Add up the counts of a layer's tasks, and check that nothing was lost between them.
    ///
    /// # Errors
    ///
    /// [`TaskError::Undone`](crate::error::TaskError::Undone) if a task is not done,
    /// [`Error::Law`](crate::Error::Law) if the numbers of tasks contradict each other; damaged
    /// files.
    pub(super) fn new(tasks: &PlannedLayer) -> Result<Self> {
        let (sum, run) = (tasks.plan.sum, tasks.run);
        let mut sealing = Self {
            layer: CountedLayer::new(sum),
            parts: Vec::new(),
            matrices: Vec::new(),
        };
        for max in tasks.plan.largest() {
            let mut row = Row::of(tasks.key(max));
            sealing.states(tasks, max, &mut row)?;
            sealing.afterstates(tasks, max, &mut row)?;
            sealing.layer.rows.push(row);
        }
        let ends = |rows: &[Row]| {
            let goes_on = |row: &Row| row.afterstates > 0 && run.game().goes_on(row.sum);
            !rows.iter().any(goes_on)
        };
        let layer = &mut sealing.layer;
        layer.last = sum >= LAST_START && ends(&layer.rows) && ends(&run.rows(sum - 2));
        Ok(sealing)
    }

    /// Add up the counts of the sweeps of a layer, and of the sweeps of the layer `after` it, which have
    /// counted its afterstates. If `after` is `None`, the layer has no afterstates.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`].
    pub(super) fn of_sweeps(tasks: &PlannedLayer, after: Option<&PlannedLayer>) -> Result<Self> {
        let (sum, run) = (tasks.plan.sum, tasks.run);
        let found = tasks.pairs()?;
        let before = [sum - 4, sum - 2].map(|sum| run.all_rows(sum));
        for row in &before[1] {
            compare_afterstates(row, &found.afterstates)?;
        }
        let mut layer = CountedLayer::new(sum);
        layer.rows = states_rows(run.game(), sum, &found)?;
        let counts = after.map(PlannedLayer::pairs).transpose()?;
        set_afterstates(&mut layer.rows, &counts.unwrap_or_default().afterstates)?;
        set_candidates(run.game(), sum, &mut layer.rows, &before);
        layer.last = after.is_none();
        let matrices = tasks.open_matrices()?;
        // Damage that is found now is mended by the task that made the file.
        matrices.iter().try_for_each(MatrixFile::check_blocks)?;
        Ok(Self {
            layer,
            parts: Vec::new(),
            matrices,
        })
    }

    fn states(&mut self, tasks: &PlannedLayer, max: Exp, row: &mut Row) -> Result<()> {
        let (spawned, _) = counted(tasks, Stage::Map, max)?;
        let (mut moved, boards) = counted(tasks, Stage::Reduce, max)?;
        let mapped = tasks.files_of(tasks.plan.tasks(Stage::Map, max), Kind::States)?;
        let what = "states of maps and of reduces";
        laws::equal(row, what, total(&mapped), moved.candidates)?;
        let made = self.written(tasks, Kind::States, max, row, boards)?;
        let kept = made.states + moved.dead;
        laws::equal(row, "states merged and kept", moved.unique, kept)?;
        // Maps and reduces drop repeats one after the other.
        moved.candidates = spawned.candidates;
        moved.duplicates += spawned.duplicates;
        row.set_states(made.states, made.fingerprint, &moved);
        Ok(())
    }

    fn afterstates(&mut self, tasks: &PlannedLayer, max: Exp, row: &mut Row) -> Result<()> {
        let (gathered, boards) = counted(tasks, Stage::Gather, max)?;
        let reduced = total(&tasks.files(tasks.plan.reduced(max))?);
        let what = "afterstates of reduces and of gathers";
        laws::equal(row, what, reduced, gathered.candidates)?;
        let made = self.written(tasks, Kind::Afterstates, max, row, boards)?;
        row.afterstates = made.states;
        row.empty_cells = gathered.empty_cells;
        Ok(())
    }

    /// Record the written files of a part, and check them against the fingerprint of its counted
    /// boards. Returns their summary.
    fn written(
        &mut self,
        tasks: &PlannedLayer,
        kind: Kind,
        max: Exp,
        row: &Row,
        counted: Fingerprint,
    ) -> Result<Sealed> {
        let made = total(&tasks.made(kind, max)?);
        let writes = tasks.tasks_of(Stage::Write, max)?.into_iter();
        let written = tasks.files_of(writes.filter(|task| task.kind == kind), kind)?;
        laws::equal(row, "boards made and written", made, total(&written))?;
        let sealed: Sealed = written.iter().map(|&(_, sealed)| sealed).sum();
        let what = "fingerprints of counted and written boards";
        laws::equal(row, what, counted.0, sealed.fingerprint.0)?;
        if sealed.states > 0 {
            self.layer.wrote(kind, sealed.bytes);
            // Opening the files checks their headers and sizes.
            tasks.open_all(tasks.label(kind, max), written.clone())?;
            let path = |(name, sealed): (String, Sealed)| (tasks.dir.path(&name), sealed);
            let files = written.into_iter().map(path).collect();
            self.parts.push((kind, tasks.key(max), files));
        }
        Ok(sealed)
    }

    /// Move the files into a run, for the commit that seals the layer. The matrices of sweeps are copied
    /// into one file, in order.
    pub(super) fn hand_over(&self, store: &mut Store) -> Result<()> {
        for (kind, key, files) in &self.parts {
            store.outbox().adopt(*kind, *key, files)?;
        }
        let files = self.matrices.iter();
        let mut blocks: Vec<(&MatrixFile, usize)> = files
            .flat_map(|file| (0..file.blocks()).map(move |block| (file, block)))
            .collect();
        blocks.sort_by_key(|(file, block)| file.first(*block));
        if blocks.is_empty() {
            return Ok(());
        }
        let written = store.write_matrices(self.layer.sum, |append| {
            let mut blocks = blocks.into_iter();
            blocks.try_for_each(|(file, block)| append(&file.stored(block)?))
        });
        written.map(drop)
    }
}

/// The sum of the counts of a part's tasks, and the fingerprint of all their boards.
fn counted(layer: &PlannedLayer, stage: Stage, max: Exp) -> Result<(Tally, Fingerprint)> {
    let mut all = (Tally::default(), Fingerprint::default());
    for task in layer.plan.tasks(stage, max) {
        let receipt = layer.receipt(task)?;
        all.0 += receipt.tally;
        all.1 += receipt.boards;
    }
    Ok(all)
}
