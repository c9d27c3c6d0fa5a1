//! The plan of a layer: the tasks into which it is cut.
//!
//! Key idea: the plan follows from the sealed layers and from the size of a task. The number of
//! candidates of a part is the number of empty cells that are spawned into. The distribution of a
//! part hardly changes from layer to layer, so quantiles of the part before cut it evenly. The
//! sealed files do not depend on the plan.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::task::{Stage, Task};
use crate::counts::Row;
use crate::engine::{Frontier, Plan, cut_pairs};
use crate::error::Result;
use crate::game::{Exp, PartKey};
use crate::part::{Fingerprint, Kind, Part};
use crate::store::{Keep, PROGRAM, Run};

/// Default number of candidates of a task of lists: half a minute of a core.
pub const TASK: u64 = 1 << 27;

/// How many times more candidates a sweep has, because matrices take less time.
pub(super) const SWEEP: u64 = 64;

/// A rough average of the number of reduces that make an afterstate.
const REPEATED: u64 = 4;

/// The division of a layer into tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LayerPlan {
    /// The program that made the plan: another version may divide differently.
    pub(super) program: String,
    pub(super) sum: u32,
    input: Input,
    /// The candidates of a task, as the caller chose.
    pub(super) task: u64,
    /// zstd level of the layer's files.
    pub(super) level: i32,
    /// The weight of the first lighter half of each sweep.
    sweeps: Vec<usize>,
    /// The parts that a layer of lists may have.
    pub(super) parts: Vec<PartPlan>,
}

/// The input of a layer: the boards to keep, and the fingerprints of the afterstates two and four sums
/// below it. A plan is outdated once its input has changed.
type Input = (Keep, [Fingerprint; 2]);

/// The input of the next layer of `run`; given the fingerprint of that layer, of the layer after it.
fn input(run: &Run, unsealed: Option<Fingerprint>) -> Input {
    let sealed = run.sealed_sum();
    let fingerprints = match unsealed {
        Some(unsealed) => [unsealed, run.fingerprint(sealed)],
        None => [run.fingerprint(sealed), run.fingerprint(sealed - 2)],
    };
    (run.keep(), fingerprints)
}

/// The division of a part into tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PartPlan {
    max_tile: u32,
    /// Number of map tasks. Each map task spawns into its share of the afterstates.
    pub(super) shares: usize,
    /// The first boards of the ranges of its states, without the first range.
    states: Vec<u64>,
    /// The first boards of the ranges of its afterstates, without the first range.
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
            input: input(run, None),
            task,
            level,
            sweeps: Vec::new(),
            parts,
        })
    }

    /// Cut the next layer of `run` into sweeps of about `task` candidates of lists, multiplied by
    /// [`SWEEP`]; given the fingerprint of that layer, cut the layer after it.
    pub(super) fn of_sweeps(
        run: &Run,
        unsealed: Option<Fingerprint>,
        task: u64,
        plan: &Plan,
    ) -> Self {
        // Neighbouring layers have about equal numbers of candidates.
        let sweeps = candidates_of_next(run).div_ceil(task.saturating_mul(SWEEP));
        let sum = run.sealed_sum() + if unsealed.is_some() { 4 } else { 2 };
        Self {
            program: PROGRAM.to_owned(),
            sum,
            input: input(run, unsealed),
            task,
            level: plan.level,
            sweeps: cut_pairs(run.game(), sum, sweeps, plan),
            parts: Vec::new(),
        }
    }

    /// Whether the layer is cut into sweeps.
    pub(super) fn is_swept(&self) -> bool {
        !self.sweeps.is_empty()
    }

    /// Check that a plan with the [right input](Self::has_input_of) can be a plan for the next layer of a
    /// run. The sizes of its tasks are free.
    ///
    /// # Errors
    ///
    /// A text that names the wrong field.
    pub(super) fn audit(&self, run: &Run) -> Result<(), String> {
        let expect = |holds: bool, what: &str| holds.then_some(()).ok_or_else(|| what.to_owned());
        let level = format!("level: got {}", self.level);
        expect((1..=22).contains(&self.level), &level)?;
        let sum = format!("sum: got {}", self.sum);
        expect(self.sum <= run.game().sum_bound(), &sum)?;
        if let [first, .., last] | [first @ last] = self.sweeps[..] {
            expect(can_be_swept(run), "sweeps: expected none in this run")?;
            let within = first == 0 && last <= self.sum as usize / 4;
            let order = "sweeps: expected 0, and weights in order";
            expect(within && is_increasing(&self.sweeps), order)?;
            let parts = "parts: expected none in a layer of sweeps";
            return expect(self.parts.is_empty(), parts);
        }
        let tiles = self.parts.iter().map(|part| part.max_tile);
        let is_complete = tiles.eq(run.game().top().up_to().map(Exp::tile));
        let parts = "parts: expected one for each largest tile, in order";
        expect(is_complete, parts)?;
        for part in &self.parts {
            let (tile, shares) = (part.max_tile, part.shares);
            let max = part.max().expect("it is a tile of the game");
            let most = candidates(run, PartKey { sum: self.sum, max }).max(1);
            let got = format!("largest tile {tile}: shares: got {shares}");
            expect(shares as u64 <= most, &got)?;
            let order = format!("largest tile {tile}: first boards are not in order");
            for cuts in [&part.states, &part.afterstates] {
                expect(cuts.first() != Some(&0) && is_increasing(cuts), &order)?;
            }
        }
        Ok(())
    }

    /// Whether the plan was made from the input of the next layer of a run; given the fingerprint of that
    /// layer, of the layer after it.
    pub(super) fn has_input_of(&self, run: &Run, unsealed: Option<Fingerprint>) -> bool {
        self.input == input(run, unsealed)
    }

    /// The weights of the lighter halves of a sweep.
    pub(super) fn lighter(&self, sweep: usize) -> Range<usize> {
        let end = self.sweeps.get(sweep + 1).copied();
        self.sweeps[sweep]..end.unwrap_or(usize::MAX)
    }

    /// The largest tiles of the parts.
    pub(super) fn largest(&self) -> impl Iterator<Item = Exp> {
        self.parts.iter().filter_map(PartPlan::max)
    }

    /// The tasks of a stage for a part, except writes. Sweeps are for all parts.
    pub(super) fn tasks(&self, stage: Stage, max: Exp) -> impl Iterator<Item = Task> + use<> {
        let (kind, tasks) = match stage {
            Stage::Sweep => (Kind::Afterstates, self.sweeps.len()),
            Stage::Map => (Kind::States, self.part(max).map_or(0, |part| part.shares)),
            Stage::Reduce => (Kind::States, self.ranges(Kind::States, max)),
            Stage::Gather | Stage::Write => {
                // The afterstates come from the states of the part and of the part below.
                let has_states = |from| self.ranges(Kind::States, from) > 0;
                let is_made = self.sources(max).any(has_states);
                let ranges = self.ranges(Kind::Afterstates, max);
                (Kind::Afterstates, if is_made { ranges } else { 0 })
            }
        };
        Task::all(stage, kind, max, tasks)
    }

    /// The files of a part's afterstates that reduces make, each with the reduce.
    pub(super) fn reduced(&self, max: Exp) -> Vec<(Task, String)> {
        let mut files = Vec::new();
        for from in self.sources(max) {
            files.extend(self.tasks(Stage::Reduce, from).map(|task| {
                let name = task.afterstates(from == max);
                (task, name)
            }));
        }
        files
    }

    /// The largest tiles of the states whose moves make the afterstates of a part.
    fn sources(&self, max: Exp) -> impl Iterator<Item = Exp> {
        let merging = self.largest().filter(move |below| below.next() == max);
        merging.chain([max])
    }

    /// Number of ranges of a part's boards of a kind.
    pub(super) fn ranges(&self, kind: Kind, max: Exp) -> usize {
        match self.part(max) {
            Some(part) if kind == Kind::Afterstates || part.shares > 0 => part.cuts(kind).len() + 1,
            _ => 0,
        }
    }

    /// The boards that a reduce or a gather merges.
    pub(super) fn range(&self, task: Task) -> Range<u64> {
        let cuts = self
            .part(task.max)
            .map_or(&[][..], |part| part.cuts(task.kind));
        let low = task.number.checked_sub(1).map_or(0, |before| cuts[before]);
        let high = cuts.get(task.number).copied().unwrap_or(u64::MAX);
        low..high
    }

    fn part(&self, max: Exp) -> Option<&PartPlan> {
        self.parts.iter().find(|part| part.max() == Some(max))
    }
}

impl PartPlan {
    fn new(run: &Run, frontier: &Frontier, key: PartKey, task: u64) -> Result<Self> {
        let (origins, candidates) = (frontier.origins(key), candidates(run, key));
        let shares = if origins.is_empty() {
            0
        } else {
            let blocks = origins.blocks.len() as u64;
            candidates.div_ceil(task).clamp(1, blocks.max(1))
        };
        let before = PartKey {
            sum: key.sum - 2,
            ..key
        };
        let afterstates = Row::among(&run.rows(before.sum), before).afterstates;
        let cut = |kind: Kind, boards: u64| -> Result<Vec<u64>> {
            let part = match run.part(kind, before)? {
                Some(part) => Some(part),
                None => run.part(Kind::Afterstates, before)?,
            };
            let mut sample: Vec<u64> = part.iter().flat_map(Part::firsts).collect();
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

fn is_increasing<T: PartialOrd>(list: &[T]) -> bool {
    list.is_sorted_by(|one, next| one < next)
}

/// Cut boards into ranges that hold equal numbers of a sorted sample.
fn cuts(sample: &[u64], ranges: usize) -> Vec<u64> {
    let ranges = ranges.min(sample.len());
    let cut = |range: usize| sample.get(sample.len() * range / ranges).copied();
    let mut cuts: Vec<u64> = (1..ranges).filter_map(cut).collect();
    cuts.retain(|&key| key > 0);
    cuts.dedup();
    cuts
}

/// Candidates of a part of the next layer: one for every empty cell of the afterstates from which
/// its states come.
fn candidates(run: &Run, key: PartKey) -> u64 {
    let cells = |(from, _): (PartKey, Exp)| Row::among(&run.rows(from.sum), from).empty_cells;
    key.spawned_from().map(cells).fold(0, u64::saturating_add)
}

/// Whether layers of a run can be cut into sweeps, which make no lists.
pub(super) fn can_be_swept(run: &Run) -> bool {
    let keep = run.keep();
    let lists = keep.states() || keep.lists_of_afterstates();
    run.game().bits_need().is_none() && !lists
}

/// Candidates of the next layer of a run.
pub(super) fn candidates_of_next(run: &Run) -> u64 {
    let sum = run.sealed_sum() + 2;
    let keys = run.game().top().up_to().map(|max| PartKey { sum, max });
    keys.map(|key| candidates(run, key))
        .fold(0, u64::saturating_add)
}
