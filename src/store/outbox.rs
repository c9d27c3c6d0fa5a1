//! Finished files that wait for the commit that names them.
//!
//! A file is finished when its last byte is written, and *sealed* when the layer that it belongs to
//! is. Sealed files wait until enough of them have come together, or enough time has passed, to be
//! worth a commit; in the meantime they can be read, whether they are in memory, under a temporary
//! name, or just being published.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::commit::{Commit, Pending, Record, UnderWay};
use super::file;
use super::files::{self, FileName, Name, Named, RESERVE};
use super::spool::Contents;
use super::writer::Writer;
use crate::error::{Error, Result};
use crate::part::{self, Sealed};

/// Commit at the end of a layer if this much time has passed since the last commit...
const COMMIT_AFTER: Duration = Duration::from_secs(1);
/// ...or if this many bytes wait to be made durable...
const COMMIT_BYTES: u64 = 256 << 20;
/// ...or so many of them in memory.
const COMMIT_HELD: u64 = 8 << 20;

/// The finished files of something, and what each is.
type Finished<N> = (N, Vec<(Pending<N>, Sealed)>);

/// Files with names of one kind, on their way into a directory.
pub(super) struct Outbox<N> {
    dir: PathBuf,
    /// What is finished of layers that are not sealed: the files of each, and what they are.
    unsealed: Vec<Finished<N>>,
    /// Sealed files that wait for a commit, first those of the commit under way.
    sealed: Vec<Pending<N>>,
    /// Files that the next commit's manifest will not name.
    obsolete: Vec<FileName<N>>,
    under_way: Option<UnderWay>,
    /// Whether the manifest has changed since the last commit.
    changed: bool,
    /// Bytes that wait for the next commit, and those of them in memory.
    waiting: u64,
    held: u64,
    committed: Instant,
    /// Bytes reserved for the manifest.
    reserved: u64,
}

impl<N: Name> Outbox<N> {
    /// Nothing waits.
    pub(super) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            unsealed: Vec::new(),
            sealed: Vec::new(),
            obsolete: Vec::new(),
            under_way: None,
            changed: false,
            waiting: 0,
            held: 0,
            committed: Instant::now(),
            reserved: 0,
        }
    }

    /// Begin the files of something, each of `segment` boards, and of these contents; the last one
    /// holds for all that follow.
    pub(super) fn create(
        &self,
        name: N,
        contents: Vec<part::Contents>,
        segment: u64,
    ) -> Result<Writer> {
        let dir = self.dir.clone();
        let path_of = move |name: FileName<N>| file::temporary(&dir.join(name.to_string()));
        Writer::new(name, contents, segment, path_of)
    }

    /// Finish the files of a layer that is not sealed yet; an empty one is dropped. Returns what they
    /// are together.
    pub(super) fn finish(&mut self, name: N, writer: Writer) -> Result<Sealed> {
        let mut files = writer.finish()?;
        files.retain(|(_, sealed)| sealed.states > 0);
        let names = FileName::all(name, files.len());
        let mut finished = Vec::with_capacity(files.len());
        for (name, (contents, sealed)) in names.zip(files) {
            let only = FileName {
                segment: None,
                ..name
            };
            if name.segment == Some(0) && matches!(contents, Contents::File) {
                file::rename(&self.temporary(only), &self.temporary(name))?;
            }
            self.waiting += sealed.bytes;
            self.held += contents.held();
            finished.push((Pending { name, contents }, sealed));
        }
        let all: Sealed = finished.iter().map(|(_, sealed)| *sealed).sum();
        if all.states > 0 {
            self.unsealed.push((name, finished));
        }
        Ok(all)
    }

    /// Take over finished files that are elsewhere in the same file system, of a layer that is not
    /// sealed yet.
    pub(super) fn adopt(&mut self, name: N, files: &[(PathBuf, Sealed)]) -> Result<()> {
        let mut adopted = Vec::with_capacity(files.len());
        for (name, (path, sealed)) in FileName::all(name, files.len()).zip(files) {
            file::publish_once(path, &self.temporary(name))?;
            self.waiting += sealed.bytes;
            let contents = Contents::File;
            adopted.push((Pending { name, contents }, *sealed));
        }
        self.unsealed.push((name, adopted));
        Ok(())
    }

    /// The layers of the finished files are sealed, in a manifest that is to be committed; returns
    /// what the files of each part are.
    pub(super) fn seal(&mut self) -> Vec<(N, Vec<Sealed>)> {
        self.changed = true;
        let mut sealed = Vec::new();
        for (name, files) in self.unsealed.drain(..) {
            let mut all = Vec::with_capacity(files.len());
            for (pending, file) in files {
                self.sealed.push(pending);
                all.push(file);
            }
            sealed.push((name, all));
        }
        sealed
    }

    /// Open a file, wherever it is.
    pub(super) fn open<T>(
        &self,
        name: FileName<N>,
        from_memory: impl FnOnce(&Path, Arc<[u8]>) -> Result<T>,
        from_file: impl Fn(&Path) -> Result<T>,
    ) -> Result<T> {
        let path = self.dir.join(name.to_string());
        let waits = self.sealed.iter().find(|pending| pending.name == name);
        match waits.map(|pending| &pending.contents) {
            Some(Contents::Memory(bytes)) => from_memory(&path, Arc::clone(bytes)),
            // The commit under way may just give it its name.
            Some(Contents::File) => match from_file(&self.temporary(name)) {
                Err(Error::Missing(_)) => from_file(&path),
                opened => opened,
            },
            None => from_file(&path),
        }
    }

    /// The manifest has changed, and is to be committed.
    pub(super) fn change(&mut self) {
        self.changed = true;
    }

    /// Whether it is time to commit what is sealed.
    pub(super) fn is_commit_due(&self) -> bool {
        self.waiting >= COMMIT_BYTES
            || self.held >= COMMIT_HELD
            || self.committed.elapsed() >= COMMIT_AFTER
    }

    /// Commit everything that is sealed, with a manifest that names it.
    pub(super) fn commit<R: Record + Clone>(&mut self, record: &R) -> Result<()> {
        if self.changed {
            self.begin_commit(record)?;
        }
        self.end_commit()
    }

    /// Begin to do so, after the commit under way.
    pub(super) fn begin_commit<R: Record + Clone>(&mut self, record: &R) -> Result<()> {
        self.end_commit()?;
        let commit = Commit {
            dir: self.dir.clone(),
            record: record.clone(),
            files: self.sealed.clone(),
            obsolete: self.obsolete.clone(),
        };
        self.under_way = Some(commit.begin()?);
        self.changed = false;
        (self.waiting, self.held) = (0, 0);
        self.committed = Instant::now();
        Ok(())
    }

    /// Wait for the commit under way. If it failed, what it was to commit waits for the next one.
    fn end_commit(&mut self) -> Result<()> {
        let Some(under_way) = self.under_way.take() else {
            return Ok(());
        };
        let (files, obsolete) = (under_way.files, under_way.obsolete);
        under_way.end().inspect_err(|_| self.changed = true)?;
        self.sealed.drain(..files);
        self.obsolete.drain(..obsolete);
        Ok(())
    }

    /// Let files go: those that no manifest will have named at once, the others after the next
    /// commit.
    pub(super) fn discard(&mut self, names: &[FileName<N>]) -> Result<()> {
        let committing = self.under_way.as_ref().map_or(0, |commit| commit.files);
        for &name in names {
            let waiting = &self.sealed[committing..];
            let Some(at) = waiting.iter().position(|pending| pending.name == name) else {
                self.obsolete.push(name);
                continue;
            };
            let pending = self.sealed.remove(committing + at);
            if matches!(pending.contents, Contents::File) {
                file::remove(&self.temporary(name))?;
            }
        }
        Ok(())
    }

    /// Whether a file goes after the next commit.
    pub(super) fn is_obsolete(&self, name: FileName<N>) -> bool {
        self.obsolete.contains(&name)
    }

    /// Delete what goes after the next commit now: it makes room for that commit.
    pub(super) fn make_room(&mut self) -> Result<()> {
        for name in self.obsolete.drain(..) {
            file::remove(&self.dir.join(name.to_string()))?;
        }
        Ok(())
    }

    /// Reserve room on disk for a manifest of up to `bytes`, so that a full disk cannot prevent the
    /// commit.
    pub(super) fn reserve(&mut self, bytes: u64) -> Result<()> {
        if bytes > self.reserved {
            // Twice as much, so that this is seldom done.
            self.reserved = 2 * bytes;
            file::reserve(&self.reserve_path(), self.reserved)?;
        }
        Ok(())
    }

    /// Give the room back.
    fn release(&mut self) -> Result<()> {
        if self.reserved == 0 {
            return Ok(());
        }
        self.reserved = 0;
        file::remove(&self.reserve_path())
    }

    fn reserve_path(&self) -> PathBuf {
        file::temporary(&self.dir.join(RESERVE))
    }

    /// Commit, and leave nothing but what is finished in the directory.
    pub(super) fn close<R: Record + Clone>(&mut self, record: &R) -> Result<()> {
        self.end_commit()?;
        self.release()?;
        self.commit(record)
    }

    /// Delete the files of layers that are not sealed, and commit those before them: an error costs
    /// no more than the layers that are sealed together.
    pub(super) fn abandon<R: Record + Clone>(&mut self, record: &R) -> Result<()> {
        // If it failed, the files wait for the one below.
        let _ = self.end_commit();
        self.release()?;
        self.unsealed.clear();
        let waiting = self.sealed.iter();
        let waiting: Vec<PathBuf> = waiting.map(|file| self.temporary(file.name)).collect();
        for (path, named) in files::all(&self.dir)? {
            if named == Named::Temporary && !waiting.contains(&path) {
                file::remove(&path)?;
            }
        }
        self.commit(record)
    }

    /// Delete what an interrupted `job` left; returns a remark if there was anything.
    pub(super) fn remove_orphans(
        &self,
        job: &str,
        is_orphan: impl Fn(Named) -> bool,
    ) -> Result<Option<String>> {
        let mut removed = 0;
        for (path, named) in files::all(&self.dir)? {
            if is_orphan(named) {
                match named {
                    Named::Tasks(_) => file::clear(&path),
                    _ => file::remove(&path)?,
                }
                removed += 1;
            }
        }
        let dir = self.dir.display();
        let remark =
            || format!("{dir}: removed unfinished files of an interrupted {job}: {removed}");
        Ok((removed > 0).then(remark))
    }

    fn temporary(&self, name: FileName<N>) -> PathBuf {
        file::temporary(&self.dir.join(name.to_string()))
    }
}

impl<N> Drop for Outbox<N> {
    /// Wait until nothing is written any more: the directory is locked for as long.
    fn drop(&mut self) {
        if let Some(under_way) = self.under_way.take() {
            // Whether a commit failed is for those to know who end one.
            let _ = under_way.end();
        }
    }
}
