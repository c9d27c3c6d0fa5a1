//! What commands print, and where.

pub(super) mod board;
pub(super) mod output;
pub(super) mod talk;
pub(super) mod units;

/// The exit code of a finished job: its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Done, or agreed.
    Done = 0,
    /// The data or the counts disagree.
    Disagreed = 1,
}

impl Outcome {
    pub(super) fn of(agrees: bool) -> Self {
        if agrees { Self::Done } else { Self::Disagreed }
    }
}
