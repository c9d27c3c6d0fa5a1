//! Reads a run: its game, its table and its parts.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::file;
use super::files::{self, PartName};
use super::layer::Keep;
use super::manifest::{Manifest, SealedFiles};
use super::outbox::Outbox;
use crate::counts::{Row, Table};
use crate::error::{Error, InputError, Result};
use crate::game::{Game, PartKey};
use crate::part::{Fingerprint, Kind, LayerLabel, MatrixFile, Part};

/// A directory with the states of a game, counted completely or in part: its table and its files.
/// [`Reader`](crate::read::Reader) reads its boards; a count reads its own run through
/// [`Store::run`](super::Store::run).
///
/// [`Run::open`] keeps counts out of the directory. `Run` writes nothing in it.
pub struct Run {
    pub(super) dir: PathBuf,
    pub(super) manifest: Manifest,
    /// Files that wait for a commit; only a count has any.
    pub(super) outbox: Outbox,
    /// The afterstates of layers up to this sum are audited when they are read. This process has
    /// counted the later layers itself.
    pub(super) audited: u32,
    /// Keeps other processes out. A peek has none.
    pub(super) lock: Option<File>,
    /// Whether a lock was wanted, but the file system has none.
    lacks_lock: bool,
}

impl Run {
    /// Open a run's directory. Only its manifest is read.
    ///
    /// # Errors
    ///
    /// If the directory holds no run, is in use, has a newer format, or has a damaged manifest. If
    /// its file system has no locks and the run is not complete.
    pub fn open(dir: &Path) -> Result<Self> {
        fs::read_dir(dir).map_err(files::unlisted(dir))?;
        match file::lock_shared(dir) {
            Err(lacking) if lacking.is_lack_of_locks() => {
                let mut run = Self::read(dir, None)?;
                run.lacks_lock = run.complete();
                run.lacks_lock.then_some(run).ok_or(lacking)
            }
            lock => Self::read(dir, lock?),
        }
    }

    /// Open a directory in which a count may be running, as it is now. The count may delete files
    /// at any time.
    ///
    /// # Errors
    ///
    /// As for [`Run::open`], but a directory in use is not an error.
    pub fn peek(dir: &Path) -> Result<Self> {
        Self::read(dir, None)
    }

    fn read(dir: &Path, lock: Option<File>) -> Result<Self> {
        let Some(manifest) = Manifest::load(dir)? else {
            files::refuse_foreign(dir)?;
            return Err(Error::NotARun(dir.to_owned()));
        };
        Ok(Self::new(dir, manifest, lock))
    }

    pub(super) fn new(dir: &Path, manifest: Manifest, lock: Option<File>) -> Self {
        Self {
            dir: dir.to_owned(),
            outbox: Outbox::new(dir, &manifest.game, manifest.segment),
            manifest,
            audited: u32::MAX,
            lock,
            lacks_lock: false,
        }
    }

    /// Whether nothing keeps other processes out, because the file system has no locks.
    pub fn lacks_lock(&self) -> bool {
        self.lacks_lock
    }

    /// Number of boards in every file of a part but the last.
    pub(crate) fn segment(&self) -> u64 {
        self.manifest.segment
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.manifest.game
    }

    /// Whether the last layer of the game is sealed.
    pub fn complete(&self) -> bool {
        self.manifest.complete
    }

    /// Sum of the last sealed layer, 2 if there is none.
    pub fn sealed_sum(&self) -> u32 {
        self.manifest.sealed_sum
    }

    /// The greatest sum of an afterstate; 2 if there is none.
    pub(crate) fn last_afterstates(&self) -> u32 {
        let table = self.table();
        let mut rows = table.rows().iter().rev();
        rows.find(|row| row.afterstates > 0)
            .map_or(2, |row| row.sum)
    }

    /// The choice of boards that stay in the directory.
    pub fn keep(&self) -> Keep {
        self.manifest.keep
    }

    /// First sum whose states, or afterstates, are left. A run that does not [keep](Keep) every
    /// layer has dropped the layers below this sum.
    pub fn first_sum(&self, kind: Kind) -> u32 {
        let first = match kind {
            _ if self.keep().matrices() => 4,
            Kind::States => self.manifest.states_from(),
            Kind::Afterstates => self.manifest.afterstates_from(),
        };
        first.max(4)
    }

    /// Check the game of the run.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGame`] if the run is of another game.
    pub(crate) fn expect_game(&self, game: &Game) -> Result<()> {
        if self.game() == game {
            return Ok(());
        }
        Err(Error::OtherGame {
            path: self.dir.clone(),
            found: self.game().to_string(),
            wanted: game.to_string(),
        })
    }

    /// Check that a layer was counted, and that its states, or afterstates, were not dropped.
    ///
    /// # Errors
    ///
    /// [`InputError::Sum`] for an odd sum, [`Error::NotCounted`] or [`Error::Gone`].
    pub fn has_layer(&self, kind: Kind, sum: u32) -> Result<()> {
        if sum % 2 == 1 {
            return Err(InputError::Sum(sum).into());
        }
        let (last, first) = (self.sealed_sum(), self.first_sum(kind));
        if sum > last && !self.complete() {
            let path = self.dir.clone();
            return Err(Error::NotCounted { path, sum, last });
        }
        if (4..first).contains(&sum) {
            return Err(self.gone(kind, sum));
        }
        Ok(())
    }

    /// The error that the states, or afterstates, of a sum were dropped.
    pub(crate) fn gone(&self, kind: Kind, sum: u32) -> Error {
        let keeping = match kind {
            Kind::States => Keep::All,
            Kind::Afterstates => Keep::Afterstates,
        };
        Error::Gone {
            path: self.dir.clone(),
            what: kind.to_string(),
            sum,
            first: Some(self.first_sum(kind)).filter(|&first| first <= self.sealed_sum()),
            keep: self.keep().to_string(),
            keeping: keeping.to_string(),
        }
    }

    /// Bytes of the files of states, or afterstates, of the layers up to `until`. Matrices count as
    /// afterstates.
    pub fn bytes(&self, kind: Kind, until: Option<u32>) -> u64 {
        let last = until.unwrap_or(u32::MAX);
        let files = self.manifest.files();
        let files = files.filter(|of| of.name.kind() == kind && of.name.key.sum <= last);
        files.map(|files| files.sealed.bytes).sum()
    }

    /// Number of live states, or afterstates, of the layers up to `until` that the run can list.
    pub fn listed(&self, kind: Kind, until: Option<u32>) -> u64 {
        let sums = self.first_sum(kind)..=until.unwrap_or(u32::MAX);
        let rows = self.manifest.rows.iter();
        let rows = rows.filter(|row| sums.contains(&row.sum));
        rows.map(|row| boards(row, kind)).sum()
    }

    /// Number of live states and afterstates in all files.
    pub fn boards(&self) -> u64 {
        let lists = self.lists().map(|part| part.sealed.states);
        let rows = self.sums_in_matrices().flat_map(|sum| self.rows(sum));
        lists.chain(rows.map(|row| row.afterstates)).sum()
    }

    /// The table of all sealed layers.
    pub fn table(&self) -> Table {
        self.manifest.table()
    }

    /// The rows of a sealed layer.
    pub fn rows(&self, sum: u32) -> Vec<Row> {
        self.manifest.layer(sum).collect()
    }

    /// The rows of a layer for each largest tile; without counts if the layer has no such board.
    pub(crate) fn all_rows(&self, sum: u32) -> Vec<Row> {
        let rows = self.rows(sum);
        let row = |max| Row::among(&rows, PartKey { sum, max });
        self.game().top().up_to().map(row).collect()
    }

    /// Whether the afterstates of a layer are in lists, if it has any.
    pub(crate) fn has_lists(&self, sum: u32) -> bool {
        let all = &self.manifest.afterstates;
        let none = |row: Row| row.afterstates == 0;
        self.sealed_sum() >= sum
            && (all.iter().any(|part| part.name.key.sum == sum)
                || self.manifest.layer(sum).all(none))
    }

    /// The parts that have boards in the run, in order of sum, then largest tile.
    pub fn parts(&self, kind: Kind) -> impl Iterator<Item = PartKey> {
        let rows = self.manifest.rows.iter();
        let keys = rows.filter(move |row| boards(row, kind) > 0);
        let keys = keys.filter_map(Row::key);
        keys.filter(move |&key| {
            let has_files = || self.manifest.find(PartName::new(kind, key)).is_some();
            self.is_in_matrices(kind, key.sum) || has_files()
        })
    }

    /// Whether a part has boards, if its layer is in matrices.
    pub(crate) fn has_boards(&self, kind: Kind, key: PartKey) -> bool {
        boards(&Row::among(&self.rows(key.sum), key), kind) > 0
    }

    /// Open the files of a part; `None` if it has none.
    ///
    /// # Errors
    ///
    /// If a file is missing, damaged, or not the file that was sealed.
    pub(crate) fn part(&self, kind: Kind, key: PartKey) -> Result<Option<Part>> {
        let files = self.manifest.find(PartName::new(kind, key));
        files.map(|files| self.open_part(files)).transpose()
    }

    /// Open a part that the manifest names.
    pub(crate) fn open_part(&self, files: &SealedFiles) -> Result<Part> {
        let name = files.name;
        let opened = self.outbox.open_all(files, name.label(self.game()));
        let part = opened.map_err(|error| self.or_dropped(error, name))?;
        // Nothing is computed from states, and an audit would slow their export; `verify` audits
        // them.
        if name.kind() == Kind::States || name.key.sum > self.audited {
            return Ok(part);
        }
        part.audited(self.manifest.game.rules())
    }

    /// Open the parts of a layer that have files, in order of largest tile.
    pub(crate) fn parts_of(&self, kind: Kind, sum: u32) -> Result<Vec<Part>> {
        let keys = self.manifest.layer(sum).filter_map(|row| row.key());
        keys.filter_map(|key| self.part(kind, key).transpose())
            .collect()
    }

    /// Open the matrices of a layer; `None` if the run has no such file.
    pub(crate) fn matrices(&self, sum: u32) -> Result<Option<MatrixFile>> {
        let expected = self.manifest.find(PartName::of_matrices(sum));
        let open = |files: &SealedFiles| {
            let opened = self
                .outbox
                .open_all(files, LayerLabel::new(self.game(), sum));
            opened.map_err(|error| self.or_dropped(error, files.name))
        };
        expected.map(open).transpose()
    }

    /// The fingerprint of the afterstates of a layer, in lists or in matrices.
    pub(crate) fn fingerprint(&self, sum: u32) -> Fingerprint {
        let files = self.manifest.afterstates.iter();
        let files = files.chain(&self.manifest.matrices);
        let files = files.filter(|files| files.name.key.sum == sum);
        files.map(|files| files.sealed.fingerprint).sum()
    }

    /// Whether the boards of a layer are in matrices, so that they are listed when they are asked
    /// for.
    pub(crate) fn is_in_matrices(&self, kind: Kind, sum: u32) -> bool {
        let is_frontier = || self.manifest.find(PartName::of_matrices(sum)).is_some();
        self.keep().matrices() || kind == Kind::Afterstates && is_frontier()
    }

    /// The sums of the layers whose afterstates are in matrices.
    pub(crate) fn sums_in_matrices(&self) -> impl Iterator<Item = u32> {
        self.manifest.matrices.iter().map(|file| file.name.key.sum)
    }

    /// Another error instead of a missing file, if a count has deleted the file since the manifest
    /// was read: [`Error::Gone`] if it dropped the layer. Otherwise it turned matrices into lists.
    fn or_dropped(&self, error: Error, name: PartName) -> Error {
        let Error::Missing(path) = &error else {
            return error;
        };
        let Ok(Some(manifest)) = Manifest::load(&self.dir) else {
            return error;
        };
        let now = Self::new(&self.dir, manifest, None);
        match now.has_layer(name.kind(), name.key.sum) {
            Err(gone @ Error::Gone { .. }) => gone,
            _ if now.manifest.find(name).is_none() => {
                let cause = io::Error::other("a count has replaced it: open the run again");
                Error::io(path, "open")(cause)
            }
            _ => error,
        }
    }

    /// The files of all parts.
    pub(crate) fn lists(&self) -> impl Iterator<Item = &SealedFiles> {
        self.manifest.lists()
    }
}

/// The number of live states, or of afterstates, of a row.
fn boards(row: &Row, kind: Kind) -> u64 {
    match kind {
        Kind::States => row.live,
        Kind::Afterstates => row.afterstates,
    }
}
