//! The tasks of a layer, and their names.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, TaskError};
use crate::game::Exp;
use crate::part::Kind;

/// A stage: its tasks can be done at once, once those of the stage before are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Spawn into shares of the afterstates.
    Map,
    /// Merge what maps made of a range of states, and move them.
    Reduce,
    /// Merge the afterstates of a range that reduces made.
    Gather,
    /// Cut a part into the files that a run has.
    Write,
}

impl Stage {
    /// All of them, in order.
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
    /// Their names, as [`run`](fn@super::run) takes them.
    pub tasks: Vec<String>,
    /// Tasks of the stage, those that are done among them.
    pub of: usize,
}

/// A task of a layer: one of those for the part with a largest tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Task {
    pub(super) step: Step,
    pub(super) max: Exp,
    /// Of the share, range or file that it is for.
    pub(super) number: usize,
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Map,
    Reduce,
    Gather,
    Write(Kind),
}

impl Task {
    /// The first `tasks` of a kind for a part.
    pub(super) fn all(step: Step, max: Exp, tasks: usize) -> impl Iterator<Item = Self> {
        (0..tasks).map(move |number| Self { step, max, number })
    }

    /// The stage that it belongs to.
    pub(super) fn stage(self) -> Stage {
        match self.step {
            Step::Map => Stage::Map,
            Step::Reduce => Stage::Reduce,
            Step::Gather => Stage::Gather,
            Step::Write(_) => Stage::Write,
        }
    }

    /// The name of what it says when it is done.
    pub(super) fn receipt(self) -> String {
        format!("{self}.json")
    }

    /// The name of the boards that it makes.
    pub(super) fn boards(self, kind: Kind) -> String {
        format!("{self}.{kind}")
    }

    /// The name of the afterstates with the next larger tile, which a reduce makes.
    pub(super) fn merged(self) -> String {
        format!("{self}.merged.{}", Kind::Afterstates)
    }

    /// The names of all files that it may leave, first that of the receipt: without it, none of them
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
            Step::Map => f.write_str("map")?,
            Step::Reduce => f.write_str("reduce")?,
            Step::Gather => f.write_str("gather")?,
            Step::Write(kind) => write!(f, "write-{kind}")?,
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
                "map" => Step::Map,
                "reduce" => Step::Reduce,
                "gather" => Step::Gather,
                "write-states" => Step::Write(Kind::States),
                "write-afterstates" => Step::Write(Kind::Afterstates),
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
    fn names_are_read_back_and_no_others_are_taken() {
        let max = Exp::of_tile(64).unwrap();
        for (text, step, number) in [
            ("map-00064-0003", Step::Map, 3),
            ("reduce-00064-12345", Step::Reduce, 12345),
            ("gather-00064-0000", Step::Gather, 0),
            ("write-states-00064-0010", Step::Write(Kind::States), 10),
            (
                "write-afterstates-00064-0001",
                Step::Write(Kind::Afterstates),
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
