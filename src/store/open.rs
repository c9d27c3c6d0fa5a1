//! Opening a run's directory: whose it is, what an interrupted run left, and whether all is there.

use std::path::Path;
use std::time::Instant;

use super::files::{self, FileName};
use super::manifest::{AfterstateFile, Keep, Manifest};
use super::{Store, file};
use crate::error::{Error, Result};
use crate::game::Game;
use crate::run::{Kind, Part, Sealed};

impl Store {
    /// Open the directory of a game, creating it if need be, and make it ready to go on: what an
    /// interrupted run left unfinished is deleted, and every file that the manifest names is checked
    /// (size, header, index and footer; not the blocks).
    ///
    /// `keep` of `None` goes on as the directory was begun.
    ///
    /// # Errors
    ///
    /// Another game's directory, one in use, one of a newer format, one that holds other things, or
    /// one with a file missing or damaged.
    pub fn open(dir: &Path, game: &Game, keep: Option<Keep>) -> Result<Self> {
        file::create_dir(dir)?;
        files::refuse_foreign(dir)?;
        let lock = file::lock(dir)?;
        let manifest = match Manifest::load(dir)? {
            Some(manifest) => manifest,
            None => {
                let manifest = Manifest::new(game, keep.unwrap_or_default());
                manifest.save(dir)?;
                manifest
            }
        };
        manifest.expect_game(dir, game)?;
        let mut store = Self {
            dir: dir.to_owned(),
            game: *game,
            manifest,
            notes: Vec::new(),
            unsealed: Vec::new(),
            pending: Vec::new(),
            pending_bytes: 0,
            spare: Vec::new(),
            obsolete: Vec::new(),
            committed: Instant::now(),
            _lock: lock,
        };
        store.remove_orphans()?;
        store.check_files()?;
        store.keep(keep)?;
        store.write_table()?;
        Ok(store)
    }

    fn keep(&mut self, keep: Option<Keep>) -> Result<()> {
        let Some(keep) = keep.filter(|&keep| keep != self.manifest.keep) else {
            return Ok(());
        };
        if keep == Keep::All && self.manifest.dropped_below > 0 {
            let below = self.manifest.dropped_below;
            return Err(Error::Dropped {
                path: self.dir.clone(),
                below,
            });
        }
        self.manifest.keep = keep;
        self.drop_states();
        self.commit()
    }

    fn remove_orphans(&mut self) -> Result<()> {
        let mut removed = 0;
        for (path, name) in files::ours(&self.dir)? {
            if name.is_none_or(|name| !self.manifest.names(name)) {
                file::remove(&path)?;
                removed += 1;
            }
        }
        if removed > 0 {
            let dir = self.dir.display();
            self.notes.push(format!(
                "{dir}: removed {removed} unfinished files of an interrupted run"
            ));
        }
        Ok(())
    }

    fn check_files(&self) -> Result<()> {
        let states = self.manifest.parts.iter().filter(|part| part.row.live > 0);
        let states = states
            .filter(|part| part.row.sum >= self.manifest.dropped_below)
            .map(|part| {
                let row = part.row;
                let sealed = Sealed {
                    states: row.live,
                    bytes: part.bytes,
                    fingerprint: row.fingerprint,
                };
                (
                    FileName {
                        kind: Kind::States,
                        sum: row.sum,
                        max: row.max_tile,
                    },
                    sealed,
                )
            });
        let afterstates = self.manifest.afterstates.iter().map(|file| {
            let AfterstateFile {
                sum,
                max_tile: max,
                states,
                bytes,
                fingerprint,
            } = *file;
            (
                FileName {
                    kind: Kind::Afterstates,
                    sum,
                    max,
                },
                Sealed {
                    states,
                    bytes,
                    fingerprint,
                },
            )
        });
        states
            .chain(afterstates)
            .try_for_each(|(name, sealed)| self.check_file(name, sealed))
    }

    fn check_file(&self, name: FileName, expected: Sealed) -> Result<()> {
        let path = self.dir.join(name.to_string());
        let part = Part::open(&path)?;
        let mismatch = |what: String| {
            Err(Error::Mismatch {
                path: path.clone(),
                what,
            })
        };
        let label = self.label(name.kind, name.sum, name.max);
        if part.label() != label {
            return mismatch(format!("expected {label:?}, got {:?}", part.label()));
        }
        let got = Sealed {
            states: part.states(),
            bytes: part.bytes(),
            fingerprint: part.fingerprint(),
        };
        if got != expected {
            return mismatch(format!("expected {expected:?}, got {got:?}"));
        }
        Ok(())
    }
}
