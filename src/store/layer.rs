//! A counted layer, and which boards stay in the directory.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::counts::Row;
use crate::game::PartKey;
use crate::part::Kind;
use crate::progress::FinishedLayer;

/// The boards that stay in the directory. The states of the last layer stay once a count ends, at
/// the end of the game or at its last sum. The frontier stays while a count can go on. A count that
/// was stopped may not have listed the states of its last layer.
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
    /// The afterstates of every layer as matrices, for boards of 4x4. They take least room, and all
    /// boards can be listed from them.
    Matrices,
}

impl Keep {
    /// All choices.
    pub const EVERY: [Self; 5] = [
        Self::All,
        Self::Last,
        Self::Afterstates,
        Self::Both,
        Self::Matrices,
    ];

    /// The choice for a word of the command line.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|keep| keep.word() == word)
    }

    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Last => "last",
            Self::Afterstates => "afterstates",
            Self::Both => "both",
            Self::Matrices => "matrices",
        }
    }

    /// Whether the afterstates of every layer stay as matrices.
    pub fn matrices(self) -> bool {
        self == Self::Matrices
    }

    /// Whether the states of every layer stay in lists.
    pub fn states(self) -> bool {
        matches!(self, Self::All | Self::Both)
    }

    /// Whether the afterstates of every layer stay, in lists or in matrices.
    pub fn afterstates(self) -> bool {
        matches!(self, Self::Afterstates | Self::Both | Self::Matrices)
    }

    /// Whether the afterstates of every layer stay in lists.
    pub fn lists_of_afterstates(self) -> bool {
        self.afterstates() && !self.matrices()
    }
}

/// The word on the command line.
impl fmt::Display for Keep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A layer that the engine has finished.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CountedLayer {
    /// Sum of its tiles.
    pub sum: u32,
    /// The counts of its parts, in order of largest tile.
    pub rows: Vec<Row>,
    /// Whether the count ends with this layer, because no live state or afterstate is left.
    pub last: bool,
    /// Bytes of its files of states.
    pub bytes: u64,
    /// Bytes of the files of afterstates that were written with this layer.
    pub afterstate_bytes: u64,
    /// Bytes that went through temporary files, because they did not fit in memory.
    pub spilled: u64,
}

impl CountedLayer {
    /// A layer without a counted part.
    pub(crate) fn new(sum: u32) -> Self {
        Self {
            sum,
            ..Self::default()
        }
    }

    /// The report of the layer to [`Progress`](crate::progress::Progress), in a run that keeps
    /// these boards.
    pub(crate) fn finished(&self, keep: Keep) -> FinishedLayer {
        let kept = if keep.afterstates() {
            self.afterstate_bytes
        } else {
            0
        };
        FinishedLayer {
            sum: self.sum,
            boards: self.rows.iter().map(Row::states).sum(),
            dead: self.rows.iter().map(|row| row.dead).sum(),
            last: self.last,
            bytes: self.bytes + kept,
            spilled: self.spilled,
        }
    }

    /// The row of a part, which is in the layer.
    pub(crate) fn row(&mut self, key: PartKey) -> &mut Row {
        let row = self.rows.iter_mut().find(|row| row.key() == Some(key));
        row.expect("each part has a row")
    }

    /// Add the bytes of a file.
    pub(crate) fn wrote(&mut self, kind: Kind, bytes: u64) {
        match kind {
            Kind::States => self.bytes += bytes,
            Kind::Afterstates => self.afterstate_bytes += bytes,
        }
    }
}
