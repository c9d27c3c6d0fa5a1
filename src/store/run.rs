//! A run, for reading: whose it is, its table, and its parts.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::expected::Expected;
use super::file::{self, LOCK};
use super::files::{self, FileName, Named, SOLUTION, TABLE, ValuesName};
use super::keep::Keep;
use super::layer_states::LayerStates;
use super::manifest::Manifest;
use super::outbox::Outbox;
use crate::counts::{Row, Table};
use crate::error::{Error, Result};
use crate::game::{Game, PartKey};
use crate::part::{Kind, Part};

/// A run: the states of a game, as far as they were counted, in a directory. This is the one way to
/// read it, for everybody; a count reads the run that it goes on with in the same way
/// ([`Store::run`](super::Store::run)).
///
/// While it is open no count goes on in the directory. Nothing is written to it.
///
/// A layer, with the moves of its states:
///
/// ```
/// use enum48::game::{Direction, Moved};
/// use enum48::store::Run;
/// # let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/v1/2x2-32");
///
/// let run = Run::open(dir.as_ref())?;
/// let (mut states, mut moves, mut wins) = (0, 0, 0);
/// for state in run.layer(36)? {
///     states += 1;
///     for (direction, moved) in Direction::ALL.into_iter().zip(run.game().moves(state?)) {
///         match moved {
///             Moved::Illegal => {}
///             Moved::Wins => wins += 1,
///             Moved::To(afterstate) => println!("{}: {afterstate:#06x}", direction.name()),
///         }
///         moves += u32::from(moved != Moved::Illegal);
///     }
/// }
/// let row = run.rows(36)[0];
/// assert_eq!((states, moves, wins), (row.live, row.moves as u32, row.wins));
/// # Ok::<(), enum48::Error>(())
/// ```
pub struct Run {
    dir: PathBuf,
    game: Game,
    pub(super) manifest: Manifest,
    /// Files that wait for a commit: none but in a count.
    pub(super) outbox: Outbox<FileName>,
    _lock: Option<File>,
}

impl Run {
    /// Open a run's directory. Only its manifest is read.
    ///
    /// # Errors
    ///
    /// A directory that is no run's, one in use, one of a newer format, or one with a damaged
    /// manifest.
    pub fn open(dir: &Path) -> Result<Self> {
        fs::read_dir(dir).map_err(Error::io(dir, "read the directory"))?;
        let lock = file::lock_shared(dir)?;
        Self::read(dir, lock)
    }

    /// Open a directory in which a count may be going on, for what its manifest says at the moment;
    /// its files may go.
    ///
    /// # Errors
    ///
    /// As for [`Run::open`], but for one in use.
    pub fn peek(dir: &Path) -> Result<Self> {
        Self::read(dir, None)
    }

    fn read(dir: &Path, lock: Option<File>) -> Result<Self> {
        let Some(manifest) = Manifest::load(dir)? else {
            files::refuse_foreign(dir)?;
            return Err(Error::NotARun(dir.to_owned()));
        };
        let game = manifest.game(dir)?;
        Ok(Self::new(dir, game, manifest, lock))
    }

    pub(super) fn new(dir: &Path, game: Game, manifest: Manifest, lock: Option<File>) -> Self {
        Self {
            dir: dir.to_owned(),
            game,
            manifest,
            outbox: Outbox::new(dir),
            _lock: lock,
        }
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Whether the last layer of the game is sealed.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.manifest.complete
    }

    /// Sum of the last sealed layer, 2 if there is none.
    #[must_use]
    pub fn sealed_sum(&self) -> u32 {
        self.manifest.sealed_sum
    }

    /// Which layers' states and afterstates stay.
    #[must_use]
    pub fn keep(&self) -> Keep {
        self.manifest.keep
    }

    /// First sum whose states, or afterstates, are still there: unless it [keeps](Keep) those of
    /// every layer, those before were dropped.
    #[must_use]
    pub fn first_sum(&self, kind: Kind) -> u32 {
        let first = match kind {
            Kind::States => self.manifest.dropped_below,
            Kind::Afterstates => self.manifest.afterstates_from(),
        };
        first.max(4)
    }

    /// See that the layer of a sum was counted, and that its states are still there.
    ///
    /// # Errors
    ///
    /// [`Error::NotCounted`], [`Error::Gone`].
    pub fn has_layer(&self, sum: u32) -> Result<()> {
        let (last, first) = (self.sealed_sum(), self.first_sum(Kind::States));
        if sum > last && !self.complete() {
            let path = self.dir.clone();
            return Err(Error::NotCounted { path, sum, last });
        }
        if (4..first).contains(&sum) {
            return Err(self.gone(sum));
        }
        Ok(())
    }

    /// The error that the states of a sum were dropped.
    pub(crate) fn gone(&self, sum: u32) -> Error {
        Error::Gone {
            path: self.dir.clone(),
            sum,
            first: self.first_sum(Kind::States),
            keep: self.keep().to_string(),
        }
    }

    /// Bytes of the files of states, or afterstates, of the layers up to `until`.
    #[must_use]
    pub fn bytes(&self, kind: Kind, until: Option<u32>) -> u64 {
        self.files(kind, until).map(|file| file.sealed.bytes).sum()
    }

    /// Live states, or afterstates, in these files.
    #[must_use]
    pub fn listed(&self, kind: Kind, until: Option<u32>) -> u64 {
        self.files(kind, until).map(|file| file.sealed.states).sum()
    }

    /// The files of a kind of the layers up to `until`.
    fn files(&self, kind: Kind, until: Option<u32>) -> impl Iterator<Item = Expected> {
        let last = until.unwrap_or(u32::MAX);
        let files = self.expected();
        files.filter(move |file| file.name.kind == kind && file.name.key.sum <= last)
    }

    /// Live states and afterstates in all its files.
    #[must_use]
    pub fn boards(&self) -> u64 {
        self.expected().map(|file| file.sealed.states).sum()
    }

    /// The table of all sealed layers.
    #[must_use]
    pub fn table(&self) -> Table {
        self.manifest.table()
    }

    /// The rows of a sealed layer.
    #[must_use]
    pub fn rows(&self, sum: u32) -> Vec<Row> {
        self.manifest.layer(sum).collect()
    }

    /// The parts that there are files of, in order of sum, then largest tile.
    pub fn parts(&self, kind: Kind) -> impl Iterator<Item = PartKey> {
        self.files(kind, None).map(|file| file.name.key)
    }

    /// Open a part; `None` if there is no file of it. Checks all but the blocks, in time that is
    /// proportional to their number.
    ///
    /// # Errors
    ///
    /// A file that is missing, damaged, or not the one that was sealed.
    pub fn part(&self, kind: Kind, key: PartKey) -> Result<Option<Part>> {
        let expected = self.manifest.find(FileName { kind, key });
        expected
            .map(|expected| self.open_file(expected))
            .transpose()
    }

    /// Open a file that the manifest names.
    pub(crate) fn open_file(&self, expected: Expected) -> Result<Part> {
        self.outbox.open(
            expected.name,
            |path, bytes| expected.check(Part::from_memory(path, bytes)?, &self.game),
            |path| expected.open(path, &self.game),
        )
    }

    /// The live states of a layer: those of its parts in order of largest tile, in each part in
    /// order.
    ///
    /// # Errors
    ///
    /// [`Error::NotCounted`] or [`Error::Gone`] if the run does not have the layer; what is wrong
    /// with its files.
    pub fn layer(&self, sum: u32) -> Result<LayerStates> {
        self.has_layer(sum)?;
        let parts = self.manifest.layer(sum).filter_map(|row| row.key());
        let parts = parts.filter_map(|key| self.part(Kind::States, key).transpose());
        LayerStates::new(parts.collect::<Result<_>>()?)
    }

    /// The part files that should be there.
    pub(crate) fn expected(&self) -> impl Iterator<Item = Expected> {
        self.manifest.expected()
    }

    /// What is wrong with the directory besides the parts that the manifest names. And remarks on
    /// what does no harm: files of somebody else, and what a count leaves that is killed in a
    /// commit, which are part files that the manifest does not name yet or any more, and an older
    /// `layers.csv`; the same for files of values, of which `is_solved` knows those that are named.
    pub(crate) fn surroundings(
        &self,
        is_solved: impl Fn(ValuesName) -> bool,
    ) -> Result<(Vec<Error>, Vec<String>)> {
        let mut remarks = Vec::new();
        let (mut strays, mut stray_values) = (Vec::new(), Vec::new());
        for (path, named) in files::all(&self.dir)? {
            let shown = path.display();
            match named {
                Named::Part(name) if self.manifest.find(name).is_none() => strays.push(path),
                Named::Temporary => remarks.push(format!(
                    "{shown}: unfinished file of an interrupted process: the next one deletes it"
                )),
                Named::Other => remarks.push(format!("{shown}: not a file of the run: left alone")),
                Named::Values(name) if !is_solved(name) => stray_values.push(path),
                Named::Part(_) | Named::Run | Named::Values(_) | Named::Solution => {}
            }
        }
        remarks.extend(first_of(&strays).map(|strays| {
            format!("{strays}: not named by the manifest, so not part of the run: the next count deletes it")
        }));
        remarks.extend(first_of(&stray_values).map(|strays| {
            format!("{strays}: not named by {SOLUTION}, so not part of a solution: the next solve deletes it")
        }));
        let (older, wrong) = match self.check_table() {
            Ok(older) => (older, None),
            Err(error) => (None, Some(error)),
        };
        remarks.extend(older);
        let wrong = wrong.into_iter().chain(self.check_lock().err());
        Ok((wrong.collect(), remarks))
    }

    /// See that the lock file is empty.
    fn check_lock(&self) -> Result<()> {
        let path = self.dir.join(LOCK);
        match fs::metadata(&path) {
            Ok(found) if found.len() > 0 => {
                let what = format!("expected 0 bytes, got {}", found.len());
                Err(Error::Altered { path, what })
            }
            _ => Ok(()),
        }
    }

    /// See that `layers.csv` is the manifest's table; returns a remark if it is an older one, as the
    /// manifest is written first.
    pub(super) fn check_table(&self) -> Result<Option<String>> {
        let path = self.dir.join(TABLE);
        let table = self.table();
        let expected = table.to_csv();
        let mut found = Vec::new();
        match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound && table.rows().is_empty() => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let what = "missing".to_owned();
                return Err(Error::Altered { path, what });
            }
            opened => {
                let file = opened.map_err(Error::io(&path, "open"))?;
                // No more than could be right.
                let mut start = file.take(expected.len() as u64 + 1);
                let read = start.read_to_end(&mut found);
                read.map_err(Error::io(&path, "read"))?;
            }
        }
        if found == expected {
            return Ok(None);
        }
        let header = Table::new([]).to_csv();
        let older = expected.starts_with(&found) && found.ends_with(b"\n");
        if found.is_empty() && table.rows().is_empty() || older && found.starts_with(&header) {
            let shown = path.display();
            return Ok(Some(format!(
                "{shown}: older than the manifest: the next count writes it again"
            )));
        }
        let (mut expected, mut found) = (lines(&expected), lines(&found));
        let line = 1 + expected
            .by_ref()
            .zip(found.by_ref())
            .take_while(|(expected, found)| expected == found)
            .count();
        let what = format!("line {line} is not that of the manifest");
        Err(Error::Altered { path, what })
    }
}

/// The first path and the number of others, if there are any.
fn first_of(paths: &[PathBuf]) -> Option<String> {
    let (first, others) = paths.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        others => format!(" and {others} others"),
    };
    Some(format!("{}{others}", first.display()))
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n')
}
