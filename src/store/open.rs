//! Opening a run's directory: whose it is, what an interrupted run left, and whether all is there.

use std::path::Path;
use std::time::Instant;

use rayon::prelude::*;

use super::files::{self, Named};
use super::manifest::{Keep, Manifest};
use super::{Store, file};
use crate::error::{Error, Result};
use crate::game::Game;

impl Store {
    /// Open the directory of a game, creating it if need be, and make it ready to go on: what an
    /// interrupted run left unfinished is deleted, and every file that the manifest names is checked
    /// (size, header, index and footer; for the blocks see [`Store::check_blocks`]).
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
            reserved: 0,
            committed: Instant::now(),
            changed: false,
            _lock: lock,
        };
        store.check_files()?;
        store.remove_orphans()?;
        store.keep(keep)?;
        store.write_table()?;
        Ok(store)
    }

    /// See that all blocks of all files are what was written, on the threads of the pool that this is
    /// called on. As fast as the files are read.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], naming file and block.
    pub fn check_blocks(&self) -> Result<()> {
        let expected: Vec<_> = self.manifest.expected().collect();
        expected
            .par_iter()
            .try_for_each(|file| file.open(&self.dir, &self.game)?.check_blocks())
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
        self.changed = true;
        self.manifest.keep = keep;
        self.drop_states();
        self.commit()
    }

    fn remove_orphans(&mut self) -> Result<()> {
        let mut removed = 0;
        for (path, named) in files::all(&self.dir)? {
            let orphan = match named {
                Named::Part(name) => !self.manifest.names(name),
                Named::Temporary => true,
                Named::Run | Named::Other => false,
            };
            if orphan {
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
        self.manifest
            .expected()
            .try_for_each(|expected| expected.open(&self.dir, &self.game).map(drop))
    }
}
