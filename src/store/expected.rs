//! A part as the manifest describes it.

use super::files::{self, FileName, PartName};
use crate::part::Sealed;

/// A part that the manifest names, and the expected totals of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) name: PartName,
    /// Totals of all files.
    pub(crate) sealed: Sealed,
    /// Totals of each segment, if there are several files.
    pub(in crate::store) segments: Vec<Sealed>,
}

impl Expected {
    /// The names and expected totals of the files.
    pub(in crate::store) fn files(&self) -> impl Iterator<Item = (FileName<PartName>, Sealed)> {
        files::of(self.name, self.sealed, &self.segments)
    }

    pub(in crate::store) fn names(&self) -> impl Iterator<Item = FileName<PartName>> + use<> {
        FileName::all(self.name, self.segments.len().max(1))
    }

    /// Number of its files.
    pub(crate) fn count(&self) -> u64 {
        self.segments.len().max(1) as u64
    }
}
