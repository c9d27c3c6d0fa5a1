//! The contents of a file: boards or values.

use std::fmt;

use super::about::About;
use super::label::Label;

/// The contents of a file, as described in its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// States or afterstates.
    Boards(Label),
    /// Values of afterstates.
    Values(About),
}

impl Contents {
    /// The label of the boards, or of the afterstates that the values belong to.
    pub(crate) fn label(&self) -> Label {
        match self {
            Self::Boards(label) => *label,
            Self::Values(about) => about.afterstates,
        }
    }

    /// Boards or values in every block but the last. Values have the same blocks as their
    /// afterstates.
    pub(crate) fn block(&self) -> usize {
        self.label().kind.block()
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boards(label) => label.fmt(f),
            Self::Values(about) => about.fmt(f),
        }
    }
}

impl From<Label> for Contents {
    fn from(label: Label) -> Self {
        Self::Boards(label)
    }
}

impl From<About> for Contents {
    fn from(about: About) -> Self {
        Self::Values(about)
    }
}
