//! Which errors say that a run is damaged, and which file.

use std::path::Path;

use super::Error;

impl Error {
    /// Whether this says that a run is damaged, or that its numbers cannot be right. To the
    /// question whether a run is sound, such an error is an answer.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Altered { .. } | Self::Law { .. } => true,
            Self::Solving(error) => error.is_damage(),
            _ => self.damaged_file().is_some(),
        }
    }

    /// The file that this says is damaged, or not there.
    pub(crate) fn damaged_file(&self) -> Option<&Path> {
        match self {
            Self::Foreign(path)
            | Self::Unfinished(path)
            | Self::Missing(path)
            | Self::Cut { path, .. }
            | Self::Damaged { path, .. }
            | Self::Mismatch { path, .. }
            | Self::OtherKind { path, .. } => Some(path),
            _ => None,
        }
    }
}
