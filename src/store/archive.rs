//! A run's directory, for reading: whose it is, and what should be in it.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::expected::Expected;
use super::file::{self, LOCK};
use super::files::{self, FileName, Named, TABLE};
use super::manifest::Manifest;
use crate::counts::Table;
use crate::error::{Error, Result};
use crate::game::Game;
use crate::run::{Kind, Part};

/// A run's directory that no count goes on in while this is open. Nothing is written to it.
pub struct Archive {
    dir: PathBuf,
    game: Game,
    manifest: Manifest,
    _lock: Option<File>,
}

/// Stray files up to this number are named one by one.
const FEW: usize = 5;

impl Archive {
    /// Open a run's directory. Only its manifest is read.
    ///
    /// # Errors
    ///
    /// A directory that is no run's, one in use, one of a newer format, or one with a damaged manifest.
    pub fn open(dir: &Path) -> Result<Self> {
        fs::read_dir(dir).map_err(Error::io(dir, "read the directory"))?;
        let lock = file::lock_shared(dir)?;
        Self::read(dir, lock)
    }

    /// Open a directory in which a count may go on: good for what its manifest says at the moment, not
    /// for its files.
    ///
    /// # Errors
    ///
    /// As for [`Archive::open`], but for one in use.
    pub fn peek(dir: &Path) -> Result<Self> {
        Self::read(dir, None)
    }

    fn read(dir: &Path, lock: Option<File>) -> Result<Self> {
        let Some(manifest) = Manifest::load(dir)? else {
            files::refuse_foreign(dir)?;
            return Err(Error::NotARun(dir.to_owned()));
        };
        let game = manifest.game(dir)?;
        Ok(Self {
            dir: dir.to_owned(),
            game,
            manifest,
            _lock: lock,
        })
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

    /// First sum whose states are still there: with `--keep last` those before were dropped.
    #[must_use]
    pub fn first_sum(&self) -> u32 {
        self.manifest.dropped_below.max(4)
    }

    /// See that the layer of a sum was counted, and that its states are still there.
    ///
    /// # Errors
    ///
    /// [`Error::NotCounted`], [`Error::Gone`].
    pub fn has_layer(&self, sum: u32) -> Result<()> {
        let path = self.dir.clone();
        let (last, first) = (self.sealed_sum(), self.first_sum());
        if sum > last && !self.complete() {
            return Err(Error::NotCounted { path, sum, last });
        }
        if (4..first).contains(&sum) {
            return Err(Error::Gone { path, sum, first });
        }
        Ok(())
    }

    /// Bytes of the state files of all sealed layers, those dropped since included.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.manifest.parts.iter().map(|part| part.bytes).sum()
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

    /// The sums and largest tiles of the part files of a kind, in order.
    pub fn parts(&self, kind: Kind) -> impl Iterator<Item = (u32, u32)> {
        let names = self.expected().map(|expected| expected.name);
        names
            .filter(move |name| name.kind == kind)
            .map(|name| (name.sum, name.max))
    }

    /// Open a part; `None` if there is none of that sum and largest tile.
    pub fn part(&self, kind: Kind, sum: u32, max: u32) -> Result<Option<Part>> {
        let name = FileName { kind, sum, max };
        let expected = self.expected().find(|expected| expected.name == name);
        expected
            .map(|expected| expected.open(&self.dir, &self.game))
            .transpose()
    }

    /// The part files that should be there.
    pub(crate) fn expected(&self) -> impl Iterator<Item = Expected> {
        self.manifest.expected()
    }

    /// What is in the directory and should not be, or is not what it should be: a part file that the
    /// manifest does not name, a `layers.csv` that is not the manifest's table. And remarks on files
    /// that do no harm.
    pub(crate) fn surroundings(&self) -> Result<(Vec<Error>, Vec<String>)> {
        let (mut wrong, mut remarks, mut strays) = (Vec::new(), Vec::new(), Vec::new());
        for (path, named) in files::all(&self.dir)? {
            let shown = path.display();
            match named {
                Named::Part(name) if !self.manifest.names(name) => strays.push(path),
                Named::Temporary => remarks.push(format!(
                    "{shown}: unfinished file of an interrupted run: the next count deletes it"
                )),
                Named::Other => remarks.push(format!("{shown}: not a file of the run: left alone")),
                Named::Part(_) | Named::Run => {}
            }
        }
        // A count that was stopped while it committed leaves many.
        let more = strays.len().saturating_sub(FEW);
        if more > 0 {
            strays.truncate(1);
        }
        wrong.extend(strays.into_iter().map(|path| Error::Stray {
            path,
            more: if more > 0 { more + FEW - 1 } else { 0 },
        }));
        wrong.extend(self.check_table().err());
        wrong.extend(self.check_lock().err());
        Ok((wrong, remarks))
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

    /// See that `layers.csv` is the manifest's table.
    fn check_table(&self) -> Result<()> {
        let path = self.dir.join(TABLE);
        let found = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let what = "missing".to_owned();
                return Err(Error::Altered { path, what });
            }
            read => read.map_err(Error::io(&path, "read"))?,
        };
        let expected = self.table().to_csv();
        if found == expected {
            return Ok(());
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

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n')
}
