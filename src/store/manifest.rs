//! `manifest.json`: the truth about a run's directory.
//!
//! It is replaced as a whole at each commit. Its last field is the CRC-32 of the rest, and a file
//! that is not exactly what this program would write for its contents is refused: a manifest is
//! never edited by hand.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::expected::Expected;
use super::file;
use super::files::{FileName, MANIFEST};
use crate::counts::{Row, Table};
use crate::error::{Error, Result};
use crate::game::Game;
use crate::run::{Fingerprint, Kind, Sealed};

/// Version of the directory's format: the latest that this program reads, and the one it writes.
const FORMAT: u32 = 1;

/// Which layers' states stay in the directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// Every layer.
    #[default]
    All,
    /// The last sealed layer, and what going on needs.
    Last,
}

/// A sealed part.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SealedPart {
    #[serde(flatten)]
    pub(crate) row: Row,
    /// Bytes of its file of states.
    pub(crate) bytes: u64,
}

/// A file of afterstates that going on needs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct AfterstateFile {
    pub(crate) sum: u32,
    pub(crate) max_tile: u32,
    pub(crate) states: u64,
    pub(crate) bytes: u64,
    pub(crate) fingerprint: Fingerprint,
}

/// The manifest. No field depends on time, threads or memory, so equal runs have equal manifests.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: u32,
    pub(crate) program: String,
    pub(crate) game: String,
    pub(crate) keep: Keep,
    /// States of sums below this were dropped.
    pub(crate) dropped_below: u32,
    /// Sum of the last sealed layer, 2 if there is none.
    pub(crate) sealed_sum: u32,
    pub(crate) complete: bool,
    pub(crate) parts: Vec<SealedPart>,
    pub(crate) afterstates: Vec<AfterstateFile>,
}

/// The file: the manifest and its checksum.
#[derive(Serialize, Deserialize)]
struct Checked {
    #[serde(flatten)]
    manifest: Manifest,
    crc32: String,
}

/// The only field that is read of any version.
#[derive(Deserialize)]
struct AnyVersion {
    format: u32,
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
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            let what = "not a file".to_owned();
            return Err(Error::Damaged { path, what });
        }
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(Error::io(&path, "read"))?,
        };
        let damaged = |what: String| Error::Damaged {
            path: path.clone(),
            what,
        };
        let AnyVersion { format } =
            serde_json::from_slice(&bytes).map_err(|e| damaged(e.to_string()))?;
        if format > FORMAT {
            return Err(Error::Newer {
                path,
                found: format,
                known: FORMAT,
            });
        }
        let checked: Checked =
            serde_json::from_slice(&bytes).map_err(|e| damaged(e.to_string()))?;
        if checked
            .manifest
            .to_bytes()
            .map_err(|e| damaged(e.to_string()))?
            != bytes
        {
            return Err(damaged("checksum differs".to_owned()));
        }
        Ok(Some(checked.manifest))
    }

    /// Replace the manifest of a directory, durably.
    pub(crate) fn save(&self, dir: &Path) -> Result<()> {
        let path = dir.join(MANIFEST);
        let bytes = self
            .to_bytes()
            .map_err(|e| Error::io(&path, "write")(io::Error::other(e)))?;
        file::write_atomic(&path, |file| {
            file.write_all(&bytes).map_err(Error::io(&path, "write"))
        })
    }

    fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let crc32 = format!("{:08x}", crc32fast::hash(&serde_json::to_vec(self)?));
        let mut bytes = serde_json::to_vec_pretty(&Checked {
            manifest: self.clone(),
            crc32,
        })?;
        bytes.push(b'\n');
        Ok(bytes)
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

    /// The part files that should be there, in order of kind, sum and largest tile.
    pub(crate) fn expected(&self) -> impl Iterator<Item = Expected> {
        let kept = |part: &&SealedPart| part.row.live > 0 && part.row.sum >= self.dropped_below;
        let states = self.parts.iter().filter(kept).map(|part| Expected {
            name: FileName {
                kind: Kind::States,
                sum: part.row.sum,
                max: part.row.max_tile,
            },
            sealed: Sealed {
                states: part.row.live,
                bytes: part.bytes,
                fingerprint: part.row.fingerprint,
            },
        });
        let afterstates = self.afterstates.iter().map(|file| Expected {
            name: FileName {
                kind: Kind::Afterstates,
                sum: file.sum,
                max: file.max_tile,
            },
            sealed: Sealed {
                states: file.states,
                bytes: file.bytes,
                fingerprint: file.fingerprint,
            },
        });
        states.chain(afterstates)
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

    /// Whether a file belongs to the directory.
    pub(crate) fn names(&self, name: FileName) -> bool {
        match name.kind {
            Kind::States => {
                let key = |part: &SealedPart| (part.row.sum, part.row.max_tile);
                let at = self.parts.binary_search_by_key(&(name.sum, name.max), key);
                name.sum >= self.dropped_below && at.is_ok_and(|at| self.parts[at].row.live > 0)
            }
            Kind::Afterstates => self
                .afterstates
                .iter()
                .any(|file| (file.sum, file.max_tile) == (name.sum, name.max)),
        }
    }
}
