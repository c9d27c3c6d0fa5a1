//! The tasks of a layer, and their names.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, TaskError};
use crate::game::Exp;
use crate::part::Kind;

/// A stage: its tasks can run at once, after all tasks of the stage before are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Spawn into some of the afterstates.
    Map,
    /// Merge the states of a range that maps made, and move them.
    Reduce,
    /// Merge the afterstates of a range that reduces made.
    Gather,
    /// Cut a part into the files of the run.
    Write,
}

impl Stage {
    /// All stages, in order.
    pub(super) const ALL: [Self; 4] = [Self::Map, Self::Reduce, Self::Gather, Self::Write];
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Map => "map",
            Self::Reduce => "reduce",
            Self::Gather => "gather",
            Self::Write => "write",
        })
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
    /// Number of tasks of the stage, done or not.
    pub of: usize,
}

/// A task of a layer, for the part with largest tile `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Task {
    pub(super) step: TaskStep,
    pub(super) max: Exp,
    /// The number of its map, range or file.
    pub(super) number: usize,
}

/// The work of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TaskStep {
    Map,
    Reduce,
    Gather,
    Write(Kind),
}

impl Task {
    /// All `tasks` tasks of a kind for a part.
    pub(super) fn all(step: TaskStep, max: Exp, tasks: usize) -> impl Iterator<Item = Self> {
        (0..tasks).map(move |number| Self { step, max, number })
    }

    /// The stage that the task belongs to.
    pub(super) fn stage(self) -> Stage {
        match self.step {
            TaskStep::Map => Stage::Map,
            TaskStep::Reduce => Stage::Reduce,
            TaskStep::Gather => Stage::Gather,
            TaskStep::Write(_) => Stage::Write,
        }
    }

    /// File name of the task's receipt.
    pub(super) fn receipt(self) -> String {
        format!("{self}.json")
    }

    /// File name of the boards that the task makes.
    pub(super) fn boards(self, kind: Kind) -> String {
        format!("{self}.{kind}")
    }

    /// File name of the afterstates with the next larger tile, which a reduce makes.
    pub(super) fn merged(self) -> String {
        format!("{self}.merged.{}", Kind::Afterstates)
    }

    /// The names of all files that the task may leave. The receipt comes first: without it, no file
    /// counts.
    pub(super) fn files(self) -> [String; 4] {
        let [states, afterstates] = [Kind::States, Kind::Afterstates].map(|kind| self.boards(kind));
        [self.receipt(), states, afterstates, self.merged()]
    }
}

/// `map-00064-0003`, `write-states-00064-0003`.
impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            TaskStep::Map => f.write_str("map")?,
            TaskStep::Reduce => f.write_str("reduce")?,
            TaskStep::Gather => f.write_str("gather")?,
            TaskStep::Write(kind) => write!(f, "write-{kind}")?,
        }
        write!(f, "-{:05}-{:04}", self.max.tile(), self.number)
    }
}

impl FromStr for Task {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parsed = || {
            let (rest, number) = text.rsplit_once('-')?;
            let (step, tile) = rest.rsplit_once('-')?;
            let step = match step {
                "map" => TaskStep::Map,
                "reduce" => TaskStep::Reduce,
                "gather" => TaskStep::Gather,
                "write-states" => TaskStep::Write(Kind::States),
                "write-afterstates" => TaskStep::Write(Kind::Afterstates),
                _ => return None,
            };
            let max = Exp::of_tile(tile.parse().ok()?)?;
            let number = number.parse().ok()?;
            Some(Self { step, max, number })
        };
        let written_so = |task: &Self| task.to_string() == text;
        let parsed = parsed().filter(written_so);
        parsed.ok_or_else(|| TaskError::Unknown(text.to_owned()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_other_texts_are_refused() {
        let max = Exp::of_tile(64).unwrap();
        for (text, step, number) in [
            ("map-00064-0003", TaskStep::Map, 3),
            ("reduce-00064-12345", TaskStep::Reduce, 12345),
            ("gather-00064-0000", TaskStep::Gather, 0),
            ("write-states-00064-0010", TaskStep::Write(Kind::States), 10),
            (
                "write-afterstates-00064-0001",
                TaskStep::Write(Kind::Afterstates),
                1,
            ),
        ] {
            let task = Task { step, max, number };
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
