//! The plan of a layer: the tasks into which it is cut, and their names.
//!
//! Key idea: the plan follows from the sealed layers and from the size of a task. The number of
//! candidates of a part is the number of empty cells that are spawned into. The distribution of a
//! part hardly changes from layer to layer, so quantiles of the part before cut it evenly. The
//! sealed files do not depend on the plan.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::counts::Row;
use crate::engine::{Bounds, Frontier, codec};
use crate::error::{Error, Result, TaskError};
use crate::game::{Exp, PartKey};
use crate::part::{Kind, Part};
use crate::store::{PROGRAM, Run};

/// Default number of candidates of a task: minutes of work for a core.
pub const TASK: u64 = 1 << 27;

/// A rough average of the number of reduces that make an afterstate.
const REPEATED: u64 = 4;

/// The division of a layer into tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LayerPlan {
    /// The program that made the plan: another version may divide differently.
    pub(super) program: String,
    pub(super) sum: u32,
    /// Checksum of the run before the layer.
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
    /// Number of map tasks. Each map task spawns into its share of the afterstates.
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

    /// The largest tiles of the parts.
    pub(super) fn largest(&self) -> impl Iterator<Item = Exp> {
        self.parts.iter().filter_map(PartPlan::max)
    }

    /// The maps of a part: they spawn into the afterstates from which its states come.
    pub(super) fn maps(&self, max: Exp) -> impl Iterator<Item = Task> + use<> {
        let maps = self.part(max).map_or(0, |part| part.shares);
        Task::all(Stage::Map, Kind::States, max, maps)
    }

    /// The reduces of a part: they merge its states.
    pub(super) fn reduces(&self, max: Exp) -> impl Iterator<Item = Task> + use<> {
        let ranges = self.ranges(Kind::States, max);
        Task::all(Stage::Reduce, Kind::States, max, ranges)
    }

    /// The gathers of a part: they merge its afterstates, which come from the states of the part
    /// and of the part below.
    pub(super) fn gathers(&self, max: Exp) -> impl Iterator<Item = Task> + use<> {
        let mut sources = self.sources(max);
        let ranges = if sources.any(|from| self.ranges(Kind::States, from) > 0) {
            self.ranges(Kind::Afterstates, max)
        } else {
            0
        };
        Task::all(Stage::Gather, Kind::Afterstates, max, ranges)
    }

    /// The files of a part's afterstates that reduces make, each with the reduce.
    pub(super) fn reduced(&self, max: Exp) -> Vec<(Task, String)> {
        let mut files = Vec::new();
        for from in self.sources(max) {
            files.extend(self.reduces(from).map(|task| {
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
        let blocks = frontier.origins(key).blocks.len() as u64;
        let candidates = candidates(run, key);
        let shares = if frontier.leads_to(key) {
            candidates.div_ceil(task).clamp(1, blocks.max(1))
        } else {
            0
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

/// Candidates of a part of the next layer: one for every empty cell of the afterstates from which
/// its states come.
fn candidates(run: &Run, key: PartKey) -> u64 {
    let cells = |(from, _): (PartKey, Exp)| Row::among(&run.rows(from.sum), from).empty_cells;
    key.spawned_from().map(cells).fold(0, u64::saturating_add)
}

/// Candidates of the next layer of a run.
pub(super) fn candidates_of_next(run: &Run) -> u64 {
    let sum = run.sealed_sum() + 2;
    let keys = run.game().top().up_to().map(|max| PartKey { sum, max });
    keys.map(|key| candidates(run, key))
        .fold(0, u64::saturating_add)
}

/// A stage of a layer. Its tasks can run at once, when all tasks of the stage before are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Spawn into some of the afterstates.
    Map,
    /// Merge the states of a range from all maps, and move them.
    Reduce,
    /// Merge the afterstates of a range from all reduces.
    Gather,
    /// Cut a part into the files of the run.
    Write,
}

impl Stage {
    /// All stages, in order.
    pub(super) const ALL: [Self; 4] = [Self::Map, Self::Reduce, Self::Gather, Self::Write];
}

/// The name of the stage in lower case.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format!("{self:?}").to_lowercase())
    }
}

/// The tasks of a stage that are not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Sum of the layer.
    pub sum: u32,
    /// The stage.
    pub stage: Stage,
    /// The names of the tasks, as [`run`](fn@super::run) takes them.
    pub tasks: Vec<String>,
    /// Number of tasks of the stage, including done tasks.
    pub of: usize,
}

/// A task of a layer, for the part with largest tile `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Task {
    pub(super) stage: Stage,
    /// The kind of boards that the stage makes. A reduce also makes afterstates.
    pub(super) kind: Kind,
    pub(super) max: Exp,
    /// The number of its map, range or file.
    pub(super) number: usize,
}

/// The names of tasks by stage and kind.
const NAMES: [(&str, Stage, Kind); 5] = [
    ("map", Stage::Map, Kind::States),
    ("reduce", Stage::Reduce, Kind::States),
    ("gather", Stage::Gather, Kind::Afterstates),
    ("write-states", Stage::Write, Kind::States),
    ("write-afterstates", Stage::Write, Kind::Afterstates),
];

impl Task {
    /// The first `tasks` tasks of a stage for a part.
    pub(super) fn all(
        stage: Stage,
        kind: Kind,
        max: Exp,
        tasks: usize,
    ) -> impl Iterator<Item = Self> {
        (0..tasks).map(move |number| Self {
            stage,
            kind,
            max,
            number,
        })
    }

    /// File name of the task's receipt.
    pub(super) fn receipt(self) -> String {
        format!("{self}.json")
    }

    /// File name of the boards that the task makes.
    pub(super) fn boards(self, kind: Kind) -> String {
        format!("{self}.{kind}")
    }

    /// File name of the afterstates that a reduce makes: with its `own` largest tile, or with the
    /// next larger tile.
    pub(super) fn afterstates(self, own: bool) -> String {
        let merged = if own { "" } else { "merged." };
        format!("{self}.{merged}{}", Kind::Afterstates)
    }

    /// The names of all files that the task may leave. The receipt comes first, because other files
    /// are valid only with a receipt.
    pub(super) fn files(self) -> [String; 4] {
        [
            self.receipt(),
            self.boards(Kind::States),
            self.afterstates(true),
            self.afterstates(false),
        ]
    }
}

/// `map-00064-0003`, `write-states-00064-0003`.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = NAMES.iter();
        let name = names.find(|(_, stage, kind)| (*stage, *kind) == (self.stage, self.kind));
        let (name, ..) = name.expect("each stage makes boards of these kinds");
        write!(f, "{name}-{:05}-{:04}", self.max.tile(), self.number)
    }
}

impl FromStr for Task {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parsed = || {
            let (rest, number) = text.rsplit_once('-')?;
            let (name, tile) = rest.rsplit_once('-')?;
            let &(_, stage, kind) = NAMES.iter().find(|(known, ..)| *known == name)?;
            Some(Self {
                stage,
                kind,
                max: Exp::of_tile(tile.parse().ok()?)?,
                number: number.parse().ok()?,
            })
        };
        // Numbers can be written in several ways, but a task has only one name.
        let task = parsed().filter(|task| task.to_string() == text);
        task.ok_or_else(|| TaskError::Unknown(text.to_owned()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_names_are_parsed_and_other_texts_are_refused() {
        let max = Exp::of_tile(64).unwrap();
        for (text, stage, kind, number) in [
            ("map-00064-0003", Stage::Map, Kind::States, 3),
            ("reduce-00064-12345", Stage::Reduce, Kind::States, 12345),
            ("gather-00064-0000", Stage::Gather, Kind::Afterstates, 0),
            ("write-states-00064-0010", Stage::Write, Kind::States, 10),
            (
                "write-afterstates-00064-0001",
                Stage::Write,
                Kind::Afterstates,
                1,
            ),
        ] {
            let task = Task {
                stage,
                kind,
                max,
                number,
            };
            assert_eq!(task.to_string(), text);
            assert_eq!(text.parse::<Task>().unwrap(), task);
        }
        for other in [
            "",
            "map",
            "map-00064",
            "map-64-3",
            "map-00063-0003",
            "write-00064-0003",
            "map-00064-0003.json",
        ] {
            assert!(
                matches!(
                    other.parse::<Task>(),
                    Err(Error::Task(TaskError::Unknown(_)))
                ),
                "{other}"
            );
        }
    }
}
