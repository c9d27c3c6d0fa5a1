//! `manifest.json`: the truth about a run's directory.
//!
//! Each commit replaces the whole file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::checked;
use super::file;
use super::files::{FileName, Holds, MANIFEST, PartName, TABLE};
use super::layer::Keep;
use crate::counts::{Row, Table};
use crate::error::{Error, Result};
use crate::game::Game;
use crate::part::{Kind, Sealed};

/// The format version.
const FORMAT: u32 = 5;

pub(crate) const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// Number of boards in every file of a part but the last: about 60 MB of states, or 90 MB of
/// afterstates.
pub(super) const SEGMENT: u64 = 1 << 27;

/// A manifest, which names files.
pub(super) trait Record: Clone + Send + 'static {
    /// Number of parts, matrices and segments that it names.
    fn entries(&self) -> usize;

    /// Replace the manifest in a directory, durably. From then on, files that it does not name are
    /// strays.
    fn save(&self, dir: &Path) -> Result<()>;
}

/// The sealed files of a part, of its values, or of a layer's matrices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SealedFiles {
    pub(crate) name: PartName,
    /// Totals of all files together.
    #[serde(flatten)]
    pub(crate) sealed: Sealed,
    /// Totals of each segment, if there are several files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) segments: Vec<Sealed>,
}

impl SealedFiles {
    pub(super) fn new(name: PartName, files: Vec<Sealed>) -> Self {
        Self {
            name,
            sealed: files.iter().copied().sum(),
            segments: if files.len() > 1 { files } else { Vec::new() },
        }
    }

    /// Number of files.
    pub(crate) fn count(&self) -> u64 {
        self.segments.len().max(1) as u64
    }

    pub(super) fn names(&self) -> impl Iterator<Item = FileName> + use<> {
        self.name.files(self.count() as usize)
    }

    pub(super) fn has(&self, name: FileName) -> bool {
        self.names().any(|file| file == name)
    }

    /// The names and totals of the files.
    pub(super) fn files(&self) -> impl Iterator<Item = (FileName, Sealed)> {
        let only = self.segments.is_empty().then_some(self.sealed);
        self.names()
            .zip(only.into_iter().chain(self.segments.iter().copied()))
    }

    /// Whether the files have `segment` boards each, the last file the rest, and add up to the
    /// totals.
    pub(super) fn is_cut(&self, segment: u64) -> bool {
        let lengths = self.segments.iter().map(|file| file.states);
        let together: Sealed = self.segments.iter().copied().sum();
        lengths.eq(cut(self.sealed.states, segment))
            && (self.segments.is_empty() || together == self.sealed)
    }
}

/// The numbers of boards in the segments of a part of `states` boards; none if one file is enough.
fn cut(states: u64, segment: u64) -> impl Iterator<Item = u64> {
    let files = states.div_ceil(segment);
    let needed = if files > 1 { files } else { 0 };
    (0..needed).map(move |file| (states - file * segment).min(segment))
}

/// The manifest of a run. No field depends on time, threads or memory, so equal runs have equal
/// manifests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) program: String,
    pub(crate) game: Game,
    pub(crate) keep: Keep,
    /// Number of boards in every file of a part but the last.
    pub(crate) segment: u64,
    /// Sum of the last sealed layer, 2 if there is none.
    pub(crate) sealed_sum: u32,
    pub(crate) complete: bool,
    /// The table, in order of sum, then largest tile.
    pub(crate) rows: Vec<Row>,
    /// The files of states, in the order of the table.
    pub(crate) states: Vec<SealedFiles>,
    /// The files of afterstates, in the order of the table.
    pub(crate) afterstates: Vec<SealedFiles>,
    /// In order of sum. A layer has its afterstates here or in `afterstates`.
    pub(crate) matrices: Vec<SealedFiles>,
}

impl Record for Manifest {
    fn entries(&self) -> usize {
        let files = self.files().map(|files| 1 + files.segments.len());
        self.rows.len() + files.sum::<usize>()
    }

    /// Then writes the table.
    fn save(&self, dir: &Path) -> Result<()> {
        checked::save(&dir.join(MANIFEST), FORMAT, self)?;
        file::write_atomic(&dir.join(TABLE), &self.table().to_csv())
    }
}

impl Manifest {
    /// The manifest of a directory without a sealed layer.
    pub(crate) fn new(game: &Game, keep: Keep, segment: u64) -> Self {
        Self {
            program: PROGRAM.to_owned(),
            game: *game,
            keep,
            segment,
            sealed_sum: 2,
            complete: false,
            rows: Vec::new(),
            states: Vec::new(),
            afterstates: Vec::new(),
            matrices: Vec::new(),
        }
    }

    /// Read the manifest of a directory; `None` if it has none.
    pub(crate) fn load(dir: &Path) -> Result<Option<Self>> {
        let path = dir.join(MANIFEST);
        let Some(manifest) = checked::load::<Self>(&path, FORMAT)? else {
            return Ok(None);
        };
        match manifest.audit() {
            Ok(()) => Ok(Some(manifest)),
            Err(what) => Err(Error::Damaged { path, what }),
        }
    }

    /// Read the manifest of a directory; `None` if no layer is counted. The choices of a command
    /// that counted nothing bind no later command.
    pub(crate) fn load_counted(dir: &Path) -> Result<Option<Self>> {
        Ok(Self::load(dir)?.filter(|manifest| manifest.sealed_sum > 2))
    }

    /// The table of all sealed layers.
    pub(crate) fn table(&self) -> Table {
        Table::new(self.rows.iter().copied())
    }

    /// The least sum whose states are kept: 0 if the run keeps all, else the last sum, or none if
    /// the states of the last layer were not written, as in a count that can go on.
    pub(crate) fn states_from(&self) -> u32 {
        if self.keep.states() {
            return 0;
        }
        let last = self.sealed_sum;
        let written = self.states.last().map_or(0, |files| files.name.key.sum);
        match written < last && self.layer(last).any(|row| row.live > 0) {
            true => last + 2,
            false => last,
        }
    }

    /// The least sum whose afterstates are kept: 0 if the run keeps all, else the first sum of the
    /// frontier.
    pub(crate) fn afterstates_from(&self) -> u32 {
        if self.keep.afterstates() {
            0
        } else if self.complete {
            u32::MAX
        } else {
            self.sealed_sum.saturating_sub(2)
        }
    }

    /// The boards that `keep` needs but that were dropped: their kind, and the least sum that is
    /// left.
    pub(crate) fn lacks(&self, keep: Keep) -> Option<(Kind, u32)> {
        if keep.states() && self.states_from() > 4 {
            return Some((Kind::States, self.states_from()));
        }
        let first = |files: &[SealedFiles]| files.first().map(|files| files.name.key.sum);
        let in_lists = first(&self.afterstates);
        let in_matrices = first(&self.matrices);
        let kept = in_lists.into_iter().chain(in_matrices).min();
        let first = kept.unwrap_or(self.sealed_sum + 2);
        let mut rows = self.rows.iter();
        // Lists of the layers in matrices were never written.
        let dropped =
            in_matrices.is_some() || rows.any(|row| row.sum < first && row.afterstates > 0);
        (keep.lists_of_afterstates() && dropped).then_some((Kind::Afterstates, first))
    }

    /// The files of all parts: states, then afterstates, in order of sum and largest tile.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &SealedFiles> {
        self.states.iter().chain(&self.afterstates)
    }

    /// All files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &SealedFiles> {
        self.lists().chain(&self.matrices)
    }

    /// The rows of a layer's parts.
    pub(crate) fn layer(&self, sum: u32) -> impl Iterator<Item = Row> {
        let from = self.rows.partition_point(|row| row.sum < sum);
        let rows = self.rows[from..].iter().copied();
        rows.take_while(move |row| row.sum == sum)
    }

    /// Whether the manifest names a file.
    pub(crate) fn has(&self, name: FileName) -> bool {
        self.find(name.of).is_some_and(|files| files.has(name))
    }

    /// The sealed files with a name; `None` if there are none.
    pub(crate) fn find(&self, name: PartName) -> Option<&SealedFiles> {
        let files = match name.holds {
            Holds::Boards(Kind::States) => &self.states,
            Holds::Boards(Kind::Afterstates) => &self.afterstates,
            Holds::Matrices => &self.matrices,
            Holds::Values(_) | Holds::Exact(_) => return None,
        };
        let at = files.binary_search_by_key(&name.key, |files| files.name.key);
        Some(&files[at.ok()?])
    }
}
