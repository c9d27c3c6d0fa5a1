//! `manifest.json`: the truth about a run's directory.
//!
//! It is replaced as a whole at each commit.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::checked;
use super::commit::Record;
use super::expected::Expected;
use super::file;
use super::files::{FileName, MANIFEST, TABLE};
use super::keep::Keep;
use crate::counts::{Row, Table};
use crate::error::{Error, Result};
use crate::game::{Exp, Game, PartKey};
use crate::part::{Fingerprint, Kind, Sealed};

/// Version of the directory's format: the one that this program writes, and the latest that it
/// reads.
pub(super) const FORMAT: u32 = 1;

/// A sealed part.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SealedPart {
    #[serde(flatten)]
    pub(crate) row: Row,
    /// Bytes of its file of states; 0 if there is none, or none any more.
    pub(crate) bytes: u64,
}

impl SealedPart {
    /// Its file of states; none if every state is dead, or there are only afterstates.
    pub(crate) fn file(&self) -> Option<Expected> {
        let key = self.row.key()?;
        let sealed = Sealed {
            states: self.row.live,
            bytes: self.bytes,
            fingerprint: self.row.fingerprint,
        };
        let name = FileName::of_states(key);
        (self.row.live > 0).then_some(Expected { name, sealed })
    }
}

/// A file of afterstates.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct AfterstateFile {
    pub(crate) sum: u32,
    pub(crate) max_tile: u32,
    pub(super) states: u64,
    pub(super) bytes: u64,
    fingerprint: Fingerprint,
}

impl AfterstateFile {
    /// What the manifest says of a finished file.
    pub(crate) fn new(key: PartKey, sealed: Sealed) -> Self {
        Self {
            sum: key.sum,
            max_tile: key.max.tile(),
            states: sealed.states,
            bytes: sealed.bytes,
            fingerprint: sealed.fingerprint,
        }
    }

    pub(crate) fn file(&self) -> Option<Expected> {
        let (sum, max) = (self.sum, Exp::of_tile(self.max_tile)?);
        let name = FileName::of_afterstates(PartKey { sum, max });
        let sealed = Sealed {
            states: self.states,
            bytes: self.bytes,
            fingerprint: self.fingerprint,
        };
        Some(Expected { name, sealed })
    }
}

/// The manifest. No field depends on time, threads or memory, so equal runs have equal manifests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: u32,
    pub(crate) program: String,
    pub(crate) game: String,
    pub(crate) keep: Keep,
    /// The states of all sums below this were dropped.
    pub(crate) dropped_below: u32,
    /// Sum of the last sealed layer, 2 if there is none.
    pub(crate) sealed_sum: u32,
    pub(crate) complete: bool,
    pub(crate) parts: Vec<SealedPart>,
    /// In order of sum, then largest tile.
    pub(crate) afterstates: Vec<AfterstateFile>,
}

impl Record for Manifest {
    fn save(&self, dir: &Path) -> Result<()> {
        checked::save(&dir.join(MANIFEST), self)
    }

    /// Write the table.
    fn follow(&self, dir: &Path) -> Result<()> {
        let path = dir.join(TABLE);
        let bytes = self.table().to_csv();
        file::write_atomic(&path, |file| {
            file.write_all(&bytes).map_err(Error::io(&path, "write"))
        })
    }
}

impl Manifest {
    /// The manifest of a directory in which nothing is sealed.
    pub(crate) fn new(game: &Game, keep: Keep) -> Self {
        Self {
            format: FORMAT,
            program: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).to_owned(),
            game: game.to_string(),
            keep,
            dropped_below: 0,
            sealed_sum: 2,
            complete: false,
            parts: Vec::new(),
            afterstates: Vec::new(),
        }
    }

    /// Read the manifest of a directory; `None` if it has none.
    pub(crate) fn load(dir: &Path) -> Result<Option<Self>> {
        let path = dir.join(MANIFEST);
        let Some(manifest) = checked::load::<Self>(&path, FORMAT)? else {
            return Ok(None);
        };
        let game = manifest.game(dir)?;
        let audited = manifest.audit(&game);
        audited.map_err(|what| Error::Damaged { path, what })?;
        Ok(Some(manifest))
    }

    /// The game.
    pub(crate) fn game(&self, dir: &Path) -> Result<Game> {
        self.game.parse().map_err(|error: Error| Error::Damaged {
            path: dir.join(MANIFEST),
            what: error.to_string(),
        })
    }

    /// The table of all sealed layers.
    pub(crate) fn table(&self) -> Table {
        Table::new(self.parts.iter().map(|part| part.row))
    }

    /// The least sum whose afterstates are kept: all of them are, or those of the last two sums while
    /// a count can go on from there.
    pub(crate) fn afterstates_from(&self) -> u32 {
        if self.keep.afterstates() {
            0
        } else if self.complete {
            u32::MAX
        } else {
            self.sealed_sum.saturating_sub(2)
        }
    }

    /// What was dropped already of that which `keep` would keep: states or afterstates, of the layers
    /// below a sum.
    pub(crate) fn lacks(&self, keep: Keep) -> Option<(Kind, u32)> {
        if keep.states() && self.dropped_below > 4 {
            return Some((Kind::States, self.dropped_below));
        }
        let first = self.afterstates.first();
        let first = first.map_or(self.sealed_sum + 2, |file| file.sum);
        let mut rows = self.parts.iter().map(|part| part.row);
        let dropped = rows.any(|row| row.sum < first && row.afterstates > 0);
        (keep.afterstates() && dropped).then_some((Kind::Afterstates, first))
    }

    /// The part files that should be there, in order of kind, sum and largest tile.
    pub(crate) fn expected(&self) -> impl Iterator<Item = Expected> {
        let kept = self
            .parts
            .iter()
            .filter(|part| part.row.sum >= self.dropped_below);
        let states = kept.filter_map(SealedPart::file);
        states.chain(self.afterstates.iter().filter_map(AfterstateFile::file))
    }

    /// The rows of a layer's parts.
    pub(crate) fn layer(&self, sum: u32) -> impl Iterator<Item = Row> {
        let from = self.parts.partition_point(|part| part.row.sum < sum);
        let rows = self.parts[from..].iter().map(|part| part.row);
        rows.take_while(move |row| row.sum == sum)
    }

    /// Refuse another game's directory.
    pub(crate) fn expect_game(&self, dir: &Path, game: &Game) -> Result<()> {
        let wanted = game.to_string();
        if self.game == wanted {
            return Ok(());
        }
        Err(Error::OtherGame {
            path: dir.to_owned(),
            found: self.game.clone(),
            wanted,
        })
    }

    /// What a part file must be; `None` if it does not belong to the directory.
    pub(crate) fn find(&self, name: FileName) -> Option<Expected> {
        let key = (name.key.sum, name.key.max.tile());
        match name.kind {
            Kind::States => {
                let parts = &self.parts;
                let at = parts.binary_search_by_key(&key, |part| (part.row.sum, part.row.max_tile));
                let file = parts[at.ok()?].file();
                file.filter(|_| name.key.sum >= self.dropped_below)
            }
            Kind::Afterstates => {
                let files = &self.afterstates;
                let at = files.binary_search_by_key(&key, |file| (file.sum, file.max_tile));
                files[at.ok()?].file()
            }
        }
    }
}
