//! The tasks of a layer, their stages and their names.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result, TaskError};
use crate::game::Exp;
use crate::part::Kind;

/// A stage of a layer. Its tasks can run at once, when all tasks of the stage before are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Sweep some pairs of matrices. A layer of sweeps has no other stage.
    Sweep,
    /// Spawn into some of the afterstates.
    Map,
    /// Merge the states of a range from all maps, and move them.
    Reduce,
    /// Merge the afterstates of a range from all reduces.
    Gather,
    /// Cut a part into the files of the run.
    Write,
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

/// A task of a layer, for the part with largest tile `max`. A sweep is for all parts; its `max` is the
/// largest tile of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Task {
    pub(super) stage: Stage,
    /// The kind of boards that the stage makes. A reduce also makes afterstates.
    pub(super) kind: Kind,
    pub(super) max: Exp,
    /// The number of its group of pairs, map, range or file.
    pub(super) number: usize,
}

/// The name of sweeps.
const SWEEP: &str = "sweep";

/// The names of tasks by stage and kind.
const NAMES: [(&str, Stage, Kind); 6] = [
    (SWEEP, Stage::Sweep, Kind::Afterstates),
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

    /// File name of the matrices that a sweep makes.
    pub(super) fn matrices(self) -> String {
        format!("{self}.matrices")
    }

    /// File name of the afterstates that a reduce makes: with its `own` largest tile, or with the
    /// next larger tile.
    pub(super) fn afterstates(self, own: bool) -> String {
        let merged = if own { "" } else { "merged." };
        format!("{self}.{merged}{}", Kind::Afterstates)
    }

    /// The names of all files that the task may leave. The receipt comes first, because other files
    /// are valid only with a receipt.
    pub(super) fn files(self) -> [String; 5] {
        [
            self.receipt(),
            self.matrices(),
            self.boards(Kind::States),
            self.afterstates(true),
            self.afterstates(false),
        ]
    }
}

/// `map-00064-0003`, `write-states-00064-0003`, `sweep-0003`.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = NAMES.iter();
        let name = names.find(|(_, stage, kind)| (*stage, *kind) == (self.stage, self.kind));
        let (name, ..) = name.expect("each stage makes boards of these kinds");
        f.write_str(name)?;
        if self.stage != Stage::Sweep {
            write!(f, "-{:05}", self.max.tile())?;
        }
        write!(f, "-{:04}", self.number)
    }
}

impl FromStr for Task {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parsed = || {
            let (rest, number) = text.rsplit_once('-')?;
            let (name, max) = match rest {
                SWEEP => (rest, Exp::LAST),
                _ => {
                    let (name, tile) = rest.rsplit_once('-')?;
                    (name, Exp::of_tile(tile.parse().ok()?)?)
                }
            };
            let &(_, stage, kind) = NAMES.iter().find(|(known, ..)| *known == name)?;
            Some(Self {
                stage,
                kind,
                max,
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
            ("sweep-0003", Stage::Sweep, Kind::Afterstates, 3),
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
            let max = if stage == Stage::Sweep {
                Exp::LAST
            } else {
                max
            };
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
            "sweep",
            "sweep-3",
            "sweep-00064-0003",
            "map-0003",
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
