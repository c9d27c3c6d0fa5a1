//! Opening a run's directory to count: whose it is, what an interrupted count left, and whether
//! every file is there.

use std::path::Path;

use rayon::prelude::*;

use super::commit::Record;
use super::files::{self, Named, SOLUTION};
use super::keep::Keep;
use super::manifest::{self, Manifest};
use super::{Run, Store, file};
use crate::error::{Error, Result, SolvingError};
use crate::game::Game;

impl Store {
    /// Open the directory of a game, created if it is not there, and make it ready to go on: what
    /// an interrupted count left unfinished is deleted, and every file that the manifest names is
    /// checked (size, header, index and footer; blocks are checked when a count begins).
    ///
    /// Without `keep` the run goes on as it was begun; one that keeps less drops the rest. Where
    /// nothing is to be changed, nothing is written: a run that is complete can be opened on a full
    /// disk, or one that is only read.
    ///
    /// # Errors
    ///
    /// A directory of another game, in use, of a newer format, or that holds other things; a
    /// missing or damaged file; [`Error::Dropped`] if `keep` asks for what was dropped before;
    /// [`SolvingError::Needed`] if it drops the afterstates of a run that is solved.
    pub fn open(dir: &Path, game: &Game, keep: Option<Keep>) -> Result<Self> {
        Self::open_in_segments(dir, game, keep, None)
    }

    /// The same, with so many boards in every file of a part but the last. Without `segment` a run goes
    /// on as it was begun, and a new one has 2^27 in each.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`]; [`Error::Segment`] if the run was begun with others, or files cannot
    /// be cut so.
    pub fn open_in_segments(
        dir: &Path,
        game: &Game,
        keep: Option<Keep>,
        segment: Option<u64>,
    ) -> Result<Self> {
        if let Some(segment) = segment {
            manifest::can_be_cut(segment)?;
        }
        file::create_dir(dir)?;
        files::refuse_foreign(dir)?;
        let lock = file::lock(dir)?;
        let manifest = match Manifest::load(dir)? {
            Some(manifest) => manifest,
            None => {
                let manifest = Manifest::new(game, keep.unwrap_or_default(), segment);
                manifest.save(dir)?;
                manifest
            }
        };
        manifest.expect_game(dir, game)?;
        manifest.expect_segment(dir, segment)?;
        let mut store = Self {
            run: Run::new(dir, *game, manifest, lock),
            notes: Vec::new(),
        };
        store.keep(keep)?;
        store.check_files()?;
        store.remove_orphans()?;
        store.commit_or_make_room()?;
        if !matches!(store.run.check_table(), Ok(None)) {
            store.run.manifest.follow(dir)?;
        }
        Ok(store)
    }

    /// Check every block of every file against its checksum, on the threads of the pool that this
    /// is called on. As fast as the files can be read.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], naming file and block.
    pub(crate) fn check_blocks(&self) -> Result<()> {
        let expected: Vec<_> = self.run.expected().collect();
        expected
            .par_iter()
            .try_for_each(|part| self.run.open_part(part)?.check_blocks())
    }

    /// Change what is kept: what is not to be kept any more is dropped.
    fn keep(&mut self, keep: Option<Keep>) -> Result<()> {
        let manifest = &self.run.manifest;
        let Some(keep) = keep.filter(|&keep| keep != manifest.keep) else {
            return Ok(());
        };
        if let Some((kind, below)) = manifest.lacks(keep) {
            return Err(Error::Dropped {
                wanted: keep.to_string(),
                kept: manifest.keep.to_string(),
                what: kind.to_string(),
                below,
                path: self.run.dir().to_owned(),
            });
        }
        if manifest.keep.afterstates()
            && !keep.afterstates()
            && self.run.dir().join(SOLUTION).exists()
        {
            return Err(SolvingError::Needed {
                path: self.run.dir().to_owned(),
                wanted: keep.to_string(),
            }
            .into());
        }
        let manifest = &mut self.run.manifest;
        self.run.outbox.change();
        manifest.keep = keep;
        if keep.states() {
            // There were none.
            manifest.dropped_below = 0;
        }
        self.drop_afterstates()?;
        self.drop_states()
    }

    /// Commit what `keep` has changed. If the disk is full, what it drops makes room first; the
    /// same command goes on from there, as it no longer asks for what is gone.
    fn commit_or_make_room(&mut self) -> Result<()> {
        let Run {
            manifest, outbox, ..
        } = &mut self.run;
        match outbox.commit(manifest) {
            Err(error) if error.is_lack_of_space() => {
                outbox.make_room()?;
                outbox.commit(manifest)
            }
            done => done,
        }
    }

    /// Delete what the manifest does not name.
    fn remove_orphans(&mut self) -> Result<()> {
        let Run {
            manifest, outbox, ..
        } = &self.run;
        let remark = outbox.remove_orphans("count", |named| match named {
            // What `keep` drops is still named by the manifest on disk.
            Named::Part(name) => !manifest.has(name) && !outbox.is_obsolete(name),
            Named::Temporary => true,
            Named::Tasks(sum) => sum <= manifest.sealed_sum,
            Named::Run | Named::Values(_) | Named::Solution | Named::Other => false,
        })?;
        self.notes.extend(remark);
        Ok(())
    }

    fn check_files(&self) -> Result<()> {
        self.run
            .expected()
            .try_for_each(|part| self.run.open_part(&part).map(drop))
    }
}
