//! The end of a layer: the counts of its tasks add up to its rows, and their files become the
//! run's.

use std::path::PathBuf;

use super::layer::{PlannedLayer, total};
use super::task::{Task, TaskStep};
use crate::counts::Row;
use crate::error::Result;
use crate::game::Tally;
use crate::game::{Exp, PartKey};
use crate::laws;
use crate::part::{Fingerprint, Kind, Sealed};
use crate::store::{CountedLayer, Store};

/// A layer whose tasks are all done.
pub(super) struct Sealing {
    pub(super) layer: CountedLayer,
    parts: Vec<FilesOfPart>,
}

/// The files that a part has in the run.
struct FilesOfPart {
    kind: Kind,
    key: PartKey,
    files: Vec<(PathBuf, Sealed)>,
}

impl Sealing {
    /// Add up the counts of a layer's tasks, and check that nothing was lost between them.
    ///
    /// # Errors
    ///
    /// [`TaskError::Undone`](crate::error::TaskError::Undone) if a task is not done,
    /// [`Error::Law`](crate::Error::Law) if their numbers contradict each other; damaged files.
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
        let maps: Vec<Task> = tasks.plan.maps(max).collect();
        let (spawned, _) = counted(tasks, maps.iter().copied())?;
        let (moved, boards) = counted(tasks, tasks.plan.reduces(max))?;
        let mapped = maps
            .into_iter()
            .map(|task| (task, task.boards(Kind::States)));
        let mapped = total(&tasks.files(mapped)?);
        laws::equal(
            row,
            "states of maps and of reduces",
            mapped,
            moved.candidates,
        )?;
        let made = self.written(tasks, Kind::States, max, row, boards)?;
        laws::equal(
            row,
            "states merged and kept",
            moved.unique,
            made.states + moved.dead,
        )?;
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
        let reduced = total(&tasks.files(tasks.plan.reduced(max).into_iter())?);
        laws::equal(
            row,
            "afterstates of reduces and of gathers",
            reduced,
            gathered.candidates,
        )?;
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
        let made = tasks.made(kind, max)?;
        let files = total(&made).div_ceil(tasks.run.segment()) as usize;
        let writes = Task::all(TaskStep::Write(kind), max, files);
        let written = tasks.files(writes.map(|task| (task, task.boards(kind))))?;
        laws::equal(
            row,
            "boards made and written",
            total(&made),
            total(&written),
        )?;
        let sealed: Sealed = written.iter().map(|&(_, sealed)| sealed).sum();
        let (counted, kept) = (counted.0, sealed.fingerprint.0);
        laws::equal(
            row,
            "fingerprints of counted and written boards",
            counted,
            kept,
        )?;
        if sealed.states > 0 {
            self.layer.wrote(kind, sealed.bytes, Default::default());
            // Opening the files checks their headers and sizes.
            tasks.open_all(kind, max, written.clone())?;
            let files = written.into_iter();
            let files = files.map(|(name, sealed)| (tasks.dir.path(&name), sealed));
            self.parts.push(FilesOfPart {
                kind,
                key: tasks.key(max),
                files: files.collect(),
            });
        }
        Ok(sealed)
    }

    /// Hand the files over to a run, for the commit that seals the layer.
    pub(super) fn hand_over(&self, store: &mut Store) -> Result<()> {
        let mut parts = self.parts.iter();
        parts.try_for_each(|part| store.adopt(part.kind, part.key, &part.files))
    }
}

/// The added counts of tasks, and the fingerprint of their boards.
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
