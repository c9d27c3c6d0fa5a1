//! The directory of a layer that many processes count: what they hand to each other.
//!
//! Key idea: no file in it is ever changed, only deleted if it is found to be damaged. Whoever works on
//! a task does so in a directory of its own, and a finished file gets its name by a link, which the
//! file system grants once. So a task can be done twice, at once, or late: its results are the same,
//! and the first ones stay.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::expected::Expected;
use super::files::Named;
use super::run::Run;
use super::spool::Contents;
use super::writer::Writer;
use super::{checked, file, files};
use crate::error::{Error, Result};
use crate::part::{Label, Part, Sealed};

/// Version of the format of what tasks hand to each other.
const FORMAT: u32 = 1;

/// What is saved.
#[derive(Serialize, Deserialize)]
struct Formatted<T> {
    format: u32,
    #[serde(flatten)]
    contents: T,
}

/// See the module.
pub(crate) struct TaskDir {
    path: PathBuf,
}

impl TaskDir {
    /// The one of a name in a run's directory, whether it is there or not.
    pub(crate) fn new(run: &Run, name: &str) -> Self {
        let path = run.dir().join(name);
        Self { path }
    }

    /// The names of those in a run's directory for the layer of a sum.
    pub(crate) fn names(run: &Run, sum: u32) -> Result<Vec<String>> {
        let of_layer = files::all(run.dir())?.into_iter();
        let of_layer = of_layer.filter(|(_, named)| *named == Named::Tasks(sum));
        let names = of_layer.filter_map(|(path, _)| path.file_name()?.to_str().map(str::to_owned));
        Ok(names.collect())
    }

    /// Delete those for layers that are sealed.
    pub(crate) fn delete_sealed(run: &Run) -> Result<()> {
        for (path, named) in files::all(run.dir())? {
            if matches!(named, Named::Tasks(sum) if sum <= run.sealed_sum()) {
                file::clear(&path);
            }
        }
        Ok(())
    }

    /// The name of the one for the layer of a sum, which tells its plan from all others.
    pub(crate) fn name(sum: u32, plan: &impl Serialize) -> String {
        files::tasks_name(sum, checked::checksum(plan))
    }

    /// Make the one of a name.
    pub(crate) fn create(run: &Run, name: &str) -> Result<Self> {
        let dir = Self::new(run, name);
        file::create_dir(&dir.path)?;
        Ok(dir)
    }

    /// Read what was [saved](Attempt::save); `None` if nothing was.
    ///
    /// # Errors
    ///
    /// A damaged file.
    pub(crate) fn load<T>(&self, name: &str) -> Result<Option<T>>
    where
        T: Serialize + DeserializeOwned,
    {
        let loaded = checked::load::<Formatted<T>>(&self.path(name), FORMAT)?;
        Ok(loaded.map(|formatted| formatted.contents))
    }

    /// Begin to do something, in a directory of its own.
    pub(crate) fn begin(&self, task: &str) -> Result<Attempt<'_>> {
        let mut names = tempfile::Builder::new();
        let prefix = format!("{task}-");
        let place = names.prefix(&prefix).suffix(file::TEMPORARY);
        let place = place.tempdir_in(&self.path);
        let place = place.map_err(Error::io(&self.path, "create a directory in"))?;
        Ok(Attempt { dir: self, place })
    }

    /// The names of its files.
    pub(crate) fn files(&self) -> Result<HashSet<String>> {
        Ok(files::names(&self.path)?.into_iter().collect())
    }

    /// The path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Open a part file that a task has made.
    ///
    /// # Errors
    ///
    /// If it is missing, damaged, or not what the task said it is.
    pub(crate) fn part(&self, name: &str, label: Label, sealed: Sealed) -> Result<Part> {
        let part = Part::open(&self.path(name)).map_err(Error::missing)?;
        Expected::check(part, label, sealed)
    }

    /// Delete some of its files, in their order.
    pub(crate) fn retract<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let mut paths = names.into_iter().map(|name| self.path(name));
        paths.try_for_each(|path| file::remove(&path))
    }

    pub(crate) fn delete(self) {
        file::clear(&self.path);
    }
}

/// An attempt at a task. What it does not publish is gone with it.
pub(crate) struct Attempt<'a> {
    dir: &'a TaskDir,
    place: TempDir,
}

impl Attempt<'_> {
    /// Begin a part file, in blocks of `block` boards.
    pub(crate) fn create(&self, name: &str, label: Label, block: usize) -> Result<Writer> {
        Writer::one(self.place.path().join(name), label.into(), block)
    }

    /// Finish it, and give it its name, unless there is such a file; returns what it is. An empty one
    /// is dropped.
    pub(crate) fn publish(&self, name: &str, writer: Writer) -> Result<Sealed> {
        let mut sealed = Sealed::default();
        for (contents, file) in writer.finish()? {
            if file.states == 0 {
                continue;
            }
            let written = self.place.path().join(name);
            if let Contents::Memory(bytes) = contents {
                file::write(&written, &bytes)?;
            }
            self.link(&written, name)?;
            sealed = file;
        }
        Ok(sealed)
    }

    /// Save what can be [loaded](TaskDir::load), unless something was; after it, what was published
    /// before is durable.
    pub(crate) fn save<T: Serialize>(self, name: &str, contents: &T) -> Result<()> {
        let written = self.place.path().join(name);
        let format = FORMAT;
        checked::save(&written, &Formatted { format, contents })?;
        self.link(&written, name)?;
        file::sync_dir(&self.dir.path)
    }

    fn link(&self, written: &Path, name: &str) -> Result<()> {
        file::publish_once(written, &self.dir.path(name))
    }
}
