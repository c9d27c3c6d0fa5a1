//! Finished files that wait for a commit.
//!
//! A file is finished when its last byte is written, and *sealed* when its layer is sealed. A
//! commit follows once enough sealed files wait, or enough time has passed. Until then a sealed
//! file can be read from memory or under its temporary name.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::commit::{Commit, Pending, Record, UnderWay};
use super::file;
use super::files::{self, FileName, Named, PartName, RESERVE};
use super::writer::{Spooled, Writer};
use crate::error::{Error, Result};
use crate::part::{self, FileContents, Sealed, Segments};

/// A commit at the end of a layer is due if this much time has passed since the last commit...
const COMMIT_AFTER: Duration = Duration::from_secs(1);
/// ...or if this many bytes wait to be made durable...
const COMMIT_BYTES: u64 = 256 << 20;
/// ...or if this many bytes wait in memory.
const COMMIT_HELD: u64 = 8 << 20;

/// The finished files of a part, or of its values, and the totals of each file.
type Finished = (PartName, Vec<(Pending, Sealed)>);

/// Files on their way into a directory: parts of a run, or values of a solution.
pub(super) struct Outbox {
    dir: PathBuf,
    /// Finished files of layers that are not sealed.
    unsealed: Vec<Finished>,
    /// Sealed files that wait for a commit; the files of the commit under way come first.
    sealed: Vec<Pending>,
    /// Files that the next commit deletes, because its manifest does not name them.
    obsolete: Vec<FileName>,
    under_way: Option<UnderWay>,
    /// Whether the manifest has changed since the last commit.
    changed: bool,
    /// Bytes that wait for the next commit; `held` counts the bytes in memory.
    waiting: u64,
    held: u64,
    committed: Instant,
    /// Bytes reserved for the manifest.
    reserved: u64,
}

impl Outbox {
    /// An empty outbox.
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

    /// An empty outbox for the same directory.
    pub(super) fn emptied(&self) -> Self {
        Self::new(&self.dir)
    }

    /// Begin the files of a part, or of its values, with `segment` boards each. The last entry of
    /// `contents` applies to all further files.
    pub(super) fn create(
        &self,
        name: PartName,
        contents: Vec<part::Contents>,
        segment: u64,
    ) -> Result<Writer> {
        let dir = self.dir.clone();
        let path_of = move |name: FileName| file::temporary(&dir.join(name.to_string()));
        Writer::new(name, contents, segment, path_of)
    }

    /// Finish the files of a part in an unsealed layer, and drop empty files. Returns their totals.
    pub(super) fn finish(&mut self, name: PartName, writer: Writer) -> Result<Sealed> {
        let mut files = writer.finish()?;
        files.retain(|(_, sealed)| sealed.states > 0);
        if files.len() > 1 && matches!(files[0].0, Spooled::File) {
            // The first file gets its number now.
            let [only, first] = [None, Some(0)].map(|segment| FileName { of: name, segment });
            file::rename(&self.temporary(only), &self.temporary(first))?;
        }
        let all = files.iter().map(|(_, sealed)| *sealed).sum();
        if !files.is_empty() {
            self.hold(name, files);
        }
        Ok(all)
    }

    /// Whether the files of an unsealed layer have this name.
    pub(super) fn has_unsealed(&self, name: PartName) -> bool {
        self.unsealed.iter().any(|(unsealed, _)| *unsealed == name)
    }

    /// Move finished files of an unsealed layer here, from elsewhere in the same file system.
    pub(super) fn adopt(&mut self, name: PartName, files: &[(PathBuf, Sealed)]) -> Result<()> {
        for (name, (path, _)) in name.files(files.len()).zip(files) {
            file::publish_once(path, &self.temporary(name))?;
        }
        let files = files.iter().map(|(_, sealed)| (Spooled::File, *sealed));
        self.hold(name, files.collect());
        Ok(())
    }

    /// Hold finished files until the layer is sealed.
    fn hold(&mut self, name: PartName, files: Vec<(Spooled, Sealed)>) {
        let names = name.files(files.len());
        let mut held = Vec::with_capacity(files.len());
        for (name, (contents, sealed)) in names.zip(files) {
            self.waiting += sealed.bytes;
            self.held += contents.held();
            held.push((Pending { name, contents }, sealed));
        }
        self.unsealed.push((name, held));
    }

    /// Seal the finished files of the layers up to sum `last`. Returns the totals of each file, for the
    /// manifest.
    pub(super) fn seal(&mut self, last: u32) -> Vec<(PartName, Vec<Sealed>)> {
        self.changed = true;
        let mut sealed = Vec::new();
        let seals = |(name, _): &mut Finished| name.key.sum <= last;
        for (name, files) in self.unsealed.extract_if(.., seals) {
            let mut all = Vec::with_capacity(files.len());
            for (pending, file) in files {
                self.sealed.push(pending);
                all.push(file);
            }
            sealed.push((name, all));
        }
        sealed
    }

    /// Open a file, in memory or on disk, and check it against its entry in the manifest.
    pub(super) fn open<C: FileContents>(
        &self,
        name: FileName,
        contents: C,
        sealed: Sealed,
    ) -> Result<Segments<C>> {
        let path = self.dir.join(name.to_string());
        let open = |path: &Path| Segments::open(path).map_err(Error::missing);
        let waits = self.sealed.iter().find(|pending| pending.name == name);
        let opened = match waits.map(|pending| &pending.contents) {
            Some(Spooled::Memory(bytes)) => Segments::from_memory(&path, Arc::clone(bytes)),
            // The commit under way may have renamed the file meanwhile.
            Some(Spooled::File) => match open(&self.temporary(name)) {
                Err(Error::Missing(_)) => open(&path),
                opened => opened,
            },
            None => open(&path),
        };
        opened?.expect(contents, sealed)
    }

    /// Record that the manifest has changed and needs a commit.
    pub(super) fn change(&mut self) {
        self.changed = true;
    }

    /// Whether a commit of the sealed files is due.
    pub(super) fn is_commit_due(&self) -> bool {
        self.waiting >= COMMIT_BYTES
            || self.held >= COMMIT_HELD
            || self.committed.elapsed() >= COMMIT_AFTER
    }

    /// Commit all sealed files, with a manifest that names them.
    pub(super) fn commit<R: Record + Clone>(&mut self, record: &R) -> Result<()> {
        if self.changed {
            self.begin_commit(record)?;
        }
        self.end_commit()
    }

    /// Begin a commit as soon as the running commit has ended.
    pub(super) fn begin_commit<R: Record + Clone>(&mut self, record: &R) -> Result<()> {
        self.end_commit()?;
        // After a failed commit, an obsolete file may have been made again.
        self.obsolete.retain(|&name| !record.names(name));
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

    /// Wait for the running commit. If it fails, its files wait for the next commit.
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

    /// Delete files: at once if no manifest names them, else after the next commit.
    pub(super) fn discard(&mut self, names: &[FileName]) -> Result<()> {
        let committing = self.under_way.as_ref().map_or(0, |commit| commit.files);
        for &name in names {
            let waiting = &self.sealed[committing..];
            let Some(at) = waiting.iter().position(|pending| pending.name == name) else {
                self.obsolete.push(name);
                continue;
            };
            let pending = self.sealed.remove(committing + at);
            if matches!(pending.contents, Spooled::File) {
                file::remove(&self.temporary(name))?;
            }
        }
        Ok(())
    }

    /// Whether the next commit deletes a file.
    pub(super) fn is_obsolete(&self, name: FileName) -> bool {
        self.obsolete.contains(&name)
    }

    /// Delete the obsolete files now, to make room for the next commit.
    pub(super) fn make_room(&mut self) -> Result<()> {
        for name in self.obsolete.drain(..) {
            file::remove(&self.dir.join(name.to_string()))?;
        }
        Ok(())
    }

    /// Reserve room on disk for a manifest of up to `bytes`, so that a commit succeeds even on a
    /// full disk.
    pub(super) fn reserve(&mut self, bytes: u64) -> Result<()> {
        if bytes > self.reserved {
            // Reserve twice as much, so that reservations are rare.
            self.reserved = 2 * bytes;
            file::reserve(&self.reserve_path(), self.reserved)?;
        }
        Ok(())
    }

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

    /// Commit, and free the reserved disk space.
    pub(super) fn close<R: Record + Clone>(&mut self, record: &R) -> Result<()> {
        self.end_commit()?;
        self.release()?;
        self.commit(record)
    }

    /// Delete the files of unsealed layers, and commit the sealed layers. So an error loses only
    /// the layers that the engine would have sealed next.
    pub(super) fn abandon<R: Record + Clone>(&mut self, record: &R) -> Result<()> {
        self.drop_from(0)?;
        self.release()?;
        self.commit(record)
    }

    /// Delete the unfinished files, and the files of unsealed layers from `sum` on.
    pub(super) fn drop_from(&mut self, sum: u32) -> Result<()> {
        // If this commit fails, its files wait for the next commit.
        let _ = self.end_commit();
        self.unsealed.retain(|(name, _)| name.key.sum < sum);
        let unsealed = self.unsealed.iter().flat_map(|(_, files)| files);
        let waiting = unsealed.map(|(file, _)| file).chain(&self.sealed);
        let mut kept: Vec<PathBuf> = waiting.map(|file| self.temporary(file.name)).collect();
        kept.push(self.reserve_path());
        for (path, named) in files::all(&self.dir)? {
            if named == Named::Temporary && !kept.contains(&path) {
                file::remove(&path)?;
            }
        }
        Ok(())
    }

    /// Delete the remains of an interrupted `job`; returns a remark if there are any.
    pub(super) fn remove_orphans(
        &self,
        job: &str,
        is_orphan: impl Fn(Named) -> bool,
    ) -> Result<Option<String>> {
        let mut removed = 0;
        for (path, named) in files::all(&self.dir)? {
            if is_orphan(named) {
                match named {
                    Named::Tasks(_) | Named::Again => file::clear(&path),
                    _ => file::remove(&path)?,
                }
                removed += 1;
            }
        }
        Ok((removed > 0).then(|| {
            let dir = self.dir.display();
            format!("{dir}: removed unfinished files of an interrupted {job}: {removed}")
        }))
    }

    fn temporary(&self, name: FileName) -> PathBuf {
        file::temporary(&self.dir.join(name.to_string()))
    }
}

impl Drop for Outbox {
    /// Wait for the running commit, so that the directory stays locked until all writes end.
    fn drop(&mut self) {
        if let Some(under_way) = self.under_way.take() {
            // `end_commit` reports a failed commit; a drop cannot.
            let _ = under_way.end();
        }
    }
}
