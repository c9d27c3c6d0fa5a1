//! A layer as tasks, for any number of machines.
//!
//! A layer that is too large for one machine is cut into *tasks*, each of which reads files and
//! writes files in one shared directory, in minutes, on whichever machine is free. Who starts them,
//! where, and again after a loss, is somebody else's business: `scripts/enum48_ray.py` has Ray do
//! it. What the tasks are and what they do is decided here, and the result is the same, byte for
//! byte, as that of one machine.
//!
//! ```text
//! sealed layers s-2, s-4
//!      |
//!      | map      share of a part's afterstates: spawn, sort, drop repeats
//!      v
//! sorted states of each share
//!      |
//!      | reduce   range of a part's states, from all shares: merge, count, drop the dead, move
//!      v
//! live states of each range; sorted afterstates of each range, of the part and the one above
//!      |
//!      | gather   range of a part's afterstates, from all reduces: merge, count
//!      v
//! afterstates of each range
//!      |
//!      | write    file of a part: the ranges laid end to end, cut as the run's files are
//!      v
//! seal            rows from what the tasks counted, laws, the run's files and manifest
//! ```
//!
//! The tasks of a stage can be done at once, in any order; those of the next can be when they are
//! done. Parts are independent but for their afterstates. What passes from stage to stage are
//! ordinary part files in small blocks, one for each task and part, never one for each pair of
//! tasks: a task of the next stage finds its section in the index.
//!
//! Key idea: a task is a pure function of sealed files and the layer's plan, and its results are
//! published by links, which a file system grants once ([`TaskDir`](crate::store)). So a task can be
//! done twice, at once, or late, and can be killed at any moment. What one has done its *receipt*
//! says, which is published last; what has no receipt is to be done. A reader that finds a file
//! damaged takes the receipt of the task back that made it.
//!
//! Layers of fewer candidates than a task has are counted by the coordinator alone, with the engine.
//!
//! Reading order: `task` (names), `plan`, `layer` (receipts), `work` (what a task does), `sources`
//! (what it reads), `seal`, then this file: what there is to be done.

mod layer;
mod plan;
mod seal;
mod sources;
mod task;
mod work;

use std::path::Path;

use crate::engine::{self, Engine, Plan, Progress};
use crate::error::{Result, TaskError};
use crate::laws::Laws;
use crate::store::{Run, Store};

use layer::PlannedLayer;
pub use plan::TASK;
use plan::candidates_of_next;
use seal::Sealing;
pub use task::{Missing, Stage};

/// What there is to be done of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: it is counted as far as was asked for.
    Nothing,
    /// Tasks: they can be done at once.
    Tasks(Missing),
    /// All tasks of the layer of this sum are done: it is to be [sealed](fn@seal).
    Seal(u32),
}

/// What is to be done next of a run, up to the layer of sum `until`. Layers of fewer than `task`
/// candidates are counted at once, with the engine, in the resources of a plan; the first one of more
/// is cut into tasks of about so many, and its files get the plan's zstd level. A layer that is
/// planned stays as it is, whatever `task` and the level are later.
///
/// # Errors
///
/// As for [`engine::count`]; [`TaskError::OtherProgram`] if another version has cut the layer.
pub fn next(
    store: &mut Store,
    plan: &Plan,
    task: u64,
    until: Option<u32>,
    progress: &mut dyn Progress,
) -> Result<Next> {
    let (task, last) = (task.max(1), engine::last_sum(store.run().game(), until)?);
    let is_small = |run: &Run| candidates_of_next(run) < task;
    let ended = |run: &Run| run.complete() || run.sealed_sum() >= last;
    let planned = PlannedLayer::find(store.run())?.is_some();
    if !planned && !ended(store.run()) && is_small(store.run()) {
        // Bits count many layers before they seal them, and so know too late which one is large.
        let plan = plan
            .clone()
            .with_small(task)
            .with_engine(Some(Engine::Lists));
        engine::count_while(store, &plan, until, progress, is_small)?;
    }
    let run = store.run();
    // A small layer is left if `progress` said to stop.
    if ended(run) || !planned && is_small(run) {
        return Ok(Next::Nothing);
    }
    let layer = match PlannedLayer::find(run)? {
        Some(layer) => layer,
        None => PlannedLayer::plan(run, task, plan.level())?,
    };
    Ok(match layer.missing()? {
        Some(missing) => Next::Tasks(missing),
        None => Next::Seal(layer.plan.sum),
    })
}

/// Do a task of a run in the resources of a plan, unless it is done. It can be done by several
/// processes at once: they do the same, and the first one's results stay.
///
/// # Errors
///
/// [`TaskError::Unknown`] if there is no such task, [`TaskError::Stale`] if its layer is sealed, or was planned
/// again; [`TaskError::Undone`] or [`TaskError::Retracted`] if another task must be done first; what the system
/// refuses.
pub fn run(dir: &Path, task: &str, plan: &Plan) -> Result<()> {
    let unknown = || TaskError::Unknown(task.to_owned());
    let (layer, task) = task.split_once('/').ok_or_else(unknown)?;
    let task = task.parse()?;
    let run = Run::peek(dir)?;
    let layer = PlannedLayer::open(&run, layer)?;
    work::work(&layer, task, plan).map_err(|error| {
        // Once the layer is sealed its files go.
        if Run::peek(dir).is_ok_and(|run| layer.plan.follows(&run)) {
            layer.blame(error)
        } else {
            layer.stale()
        }
    })
}

/// Seal the layer of which all tasks are done: add up what they counted, check it, and make their
/// files those of the run. What the tasks handed to each other is deleted. Returns the layer's sum.
///
/// # Errors
///
/// [`TaskError::Unplanned`] if there is no such layer, [`TaskError::Undone`] if a task is not;
/// [`Error::Law`](crate::Error::Law) if the counts cannot be right: nothing is sealed then. What the system refuses: the same call
/// again goes on.
pub fn seal(store: &mut Store) -> Result<u32> {
    let unplanned = TaskError::Unplanned(store.run().dir().to_owned());
    let layer = PlannedLayer::find(store.run())?.ok_or(unplanned)?;
    let sum = layer.plan.sum;
    let sealing = Sealing::new(&layer).map_err(|error| layer.blame(error))?;
    let laws = Laws::new(store.run().game(), sum);
    let mut layers = [sealing.layer.clone()];
    engine::obey(&laws, store, &mut layers)?;
    let sealed = sealing.hand_over(store).and_then(|()| store.seal(&layers));
    sealed.inspect_err(|_| {
        // The error that ended it is the one to report.
        let _ = store.abandon();
    })?;
    store.close()?;
    Ok(sum)
}
