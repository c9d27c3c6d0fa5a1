//! A layer as tasks, for any number of machines.
//!
//! A layer that is too large for one machine is cut into *tasks*. Each task reads and writes files
//! in one shared directory, and runs on any machine. A scheduler outside of this crate starts tasks
//! and restarts lost tasks: `scripts/enum48_ray.py` uses Ray. This module defines the tasks. Their
//! files equal the files of a count on one machine, byte for byte.
//!
//! If a run keeps no lists, a layer of 4x4 has one stage, whose tasks are *sweeps*. The sweeps of
//! the next layer also count the layer's afterstates, so the layer is sealed one layer late:
//!
//! ```text
//! matrices of layers s-2, s-4
//!      |
//!      | sweep    some pairs of weights: make, count and move their states
//!      v
//! matrices of these pairs; counts of the states of s, and of the afterstates of s-2
//!      |
//!      v
//! seal of s-2     rows from the counts, laws, one file of all matrices, the manifest
//! ```
//!
//! Any other layer has lists, and four stages:
//!
//! ```text
//! sealed layers s-2, s-4
//!      |
//!      | map      some of a part's afterstates: spawn, sort, drop repeats
//!      v
//! sorted states of each map
//!      |
//!      | reduce   range of a part's states, from all maps: merge, count, drop the dead, move
//!      v
//! live states of each range; sorted afterstates of each range, for the part and the part above
//!      |
//!      | gather   range of a part's afterstates, from all reduces: merge, count
//!      v
//! afterstates of each range
//!      |
//!      | write    file of a part: the ranges laid end to end, cut as the run's files are
//!      v
//! seal            rows from the tasks' counts, laws, the run's files and manifest
//! ```
//!
//! The tasks of a stage can run at once, in any order; the next stage begins when all are done.
//! Parts depend on each other only through merged afterstates. Stages exchange ordinary part files
//! in small blocks, one for each task and part, never one for each pair of tasks: a task of the
//! next stage finds its range in the index.
//!
//! Key idea: a task is a pure function of sealed files and the layer's plan, and its results are
//! published by links, which a file system creates only once ([`TaskDir`](crate::store)). So a task
//! can run twice, even at once, and can be killed at any moment. A task publishes its *receipt*
//! last; a task without a receipt is not done. A reader that finds a damaged file withdraws the
//! receipt of the task that made it.
//!
//! A layer of fewer candidates than a task is counted by [`next()`] alone, with the engine. If
//! sweeps have counted such a layer, to count the afterstates before it, their files are dropped.
//! They stay if the layer is small only because a later call has larger tasks.
//!
//! Reading order: `task` (the tasks and their names), `plan`, `layer` (receipts), `work` (the work of a
//! task), `sources` (its input), `seal`, then this file (the next steps of a run).

mod layer;
mod plan;
mod seal;
mod sources;
mod task;
mod work;

use std::path::Path;
use std::time::Duration;

use crate::engine::{self, Choice, Plan, Progress};
use crate::error::{Error, Result, TaskError};
use crate::laws::Laws;
use crate::store::{Run, Store};

use layer::PlannedLayer;
pub use plan::TASK;
use plan::{LayerPlan, SWEEP, can_be_swept, candidates_of_next};
use seal::Sealing;
pub use task::{Missing, Stage};

/// The next step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing: the run is counted as far as requested, or `progress` said to stop.
    Nothing,
    /// Tasks that can run at once.
    Tasks(Missing),
    /// [Seal](fn@seal) the layer of this sum: all its tasks are done.
    Seal(u32),
}

/// Find the next step of a run, up to the layer of sum `until`. Layers of fewer than `task`
/// candidates are counted at once, with the engine, in the resources of a plan. The first larger
/// layer is cut into tasks of about `task` candidates, and its files get the plan's zstd level. A
/// planned layer does not change with later values of `task` and of the level. If the run keeps no
/// lists, a layer of 4x4 is cut into sweeps. A sweep has about 64 times `task` candidates, and
/// smaller layers are not cut. The last swept layer needs the sweeps of the next layer, which count
/// its afterstates. Once the layer of sum `until` is sealed, sweeps of later layers are dropped. A second
/// count for the afterstates of a complete run is not cut into tasks.
///
/// # Errors
///
/// As for [`engine::count`], but if the run keeps matrices, only the small layers must fit the memory of
/// the plan; [`TaskError::OtherProgram`] if another version has cut the layer.
pub fn next(
    store: &mut Store,
    plan: &Plan,
    task: u64,
    until: Option<u32>,
    progress: &mut dyn Progress,
) -> Result<Next> {
    let (task, last) = (task.max(1), engine::last_sum(store.run().game(), until)?);
    if store.counts_again() {
        engine::count(store, plan, until, progress)?;
    }
    let is_swept = |run: &Run| is_swept(run, last);
    let is_below = |run: &Run, task| is_below(run, task, last);
    let ended = |run: &Run| run.complete() || run.sealed_sum() >= last;
    let run = store.run();
    if run.sealed_sum() > last {
        // Another call may go on from the frontier and from the planned layers.
        return Ok(Next::Nothing);
    }
    let mut alone = 0;
    if let Some(layer) = PlannedLayer::find(run)? {
        if ended(run) && !layer.plan.is_swept() {
            // Another call may ask for the planned layer.
            return Ok(Next::Nothing);
        }
        // Sweeps of an earlier plan may lead beyond the layers that can be swept now.
        let goes_on = !layer.plan.is_swept() || !ended(run) && is_swept(run);
        if goes_on {
            if let Some(missing) = layer.missing()? {
                return Ok(Next::Tasks(missing));
            }
            if let Some(sum) = layer.seals()? {
                return Ok(Next::Seal(sum));
            }
            if layer.is_last()? {
                // The run keeps the states of its last layer, and sweeps list none.
                alone = layer.plan.sum;
            } else if !is_below(run, task.min(layer.plan.task)) {
                // The sweeps of the layer after it count its afterstates.
                let unsealed = Some(layer.fingerprint()?);
                return begin(run, &LayerPlan::of_sweeps(run, unsealed, task, plan));
            }
        }
        layer.delete();
    }
    let is_small = |run: &Run| is_below(run, task) || run.sealed_sum() < alone;
    // Otherwise bits count many layers before a seal, and a large layer is noticed too late.
    let mut small = plan.clone();
    small.small = small.small.min(task);
    small.frontier_after = Duration::ZERO;
    while !ended(store.run()) && is_small(store.run()) {
        let choice = Choice::of_cluster(store.run(), &small, until)?;
        engine::count_while(store, &small, &choice, progress, is_small)?;
        let fitting = choice.stages().last().map(|stage| stage.last);
        // A layer that did not fit beside the memory of larger layers may fit alone.
        if fitting != Some(store.run().sealed_sum()) {
            break;
        }
    }
    if ended(store.run()) || !is_swept(store.run()) {
        engine::leave_matrices(store, plan, progress)?;
    }
    let run = store.run();
    if ended(run) {
        return Ok(Next::Nothing);
    }
    if is_small(run) {
        // The layer does not fit the memory, or `progress` said to stop.
        Choice::new(run, plan, Some(run.sealed_sum() + 2))?;
        return Ok(Next::Nothing);
    }
    match is_swept(run) {
        true => begin(run, &LayerPlan::of_sweeps(run, None, task, plan)),
        false => begin(run, &LayerPlan::new(run, task, plan.level)?),
    }
}

/// Begin to count a layer as tasks, and return its first tasks.
fn begin(run: &Run, plan: &LayerPlan) -> Result<Next> {
    let missing = PlannedLayer::create(run, plan)?.missing()?;
    Ok(Next::Tasks(missing.expect("a new layer has tasks")))
}

/// Whether [`next`] begins with counting layers that are too small to be cut, which can take minutes.
///
/// # Errors
///
/// As for [`next`].
pub fn counts_first(run: &Run, task: u64, until: Option<u32>) -> Result<bool> {
    let last = engine::last_sum(run.game(), until)?;
    let ended = run.complete() || run.sealed_sum() >= last;
    Ok(!ended && is_below(run, task.max(1), last) && PlannedLayer::find(run)?.is_none())
}

/// Whether the next layer of a run has too few candidates to be cut into tasks.
fn is_below(run: &Run, task: u64, last: u32) -> bool {
    let times = if is_swept(run, last) { SWEEP } else { 1 };
    candidates_of_next(run) < task.saturating_mul(times)
}

/// Whether the next layer of a run is cut into sweeps, in a count up to the layer of sum `last`. Sweeps
/// make no lists, so the last layer of a run that keeps no matrices is counted otherwise.
fn is_swept(run: &Run, last: u32) -> bool {
    let is_last = run.sealed_sum() + 2 >= last;
    can_be_swept(run) && (run.keep().matrices() || !is_last)
}

/// Do a task of a run in the resources of a plan, unless it is done. Several processes may do it at
/// once: their results are equal, and the first results stay.
///
/// # Errors
///
/// [`TaskError::Unknown`] if there is no such task, [`TaskError::Stale`] if its layer is sealed, or
/// was planned again; [`TaskError::Undone`] or [`TaskError::Retracted`] if another task must be
/// done first; errors of the system.
pub fn run(dir: &Path, task: &str, plan: &Plan) -> Result<()> {
    let unknown = || TaskError::Unknown(task.to_owned());
    let (name, task) = task.split_once('/').ok_or_else(unknown)?;
    let task = task.parse()?;
    let run = Run::peek(dir)?;
    let layer = PlannedLayer::open(&run, name)?;
    work::work(&layer, task, plan).map_err(|error| {
        // The files of a layer are deleted once it is sealed.
        let run = Run::peek(dir);
        match run.and_then(|run| PlannedLayer::open(&run, name).map(drop)) {
            Err(stale @ Error::Task(TaskError::Stale(_))) => stale,
            _ => layer.blame(error),
        }
    })
}

/// Seal the layer whose tasks are all done: add up their counts, check them, and move their files
/// into the run. The files between stages are deleted. Returns the layer's sum.
///
/// # Errors
///
/// [`TaskError::Unplanned`] if there is no such layer, [`TaskError::Undone`] if a task is not done;
/// [`Error::Law`] if the counts cannot be right: nothing is sealed then. Errors
/// of the system; a second call resumes the work.
pub fn seal(store: &mut Store) -> Result<u32> {
    let dir = store.run().dir().to_owned();
    let unplanned = || TaskError::Unplanned(dir.clone());
    let layer = PlannedLayer::find(store.run())?.ok_or_else(unplanned)?;
    let sum = layer.seals()?.ok_or_else(unplanned)?;
    let sealing = match &layer.before {
        Some(before) => Sealing::of_sweeps(before, Some(&layer)),
        None if layer.plan.is_swept() => Sealing::of_sweeps(&layer, None),
        None => Sealing::new(&layer),
    };
    let sealing = sealing.map_err(|error| layer.blame(error))?;
    let laws = Laws::new(store.run().game(), sum);
    let mut layers = [sealing.layer.clone()];
    engine::obey(&laws, store, &mut layers)?;
    let handed_over = sealing.hand_over(store);
    let sealed = handed_over.and_then(|()| store.seal(&layers));
    store.end(sealed)?;
    Ok(sum)
}
