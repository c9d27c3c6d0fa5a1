//! The choice of files that stay in a run's directory.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which layers' boards stay in the directory. The states of the last sealed layer always stay, and
/// so does the frontier while a count can go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Keep {
    /// The states of every layer.
    #[default]
    All,
    /// Only the last layer and the frontier.
    Last,
    /// The afterstates of every layer.
    Afterstates,
    /// The states and the afterstates of every layer.
    Both,
}

impl Keep {
    /// All variants.
    pub const EVERY: [Self; 4] = [Self::All, Self::Last, Self::Afterstates, Self::Both];

    /// The variant for a word of the command line.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|keep| keep.word() == word)
    }

    /// The word on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Last => "last",
            Self::Afterstates => "afterstates",
            Self::Both => "both",
        }
    }

    /// Whether the states of every layer stay.
    #[must_use]
    pub fn states(self) -> bool {
        matches!(self, Self::All | Self::Both)
    }

    /// Whether the afterstates of every layer stay.
    #[must_use]
    pub fn afterstates(self) -> bool {
        matches!(self, Self::Afterstates | Self::Both)
    }
}

/// The word on the command line.
impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
