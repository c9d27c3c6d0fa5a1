//! Seals a layer: adds up the counts of its tasks, and moves their files into the run.

use std::path::PathBuf;

use super::layer::{PlannedLayer, total};
use super::task::Task;
use crate::counts::Row;
use crate::error::Result;
use crate::game::{Exp, PartKey, Tally};
use crate::laws;
use crate::part::{Fingerprint, Kind, Sealed};
use crate::store::{CountedLayer, Store};

/// A layer whose tasks are all done.
pub(super) struct Sealing {
    pub(super) layer: CountedLayer,
    /// The files of each part.
    parts: Vec<PartFiles>,
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
        };
        for max in tasks.plan.largest() {
            let mut row = Row::of(tasks.key(max));
            sealing.states(tasks, max, &mut row)?;
            sealing.afterstates(tasks, max, &mut row)?;
            sealing.layer.rows.push(row);
        }
        let ends = |rows: &[Row]| rows.iter().all(|row| row.afterstates == 0);
        let layer = &mut sealing.layer;
        layer.last = sum >= 8 && ends(&layer.rows) && ends(&run.rows(sum - 2));
        Ok(sealing)
    }

    fn states(&mut self, tasks: &PlannedLayer, max: Exp, row: &mut Row) -> Result<()> {
        let (spawned, _) = counted(tasks, tasks.plan.maps(max))?;
        let (moved, boards) = counted(tasks, tasks.plan.reduces(max))?;
        let maps = tasks.plan.maps(max);
        let mapped = tasks.files(maps.map(|task| (task, task.boards(Kind::States))))?;
        let what = "states of maps and of reduces";
        laws::equal(row, what, total(&mapped), moved.candidates)?;
        let made = self.written(tasks, Kind::States, max, row, boards)?;
        let kept = made.states + moved.dead;
        laws::equal(row, "states merged and kept", moved.unique, kept)?;
        row.live = made.states;
        row.fingerprint = made.fingerprint;
        row.dead = moved.dead;
        row.labeled = moved.labeled;
        row.candidates = spawned.candidates;
        row.duplicates = spawned.duplicates + moved.duplicates;
        row.moves = moved.moves;
        row.wins = moved.wins;
        Ok(())
    }

    fn afterstates(&mut self, tasks: &PlannedLayer, max: Exp, row: &mut Row) -> Result<()> {
        let (gathered, boards) = counted(tasks, tasks.plan.gathers(max))?;
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
        let writes = tasks.writes(kind, max, made);
        let written = tasks.files(writes.map(|task| (task, task.boards(kind))))?;
        laws::equal(row, "boards made and written", made, total(&written))?;
        let sealed: Sealed = written.iter().map(|&(_, sealed)| sealed).sum();
        let what = "fingerprints of counted and written boards";
        laws::equal(row, what, counted.0, sealed.fingerprint.0)?;
        if sealed.states > 0 {
            self.layer.wrote(kind, sealed.bytes, Default::default());
            // Opening the files checks their headers and sizes.
            tasks.open_all(kind, max, written.clone())?;
            let path = |(name, sealed): (String, Sealed)| (tasks.dir.path(&name), sealed);
            let files = written.into_iter().map(path).collect();
            self.parts.push((kind, tasks.key(max), files));
        }
        Ok(sealed)
    }

    /// Move the files into a run, for the commit that seals the layer.
    pub(super) fn hand_over(&self, store: &mut Store) -> Result<()> {
        let mut parts = self.parts.iter();
        parts.try_for_each(|(kind, key, files)| store.adopt(*kind, *key, files))
    }
}

/// The sum of the counts of tasks, and the fingerprint of all their boards.
fn counted(
    layer: &PlannedLayer,
    tasks: impl Iterator<Item = Task>,
) -> Result<(Tally, Fingerprint)> {
    let mut all = (Tally::default(), Fingerprint::default());
    for task in tasks {
        let receipt = layer.receipt(task)?;
        all.0 += receipt.tally;
        all.1 += receipt.boards;
    }
    Ok(all)
}
