//! The plan of a layer: the tasks into which it is cut.
//!
//! Key idea: the plan follows from the sealed layers and from the size of a task. The number of
//! candidates of a part is the number of empty cells that are spawned into. The distribution of a
//! part hardly changes from layer to layer, so quantiles of the part before cut it evenly. The
//! sealed files do not depend on the plan.

use serde::{Deserialize, Serialize};

use super::task::{Stage, Task, TaskStep};
use crate::counts::Row;
use crate::engine::{Bounds, Frontier, codec};
use crate::error::Result;
use crate::game::{Exp, PartKey};
use crate::part::Kind;
use crate::store::{PROGRAM, Run};

/// Default number of candidates of a task: minutes of work for a core.
pub const TASK: u64 = 1 << 27;

/// Average number of times that reduces make each afterstate of a part, roughly.
const REPEATED: u64 = 4;

/// The division of a layer into tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LayerPlan {
    /// The program that made the plan: another version may divide differently.
    pub(super) program: String,
    pub(super) sum: u32,
    /// Checksum of the run that the layer follows from.
    pub(super) run: u32,
    /// zstd level of the layer's files.
    pub(super) level: i32,
    /// The parts that the layer may have.
    pub(super) parts: Vec<PartPlan>,
}

/// The division of a part into tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PartPlan {
    max_tile: u32,
    /// Number of maps, each of which spawns into some of the afterstates; 0 if there are none.
    pub(super) shares: usize,
    /// The first keys of the ranges of its states, without the first range.
    states: Vec<u64>,
    /// The first keys of the ranges of its afterstates, without the first range.
    afterstates: Vec<u64>,
}

impl LayerPlan {
    /// Cut the layer after the last sealed layer of `run` into tasks of about `task` candidates.
    pub(super) fn new(run: &Run, task: u64, level: i32) -> Result<Self> {
        let frontier = Frontier::open(run)?;
        let sum = frontier.sum();
        let mut parts = Vec::new();
        for max in run.game().top().up_to() {
            parts.push(PartPlan::new(run, &frontier, PartKey { sum, max }, task)?);
        }
        Ok(Self {
            program: PROGRAM.to_owned(),
            sum,
            run: run.checksum(),
            level,
            parts,
        })
    }

    /// Whether the plan is for the next layer of a run.
    pub(super) fn follows(&self, run: &Run) -> bool {
        self.sum == run.sealed_sum() + 2 && self.run == run.checksum()
    }

    /// The tasks of a stage. The last stage cuts the `boards` of each part into files of `segment`
    /// boards; `boards` is known only when the earlier stages are done.
    pub(super) fn tasks(
        &self,
        stage: Stage,
        segment: u64,
        boards: impl Fn(Kind, Exp) -> Result<u64>,
    ) -> Result<Vec<Task>> {
        let mut tasks = Vec::new();
        for max in self.largest() {
            match stage {
                Stage::Map => tasks.extend(self.maps(max)),
                Stage::Reduce => tasks.extend(self.reduces(max)),
                Stage::Gather => tasks.extend(self.gathers(max)),
                Stage::Write => {
                    for kind in [Kind::States, Kind::Afterstates] {
                        let files = boards(kind, max)?.div_ceil(segment) as usize;
                        tasks.extend(Task::all(TaskStep::Write(kind), max, files));
                    }
                }
            }
        }
        Ok(tasks)
    }

    /// The largest tiles of the parts.
    pub(super) fn largest(&self) -> impl Iterator<Item = Exp> {
        self.parts.iter().filter_map(PartPlan::max)
    }

    /// The maps of a part: they spawn into the afterstates that its states come from.
    pub(super) fn maps(&self, max: Exp) -> impl Iterator<Item = Task> + use<> {
        let shares = self.part(max).map_or(0, |part| part.shares);
        Task::all(TaskStep::Map, max, shares)
    }

    /// The reduces of a part: they merge its states.
    pub(super) fn reduces(&self, max: Exp) -> impl Iterator<Item = Task> + use<> {
        let ranges = self.ranges(Kind::States, max);
        Task::all(TaskStep::Reduce, max, ranges)
    }

    /// The gathers of a part: they merge its afterstates, which come from the states of the part
    /// and of the part below.
    pub(super) fn gathers(&self, max: Exp) -> impl Iterator<Item = Task> + use<> {
        let made = self
            .sources(max)
            .any(|from| self.ranges(Kind::States, from) > 0);
        let ranges = if made {
            self.ranges(Kind::Afterstates, max)
        } else {
            0
        };
        Task::all(TaskStep::Gather, max, ranges)
    }

    /// The files of a part's afterstates that reduces make, each with its task.
    pub(super) fn reduced(&self, max: Exp) -> Vec<(Task, String)> {
        let mut files = Vec::new();
        for from in self.sources(max) {
            let name = |task: Task| match from == max {
                true => task.boards(Kind::Afterstates),
                false => task.merged(),
            };
            files.extend(self.reduces(from).map(|task| (task, name(task))));
        }
        files
    }

    /// The largest tiles of the states whose moves make afterstates of a part.
    pub(super) fn sources(&self, max: Exp) -> impl Iterator<Item = Exp> {
        let merging = self.largest().filter(move |below| below.next() == max);
        merging.chain([max])
    }

    /// Number of ranges of a part's boards of a kind.
    pub(super) fn ranges(&self, kind: Kind, max: Exp) -> usize {
        let part = self.part(max);
        let part = part.filter(|part| kind == Kind::Afterstates || part.shares > 0);
        part.map_or(0, |part| part.cuts(kind).len() + 1)
    }

    /// The keys of a range.
    pub(super) fn range(&self, kind: Kind, max: Exp, number: usize) -> Option<Bounds> {
        let cuts = self.part(max)?.cuts(kind);
        let low = match number.checked_sub(1) {
            Some(before) => *cuts.get(before)?,
            None => 0,
        };
        let high = cuts.get(number).copied().unwrap_or(u64::MAX);
        Some(Bounds { low, high })
    }

    fn part(&self, max: Exp) -> Option<&PartPlan> {
        self.parts.iter().find(|part| part.max() == Some(max))
    }
}

impl PartPlan {
    fn new(run: &Run, frontier: &Frontier, key: PartKey, task: u64) -> Result<Self> {
        let origins = frontier.origins(key).pieces.len() as u64;
        let candidates = candidates(run, key);
        let shares = if frontier.leads_to(key) {
            candidates.div_ceil(task).clamp(1, origins.max(1))
        } else {
            0
        };
        let before = PartKey {
            sum: key.sum - 2,
            max: key.max,
        };
        let afterstates = Row::among(&run.rows(before.sum), before).afterstates;
        let cut = |kind: Kind, boards: u64| -> Result<Vec<u64>> {
            let part = match run.part(kind, before)? {
                Some(part) => Some(part),
                None => run.part(Kind::Afterstates, before)?,
            };
            let mut sample: Vec<u64> = part.map_or(Vec::new(), |part| part.firsts().collect());
            codec(run.game(), key.sum).encode(&mut sample);
            sample.sort_unstable();
            Ok(cuts(&sample, boards.div_ceil(task) as usize))
        };
        Ok(Self {
            max_tile: key.max.tile(),
            shares: shares as usize,
            states: cut(Kind::States, candidates)?,
            afterstates: cut(Kind::Afterstates, afterstates.saturating_mul(REPEATED))?,
        })
    }

    fn max(&self) -> Option<Exp> {
        Exp::of_tile(self.max_tile)
    }

    fn cuts(&self, kind: Kind) -> &[u64] {
        match kind {
            Kind::States => &self.states,
            Kind::Afterstates => &self.afterstates,
        }
    }
}

/// Cut keys into ranges that hold equal numbers of a sorted sample.
fn cuts(sample: &[u64], ranges: usize) -> Vec<u64> {
    let ranges = ranges.min(sample.len());
    let cut = |range: usize| sample.get(sample.len() * range / ranges).copied();
    let mut cuts: Vec<u64> = (1..ranges).filter_map(cut).collect();
    cuts.retain(|&key| key > 0);
    cuts.dedup();
    cuts
}

/// Candidates of a part of the next layer: one for every empty cell of the afterstates that it
/// comes from.
fn candidates(run: &Run, key: PartKey) -> u64 {
    let rows = key
        .spawned_from()
        .map(|(from, _)| Row::among(&run.rows(from.sum), from));
    rows.map(|row| row.empty_cells).fold(0, u64::saturating_add)
}

/// Candidates of the next layer of a run.
pub(super) fn candidates_of_next(run: &Run) -> u64 {
    let sum = run.sealed_sum() + 2;
    let parts = run.game().top().up_to();
    let parts = parts.map(|max| candidates(run, PartKey { sum, max }));
    parts.fold(0, u64::saturating_add)
}
