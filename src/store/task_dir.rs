//! The directory for the tasks of a layer that several processes count together.
//!
//! Key idea: no file in it ever changes; a damaged file is deleted. Each attempt at a task works in
//! its own directory. A finished file gets its name by a hard link, which the file system grants
//! only once. So a task may run twice, at once or later. All results are equal, and the first
//! result stays.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::TempDir;

use super::files::Named;
use super::run::Run;
use super::writer::Writer;
use super::{checked, file, files};
use crate::error::{Error, Result};
use crate::part::{Contents, FileContents, Sealed, Segments};

/// Format version of saved values.
const FORMAT: u32 = 1;

/// The directory of a layer's tasks.
pub(crate) struct TaskDir {
    path: PathBuf,
}

impl TaskDir {
    /// The directory `name` of a run, which need not exist.
    pub(crate) fn new(run: &Run, name: &str) -> Self {
        let path = run.dir().join(name);
        Self { path }
    }

    /// The names of a run's task directories for the layer of a sum.
    pub(crate) fn names(run: &Run, sum: u32) -> Result<Vec<String>> {
        let files = files::all(run.dir())?.into_iter();
        let names = files.filter_map(|(path, named)| match named {
            Named::Tasks(of) if of == sum => path.file_name()?.to_str().map(str::to_owned),
            _ => None,
        });
        Ok(names.collect())
    }

    /// The name of the task directory for a layer; it contains a checksum of the plan.
    pub(crate) fn name(sum: u32, plan: &impl Serialize) -> String {
        files::tasks_name(sum, checked::checksum(plan))
    }

    /// Create the directory `name`.
    pub(crate) fn create(run: &Run, name: &str) -> Result<Self> {
        let dir = Self::new(run, name);
        file::create_dir(&dir.path)?;
        Ok(dir)
    }

    /// See what other machines have published. For up to a minute NFS answers from memory that a file
    /// is missing, unless this machine finds the directory changed when it changes it itself.
    pub(crate) fn refresh(&self) {
        // Where nothing can be created, nothing has been published either.
        drop(self.begin("look"));
    }

    /// Read a [saved](Attempt::save) value; `None` if the file does not exist.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub(crate) fn load<T>(&self, name: &str) -> Result<Option<T>>
    where
        T: Serialize + DeserializeOwned,
    {
        checked::load(&self.path(name), FORMAT)
    }

    /// Begin an attempt at a task, in its own directory.
    pub(crate) fn begin(&self, task: &str) -> Result<Attempt<'_>> {
        let place = tempfile::Builder::new()
            .prefix(&format!("{task}-"))
            .suffix(file::TEMPORARY)
            .tempdir_in(&self.path)
            .map_err(Error::io(&self.path, "create a directory in"))?;
        Ok(Attempt { dir: self, place })
    }

    /// The path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Open a file that a task has made.
    ///
    /// # Errors
    ///
    /// If the file is missing, damaged, or not the file that the task reported.
    pub(crate) fn open<C: FileContents>(
        &self,
        name: &str,
        contents: C,
        sealed: Sealed,
    ) -> Result<Segments<C>> {
        Segments::open(&self.path(name))
            .map_err(Error::missing)?
            .expect(contents, sealed)
    }

    /// Delete files, in the given order.
    pub(crate) fn retract<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let mut paths = names.into_iter().map(|name| self.path(name));
        paths.try_for_each(|path| file::remove(&path))
    }

    pub(crate) fn delete(&self) {
        file::clear(&self.path);
    }
}

/// An attempt at a task. Dropping it deletes its unpublished files.
pub(crate) struct Attempt<'a> {
    dir: &'a TaskDir,
    place: TempDir,
}

impl Attempt<'_> {
    /// Begin a file, in blocks of `block` boards.
    pub(crate) fn create(
        &self,
        name: &str,
        contents: impl Into<Contents>,
        block: usize,
    ) -> Result<Writer> {
        let path = self.place.path().join(name);
        let path_of = Box::new(move |_| path.clone());
        Writer::new(path_of, vec![contents.into()], block, u64::MAX)
    }

    /// Finish a file and publish it under `name`, unless the name is taken. An empty file is
    /// dropped. Returns the totals of the file.
    pub(crate) fn publish(&self, name: &str, writer: Writer) -> Result<Sealed> {
        let mut sealed = Sealed::default();
        for (held, file) in writer.finish()? {
            if file.states == 0 {
                continue;
            }
            let written = self.place.path().join(name);
            if let Some(bytes) = held {
                file::write(&written, &bytes)?;
            }
            self.link(&written, name)?;
            sealed = file;
        }
        Ok(sealed)
    }

    /// Save a value for [`TaskDir::load`], unless the name is taken. Afterwards all published files
    /// are durable.
    pub(crate) fn save<T: Serialize>(self, name: &str, contents: &T) -> Result<()> {
        let written = self.place.path().join(name);
        checked::save(&written, FORMAT, contents)?;
        self.link(&written, name)?;
        file::sync_dir(&self.dir.path)
    }

    fn link(&self, written: &Path, name: &str) -> Result<()> {
        file::publish_once(written, &self.dir.path(name))
    }
}
