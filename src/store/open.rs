//! Opens a run's directory for a count. Checks its game and its files, and deletes the remains of
//! an interrupted count.

use std::mem;
use std::path::Path;

use rayon::prelude::*;

use super::files::{self, AGAIN, SOLUTION};
use super::layer::Keep;
use super::manifest::{Manifest, Record, SEGMENT, SealedFiles};
use super::{Run, Store, file};
use crate::error::{Error, Result};
use crate::game::Game;
use crate::part::{Kind, check_boards};
use crate::progress::Stop;

impl Store {
    /// Open or create the directory of a game, and prepare it for counting. Deletes unfinished
    /// files of an interrupted count, and checks every file that the manifest names (size, header,
    /// index and footer; blocks are checked before files are dropped, and when a count begins).
    ///
    /// Without `keep` the choice of the run stays; a smaller `keep` drops files. Until a layer is
    /// counted, the directory belongs to no game, and no choice stays. If nothing changes, nothing
    /// is written, so a complete run can be opened on a full or read-only disk.
    ///
    /// A complete run of states may be asked to keep afterstates, too. The store then belongs to a
    /// second count, in a directory inside. The run takes over the afterstates of the second count
    /// when it is complete.
    ///
    /// # Errors
    ///
    /// A directory of another game, in use, of a newer format, or with foreign files; a missing or
    /// damaged file; [`Error::Keep`] if `keep` asks for matrices of boards of another size than
    /// 4x4, for matrices if the run keeps lists, or the reverse, or for layers that were dropped
    /// before, or if it would drop the afterstates of a solved run.
    pub fn open(dir: &Path, game: &Game, keep: Option<Keep>) -> Result<Self> {
        Self::open_in_segments(dir, game, keep, SEGMENT)
    }

    /// Like [`Store::open`]. A run without a counted layer gets `segment` boards in every file of a
    /// part but the last, a multiple of 2^17 instead of 2^27.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`].
    pub(crate) fn open_in_segments(
        dir: &Path,
        game: &Game,
        keep: Option<Keep>,
        segment: u64,
    ) -> Result<Self> {
        check_keep(game, keep)?;
        file::create_dir(dir)?;
        files::refuse_foreign(dir)?;
        let lock = file::lock(dir)?;
        let manifest = match Manifest::load_counted(dir)? {
            Some(manifest) => manifest,
            None => {
                let new = Manifest::new(game, keep.unwrap_or_default(), segment);
                new.save(dir)?;
                new
            }
        };
        let mut run = Run::new(dir, manifest, lock);
        let again = run.can_continue(game, keep)?;
        run.audited = run.sealed_sum();
        let strays = run.remove_strays()?;
        let mut store = Self {
            run,
            notes: strays.into_iter().collect(),
            first: None,
        };
        // Files are deleted only if the files that stay are whole.
        let drops = match keep.filter(|_| !again) {
            Some(keep) => store.keep(keep)?,
            None => false,
        };
        for files in store.run.lists() {
            let part = store.run.open_part(files)?;
            drops.then(|| part.check_blocks()).transpose()?;
        }
        for sum in store.run.sums_in_matrices() {
            let matrices = store.run.matrices(sum)?.filter(|_| drops);
            matrices.map_or(Ok(()), |matrices| matrices.check_blocks())?;
        }
        match store.commit() {
            // The dropped files are deleted first, to make room. If this is interrupted, the command
            // can be repeated, because it does not need these files.
            Err(error) if error.is_lack_of_space() => {
                store.run.outbox.make_room()?;
                store.commit()?;
            }
            done => done?,
        }
        if !matches!(store.run.check_table(), Ok(None)) {
            store.run.manifest.save(dir)?;
        }
        match keep.filter(|_| again) {
            Some(keep) => store.count_again(keep),
            None => Ok(store),
        }
    }

    /// The store of a second count, for the afterstates that a complete run is to keep.
    fn count_again(mut self, keep: Keep) -> Result<Self> {
        let dir = self.run.dir().join(AGAIN);
        let (game, segment) = (self.run.game(), self.run.segment());
        let second = Some(Keep::Afterstates);
        let mut again = Self::open_in_segments(&dir, game, second, segment)?;
        self.notes.append(&mut again.notes);
        again.notes = mem::take(&mut self.notes);
        again.first = Some((Box::new(self), keep));
        Ok(again)
    }

    /// Check every block of every file against its checksum, on the threads of the caller's pool,
    /// at the speed of reading.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], which names file and block; [`Error::Stopped`].
    pub(crate) fn check_blocks(&self, stop: &Stop) -> Result<()> {
        let lists: Vec<&SealedFiles> = self.run.lists().collect();
        lists.into_par_iter().try_for_each(|files| {
            stop.check()?;
            self.run.open_part(files)?.check_blocks()
        })?;
        let sums: Vec<u32> = self.run.sums_in_matrices().collect();
        sums.into_par_iter().try_for_each(|sum| {
            stop.check()?;
            let matrices = self.run.matrices(sum)?;
            matrices.map_or(Ok(()), |matrices| matrices.check_blocks())
        })
    }

    /// Check the boards from which the count goes on, and their fingerprints, on the threads of the
    /// caller's pool. Boards that this process has written are not checked.
    ///
    /// # Errors
    ///
    /// As for [`check_boards`]; [`Error::Stopped`].
    pub(crate) fn check_frontier(&self, stop: &Stop) -> Result<()> {
        let sums = self.run.sealed_sum() - 2..=self.run.audited;
        let lists = self.run.manifest.afterstates.iter();
        let mut frontier = lists.filter(|files| sums.contains(&files.name.key.sum));
        frontier.try_for_each(|files| check_boards(&self.run.open_part(files)?, stop))
    }

    /// Change `keep`, and drop the files that it does not cover. Returns whether there are any.
    fn keep(&mut self, keep: Keep) -> Result<bool> {
        let manifest = &mut self.run.manifest;
        if keep == manifest.keep {
            return Ok(false);
        }
        let before = manifest.files().count();
        self.run.outbox.changed = true;
        manifest.keep = keep;
        self.drop_unkept()?;
        let dropped = before.saturating_sub(self.run.manifest.files().count());
        if dropped > 0 {
            let dir = self.run.dir().display();
            self.notes.push(format!(
                "{dir}: --keep {keep}: removed files of parts that it does not keep: {dropped}"
            ));
        }
        Ok(dropped > 0)
    }
}

impl Run {
    /// The run that [`Store::open`] would open, before a layer is counted or dropped. Nothing is
    /// written.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`]. A directory in use is no error, and files are not checked.
    #[cfg(feature = "machine")]
    pub(crate) fn to_open(dir: &Path, game: &Game, keep: Option<Keep>) -> Result<Self> {
        check_keep(game, keep)?;
        let found = match file::find(dir)? {
            None => None,
            Some(_) => {
                files::refuse_foreign(dir)?;
                Manifest::load_counted(dir)?
            }
        };
        let Some(manifest) = found else {
            let new = Manifest::new(game, keep.unwrap_or_default(), SEGMENT);
            return Ok(Self::new(dir, new, None));
        };
        let run = Self::new(dir, manifest, None);
        match run.can_continue(game, keep)? {
            true => Self::to_open(&dir.join(AGAIN), game, Some(Keep::Afterstates)),
            false => Ok(run),
        }
    }

    /// Check that a count of `game` can continue the run with these choices. Returns whether it is
    /// complete but must be counted again, for its afterstates.
    fn can_continue(&self, game: &Game, keep: Option<Keep>) -> Result<bool> {
        self.expect_game(game)?;
        let (dir, manifest) = (self.dir(), &self.manifest);
        let Some(keep) = keep.filter(|&keep| keep != manifest.keep) else {
            return Ok(false);
        };
        let kept = manifest.keep;
        let elsewhere = format!("go on with --keep {kept}, or count again in another --dir");
        let why = if keep.matrices() != kept.matrices() {
            format!(
                "the run began with --keep {kept}, and matrices and lists do not turn into each other: {elsewhere}"
            )
        } else if let Some((kind, below)) = manifest.lacks(keep) {
            if kind == Kind::Afterstates && manifest.complete && kept.states() {
                return Ok(true);
            }
            format!(
                "an earlier run with --keep {kept} dropped the {kind} of the layers below sum {below}: {elsewhere}"
            )
        } else if kept.afterstates() && !keep.afterstates() && file::is_there(&dir.join(SOLUTION))?
        {
            "the run is solved, and its solution needs the afterstates: leave out --keep, or delete solution.json first"
                .to_owned()
        } else {
            return Ok(false);
        };
        Err(Error::Keep(format!(
            "{}: --keep {keep}: {why}",
            dir.display()
        )))
    }
}

/// Check that a game can be kept like this, before its directory is opened.
fn check_keep(game: &Game, keep: Option<Keep>) -> Result<()> {
    let size = game.size();
    match game.bits_need() {
        Some(boards) if keep.is_some_and(Keep::matrices) => Err(Error::Keep(format!(
            "--keep matrices: for {boards}, not of {size}: give another --keep"
        ))),
        _ => Ok(()),
    }
}
